"""The bootstrap of all intervals and paired tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from harness_ext.statistics.bootstrap import (
    DETECTED,
    N_RESAMPLES,
    draw,
    percentile_interval,
    widened,
)
from harness_ext.statistics.statistic import average, of_units


def units(n, start=0):
    return np.array([f"unit {number}" for number in range(start, start + n)])


def means(names, sample):
    return average(sample, draw(names).astype(float))


def test_an_effect_of_so_many_standard_errors_is_found_in_80_of_100_samples():
    assert norm.cdf(DETECTED - norm.ppf(0.975)) == pytest.approx(0.8, abs=0.001)


def test_resamples_of_a_mean_spread_as_theory_says():
    sample = np.random.default_rng(0).normal(size=400)
    found = means(units(400), sample)
    assert found.shape == (N_RESAMPLES,) == (2000,)
    assert found.mean() == pytest.approx(sample.mean(), abs=0.01)
    assert found.std() == pytest.approx(sample.std() / 20, rel=0.1)
    low, high = percentile_interval(found, 400)
    assert (draw(units(400)).sum(axis=1, dtype=int) == 400).all()
    assert (high - low) / 2 == pytest.approx(1.96 * sample.std() / 20, rel=0.1)


@settings(max_examples=10)
@given(st.integers(2, 30), st.integers(2, 30), st.floats(-10, 10))
def test_the_same_units_give_the_same_draws(n, m, shift):
    """So that two models differ, draw by draw, by what they differ by in every unit, whatever the
    order.
    """
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=n), rng.normal(size=m)
    names, order = units(n), rng.permutation(n)
    difference = means(names, one) - means(units(m, 100), other)
    shifted = means(names[order], (one + shift)[order]) - means(units(m, 100), other)
    np.testing.assert_allclose(shifted - difference, shift, atol=1e-9)


def test_units_that_two_tasks_share_are_drawn_together():
    """Of 100 compounds the other task has 40: its mean moves with theirs as if they were drawn
    once.
    """
    values = np.zeros(100)
    values[:40] = np.random.default_rng(0).normal(size=40)
    ours, theirs = means(units(100), values), means(units(40), values[:40])
    assert np.corrcoef(ours, theirs)[0, 1] > 0.9
    others = means(units(40, 500), values[:40])
    assert abs(np.corrcoef(ours, others)[0, 1]) < 0.1


def test_one_unit_cannot_be_resampled():
    groups = [np.arange(6) == 0, np.arange(6) > 0]
    found = of_units(lambda x, y, of_x, of_y: average(x, of_x), units(6), np.ones(6), groups=groups)
    assert np.isnan(found.resamples()).all()
    assert np.isnan(percentile_interval(np.ones(N_RESAMPLES), 1)).all()


def test_quantiles_are_widened_for_few_units():
    """t of 19 degrees of freedom: 2.093, times √(20 / 19)."""
    assert widened(1.959964, 20) == pytest.approx(2.0930 * (20 / 19) ** 0.5, abs=1e-3)
    assert widened(1.959964, 10**6) == pytest.approx(1.96, abs=1e-3)
