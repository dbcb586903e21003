"""docs/lm_eval.md and lm_eval_tasks.md say what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import our_tasks

DOCS = Path(__file__).parents[3] / "docs"
TEXT = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("lm_eval.md", "lm_eval_tasks.md"))
OUTPUTS = dict(re.findall(r"    lm_eval run --tasks (\w+) [^\n]*\n\n```text\n(.*?)```", TEXT, flags=re.DOTALL))


def metrics(output):
    """The metrics of a printed table."""
    rows = [[cell.strip() for cell in line.split("|")] for line in output.splitlines() if line.startswith("|")]
    return {row[5] for row in rows[2:]}


def test_every_task_has_its_section():
    tasks = our_tasks().all_subtasks
    headings = re.findall(r"^## (\w+)$", TEXT, flags=re.MULTILINE)
    assert {heading for task in tasks for heading in headings if task.startswith(heading)} >= {
        re.sub(r"_(en|pt|mini|reference)$", "", task) for task in tasks
    }


def test_the_output_has_the_metrics_of_today(evaluate):
    ((task, output),) = OUTPUTS.items()
    scores, _ = evaluate(task, limit=6)
    assert metrics(output) == {key for key in scores if not key.endswith("_stderr")}


def test_the_prompts_shown_are_those_that_are_asked(evaluate):
    shown = [block for block in re.findall(r"```text\n(.*?)```", TEXT, flags=re.DOTALL) if "|" not in block]
    asked = {
        sample["doc"]["prompt"]
        for task in ("idiom_minimal_pairs_mini", "compound_question_mini")
        for sample in evaluate(task)[1]
    }
    assert len(shown) == 2
    assert {prompt.rstrip("\n") for prompt in shown} <= asked


@pytest.mark.slow
def test_a_command_gives_the_output_shown(run, tiny_causal_model, tmp_path):
    (tmp_path / "tiny-gpt2").symlink_to(tiny_causal_model)
    (command,) = re.findall(r"    (lm_eval run --tasks polarity_sensitivity_mini .*)", TEXT)
    found, shown = (
        [line.split("|")[5:8] for line in output.splitlines() if line.startswith("|")]
        for output in (run(*command.split()).stdout, OUTPUTS["polarity_sensitivity_mini"])
    )
    assert [(name.strip(), better.strip()) for name, better, _ in found] == [
        (name.strip(), better.strip()) for name, better, _ in shown
    ]
    for (_, _, value), (_, _, expected) in zip(found[2:], shown[2:], strict=True):
        assert float(value) == pytest.approx(float(expected), abs=0.02)
