"""TreeReconstruction through mteb: planted encoders, compositions, trees of one's own."""

from __future__ import annotations

import hashlib
import json
import re

import mteb
import numpy as np
import pytest
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder

from harness_ext.data.sources import SourceError

KEYS = {
    "compositionality",
    "compositionality_ci_low",
    "compositionality_ci_high",
    "spearman_tre_wns",
    "spearman_tre_ti",
    "tre_mean",
    "tre_std",
    "n_trees",
    "n_steps",
    "converged",
}


def text_vector(text, dimensions=32):
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).normal(size=dimensions)


def bag_of_words(text):
    return np.sum([text_vector(word) for word in text.split()], axis=0)


class Planted(AbsEncoder):
    def __init__(self, encode_one):
        self.encode_one = encode_one
        self.calls = []
        self.mteb_model_meta = ModelMeta.create_empty(overwrites={"name": "planted/encoder", "revision": "1"})

    def encode(self, inputs, **kwargs):
        texts = [text for batch in inputs for text in batch["text"]]
        self.calls.append(texts)
        return np.array([self.encode_one(text) for text in texts], dtype=np.float32)


def run(encode_one, task="TreeReconstructionMini", split=None, **kwargs):
    model = Planted(encode_one)
    tasks = mteb.get_tasks(tasks=[task], eval_splits=[split] if split else None)
    result = mteb.evaluate(model, tasks, cache=None, show_progress_bar=False, **kwargs).task_results[0]
    ((scores,),) = result.scores.values()
    return scores, model, result


def test_an_encoder_that_adds_word_vectors_is_reconstructed(tmp_path):
    scores, model, _ = run(bag_of_words, prediction_folder=tmp_path)
    assert scores["tre_mean"] < 1e-3
    assert scores.keys() >= KEYS
    assert scores["main_score"] == -scores["spearman_tre_wns"]
    assert (scores["n_trees"], scores["converged"]) == (60, 1)
    json.dumps(scores, allow_nan=False)
    (texts,) = model.calls
    assert len(texts) == len(set(texts)) == 60
    rows = json.loads((tmp_path / "TreeReconstructionMini_predictions.json").read_text())["default"]["test"]
    assert np.mean([row["tre"] for row in rows]) == pytest.approx(scores["tre_mean"])


@pytest.fixture
def small_vocabulary(tmp_path, monkeypatch):
    """300 trees of six words each over eight words, fewer than it takes to reconstruct anything."""
    rng = np.random.default_rng(0)

    def tree(words):
        if len(words) == 1:
            return f"({rng.integers(5)} {words[0]})"
        place = rng.integers(1, len(words))
        return f"({rng.integers(5)} {tree(words[:place])} {tree(words[place:])})"

    trees = "\n".join(tree(rng.choice(list("abcdefgh"), size=6)) for _ in range(300))
    (tmp_path / "test.txt").write_text(trees, encoding="utf-8")
    monkeypatch.setenv("HARNESS_EXT_SENTIMENT_TREES", str(tmp_path))


def test_random_vectors_are_not_reconstructed_and_know_nothing_of_switching(small_vocabulary):
    scores, _, result = run(text_vector, task="TreeReconstruction")
    assert re.fullmatch("local-[0-9a-f]{12}", result.dataset_revision)
    assert scores["tre_mean"] > 0.3
    assert scores["compositionality_ci_low"] < 0 < scores["compositionality_ci_high"]


def test_an_encoder_that_resists_composition_where_sentiment_switches_scores_below_zero(small_vocabulary):
    """More noise on the sum of the words the more the tree switches: TRE grows with WNS, the main score is negative."""
    task = mteb.get_task("TreeReconstruction")
    task.load_data()
    from harness_ext.evaluators.forest import weighted_node_switching
    from harness_ext.tasks.tree_reconstruction import sentiment_forest

    rows = task.dataset["test"].to_list()
    wns = dict(zip([row["sentence"] for row in rows], weighted_node_switching(sentiment_forest(rows)), strict=True))
    scores, _, _ = run(
        lambda text: bag_of_words(text) / np.sqrt(6) + wns[text] ** 3 * text_vector(text), task="TreeReconstruction"
    )
    assert scores["compositionality_ci_high"] < -0.5
    assert scores["main_score"] < -0.7


@pytest.mark.slow
def test_the_split_says_the_composition(small_vocabulary):
    """The mean along the parse weighs words by their depth; the sum does not."""
    error = {}
    for split in ("test", "test_mean", "test_linear"):
        scores, _, result = run(bag_of_words, task="TreeReconstruction", split=split)
        assert list(result.scores) == [split]
        error[split] = scores["tre_mean"]
    assert error["test"] < 1e-3 < error["test_mean"]
    assert error["test_linear"] < error["test_mean"]


def test_an_unknown_split_says_what_there_is():
    with pytest.raises(ValueError, match="'test_product' is not an eval split of TreeReconstructionMini: test, each"):
        run(bag_of_words, split="test_product")


def test_single_words_and_zero_vectors_are_counted(tmp_path, monkeypatch):
    trees = ["(2 alone)", *(f"({n % 5} (2 a{n % 3}) ({(n * 2) % 5} (1 b{n}) (2 c)))" for n in range(9))]
    (tmp_path / "test.txt").write_text("\n".join(trees), encoding="utf-8")
    monkeypatch.setenv("HARNESS_EXT_SENTIMENT_TREES", str(tmp_path))
    scores, _, _ = run(lambda text: bag_of_words(text) * ("b4" not in text), task="TreeReconstruction")
    assert (scores["n_trees"], scores["n_excluded_single_word"], scores["n_excluded_zero_vector"]) == (8, 1, 1)


def test_nothing_left_is_an_error_that_names_the_model():
    with pytest.raises(ValueError, match=r"TreeReconstructionMini .*main score 'compositionality' of planted/encoder"):
        run(lambda text: np.zeros(32))


def test_without_the_treebank_the_error_says_where_it_is(monkeypatch):
    monkeypatch.delenv("HARNESS_EXT_SENTIMENT_TREES", raising=False)
    with pytest.raises(SourceError, match=r"trainDevTestTrees_PTB\.zip has not been downloaded yet"):
        run(bag_of_words, task="TreeReconstruction")


@pytest.mark.parametrize("name", ["TreeReconstruction", "TreeReconstructionMini"])
def test_metadata_is_complete(name):
    metadata = mteb.get_task(name).metadata
    assert metadata.is_filled()
    assert metadata.type == "Compositionality"


def test_descriptive_statistics():
    task = mteb.get_task("TreeReconstructionMini")
    task.load_data()
    assert task._calculate_descriptive_statistics_from_split("test")["num_samples"] == 60
