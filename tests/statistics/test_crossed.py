"""Scores of two kinds of units, both of which are drawn."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from harness_ext.statistics.bootstrap import N_RESAMPLES, draw
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.crossed import CrossedStatistic

RNG = np.random.default_rng(0)


def words(n, kind=""):
    return np.array([f"{kind}word {number}" for number in range(n)])


def crossed_mean(values, units=None):
    """The mean of values of adjectives and nouns, whose names may be the same."""
    n_adjectives, n_nouns = values.shape
    adjectives = words(n_adjectives)
    nouns = words(n_nouns)
    once = (np.ones((n_adjectives, 1)), np.ones((n_nouns, 1)))

    def formula(*times):
        first, second = times or once
        sums = np.einsum("ar,an,nr->r", first, values, second)
        n_cells = first.sum(axis=0) * second.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return sums / n_cells

    units = adjectives if units is None else adjectives[units]
    return CrossedStatistic(units, adjectives, nouns, formula, NotImplemented)


def test_a_row_counts_as_often_as_the_product_of_two_counts():
    """Beside repeated rows; a word is drawn twice, as an adjective and as a noun."""
    values = RNG.normal(size=(12, 10))
    found = crossed_mean(values).resamples()
    adjectives = draw(words(12, kind="first|")).astype(int)
    nouns = draw(words(10, kind="second|")).astype(int)
    for number in range(50):
        of_adjectives = np.repeat(values, adjectives[number], axis=0)
        of_both = np.repeat(of_adjectives, nouns[number], axis=1)
        assert found[number] == pytest.approx(of_both.mean())


def test_a_resample_with_a_single_noun_or_adjective_is_left_out():
    """Of five nouns fewer than two are in e⁻⁵ + 5 (1 − e⁻¹) e⁻⁴ of the resamples."""
    few_nouns = crossed_mean(RNG.normal(size=(30, 5)))
    share = exp(-5) + 5 * (1 - exp(-1)) * exp(-4)
    assert np.isnan(few_nouns.resamples()).mean() == pytest.approx(share, abs=0.015)
    assert np.isnan(confidence_interval(few_nouns)).all()
    many = crossed_mean(RNG.normal(size=(30, 30)))
    assert not np.isnan(confidence_interval(many)).any()
    # three of the 30 adjectives enter the score
    few_units = crossed_mean(RNG.normal(size=(30, 30)), units=[0, 1, 2])
    share = exp(-3) + 3 * (1 - exp(-1)) * exp(-2)
    assert np.isnan(few_units.resamples()).mean() == pytest.approx(share, abs=0.035)


@pytest.mark.parametrize("shape", [(20, 1), (1, 20), (20, 0)])
def test_one_unit_of_either_kind_cannot_be_resampled(shape):
    found = crossed_mean(np.ones(shape))
    assert found.resamples().shape == (N_RESAMPLES,)
    assert np.isnan(found.resamples()).all()
    assert found.effective_size == 1
