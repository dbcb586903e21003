"""The bootstrap of all intervals and paired tests."""

from __future__ import annotations

from hashlib import shake_128
from math import exp, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx
from scipy.stats import norm, pearsonr, spearmanr

from harness_ext.statistics import bootstrap
from harness_ext.statistics.bootstrap import (
    DETECTED,
    N_RESAMPLES,
    draw,
    draw_by_resamples,
    draw_by_units,
    percentile_interval,
    widened,
)
from harness_ext.statistics.statistic import (
    average,
    mean_of_rows,
    of_units,
    spearman_of_rows,
    spearman_of_units,
)
from tests.statistics.samples import all_undefined, share_undefined, units

MANY_UNITS = 10**9


def sixteen_bits(digest, place):
    """The number that a digest has at a place of two bytes."""
    start = 2 * place
    two_bytes = digest[start : start + 2]
    return int.from_bytes(two_bytes, "little")


def means(names, sample):
    times = draw(names).astype(float)
    return average(sample, times)


def test_an_effect_of_so_many_standard_errors_is_found_in_80_of_100_samples():
    significant = norm.ppf(0.975)
    power = norm.cdf(DETECTED - significant)
    assert power == approx(0.8, abs=0.001)


def test_resamples_of_a_mean_spread_as_theory_says():
    rng = np.random.default_rng(0)
    sample = rng.normal(size=400)
    error = sample.std() / 20  # √400
    found = means(units(400), sample)
    assert N_RESAMPLES == 2000
    assert found.shape == (N_RESAMPLES,)
    assert found.mean() == approx(sample.mean(), abs=0.01)
    assert found.std() == approx(error, rel=0.1)
    low, high = percentile_interval(found, 400)
    half_width = (high - low) / 2
    assert half_width == approx(1.96 * error, rel=0.1)


POISSON_SHARES = [exp(-1) / factorial(n) for n in range(9)]
"""A variable with mean 1 is 0, 1, … 8."""


def poisson(number):
    """The least n whose share of a Poisson variable with mean 1, rounded to 16 bits, exceeds a
    number.
    """
    shares = np.cumsum(POISSON_SHARES[:-1])
    thresholds = np.round(shares * 2**16)
    return int(np.sum(number >= thresholds))


def counts_of_digest(name, n_resamples):
    """How often the unit of a name counts, by a loop over its digest."""
    n_bytes = 2 * n_resamples
    digest = shake_128(name.encode()).digest(n_bytes)
    counts = []
    for place in range(n_resamples):
        number = sixteen_bits(digest, place)
        counts.append(poisson(number))
    return counts


@pytest.mark.parametrize("name", ["black box", "café", ""])
def test_a_name_alone_says_how_often_its_unit_counts(name):
    """Beside a loop over the 16 bits of each resample."""
    expected = counts_of_digest(name, N_RESAMPLES)
    for names in ([name], ["other", name, "another"]):
        counts = draw(np.array(names))
        column = names.index(name)
        assert counts[:, column].tolist() == expected


def test_counts_are_poisson_and_independent():
    counts = draw(units(1000))
    assert counts.dtype == np.uint8
    frequencies = np.bincount(counts.ravel(), minlength=9)
    shares = frequencies / counts.size
    assert_allclose(shares, POISSON_SHARES, atol=0.001)
    of_hundred = counts[:, :100]
    correlations = np.corrcoef(of_hundred, rowvar=False)
    upper_triangle = np.triu_indices(100, 1)
    sizes = np.abs(correlations[upper_triangle])
    assert sizes.max() < 0.11  # 4 950 of a standard error of .022


def test_many_units_are_drawn_in_blocks_of_resamples(monkeypatch):
    """Each block by a digest of its own, whichever way the counts are asked for."""
    names = units(25)
    monkeypatch.setattr(bootstrap, "MOST_UNITS_AT_ONCE", 24)
    monkeypatch.setattr(bootstrap, "_N_UNITS_OF_BLOCK", 7)
    blocks = list(draw_by_resamples(names))
    lengths = [len(block) for block in blocks]
    assert lengths == [100] * 20
    fourth = blocks[3]
    last_unit = fourth[:, 24]
    assert last_unit.tolist() == counts_of_digest("3|unit 24", 100)
    at_once = np.concatenate(blocks)
    assert_array_equal(draw(names), at_once)
    for places, counts in draw_by_units(names):
        assert_array_equal(counts, at_once[:, places])


