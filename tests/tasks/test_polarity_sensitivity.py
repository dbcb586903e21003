"""PolaritySensitivity through mteb: planted encoders, protocols, the mirror."""

from __future__ import annotations

import mteb
import pytest
from sklearn.model_selection import StratifiedShuffleSplit

from harness_ext.data.builder import builder_class
from harness_ext.data.sources import SourceError
from harness_ext.measures.polarity.items import polarity_plan
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.planted import PlantedModel, entries_of, random_vector

pytestmark = pytest.mark.usefixtures("without_baselines")

text_vector = random_vector(dimensions=32)


def measured(encode_one, task="PolaritySensitivityMini", split=None):
    """(split, scores) of an encoder, and the texts that it was asked in a call."""
    model = PlantedModel(encode_one)
    splits = [split] if split else None
    task = mteb.get_task(task, eval_splits=splits)
    ((place, scores),) = entries_of(model, task).items()
    split, _ = place
    texts = [texts for texts in model.calls if len(texts) > 1]  # others are alone
    return split, scores, *texts


@pytest.fixture
def small():
    """The rows of the small task."""
    task = mteb.get_task("PolaritySensitivityMini")
    task.load_data()
    return task.dataset["mini"].to_list()


def sentiment_of(rows):
    """Text -> 1 if it is positive, -1 if negative."""
    sentiment = {}
    for row in rows:
        sign = 2 * row["label"] - 1
        sentiment[row["text"]] = sign
        if row["rewrite"]:
            sentiment[row["rewrite"]] = -sign
    return sentiment


def test_an_encoder_that_knows_the_sentiment_scores_one(small):
    sentiment = sentiment_of(small)

    def encode_one(text):
        return text_vector(text) + 30 * sentiment[text] * text_vector("sentiment")

    _, scores, texts = measured(encode_one)
    for key, value in scores.items():
        if key.startswith("fb") and not key.endswith(("low", "std")):
            assert value == 1
    assert scores["main_score"] == 1
    assert scores["fb_linear_pss"] == 1
    assert scores["fb_linear_pss_ci_high"] == 1
    # Wilson's interval of 120 of 120 pairs: (2·120 + z² - 1 - z √(z² + 2 - 1/120)) / (2 (120 +
    # z²)), z = 1.96
    assert scores["fb_linear_pss_ci_low"] == pytest.approx(0.96134, abs=1e-5)
    assert len(texts) == len(set(texts)) == 400 + 240


def test_an_encoder_that_knows_the_sentiment_of_originals_only_sees_no_flip(small):
    sentiment = sentiment_of(small)
    original = {row["rewrite"]: row["text"] for row in small if row["rewrite"]}

    def encode_one(text):
        return sentiment[original.get(text, text)] * text_vector("sentiment")

    _, scores, _ = measured(encode_one)
    assert scores["fb_linear_accuracy"] == 1
    assert scores["fb_linear_pss"] == 0
    assert scores["fb_dnn_pss"] == 0
    assert scores["fb_linear_relative_pss"] == 0


def test_the_split_says_how_many_sentences_to_train_on():
    split, scores, texts = measured(text_vector, split="mini_limit_50")
    assert split == "mini_limit_50"
    assert scores["train_limit"] == scores["n_train"] == 50
    assert len(texts) == 50 + 240
    assert scores["trained_on_dev"] == 0


def test_training_sentences_are_drawn_by_label_with_seed_42(small):
    """As by scikit-learn's own splitter."""
    sentences = [row for row in small if row["role"] == "train"]
    labels = [row["label"] for row in sentences]
    splitter = StratifiedShuffleSplit(
        n_splits=1,
        train_size=50,
        test_size=len(labels) - 50,
        random_state=42,
    )
    ((chosen, _),) = splitter.split(labels, labels)
    rows = load_rows(ENCODER_TASKS["PolaritySensitivityMini"], "mini_limit_50", "default")
    texts = [row["text"] for row in rows if row["role"] == "train"]
    assert texts == [sentences[number]["text"] for number in sorted(chosen)]


@pytest.mark.parametrize("split", ["reference_trained_on_test", "reference_limit_0", "mini"])
def test_another_split_is_an_error_that_says_what_there_is(split):
    with pytest.raises(
        ValueError, match=rf"'{split}' is not an eval split .* reference or system, then \[_trained"
    ):
        measured(text_vector, task="PolaritySensitivity", split=split)


def test_comparisons_by_hand():
    rows = [
        ("train", "good", 1, None, None),
        ("train", "bad", 0, None, None),
        ("pair", "bad", 0, "fine", None),
        ("pair", "not bad", 0, "bad", "no_added_word"),
        ("pair", "good", 1, "poor", None),
    ]
    names = ("role", "text", "label", "rewrite", "removed_by")
    named = []
    for row in rows:
        role, text, *_ = row
        named.append({"id": f"{role}-{text}", **dict(zip(names, row, strict=True))})
    plan = polarity_plan(named, "mini")
    assert plan.texts() == ["good", "bad", "fine", "poor"]
    sentences = zip(
        plan.sentences.role,
        plan.sentences.sentence,
        plan.sentences.label,
        strict=True,
    )
    assert list(sentences) == [
        ("train", "good", 1),
        ("train", "bad", 0),
        ("held_out", "bad", 0),
        ("held_out", "good", 1),
        ("original", "bad", 0),
        ("original", "good", 1),
        ("rewrite", "fine", 1),
        ("rewrite", "poor", 0),
    ]
    assert plan.sentences.row[2:].tolist() == ["pair-bad", "pair-good"] * 3
    assert plan.pairs.direction.tolist() == ["neg_to_pos", "neg_to_pos", "pos_to_neg"]
    assert plan.pairs.excluded.tolist() == ["", "no_added_word", ""]


@pytest.mark.real_data
@pytest.mark.usefixtures("own_rows")
def test_without_training_sentences_the_error_says_how_to_train_on_dev(mirror):
    with pytest.raises(SourceError, match=r"--eval-splits reference_trained_on_dev_limit_30"):
        measured(text_vector, task="PolaritySensitivity", split="reference_limit_30")


@pytest.mark.slow
@pytest.mark.real_data
def test_the_default_trains_on_the_training_file(mirror, monkeypatch, tmp_path):
    train = builder_class("polarity_pairs").SOURCES["train"]
    for name, source in train.items():
        file = tmp_path / source.relative_path
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"it is {name} {number} .\n" for number in range(30)]
        file.write_text("".join(lines))
    monkeypatch.setenv("HARNESS_EXT_MIRROR", f"{mirror}:{tmp_path}")
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    _, scores, _ = measured(text_vector, task="PolaritySensitivity", split="reference")
    assert scores["n_train"] == 60
    assert scores["n_held_out"] == 4856  # of 5000 sentences, copies aside
    assert scores["trained_on_dev"] == 0
