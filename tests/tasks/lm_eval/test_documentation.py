"""docs/lm_eval.md, lm_eval_tasks.md and lm_eval_trivial.csv say what is so; their literal commands
run.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from pathlib import Path

import pytest
from datasets import load_dataset

from harness_ext.tasks import TASKS
from tests.results.measured import QUICK

from .conftest import our_tasks

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ("lm_eval.md", "lm_eval_tasks.md")
TEXT = "".join((DOCS / name).read_text(encoding="utf-8") for name in PAGES)


def test_every_task_has_its_section():
    tasks = our_tasks().all_subtasks
    headings = re.findall(r"^## (\w+)$", TEXT, flags=re.MULTILINE)
    for task in tasks:
        name = re.sub(r"_(en|pt|mini|reference)$", "", task)
        assert name in headings


@pytest.mark.slow
def test_the_prompts_shown_are_those_that_are_asked(evaluate):
    blocks = re.findall(r"```text\n(.*?)```", TEXT, flags=re.DOTALL)
    shown = [block for block in blocks if "|" not in block]
    asked = set()
    for task in ("idiom_minimal_pairs_mini", "compound_question_mini"):
        _, samples = evaluate(task)
        asked |= {sample["doc"]["prompt"] for sample in samples}
    assert len(shown) == 2
    assert {prompt.rstrip("\n") for prompt in shown} <= asked


def table_cells(output):
    """Score, arrow and value of each line of a table that lm-eval prints."""
    rows = []
    for line in output.splitlines():
        if line.startswith("|"):
            cells = line.split("|")[5:8]
            rows.append([cell.strip() for cell in cells])
    return rows


def values_of_scores(rows):
    """(Score, arrow) -> value, of the rows below the two of the head."""
    return {(key, arrow): float(value) for key, arrow, value in rows[2:]}


@pytest.mark.slow
@pytest.mark.usefixtures("tasks_of_lm_eval")
def test_a_command_gives_the_output_shown(run, tiny_causal_model, tmp_path):
    (tmp_path / "tiny-gpt2").symlink_to(tiny_causal_model)
    ((command, output),) = re.findall(
        r"    (lm_eval run --tasks [^\n]*)\n\n```text\n(.*?)```", TEXT, flags=re.DOTALL
    )
    found = table_cells(run(*command.split()).stdout)
    shown = table_cells(output)
    assert found[:2] == shown[:2]
    values = values_of_scores(found)
    expected = values_of_scores(shown)
    assert len(expected) == 6  # the page leaves others out
    for key, value in expected.items():
        assert values[key] == pytest.approx(value, abs=0.02)


MINI = {name for name in TASKS if name.endswith("_mini")}
WITH_OPTIONS = MINI - {"epsilon_surprisal_mini"}
"""The small tasks whose main score is of PMI."""


@pytest.mark.slow
def test_the_table_of_the_documentation(evaluate):
    """Each row: what a model gets by PMI, and by probability alone.

    The first is a unigram model, trained by counting on the sentences of compound_mini, smoothed by
    one.
    """
    sentences = load_dataset("compound_mini", split="naturalistic")["sentence"]
    words = Counter(" ".join(sentences).lower().split())
    total = sum(words.values()) + len(words) + 1

    def unigrams(prompt, answer):
        counts = [words[word] + 1 for word in answer.lower().split()]
        return math.fsum(math.log(count / total) for count in counts)

    def prefers_short(prompt, answer):
        return -float(len(answer))

    def prefers_long(prompt, answer):
        return float(len(answer))

    def prefers_first(prompt, answer):
        """Of what the prompt lists, the first; what it does not list comes last."""
        return -float(prompt.find(answer.strip()) % 10**6)

    models = [unigrams, prefers_short, prefers_long, prefers_first]
    lines = (DOCS / "lm_eval_trivial.csv").read_text(encoding="utf-8").splitlines()
    _, *rows = csv.reader(lines)
    table = {(task, key): values for task, key, _chance, *values in rows}
    expected = {}
    for task in WITH_OPTIONS:
        main = TASKS[task].measure.main
        by_model = [evaluate(task, score)[0] for score in models]
        for key in (main, f"per_character_{main}", f"raw_{main}"):
            expected[task, key] = [f"{scores[key]:.3f}" for scores in by_model]
    assert table == expected


@pytest.mark.slow
@pytest.mark.usefixtures("tasks_of_lm_eval")
def test_a_language_model_and_an_encoder_stand_on_one_page(
    run, tiny_causal_model, measured_copy, tmp_path
):
    (tmp_path / "tiny-gpt2").symlink_to(tiny_causal_model)
    tasks = "idiom_minimal_pairs_mini,polarity_sensitivity_mini"
    options = "--device cpu --batch_size 16 --limit 40 --output_path measured --log_samples"
    model = "pretrained=tiny-gpt2,dtype=bfloat16"
    command = f"lm-eval run --tasks {tasks} --model hf --model_args {model} {options}"
    run(*command.split())
    shown = run("harness-ext", "show", "measured").stdout
    for text in (
        "planted/one",
        "tiny-gpt2 [dtype=bfloat16]",
        QUICK[0],
        "polarity_sensitivity_mini",
        "test[:40]",
    ):
        assert text in shown

    run("harness-ext", "report", "measured", "-o", "report")
    page = (tmp_path / "report" / "index.html").read_text()
    assert "Does the language model change its verdict when a sentence does?" in page
    assert "A black box is no box that is black." in page
    pages_of_units = tmp_path.glob("report/units/idiom_minimal_pairs_mini-test*.html")
    assert len([*pages_of_units]) == 1
