"""The bootstrap of all intervals and paired tests."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness_ext.evaluators.statistics.bootstrap import N_RESAMPLES, percentile_interval, resample


def test_resamples_of_a_mean_spread_as_theory_says():
    sample = np.random.default_rng(0).normal(size=400)
    found = resample((sample,), np.mean)
    assert found.shape == (N_RESAMPLES,) == (2000,)
    assert found.mean() == pytest.approx(sample.mean(), abs=0.01)
    assert found.std() == pytest.approx(sample.std() / 20, rel=0.1)
    low, high = percentile_interval(found)
    assert (high - low) / 2 == pytest.approx(1.96 * sample.std() / 20, rel=0.1)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 30), st.integers(2, 30), st.floats(-10, 10))
def test_the_same_numbers_of_units_give_the_same_draws(n, m, shift):
    """So that two models differ, draw by draw, by what they differ by in every unit."""
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=n), rng.normal(size=m)

    def difference(x, y, axis):
        return x.mean(axis=axis) - y.mean(axis=axis)

    found = resample((one + shift, other), difference) - resample((one, other), difference)
    np.testing.assert_allclose(found, shift, atol=1e-9)


def test_paired_samples_are_drawn_together():
    sample = np.random.default_rng(0).normal(size=20)

    def difference(x, y, axis):
        return (x - y).mean(axis=axis)

    assert resample((sample, sample), difference, paired=True) == pytest.approx(0)
    assert resample((sample, sample), lambda x, y, axis: x.mean(axis) - y.mean(axis)).std() > 0.1


def test_one_unit_cannot_be_resampled():
    assert np.isnan(resample((np.ones(1), np.ones(5)), lambda x, y, axis: x.mean(axis))).all()


def test_one_value_is_a_result_too():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert percentile_interval(resample((np.full(5, 0.5),), np.mean)) == (0.5, 0.5)
