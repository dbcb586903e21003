"""TreeReconstruction through mteb: planted encoders, compositions, small treebanks."""

from __future__ import annotations

import itertools
import json
import zipfile
from collections import Counter
from dataclasses import replace

import mteb
import numpy as np
import pytest

from harness_ext.data.sources import SourceError, git_blob_hash
from harness_ext.datasets_scripts.sentiment_trees.sentiment_trees import SentimentTrees
from harness_ext.measures.trees.forest import Forest, weighted_node_switching
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import data_revision, load_rows
from tests.measures.given import drawn_tree
from tests.planted import PlantedModel, bag_of_words, entries_of, random_vector

text_vector = random_vector(1, dimensions=32)
added_up = bag_of_words(1, dimensions=32)


def measured(encode_one, split=None, task="TreeReconstruction"):
    """(split, scores) of an encoder."""
    splits = [split] if split else None
    task = mteb.get_task(task, eval_splits=splits)
    entries = entries_of(PlantedModel(encode_one), task)
    ((place, scores),) = entries.items()
    split, _ = place
    return split, scores


def noisy(text):
    """Sums of word vectors and something else."""
    n_words = len(text.split())
    return added_up(text) / np.sqrt(n_words) + text_vector(text)


@pytest.fixture
def treebank(tmp_path, monkeypatch):
    """Pins a zip of these trees in place of the published one: `treebank(test=[...])`."""
    sources = SentimentTrees.SOURCES["sst"]
    path = tmp_path / sources["test"].relative_path
    path.parent.mkdir(parents=True)
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))

    def pin(**trees):
        with zipfile.ZipFile(path, "w") as archive:
            for split, lines in trees.items():
                archive.writestr(sources[split].member, "\n".join(lines))
        pinned = {}
        for split, lines in trees.items():
            pinned[split] = replace(sources[split], blob=git_blob_hash(path), rows=len(lines))
        splits = {"sst": tuple(trees), "mini": ("test",)}
        monkeypatch.setattr(SentimentTrees, "SOURCES", {"sst": pinned})
        monkeypatch.setattr(SentimentTrees, "SPLITS_OF", splits)

    return pin


def drawn_trees(letters, n_words, n_trees):
    """Random trees of so many words each."""
    rng = np.random.default_rng(0)
    trees = []
    for _ in range(n_trees):
        words = rng.choice(list(letters), size=n_words)
        trees.append(drawn_tree(rng, words))
    return trees


@pytest.fixture
def small_vocabulary(treebank):
    """150 trees of six words each over eight words, fewer than it takes to reconstruct anything; as
    train and test.
    """
    trees = drawn_trees("abcdefgh", n_words=6, n_trees=300)
    treebank(train=trees[:150], test=trees[150:])


@pytest.mark.usefixtures("small_vocabulary")
def test_random_vectors_are_not_reconstructed_and_know_nothing_of_switching():
    _, scores = measured(text_vector, "test_words_from_train")
    assert 0.3 < scores["fit_tre_mean"] < scores["tre_mean"]
    assert scores["compositionality_ci_low"] < 0 < scores["compositionality_ci_high"]
    assert scores["n_trees"] == 150
    assert scores["n_fitted"] == 150


@pytest.mark.usefixtures("small_vocabulary")
def test_what_the_fit_leaves_is_of_the_sentences_that_words_were_fitted_to():
    """Sums of words in `train`, which a fit gives exactly, and nothing of the kind in `test`."""
    rows = load_rows(ENCODER_TASKS["TreeReconstruction"], "test_words_from_train", "default")
    asked = {row["sentence"] for row in rows if row["measured"]}
    fitted = {row["sentence"] for row in rows if row["fitted"]}
    only_in_test = asked - fitted

    def encode_one(text):
        return text_vector(text) if text in only_in_test else added_up(text)

    _, scores = measured(encode_one, "test_words_from_train")
    assert scores["fit_tre_mean"] == pytest.approx(0, abs=1e-6)
    assert scores["tre_mean"] > 0.5


