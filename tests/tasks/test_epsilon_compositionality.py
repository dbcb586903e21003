"""EpsilonCompositionality through mteb: planted encoders, hand-counted samples."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from datasets import load_dataset

from harness_ext.measures.epsilon.items import epsilon_plan
from tests.measures.given import compound_row
from tests.planted import PlantedModel, bag_of_words, entries_of, random_vector

pytestmark = pytest.mark.usefixtures("without_baselines")

word_vector = random_vector(dimensions=32)
added_up = bag_of_words(dimensions=32)


def run(encode_one, **kwargs):
    model = PlantedModel(encode_one)
    (scores,) = entries_of(model, "EpsilonCompositionalityMini", **kwargs).values()
    return scores


IDIOM = {"class": "NC"}


def test_samples_by_hand():
    """Two synonyms a slot: two ordered pairs a slot, four samples; texts in the order in which they
    are met.
    """
    words_syn = ("dark crate", "dark case", "inky crate", "black three words", "one")
    row = compound_row("black box", "the {} sank", words_syn=words_syn, **IDIOM)
    plan = epsilon_plan([row])
    samples = plan.samples
    assert {*samples.row} == {*samples.compound} == {"black box"}
    words = zip(
        samples.slot,
        samples.word,
        samples.synonym,
        samples.other_synonym,
        strict=True,
    )
    assert list(words) == [
        ("modifier", "black", "dark", "inky"),
        ("modifier", "black", "inky", "dark"),
        ("head", "box", "crate", "case"),
        ("head", "box", "case", "crate"),
    ]
    assert samples.with_word[0] == "the black box sank"
    assert samples.with_synonym[0] == "the dark box sank"
    assert samples.with_other_synonym[0] == "the inky box sank"
    assert samples.with_word[3] == "the black box sank"
    assert samples.with_synonym[3] == "the black case sank"
    assert samples.with_other_synonym[3] == "the black crate sank"
    assert plan.texts()[:4] == ["black", "dark", "inky", "the black box sank"]


@pytest.mark.parametrize(
    "change",
    [
        {"surface": "black", "span": [1, 2]},
        {"words_syn": ["black box", "dark crate"]},
    ],
)
def test_rows_without_a_pair_of_synonyms_give_no_sample(change):
    synonyms = {"words_syn": ["dark crate", "inky case"]}
    row = compound_row("black box", **(synonyms | IDIOM | change))
    plan = epsilon_plan([row])
    assert len(plan.samples) == 0


def test_an_encoder_that_sets_idioms_apart_is_told_from_chance():
    """A bag of words, but a text with an idiomatic compound in it is moved: replacing a word of it
    moves it back.
    """
    rows = load_dataset("compound_mini", split="naturalistic")
    idioms = {row["compound"] for row in rows if row["class"] == "NC"}
    away = 3 * word_vector("idiomatic")

    def encode_one(text):
        has_an_idiom = any(idiom in text.lower() for idiom in idioms)
        return added_up(text) + has_an_idiom * away

    scores = run(encode_one)
    assert scores["main_score"] == scores["auc_nc_vs_c"] > 0.95
    assert scores["auc_nc_vs_c_ci_low"] > 0.85  # 0.9, as percentiles of few compounds are expanded
    assert scores["p_value_NC"] < 0.001
    assert scores["rank_share_NC"] > 0.95


def test_an_encoder_that_ignores_the_compound_is_at_chance():
    """Sentences are encoded by their length alone, which no replacement of one word by another
    changes.
    """

    def encode_one(text):
        n_words = len(text.split())
        return word_vector(text if n_words == 1 else str(n_words))

    scores = run(encode_one)
    for key in (
        "auc_nc_vs_c",
        "auc_nc_vs_c_ci_low",
        "auc_nc_vs_c_ci_high",
        "rank_share_C",
        "rank_share_PC",
        "rank_share_NC",
    ):
        assert scores[key] == 0.5


def test_more_items_than_are_kept_leave_the_scores_alone(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("harness_ext.harnesses.mteb.task.MAX_ITEMS", 100)
    scores = run(added_up, folder=tmp_path)
    assert "rank_share_NC" in scores
    assert "items" not in scores
    assert "are more than 100; only their scores are saved" in caplog.text
    assert not [*tmp_path.rglob("*.parquet")]


def test_a_class_without_pairs_is_left_out_and_the_log_says_so(caplog):
    """Zero vectors, as static embeddings give for unknown words, are excluded; here those of all PC
    compounds.
    """
    rows = load_dataset("compound_mini", split="naturalistic")
    unknown = {row["sentence"] for row in rows if row["class"] == "PC"}

    def encode_one(text):
        return np.zeros(32) if text in unknown else added_up(text)

    with caplog.at_level(logging.INFO):
        scores = run(encode_one)
    assert "rank_share_PC" not in scores
    assert scores["n_pairs_PC"] == 0
    assert scores["n_excluded_no_samples"] == 30
    assert scores["n_excluded_no_pairs"] == 0
    assert scores["n_excluded_zero_vector"] == 1080
    assert "not defined for planted/model, and left out: p_value_PC, rank_share_PC" in caplog.text
