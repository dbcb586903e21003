from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from harness_ext.evaluators.bootstrap import N_RESAMPLES, SEED, interval
from harness_ext.evaluators.correlation import spearman, spearman_interval

RNG = np.random.default_rng(0)
X = RNG.normal(size=60)
Y = X + RNG.normal(size=60)


def test_spearman_leaves_out_pairs_with_nan() -> None:
    x, y = X.copy(), Y.copy()
    x[3], y[7] = np.nan, np.nan
    keep = [number for number in range(60) if number not in {3, 7}]
    assert spearman(x, y) == pytest.approx(tuple(stats.spearmanr(X[keep], Y[keep])))


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [1.0, 2.0], []])
def test_spearman_of_what_cannot_correlate_is_nan(values: list[float]) -> None:
    assert np.isnan(spearman(np.array(values), np.arange(float(len(values))))).all()


def test_intervals_are_percentiles_over_resampled_pairs() -> None:
    low, high = spearman_interval(X, Y)
    rng = np.random.default_rng(1)
    draws = [rng.integers(0, 60, 60) for _ in range(N_RESAMPLES)]
    expected = np.percentile([stats.spearmanr(X[draw], Y[draw]).statistic for draw in draws], [2.5, 97.5])
    assert (low, high) == pytest.approx(tuple(expected), abs=0.02)
    assert (low, high) == spearman_interval(X, Y)


def test_interval_of_a_mean_is_what_scipy_gives() -> None:
    expected = stats.bootstrap((X,), np.mean, n_resamples=N_RESAMPLES, method="percentile", rng=SEED)
    assert interval((X,), np.mean) == pytest.approx(tuple(expected.confidence_interval))


def test_no_interval_from_one_item() -> None:
    assert np.isnan(interval((X[:1],), np.mean)).all()