@pytest.mark.parametrize("most", [39, 40])
def test_sums_by_units_and_scores_by_resamples_see_the_same_counts(monkeypatch, most):
    """A mean, a mean of rows and two rank correlations, beside their formulas on all counts."""
    monkeypatch.setattr(bootstrap, "MOST_UNITS_AT_ONCE", most)
    monkeypatch.setattr(bootstrap, "_N_UNITS_OF_BLOCK", 7)
    names = units(40)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40))
    times = draw(names)
    sums = times @ x
    expected = sums / times.sum(axis=1)
    of_units_alone = of_units(average, names, x)
    assert_allclose(of_units_alone.resamples(), expected)
    unit_of_row = np.repeat(np.arange(40), 2)
    value_of_row = np.repeat(x, 2)
    of_rows = mean_of_rows(names, unit_of_row, value_of_row)
    assert_allclose(of_rows.resamples(), expected)
    correlations = []
    for counts in times[:50]:
        resampled_x = np.repeat(x, counts)
        resampled_y = np.repeat(y, counts)
        correlation = spearmanr(resampled_x, resampled_y)
        correlations.append(correlation.statistic)
    for score in (spearman_of_rows, spearman_of_units):
        found = score(names, x, y).resamples()
        assert_allclose(found[:50], correlations)


@settings(max_examples=10)
@given(
    n=st.integers(15, 30),
    m=st.integers(15, 30),
    shift=st.floats(-10, 10),
)
def test_the_same_units_give_the_same_draws(n, m, shift):
    """So that two models differ, draw by draw, by what they differ by in every unit, whatever the
    order.
    """
    rng = np.random.default_rng(0)
    one = rng.normal(size=n)
    other = rng.normal(size=m)
    names = units(n)
    order = rng.permutation(n)
    shifted = one + shift
    other_means = means(units(m, start=100), other)
    difference = means(names, one) - other_means
    shifted_means = means(names[order], shifted[order])
    shifted_difference = shifted_means - other_means
    assert_allclose(shifted_difference - difference, shift, atol=1e-9)


def test_units_that_two_tasks_share_are_drawn_together():
    """Of 100 compounds the other task has 40: its mean moves with theirs as if they were drawn
    once.
    """
    rng = np.random.default_rng(0)
    shared_values = rng.normal(size=40)
    values = np.append(shared_values, np.zeros(60))
    of_all = means(units(100), values)
    of_shared = means(units(40), shared_values)
    assert pearsonr(of_all, of_shared).statistic > 0.9
    of_others = means(units(40, start=500), shared_values)
    assert abs(pearsonr(of_all, of_others).statistic) < 0.1


def test_a_resample_without_units_is_left_out():
    """Three units are absent together in e⁻³ = 5 % of the resamples, ten in .005 %."""
    values = np.arange(3.0)
    found = of_units(average, units(3), values).resamples()
    assert share_undefined(found) == approx(exp(-3), abs=0.015)
    assert all_undefined(percentile_interval(found, 3))


def test_an_interval_needs_99_of_100_resamples():
    resamples = np.arange(float(N_RESAMPLES))
    resamples[:20] = np.nan  # 20 … 1999 remain
    low, high = percentile_interval(resamples, MANY_UNITS)
    assert low == approx(20 + 1979 * 0.025)
    assert high == approx(20 + 1979 * 0.975)
    resamples[20] = np.nan
    assert all_undefined(percentile_interval(resamples, MANY_UNITS))


def test_one_unit_cannot_be_resampled():
    def mean_of_first_group(first, second, first_times, second_times):
        return average(first, first_times)

    is_first = np.arange(6) == 0
    groups = [is_first, ~is_first]
    values = np.ones(6)
    found = of_units(mean_of_first_group, units(6), values, groups=groups)
    assert all_undefined(found.resamples())
    resamples = np.ones(N_RESAMPLES)
    assert all_undefined(percentile_interval(resamples, 1))


def test_quantiles_are_widened_for_few_units():
    """t of 19 degrees of freedom: 2.093, times √(20 / 19)."""
    expected = 2.0930 * (20 / 19) ** 0.5
    assert widened(1.959964, 20) == approx(expected, abs=1e-3)
    assert widened(1.959964, 10**6) == approx(1.96, abs=1e-3)
