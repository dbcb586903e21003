"""Statistics of units by hand, and whatever the order of the rows."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pytest import approx
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
from tests.statistics.samples import all_undefined, share_undefined, units

UNITS = np.array(["b", "a", "a", "c", "c", "c", "d"])
VALUES = np.array([1.0, 0.0, 1.0, 1.0, 1.0, np.nan, np.nan])


def test_units_count_the_same_however_many_rows_they_have():
    names, means = unit_means(UNITS, VALUES)
    assert names.tolist() == ["a", "b", "c"]  # nothing is known of d
    assert means.tolist() == [0.5, 1, 1]
    score = mean(UNITS, VALUES)
    assert score.value() == approx(2.5 / 3)


def test_probability_above_counts_ties_half():
    names = np.array(["a", "b", "c", "d"])
    values = np.array([1.0, 3.0, 1.0, 2.0])
    above = np.array([True, True, False, False])
    probability = probability_above(names, values, above, ~above)
    wins = 0.5 + 0 + 1 + 1
    assert probability.value() == wins / 4


def test_rank_correlations_by_units_and_by_rows():
    names = np.array(["a", "a", "b", "b", "c", "d"])
    x = np.array([1.0, 5.0, 2.0, 2.5, 7.0, np.nan])
    y = np.array([4.0, 2.0, 1.0, 1.0, 6.0, 3.0])
    by_units = spearman_of_units(names, x, y)
    assert by_units.value() == 1.0  # 3, 2.25, 7 against 3, 1, 6
    by_rows = spearman_of_rows(names, x, y)
    of_known_rows = spearmanr(x[:5], y[:5]).statistic
    assert by_rows.value() == approx(of_known_rows)


def test_what_is_not_defined_is_nan():
    no_units = np.array([], dtype=str)
    no_values = np.array([])
    of_nothing = mean(no_units, no_values)
    assert math.isnan(of_nothing.value())
    assert all_undefined(of_nothing.resamples())
    correlation = spearman_of_rows(no_units, no_values, no_values)
    assert math.isnan(correlation.value())


def test_a_statistic_knows_its_units_and_is_restricted_to_some():
    found = mean(UNITS, VALUES)
    assert found.units.tolist() == ["a", "b", "c"]
    some = found.restrict(np.array(["c", "a", "z"]))
    assert some.units.tolist() == ["a", "c"]
    assert some.value() == 0.75
    names = np.array(["a", "c"])
    values = np.array([0.5, 1.0])
    of_these_alone = mean(names, values)
    assert_array_equal(some.resamples(), of_these_alone.resamples())


def test_units_are_restricted_in_their_group():
    def difference(one, other, one_times, other_times):
        return average(one, one_times) - average(other, other_times)

    names = np.array(["d", "a", "c", "b"])
    values = np.array([4.0, 1.0, 3.0, 2.0])
    in_first = np.array([True, False, False, True])
    in_second = np.array([False, False, True, False])
    found = of_units(difference, names, values, groups=[in_first, in_second])
    assert found.units.tolist() == ["d", "c", "b"]  # a is in no group
    assert found.value() == 0.0  # (4 + 2) / 2 - 3
    of_both_groups = found.restrict(np.array(["b", "c"]))
    assert of_both_groups.value() == -1.0
    of_first_group = found.restrict(np.array(["b", "d"]))
    assert math.isnan(of_first_group.value())


def test_a_unit_counts_by_its_name_whatever_its_group_and_a_resample_without_a_group_is_left_out():
    """AUCs of 40 and 4 units, beside those of repeated values."""
    names = units(44)
    rng = np.random.default_rng(0)
    values = rng.normal(size=44)
    is_above = np.arange(44) < 40
    score = of_units(auc, names, values, groups=[is_above, ~is_above])
    found = score.resamples()
    times = draw(names)
    times_above = times[:, is_above]
    times_below = times[:, ~is_above]
    has_both = times_above.any(axis=1) & times_below.any(axis=1)
    assert_array_equal(np.isnan(found), ~has_both)
    assert 0.005 < share_undefined(found) < 0.04  # e⁻⁴ = .018
    for number in np.flatnonzero(has_both)[:50]:
        above = np.repeat(values[is_above], times_above[number])
        below = np.repeat(values[~is_above], times_below[number])
        assert found[number] == approx(share_of_wins(above, below))


def share_of_wins(above, below):
    """Of all pairs, with ties counted half."""
    signs = np.sign(above[:, None] - below)
    wins = (signs + 1) / 2
    return wins.mean()


def columns_of(rows):
    columns = zip(*rows, strict=True)
    return [np.array(column) for column in columns]


names_with_two_values = st.tuples(
    st.sampled_from("abcdef"),
    st.floats(-9, 9),
    st.floats(-9, 9),
)
repeated_pairs = st.tuples(
    st.floats(-5, 5),
    st.integers(0, 4),
    st.integers(0, 3),
)
repeated_values_of_two_sides = st.tuples(
    st.integers(-5, 5),
    st.booleans(),
    st.integers(0, 3),
)


@given(
    rows=st.lists(names_with_two_values, min_size=1, max_size=30),
    random=st.randoms(),
)
def test_no_order_of_the_rows_changes_a_digit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    names, x, y = columns_of(rows)
    shuffled_names, shuffled_x, shuffled_y = columns_of(shuffled)
    of_rows = mean(names, x)
    of_shuffled = mean(shuffled_names, shuffled_x)
    assert of_rows.value() == of_shuffled.value()
    found = unit_means(names, x, y)
    expected = unit_means(shuffled_names, shuffled_x, shuffled_y)
    for ours, theirs in zip(found, expected, strict=True):
        assert_array_equal(ours, theirs)
    of_rows = spearman_of_units(names, x, y)
    of_shuffled = spearman_of_units(shuffled_names, shuffled_x, shuffled_y)
    assert_array_equal(of_rows.value(), of_shuffled.value())


@given(st.lists(repeated_pairs, min_size=3, max_size=25))
def test_rho_is_scipys_of_repeated_pairs(pairs):
    x, y, times = np.array(pairs, dtype=float).T
    counts = times.astype(int)
    one = np.repeat(x, counts)
    other = np.repeat(y, counts)
    (found,) = rho(x, y, times[None])
    is_constant = len(set(one)) < 2 or len(set(other)) < 2
    if len(one) < 3 or is_constant:
        assert np.isnan(found)
    else:
        expected = spearmanr(one, other).statistic
        assert found == approx(expected, abs=1e-9)


@given(st.lists(repeated_values_of_two_sides, min_size=2, max_size=25))
def test_auc_is_the_share_of_repeated_pairs(values):
    x, is_first, times = columns_of(values)
    first = x[is_first]
    second = x[~is_first]
    first_times = times[is_first]
    second_times = times[~is_first]
    if first_times.any() and second_times.any():
        first_weights = first_times[None].astype(float)
        second_weights = second_times[None].astype(float)
        (found,) = auc(first, second, first_weights, second_weights)
        above = np.repeat(first, first_times)
        below = np.repeat(second, second_times)
        assert found == approx(share_of_wins(above, below))


def test_blocks_of_resamples_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    unit_of_row = np.repeat(units(20), 2)
    x, y = rng.normal(size=(2, 40))
    at_once = spearman_of_rows(unit_of_row, x, y)
    expected = at_once.resamples()
    monkeypatch.setattr(statistic, "_IN_MEMORY", 700)  # 36 resamples of 20 units
    in_blocks = spearman_of_rows(unit_of_row, x, y)
    assert_array_equal(in_blocks.resamples(), expected)
    monkeypatch.setattr(statistic, "_IN_MEMORY", 7)  # the least number
    one_by_one = spearman_of_rows(unit_of_row, x, y)
    assert_array_equal(one_by_one.resamples(), expected)
