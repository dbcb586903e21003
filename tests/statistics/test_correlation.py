from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness_ext.statistics.bootstrap import draw
from harness_ext.statistics.correlation import partial_rho, ranks_within, rho, spearman
from harness_ext.statistics.statistic import mean_of_rows, of_units

RNG = np.random.default_rng(0)
X = RNG.normal(size=60)
Y = X + RNG.normal(size=60)
NAMES = np.array([f"unit {number:02}" for number in range(60)])


def test_spearman_leaves_out_pairs_with_nan() -> None:
    x = X.copy()
    y = Y.copy()
    x[3] = np.nan
    y[7] = np.nan
    keep = [number for number in range(60) if number not in {3, 7}]
    expected = stats.spearmanr(X[keep], Y[keep])
    assert spearman(x, y) == pytest.approx(tuple(expected))
    some = of_units(rho, NAMES, x, y)
    known = of_units(rho, NAMES[keep], X[keep], Y[keep])
    np.testing.assert_array_equal(some.resamples(), known.resamples())


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [1.0, 2.0], []])
def test_spearman_of_what_cannot_correlate_is_nan(values: list[float]) -> None:
    increasing = np.arange(float(len(values)))
    assert np.isnan(spearman(np.array(values), increasing)).all()


def test_a_mean_is_resampled_by_units() -> None:
    """Units of one, two and no values: a copy of every value is no more evidence."""
    values = np.array([1.0, 2.0, 6.0, np.nan])
    unit = np.array([4, 2, 2, 0])
    found = mean_of_rows(NAMES[:5], unit, values).resamples()
    # units of one value, 1, and of two with the sum 8
    one, two = draw(NAMES[[4, 2]]).T.astype(float)
    known = one + two > 0
    expected = (one + 8 * two)[known] / (one + 2 * two)[known]
    np.testing.assert_allclose(found[known], expected)
    assert np.isnan(found[~known]).all()
    of_copies = mean_of_rows(NAMES[:5], np.repeat(unit, 2), np.repeat(values, 2))
    np.testing.assert_allclose(of_copies.resamples(), found)


def test_a_partial_correlation_is_that_of_the_residuals_of_ranks_with_each_place_as_often_as_it_weighs() -> (
    None
):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 9, size=(3, 30)).astype(float)
    times = rng.integers(0, 4, size=30)
    values[0] += values[2]
    repeated = np.repeat(values, times, axis=1)
    ranks = stats.rankdata(repeated, axis=1)
    controls = np.column_stack([np.ones(times.sum()), ranks[2]])
    coefficients, *_ = np.linalg.lstsq(controls, ranks[:2].T, rcond=None)
    residuals = ranks[:2].T - controls @ coefficients
    expected = np.corrcoef(residuals, rowvar=False)[0, 1]
    (found,) = partial_rho(*values, times[None].astype(float))
    assert found == pytest.approx(expected)


def test_a_score_that_follows_from_the_control_has_no_partial_correlation() -> None:
    values = np.array([[1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0], [10.0, 20.0, 30.0, 40.0]])
    assert np.isnan(partial_rho(*values, np.ones((1, 4)))).all()


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
