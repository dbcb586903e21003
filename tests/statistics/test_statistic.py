"""Statistics of units by hand, and whatever the order of the rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from harness_ext.statistics import statistic
from harness_ext.statistics.bootstrap import draw
from harness_ext.statistics.correlation import rho
from harness_ext.statistics.statistic import (
    auc,
    average,
    mean,
    of_units,
    probability_above,
    spearman_of_rows,
    spearman_of_units,
    unit_means,
)

UNITS = np.array(["b", "a", "a", "c", "c", "c", "d"])
VALUES = np.array([1.0, 0.0, 1.0, 1.0, 1.0, np.nan, np.nan])


def test_units_count_the_same_however_many_rows_they_have():
    names, means = unit_means(UNITS, VALUES)
    assert names.tolist() == ["a", "b", "c"]  # nothing is known of d
    assert means.tolist() == [0.5, 1, 1]
    assert mean(UNITS, VALUES).value() == pytest.approx(2.5 / 3)


def test_probability_above_counts_ties_half():
    units = np.array(["a", "b", "c", "d"])
    values = np.array([1.0, 3.0, 1.0, 2.0])
    above = np.array([True, True, False, False])
    probability = probability_above(units, values, above, ~above)
    assert probability.value() == (0.5 + 0 + 1 + 1) / 4


def test_rank_correlations_by_units_and_by_rows():
    units = np.array(["a", "a", "b", "b", "c", "d"])
    x = np.array([1.0, 5.0, 2.0, 2.5, 7.0, np.nan])
    y = np.array([4.0, 2.0, 1.0, 1.0, 6.0, 3.0])
    assert spearman_of_units(units, x, y).value() == 1.0  # 3, 2.25, 7 against 3, 1, 6
    of_known_rows = spearmanr(x[:5], y[:5]).statistic
    assert spearman_of_rows(units, x, y).value() == pytest.approx(of_known_rows)


def test_what_is_not_defined_is_nan():
    no_units = np.array([], dtype=str)
    no_values = np.array([])
    of_nothing = mean(no_units, no_values)
    assert math.isnan(of_nothing.value())
    assert np.isnan(of_nothing.resamples()).all()
    assert math.isnan(spearman_of_rows(no_units, no_values, no_values).value())


def test_a_statistic_knows_its_units_and_is_restricted_to_some():
    found = mean(UNITS, VALUES)
    assert found.units.tolist() == ["a", "b", "c"]
    some = found.restrict(np.array(["c", "a", "z"]))
    assert some.units.tolist() == ["a", "c"]
    assert some.value() == 0.75
    of_these_alone = mean(np.array(["a", "c"]), np.array([0.5, 1.0]))
    np.testing.assert_array_equal(some.resamples(), of_these_alone.resamples())


def test_units_are_restricted_in_their_group():
    def difference(one, other, one_times, other_times):
        return average(one, one_times) - average(other, other_times)

    units = np.array(["d", "a", "c", "b"])
    values = np.array([4.0, 1.0, 3.0, 2.0])
    groups = [np.isin(units, ["d", "b"]), np.isin(units, ["c"])]
    found = of_units(difference, units, values, groups=groups)
    assert found.units.tolist() == ["d", "c", "b"]  # a is in no group
    assert found.value() == 0.0  # (4 + 2) / 2 - 3
    assert found.restrict(np.array(["b", "c"])).value() == -1.0
    assert math.isnan(found.restrict(np.array(["b", "d"])).value())


def test_a_unit_counts_by_its_name_whatever_its_group_and_a_resample_without_a_group_is_left_out():
    """AUCs of 40 and 4 units, beside those of repeated values."""
    units = np.array([f"unit {number}" for number in range(44)])
    values = np.random.default_rng(0).normal(size=44)
    is_above = np.arange(44) < 40
    found = of_units(auc, units, values, groups=[is_above, ~is_above]).resamples()
    times = draw(units).astype(int)
    has_both = times[:, :40].any(axis=1) & times[:, 40:].any(axis=1)
    np.testing.assert_array_equal(np.isnan(found), ~has_both)
    assert 0.005 < np.isnan(found).mean() < 0.04  # e⁻⁴ = .018
    for number in np.flatnonzero(has_both)[:50]:
        above = np.repeat(values[:40], times[number, :40])
        below = np.repeat(values[40:], times[number, 40:])
        is_higher = above[:, None] > below
        assert found[number] == pytest.approx(is_higher.mean())


def columns_of(rows):
    return [np.array(column) for column in zip(*rows, strict=True)]


names_with_two_values = st.tuples(st.sampled_from("abcdef"), st.floats(-9, 9), st.floats(-9, 9))
repeated_pairs = st.tuples(st.floats(-5, 5), st.integers(0, 4), st.integers(0, 3))
repeated_values_of_two_sides = st.tuples(st.integers(-5, 5), st.booleans(), st.integers(0, 3))


@given(st.lists(names_with_two_values, min_size=1, max_size=30), st.randoms())
def test_no_order_of_the_rows_changes_a_digit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    one = columns_of(rows)
    other = columns_of(shuffled)
    assert mean(*one[:2]).value() == mean(*other[:2]).value()
    for ours, theirs in zip(unit_means(*one), unit_means(*other), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    correlation = spearman_of_units(*one).value()
    np.testing.assert_array_equal(correlation, spearman_of_units(*other).value())


@given(st.lists(repeated_pairs, min_size=3, max_size=25))
def test_rho_is_scipys_of_repeated_pairs(pairs):
    x, y, times = np.array(pairs, dtype=float).T
    one = np.repeat(x, times.astype(int))
    other = np.repeat(y, times.astype(int))
    found = rho(x, y, times[None])[0]
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(one, other).statistic, abs=1e-9)


@given(st.lists(repeated_values_of_two_sides, min_size=2, max_size=25))
def test_auc_is_the_share_of_repeated_pairs(values):
    x, is_first, times = columns_of(values)
    above = np.repeat(x[is_first], times[is_first])
    below = np.repeat(x[~is_first], times[~is_first])
    if len(above) and len(below):
        wins = (np.sign(above[:, None] - below) + 1) / 2
        first_times = times[None, is_first].astype(float)
        second_times = times[None, ~is_first].astype(float)
        (found,) = auc(x[is_first], x[~is_first], first_times, second_times)
        assert found == pytest.approx(wins.mean())


def test_blocks_of_resamples_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    units = np.array([f"{number // 2}" for number in range(40)])
    values = rng.normal(size=(2, 40))
    at_once = spearman_of_rows(units, *values).resamples()
    monkeypatch.setattr(statistic, "_IN_MEMORY", 700)  # 36 resamples of 20 units
    np.testing.assert_array_equal(spearman_of_rows(units, *values).resamples(), at_once)
    monkeypatch.setattr(statistic, "_IN_MEMORY", 7)  # the least number
    np.testing.assert_array_equal(spearman_of_rows(units, *values).resamples(), at_once)
