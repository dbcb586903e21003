"""The tasks of docs/mteb_tasks, in mteb's own form on an export: where definitions agree with ours,
scores do.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import mteb
import pytest

from tests.command_line import harness_ext
from tests.planted import PlantedModel, bag_of_words, entries_of

FOLDER = Path(__file__).parents[2] / "docs" / "mteb_tasks"


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize(
    ("name", "file", "dataset", "ours"),
    [
        ("RoleSwapSTS", "role_swap_sts.py", "sts3k", "RoleSwapSimilarityMini"),
        (
            "IdiomParaphraseReranking",
            "idiom_paraphrase_reranking.py",
            "impli",
            "IdiomParaphraseMini",
        ),
    ],
)
def test_main_scores_are_those_of_this_project(name, file, dataset, ours, monkeypatch, tmp_path):
    # which has ORG/NAME, as the Hub would have it; what is not at hand is left out
    monkeypatch.chdir(tmp_path)
    harness_ext("datasets", "export", ".", "--org", "ORG", "--dataset", dataset)
    program = runpy.run_path(str(FOLDER / file))
    task = program[name]()
    our_task = mteb.get_task(ours)
    assert task.metadata.is_filled()
    mini = {**task.metadata.dataset, "name": "mini"}
    task.metadata = task.metadata.model_copy(update={"dataset": mini})
    task.filter_eval_splits(our_task.eval_splits)
    expected = main_scores(our_task)
    assert main_scores(task) == pytest.approx(expected, abs=1e-5)
    assert all(0 < abs(score) < 1 for score in expected.values())


def main_scores(task):
    """Split -> the main score of a planted model."""
    model = PlantedModel(bag_of_words(1))
    entries = entries_of(model, task)
    return {split: entry["main_score"] for (split, _), entry in entries.items()}
