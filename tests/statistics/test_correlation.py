from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx
from scipy import stats

from harness_ext.statistics.bootstrap import draw
from harness_ext.statistics.correlation import (
    Levels,
    RhoOfCounts,
    partial_rho,
    ranks_within,
    rho,
    rho_of_known,
    spearman,
)
from harness_ext.statistics.statistic import mean_of_rows, of_units
from tests.statistics.samples import all_undefined, units

RNG = np.random.default_rng(0)
X = RNG.normal(size=60)
Y = X + RNG.normal(size=60)
NAMES = units(60)


def test_rho_of_counts_counts_the_rows_of_a_unit_that_is_drawn_twice() -> None:
    unit = np.array([0, 1, 2])
    of_counts = RhoOfCounts(np.array([1.0, 2.0, 3.0]), np.array([1.0, 9.0, 4.0]), unit)
    counts = np.array([[1, 1, 1], [2, 1, 1], [0, 1, 1]], dtype=np.uint8)
    # ranks 1.5, 1.5, 3, 4 and 1.5, 1.5, 4, 3: a covariance of 3.5 over a variance of 4.5
    assert_allclose(of_counts(counts), [0.5, 3.5 / 4.5, np.nan])


def test_levels_count_rows_up_to_each_value() -> None:
    levels = Levels(np.array([5.0, 2.0, 5.0, 7.0]), np.array([0, 1, 2, 0]))
    assert levels.of_rows.tolist() == [1, 0, 1, 2]
    times = np.array([[1, 2, 3, 4]], dtype=np.uint8)  # of the rows 1, 0, 2, 3
    assert levels.until(times).tolist() == [[1, 6, 10]]


def test_levels_of_many_rows_each_count_rows_up_to_each_value() -> None:
    levels = Levels(np.repeat([3.0, 1.0], 20), np.arange(40))
    times = np.array([[255] * 20 + [1] * 20, [0] * 19 + [2] * 21], dtype=np.uint8)
    assert levels.until(times).tolist() == [[5100, 5120], [2, 42]]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 1.0, 2.0, 5.0, np.nan]),
            st.floats(-9, 9, allow_subnormal=False),
        ),
        max_size=12,
    )
)
def test_rho_alone_is_that_of_scipy(pairs) -> None:
    x, y = np.array(pairs, dtype=float).reshape(-1, 2).T
    expected, _ = spearman(x, y)
    assert rho_of_known(x, y) == approx(expected, abs=1e-12, nan_ok=True)


def test_spearman_leaves_out_pairs_with_nan() -> None:
    x = X.copy()
    y = Y.copy()
    x[3] = np.nan
    y[7] = np.nan
    places = np.arange(60)
    is_known = (places != 3) & (places != 7)
    known_x = X[is_known]
    known_y = Y[is_known]
    expected = stats.spearmanr(known_x, known_y)
    assert spearman(x, y) == approx(tuple(expected))
    of_all = of_units(rho, NAMES, x, y)
    of_known = of_units(rho, NAMES[is_known], known_x, known_y)
    assert_array_equal(of_all.resamples(), of_known.resamples())


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 1.0, 1.0],
        [1.0, 2.0],
        [],
    ],
)
def test_spearman_of_what_cannot_correlate_is_nan(values: list[float]) -> None:
    increasing = np.arange(len(values))
    found = spearman(np.array(values), increasing.astype(float))
    assert all_undefined(found)


def test_a_mean_is_resampled_by_units() -> None:
    """Units of one, two and no values: a copy of every value is no more evidence."""
    values = np.array([1.0, 2.0, 6.0, np.nan])
    unit = np.array([4, 2, 2, 0])
    names = NAMES[:5]
    found = mean_of_rows(names, unit, values).resamples()
    # units of one value, 1, and of two with the sum 8
    times = draw(names[[4, 2]])
    one, two = times.T.astype(float)
    sums = one + 8 * two
    n_values = one + 2 * two
    is_known = n_values > 0
    expected = sums[is_known] / n_values[is_known]
    assert_allclose(found[is_known], expected)
    assert all_undefined(found[~is_known])
    unit_of_copies = np.repeat(unit, 2)
    copies = np.repeat(values, 2)
    of_copies = mean_of_rows(names, unit_of_copies, copies)
    assert_allclose(of_copies.resamples(), found)


def test_a_partial_correlation_is_that_of_the_residuals_of_ranks_with_each_place_as_often_as_it_weighs() -> (
    None
):
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 9, size=(3, 30))
    times = rng.integers(0, 4, size=30)
    x, y, control = numbers.astype(float)
    x += control
    ranks_of_control = stats.rankdata(np.repeat(control, times))
    residuals = []
    for values in (x, y):
        ranks = stats.rankdata(np.repeat(values, times))
        line = stats.linregress(ranks_of_control, ranks)
        predicted = line.intercept + line.slope * ranks_of_control
        residuals.append(ranks - predicted)
    expected = stats.pearsonr(*residuals).statistic
    times_of_resample = times[None].astype(float)
    (found,) = partial_rho(x, y, control, times_of_resample)
    assert found == approx(expected)


def test_a_score_that_follows_from_the_control_has_no_partial_correlation() -> None:
    score = np.array([1.0, 2.0, 3.0, 4.0])
    people = np.array([2.0, 1.0, 4.0, 3.0])
    control = 10 * score
    once = np.ones((1, 4))
    assert all_undefined(partial_rho(score, people, control, once))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0, 2.5])), max_size=30),
)
def test_ranks_within_groups_are_those_of_each_group_alone(pairs: list[tuple[int, float]]) -> None:
    group = np.array([number for number, _ in pairs], dtype=np.intp)
    values = np.array([value for _, value in pairs])
    found = ranks_within(values, group)
    for number in range(5):
        alone = stats.rankdata(values[group == number])
        assert found[group == number].tolist() == alone.tolist()
