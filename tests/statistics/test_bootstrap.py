"""The bootstrap of all intervals and paired tests."""

from __future__ import annotations

from hashlib import shake_128
from math import exp, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, spearmanr

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


def units(n, start=0):
    return np.array([f"unit {number}" for number in range(start, start + n)])


def sixteen_bits(digest, place):
    """The number that a digest has at a place of two bytes."""
    return int.from_bytes(digest[2 * place : 2 * place + 2], "little")


def means(names, sample):
    return average(sample, draw(names).astype(float))


def test_an_effect_of_so_many_standard_errors_is_found_in_80_of_100_samples():
    assert norm.cdf(DETECTED - norm.ppf(0.975)) == pytest.approx(0.8, abs=0.001)


def test_resamples_of_a_mean_spread_as_theory_says():
    sample = np.random.default_rng(0).normal(size=400)
    error = sample.std() / np.sqrt(400)
    found = means(units(400), sample)
    assert found.shape == (N_RESAMPLES,) == (2000,)
    assert found.mean() == pytest.approx(sample.mean(), abs=0.01)
    assert found.std() == pytest.approx(error, rel=0.1)
    low, high = percentile_interval(found, 400)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def poisson(number):
    """The least n whose share of a Poisson variable with mean 1, rounded to 16 bits, exceeds a
    number.
    """
    n = 0
    share = exp(-1)
    while n < 8 and number >= round(share * 2**16):
        n += 1
        share += exp(-1) / factorial(n)
    return n


@pytest.mark.parametrize("name", ["black box", "café", ""])
def test_a_name_alone_says_how_often_its_unit_counts(name):
    """Beside a loop over the 16 bits of each resample."""
    digest = shake_128(name.encode()).digest(2 * N_RESAMPLES)
    expected = [poisson(sixteen_bits(digest, place)) for place in range(N_RESAMPLES)]
    for names in ([name], ["other", name, "another"]):
        counts = draw(np.array(names))
        of_name = counts[:, names.index(name)]
        assert of_name.tolist() == expected


def test_counts_are_poisson_and_independent():
    counts = draw(units(1000))
    assert counts.dtype == np.uint8
    shares = np.bincount(counts.ravel(), minlength=9) / counts.size
    expected = [exp(-1) / factorial(n) for n in range(9)]
    np.testing.assert_allclose(shares, expected, atol=0.001)
    correlations = np.corrcoef(counts[:, :100], rowvar=False)
    off_diagonal = correlations[np.triu_indices(100, 1)]
    assert np.abs(off_diagonal).max() < 0.11  # 4 950 of a standard error of .022


def test_many_units_are_drawn_in_blocks_of_resamples(monkeypatch):
    """Each block by a digest of its own, whichever way the counts are asked for."""
    names = units(25)
    monkeypatch.setattr(bootstrap, "MOST_UNITS_AT_ONCE", 24)
    monkeypatch.setattr(bootstrap, "_N_UNITS_OF_BLOCK", 7)
    blocks = list(draw_by_resamples(names))
    assert [len(block) for block in blocks] == [100] * 20
    digest = shake_128(b"3|unit 24").digest(200)
    expected = [poisson(sixteen_bits(digest, place)) for place in range(100)]
    assert blocks[3][:, 24].tolist() == expected
    at_once = np.concatenate(blocks)
    np.testing.assert_array_equal(draw(names), at_once)
    for places, counts in draw_by_units(names):
        np.testing.assert_array_equal(counts, at_once[:, places])


@pytest.mark.parametrize("most", [39, 40])
def test_sums_by_units_and_scores_by_resamples_see_the_same_counts(monkeypatch, most):
    """A mean, a mean of rows and two rank correlations, beside their formulas on all counts."""
    monkeypatch.setattr(bootstrap, "MOST_UNITS_AT_ONCE", most)
    monkeypatch.setattr(bootstrap, "_N_UNITS_OF_BLOCK", 7)
    names = units(40)
    x, y = np.random.default_rng(0).normal(size=(2, 40))
    times = draw(names).astype(float)
    expected = times @ x / times.sum(axis=1)
    np.testing.assert_allclose(of_units(average, names, x).resamples(), expected)
    twice = np.repeat(np.arange(40), 2)
    of_rows = mean_of_rows(names, twice, np.repeat(x, 2))
    np.testing.assert_allclose(of_rows.resamples(), expected)
    of_resampled_units = []
    for count in times[:50].astype(int):
        correlation = spearmanr(np.repeat(x, count), np.repeat(y, count))
        of_resampled_units.append(correlation.statistic)
    for correlation_of in (spearman_of_rows, spearman_of_units):
        found = correlation_of(names, x, y).resamples()
        np.testing.assert_allclose(found[:50], of_resampled_units)


@settings(max_examples=10)
@given(st.integers(15, 30), st.integers(15, 30), st.floats(-10, 10))
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
    other_means = means(units(m, 100), other)
    difference = means(names, one) - other_means
    shifted_difference = means(names[order], shifted[order]) - other_means
    np.testing.assert_allclose(shifted_difference - difference, shift, atol=1e-9)


def test_units_that_two_tasks_share_are_drawn_together():
    """Of 100 compounds the other task has 40: its mean moves with theirs as if they were drawn
    once.
    """
    shared_values = np.random.default_rng(0).normal(size=40)
    values = np.append(shared_values, np.zeros(60))
    of_all = means(units(100), values)
    of_shared = means(units(40), shared_values)
    assert np.corrcoef(of_all, of_shared)[0, 1] > 0.9
    of_others = means(units(40, 500), shared_values)
    assert abs(np.corrcoef(of_all, of_others)[0, 1]) < 0.1


def test_a_resample_without_units_is_left_out():
    """Three units are absent together in e⁻³ = 5 % of the resamples, ten in .005 %."""
    found = of_units(average, units(3), np.arange(3.0)).resamples()
    assert np.isnan(found).mean() == pytest.approx(exp(-3), abs=0.015)
    assert np.isnan(percentile_interval(found, 3)).all()


def test_an_interval_needs_99_of_100_resamples():
    resamples = np.arange(float(N_RESAMPLES))
    resamples[:20] = np.nan
    low, high = percentile_interval(resamples, 10**9)
    assert (low, high) == pytest.approx((20 + 1979 * 0.025, 20 + 1979 * 0.975))
    resamples[20] = np.nan
    assert np.isnan(percentile_interval(resamples, 10**9)).all()


def test_one_unit_cannot_be_resampled():
    def mean_of_first_group(first, second, first_times, second_times):
        return average(first, first_times)

    groups = [np.arange(6) == 0, np.arange(6) > 0]
    found = of_units(mean_of_first_group, units(6), np.ones(6), groups=groups)
    assert np.isnan(found.resamples()).all()
    assert np.isnan(percentile_interval(np.ones(N_RESAMPLES), 1)).all()


def test_quantiles_are_widened_for_few_units():
    """t of 19 degrees of freedom: 2.093, times √(20 / 19)."""
    assert widened(1.959964, 20) == pytest.approx(2.0930 * (20 / 19) ** 0.5, abs=1e-3)
    assert widened(1.959964, 10**6) == pytest.approx(1.96, abs=1e-3)