@pytest.mark.usefixtures("small_vocabulary")
def test_an_encoder_that_resists_composition_where_sentiment_switches_scores_below_zero():
    """More noise on the sum of the words the more the tree switches: TRE grows with WNS, the main
    score is negative.
    """
    rows = [*load_rows(ENCODER_TASKS["TreeReconstruction"], "test_words_from_train", "default")]
    sentences = [row["sentence"] for row in rows]
    switching = weighted_node_switching(Forest.of(rows))
    wns = dict(zip(sentences, switching, strict=True))

    def encode_one(text):
        noise = wns[text] ** 3 * text_vector(text)
        return added_up(text) / np.sqrt(6) + noise

    _, scores = measured(encode_one, "test_words_from_train")
    assert scores["compositionality_ci_high"] < -0.5
    assert scores["main_score"] < -0.7


@pytest.mark.usefixtures("small_vocabulary")
def test_the_split_says_the_composition():
    """The mean along the parse weighs words by their depth; the sum does not."""
    split, of_sums = measured(noisy, "test")
    assert split == "test"
    split, of_means = measured(noisy, "test_mean")
    assert split == "test_mean"
    assert of_sums["fit_tre_mean"] == pytest.approx(of_sums["tre_mean"], rel=1e-7)
    assert of_sums["tre_mean"] < of_means["tre_mean"]
    linear = load_rows(ENCODER_TASKS["TreeReconstruction"], "train_linear", "default")
    assert {*linear["composition"]} == {"linear"}


@pytest.mark.parametrize("split", ["test_product", "test_words_from_train"])
def test_an_unknown_split_says_what_there_is(split):
    name = "TreeReconstructionMini"
    with pytest.raises(
        ValueError, match=f"{name}: '{split}' is not an eval split here. There are test,"
    ):
        measured(added_up, split, name)


def test_words_from_train_need_train_and_unseen_words_are_counted(treebank):
    trees = drawn_trees("abcde", n_words=3, n_trees=60)
    dev = [*trees[:20], "(3 (2 a) (1 new))"]
    treebank(dev=dev)
    said = (
        r"TreeReconstruction: 'dev_words_from_train' is not an eval split here\. There are dev, "
        r"each"
    )
    with pytest.raises(ValueError, match=said):
        measured(noisy)
    treebank(dev=dev, train=trees[20:])
    split, scores = measured(noisy)
    assert split == "dev_words_from_train"
    assert scores["n_trees"] == 20
    assert scores["n_fitted"] == 40
    assert scores["n_excluded_unseen_word"] == 1
    assert scores["fit_tre_mean"] < scores["tre_mean"]


def test_single_words_and_zero_vectors_are_counted(treebank):
    trees = ["(2 alone)"]
    for n in range(12):
        trees.append(f"({n % 5} (2 a{n % 3}) ({(n * 2) % 5} (1 b{n % 2}) (2 c)))")
    treebank(test=trees)
    calls = itertools.count()

    def one_is_zero(text):
        if text == "a1 b0 c":
            return np.zeros(32)
        return text_vector(f"{text}{next(calls)}")

    _, scores = measured(one_is_zero, "test")
    assert scores["n_trees"] == 10
    assert scores["n_excluded_single_word"] == 1
    assert scores["n_excluded_zero_vector"] == 2


@pytest.mark.usefixtures("own_rows")
def test_without_the_treebank_the_error_says_where_it_is():
    with pytest.raises(
        SourceError, match=r"trainDevTestTrees_PTB\.zip has not been downloaded yet"
    ):
        measured(added_up)


@pytest.mark.slow
@pytest.mark.real_data
def test_most_published_trees_have_a_word_that_is_in_none_of_train(mirror):
    task = ENCODER_TASKS["TreeReconstruction"]
    split = "dev_words_from_train"
    assert data_revision(task, split) == "5bed46c93fbc"
    rows = [*load_rows(task, split, "default")]
    plan = task.measure.planned(rows, split)
    excluded = Counter(plan.trees.excluded.tolist())
    assert excluded == {"": 433, "unseen_word": 667}


@pytest.mark.slow
def test_figures_of_a_real_encoder(run, minilm, tmp_path):
    """No row was published for this protocol; these are our own figures."""
    run("mteb", "run", "-m", minilm, "-t", "TreeReconstructionMini", "--output-folder", "out")
    (file,) = tmp_path.glob("out/results/*/*/TreeReconstructionMini.json")
    content = json.loads(file.read_text())
    (scores,) = content["scores"]["test"]
    assert scores["tre_mean"] == pytest.approx(0.029, abs=0.003)
    assert scores["main_score"] == pytest.approx(0.124, abs=0.03)
    assert scores["n_trees"] == 240
