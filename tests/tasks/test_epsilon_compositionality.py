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
    (scores,) = entries_of(
        PlantedModel(encode_one), "EpsilonCompositionalityMini", **kwargs
    ).values()
    return scores


IDIOM = {"class": "NC"}


def test_samples_by_hand():
    """Two synonyms a slot: two ordered pairs a slot, four samples; texts in the order in which they
    are met.
    """
    words_syn = ("dark crate", "dark case", "inky crate", "black three words", "one")
    plan = epsilon_plan([compound_row("black box", "the {} sank", words_syn=words_syn, **IDIOM)])
    samples = plan.samples
    columns = ("row", "compound", "slot", "word", "synonym", "other_synonym")
    assert list(zip(*(getattr(samples, name).tolist() for name in columns), strict=True)) == [
        ("black box", "black box", "modifier", "black", "dark", "inky"),
        ("black box", "black box", "modifier", "black", "inky", "dark"),
        ("black box", "black box", "head", "box", "crate", "case"),
        ("black box", "black box", "head", "box", "case", "crate"),
    ]
    in_context = list(
        zip(samples.with_word, samples.with_synonym, samples.with_other_synonym, strict=True)
    )
    assert in_context[0] == ("the black box sank", "the dark box sank", "the inky box sank")
    assert in_context[3] == ("the black box sank", "the black case sank", "the black crate sank")
    assert plan.texts()[:4] == ["black", "dark", "inky", "the black box sank"]


@pytest.mark.parametrize(
    "change", [{"surface": "black", "span": [1, 2]}, {"words_syn": ["black box", "dark crate"]}]
)
def test_rows_without_a_pair_of_synonyms_give_no_sample(change):
    row = compound_row("black box", **{"words_syn": ["dark crate", "inky case"], **IDIOM, **change})
    assert len(epsilon_plan([row]).samples) == 0


def test_an_encoder_that_sets_idioms_apart_is_told_from_chance():
    """A bag of words, but a text with an idiomatic compound in it is moved: replacing a word of it
    moves it back.
    """
    rows = load_dataset("compound_mini", split="naturalistic")
    idioms, away = (
        {row["compound"] for row in rows if row["class"] == "NC"},
        3 * word_vector("idiomatic"),
    )

    def encode_one(text):
        return added_up(text) + (away if any(idiom in text.lower() for idiom in idioms) else 0)

    scores = run(encode_one)
    assert scores["main_score"] == scores["auc_nc_vs_c"] > 0.95
    assert scores["auc_nc_vs_c_ci_low"] > 0.85  # 0.9, as percentiles of few compounds are expanded
    assert scores["p_value_NC"] < 0.001
    assert scores["rank_share_NC"] > 0.95


def test_an_encoder_that_ignores_the_compound_is_at_chance():
    """Sentences are encoded by their length alone, which no replacement of one word by another
    changes.
    """
    scores = run(
        lambda text: (
            word_vector(text) if len(text.split()) == 1 else word_vector(str(len(text.split())))
        )
    )
    assert (
        scores["auc_nc_vs_c"]
        == scores["auc_nc_vs_c_ci_low"]
        == scores["auc_nc_vs_c_ci_high"]
        == 0.5
    )
    assert {scores[f"rank_share_{klass}"] for klass in ("C", "PC", "NC")} == {0.5}


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
    with caplog.at_level(logging.INFO):
        scores = run(lambda text: np.zeros(32) if text in unknown else added_up(text))
    assert "rank_share_PC" not in scores
    assert scores["n_pairs_PC"] == 0
    assert scores["n_excluded_no_samples"] == 30
    assert scores["n_excluded_no_pairs"] == 0
    assert scores["n_excluded_zero_vector"] == 1080
    assert "not defined for planted/model, and left out: p_value_PC, rank_share_PC" in caplog.text
