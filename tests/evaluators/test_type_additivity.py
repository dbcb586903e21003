"""Type additivity and head or modifier by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness_ext.evaluators.type_additivity import HEAD_OR_MODIFIER, TYPE_ADDITIVITY, rated_plan
from tests.planted import bag_of_words, vectors_of


def row(compound, rating, modifier=None, head=None):
    return {
        "expression": compound, "parts": compound.split(), "rating": rating, "modifier_rating": modifier,
        "head_rating": head,
    }  # fmt: skip


def scores_of(measure, encode, rows):
    measure = replace(measure, fewest_units=1)
    return measure.flat_scores(measure.fill(rated_plan(rows), vectors_of(encode)))


def weighted(compounds):
    """Adds up the words of a compound with weights: orthogonal words, (weight of modifier, weight of head, other)."""
    words = sorted({word for compound in compounds for word in compound.split()})

    def encode(text):
        vector = np.zeros(len(words) + 1)
        for word, weight in zip(text.split(), compounds.get(text, (1, 1, 0)), strict=False):
            vector[words.index(word)] += weight
        vector[-1] = compounds.get(text, (1, 1, 0))[-1]
        return vector

    return encode


def test_the_further_from_the_sum_the_less_compositional():
    compounds = {"black box": (1, 1, 3), "rain coat": (1, 1, 0), "hot dog": (1, 1, 2)}
    ratings = [row("black box", 0.5), row("rain coat", 4.5), row("hot dog", 1.0)]
    assert scores_of(TYPE_ADDITIVITY, weighted(compounds), ratings)["additivity_spearman"] == pytest.approx(1)
    ratings = [row("black box", 4.5), row("rain coat", 0.5), row("hot dog", 1.0)]
    assert scores_of(TYPE_ADDITIVITY, weighted(compounds), ratings)["additivity_spearman"] == pytest.approx(-1)


def test_an_encoder_that_adds_up_its_words_has_no_order():
    rows = [row(f"one{number} two{number}", number) for number in range(20)]
    assert "additivity_spearman" not in scores_of(TYPE_ADDITIVITY, bag_of_words(1), rows)


def test_head_or_modifier():
    compounds = {"a b": (1, 2, 0), "c d": (2, 1, 0), "e f": (1, 2, 0), "g h": (1, 1, 0), "i j": (1, 2, 0)}
    rows = [row("a b", 3, 2, 4), row("c d", 3, 4, 2), row("e f", 3, 4, 2), row("g h", 3, 2, 4), row("i j", 3, 3, 3)]
    scores = scores_of(HEAD_OR_MODIFIER, weighted(compounds), rows)
    assert scores["follows_head"] == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert scores["follows_head_balanced"] == pytest.approx(((1 + 0.5) / 2 + (1 + 0) / 2) / 2)
    assert scores["n_excluded_equal"] == 1
    always_head = dict.fromkeys(compounds, (1, 2, 0))
    assert scores_of(HEAD_OR_MODIFIER, weighted(always_head), rows)["follows_head_balanced"] == 0.5


def test_rounding_does_not_order_words_that_are_one_text_to_the_model():
    compounds = {f"one{number} two{number}": (1, 1, number // 10) for number in range(20)}
    rows = [row(compound, number) for number, compound in enumerate(compounds)]
    exact = scores_of(TYPE_ADDITIVITY, weighted(compounds), rows)["additivity_spearman"]
    for seed in range(3):
        noise = np.random.default_rng(seed)

        def in_float32(text, noise=noise):
            return weighted(compounds)(text) * (1 + noise.normal(scale=1e-6, size=41))

        assert scores_of(TYPE_ADDITIVITY, in_float32, rows)["additivity_spearman"] == exact
