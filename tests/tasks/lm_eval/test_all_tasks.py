"""What holds for every task for lm-eval: it is found and runs, by the literal command and from
Python.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import lm_eval
import pytest
import yaml

from harness_ext.common.folders import lm_eval_tasks
from harness_ext.tasks import TASKS as DECLARED

from .conftest import our_tasks

TASKS = {name for name, row in DECLARED.items() if row.harness == "lm-eval"}
WITHOUT_NETWORK = {name for name in TASKS if name.endswith("_mini")}
ON_PUBLISHED_DATA = TASKS - WITHOUT_NETWORK


def test_every_file_is_a_task_or_a_group_that_lm_eval_finds():
    """lm-eval passes over a broken file without a word."""
    manager = our_tasks()
    files = list(lm_eval_tasks().glob("*.yaml"))
    assert len(files) == len(TASKS) + 2
    assert set(manager.all_subtasks) == TASKS
    assert manager.all_groups == ["compositionality", "compositionality_mini"]
    assert manager.all_tags == []
    members = {}
    for name in manager.all_groups:
        group = yaml.safe_load((lm_eval_tasks() / f"{name}.yaml").read_text())
        members[name] = set(group["task"])
    assert members == {
        "compositionality": ON_PUBLISHED_DATA,
        "compositionality_mini": WITHOUT_NETWORK,
    }


def result_of(folder):
    (file,) = Path(folder).glob("*/results_*.json")
    return json.loads(file.read_text())


@pytest.mark.slow
@pytest.mark.usefixtures("tasks_of_lm_eval")
def test_the_group_without_network_by_the_literal_command(run, tmp_path):
    done = run(
        "lm_eval",
        "run",
        "--tasks",
        "compositionality_mini",
        "--model",
        "dummy",
        "--output_path",
        "out",
        "--log_samples",
    )
    assert "could not register" not in done.stderr
    assert "|compositionality_mini" in done.stdout
    result = result_of(tmp_path / "out")
    assert set(result["results"]) == WITHOUT_NETWORK | {"compositionality_mini"}
    mains = [result["results"][task]["main_score,none"] for task in WITHOUT_NETWORK]
    group = result["groups"]["compositionality_mini"]
    assert group["main_score,none"] == pytest.approx(sum(mains) / len(mains))
    files_of_samples = list(tmp_path.glob("out/*/samples_*.jsonl"))
    assert len(files_of_samples) == len(WITHOUT_NETWORK)


@pytest.mark.slow
@pytest.mark.usefixtures("tasks_of_lm_eval")
def test_a_chat_model_of_an_api_is_refused_in_the_words_of_lm_eval():
    """Nothing is asked: such models give no probabilities."""
    line = (
        "-m lm_eval run --model local-chat-completions --model_args "
        "base_url=http://127.0.0.1:1/v1,model=x"
    )
    for task in ("idiom_minimal_pairs_mini", "compositionality_mini"):
        command = [sys.executable, *line.split(), "--tasks", task, "--apply_chat_template"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        *_, last_line = done.stderr.splitlines()
        assert last_line.startswith("NotImplementedError: Loglikelihood is not supported for chat")


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("tasks_of_lm_eval", "unverified_mirror")
def test_the_group_on_the_published_data_by_the_literal_command(run, tmp_path):
    run(
        "lm_eval",
        "run",
        "--tasks",
        "compositionality",
        "--model",
        "dummy",
        "--output_path",
        "out",
        "--limit",
        "50",
    )
    result = result_of(tmp_path / "out")
    assert set(result["results"]) == ON_PUBLISHED_DATA | {"compositionality"}
    for task in ON_PUBLISHED_DATA:
        assert result["n-samples"][task]["effective"] == 50


@pytest.mark.slow
def test_a_real_causal_model_on_few_documents(tiny_causal_model):
    """Every task has its scores; the average of the group is left out, as some are not defined."""
    found = lm_eval.simple_evaluate(
        "hf",
        {"pretrained": str(tiny_causal_model)},
        ["compositionality_mini"],
        batch_size=7,
        limit=12,
        device="cpu",
        task_manager=our_tasks(),
        bootstrap_iters=0,
        log_samples=False,
    )
    assert found["results"].keys() == WITHOUT_NETWORK | {"compositionality_mini"}
    assert "main_score,none" not in found["groups"]["compositionality_mini"]
