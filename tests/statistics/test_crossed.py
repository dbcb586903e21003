"""Scores of two kinds of units, both of which are drawn."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from pytest import approx

from harness_ext.statistics.bootstrap import N_RESAMPLES, draw
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.crossed import CrossedStatistic
from tests.statistics.samples import all_undefined, mean_of_cells, share_undefined

RNG = np.random.default_rng(0)


def words(n, kind=""):
    numbers = range(n)
    return np.array([f"{kind}word {number}" for number in numbers])


def crossed_mean(values, n_units=None):
    """The mean of values of adjectives and nouns, whose names may be the same.

    The first `n_units` adjectives enter the score; without a number, all of them do.
    """
    n_adjectives, n_nouns = values.shape
    adjectives = words(n_adjectives)
    return CrossedStatistic(
        adjectives[:n_units],
        adjectives,
        words(n_nouns),
        mean_of_cells(values),
        NotImplemented,
    )


def test_a_row_counts_as_often_as_the_product_of_two_counts():
    """Beside repeated rows; a word is drawn twice, as an adjective and as a noun."""
    values = RNG.normal(size=(12, 10))
    found = crossed_mean(values).resamples()
    adjective_counts = draw(words(12, kind="first|"))
    noun_counts = draw(words(10, kind="second|"))
    for number in range(50):
        rows = np.repeat(values, adjective_counts[number], axis=0)
        cells = np.repeat(rows, noun_counts[number], axis=1)
        assert found[number] == approx(cells.mean())


def share_of_fewer_than_two(n):
    """The resamples that draw none of n units, or one: e⁻ⁿ + n (1 − e⁻¹) e⁻⁽ⁿ⁻¹⁾."""
    absent = exp(-1)
    none = absent**n
    one = n * (1 - absent) * absent ** (n - 1)
    return none + one


def test_a_resample_with_a_single_noun_or_adjective_is_left_out():
    """Of five nouns fewer than two are in e⁻⁵ + 5 (1 − e⁻¹) e⁻⁴ of the resamples."""
    values = RNG.normal(size=(30, 5))
    few_nouns = crossed_mean(values)
    left_out = share_undefined(few_nouns.resamples())
    assert left_out == approx(share_of_fewer_than_two(5), abs=0.015)
    assert all_undefined(confidence_interval(few_nouns))
    values = RNG.normal(size=(30, 30))
    many = crossed_mean(values)
    assert np.isfinite(confidence_interval(many)).all()
    # three of the 30 adjectives enter the score
    few_units = crossed_mean(values, n_units=3)
    left_out = share_undefined(few_units.resamples())
    assert left_out == approx(share_of_fewer_than_two(3), abs=0.035)


@pytest.mark.parametrize(
    "shape",
    [
        (20, 1),
        (1, 20),
        (20, 0),
    ],
)
def test_one_unit_of_either_kind_cannot_be_resampled(shape):
    found = crossed_mean(np.ones(shape))
    resamples = found.resamples()
    assert resamples.shape == (N_RESAMPLES,)
    assert all_undefined(resamples)
    assert found.effective_size == 1
