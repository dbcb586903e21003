"""The tasks of docs/mteb_tasks, in mteb's own form on an export: where definitions agree with ours, scores do."""

from __future__ import annotations

import runpy
from pathlib import Path

import mteb
import pytest

from tests.command_line import harness_ext
from tests.planted import PlantedModel, bag_of_words

FOLDER = Path(__file__).parents[2] / "docs" / "mteb_tasks"
OURS = {
    "RoleSwapSTS": ("role_swap_sts.py", "sts3k", "RoleSwapSimilarityMini"),
    "IdiomParaphraseReranking": ("idiom_paraphrase_reranking.py", "impli", "IdiomParaphraseMini"),
}


@pytest.fixture
def scores(monkeypatch, tmp_path):
    """Split -> the main scores of a model in mteb's form of a task, and in ours."""
    monkeypatch.setenv("HARNESS_EXT_WORDS", "0")
    monkeypatch.chdir(tmp_path)  # which has ORG/NAME, as the Hub would have it; what is not at hand is left out

    def scores(name, model):
        file, dataset, our_name = OURS[name]
        harness_ext("datasets", "export", ".", "--org", "ORG", "--dataset", dataset)
        assert len((FOLDER / file).read_text().splitlines()) <= 30
        theirs, ours = runpy.run_path(str(FOLDER / file))[name](), mteb.get_task(our_name)
        assert theirs.metadata.is_filled()
        data = theirs.metadata.dataset | {"name": "mini"}
        theirs.metadata = theirs.metadata.model_copy(update={"dataset": data})
        theirs.filter_eval_splits(ours.eval_splits)
        results = mteb.evaluate(model, [theirs, ours], cache=None, show_progress_bar=False).task_results
        return [{split: one[0]["main_score"] for split, one in result.scores.items()} for result in results]

    return scores


@pytest.mark.parametrize("name", OURS)
def test_main_scores_are_those_of_this_project(name, scores):
    theirs, ours = scores(name, PlantedModel(bag_of_words(1)))
    assert theirs == pytest.approx(ours, abs=1e-5)
    assert all(0 < abs(score) < 1 for score in ours.values())


def test_a_reranking_has_no_half_for_a_tie_and_asks_for_queries_and_documents(scores):
    asked = set()

    class Recording(PlantedModel):
        def encode(self, inputs, *, prompt_type=None, task_metadata, **kwargs):
            asked.add((task_metadata.type, prompt_type and prompt_type.value))
            return super().encode(inputs)

    theirs, ours = scores("IdiomParaphraseReranking", Recording(lambda _: [1.0, 2.0]))
    assert {*ours.values()} == {0.5}
    assert {*theirs.values()} <= {0.0, 1.0}
    assert asked == {("Reranking", "query"), ("Reranking", "document"), ("STS", None)}
