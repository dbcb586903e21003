"""Rank correlation, also where there is little to correlate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from harness_ext.evaluators.bootstrap import interval

if TYPE_CHECKING:
    from numpy.typing import NDArray


def spearman(x: NDArray[np.floating[Any]], y: NDArray[np.floating[Any]]) -> tuple[float, float]:
    """Spearman's ρ of the pairs in which neither value is NaN, and its two-sided p.

    Args:
        x: Shape (n,).
        y: Shape (n,).

    Returns:
        ρ in [-1, 1] and p in [0, 1]; both NaN for fewer than three pairs, or if x or y does not vary.

    Examples:
        >>> spearman(np.array([1.0, 2.0, 3.0, np.nan]), np.array([1.0, 9.0, 4.0, 0.0]))[0]
        0.5
    """
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan, np.nan
    result = stats.spearmanr(x, y)
    return float(result.statistic), float(result.pvalue)


def spearman_interval(x: NDArray[np.floating[Any]], y: NDArray[np.floating[Any]]) -> tuple[float, float]:
    """The 95 % bootstrap interval of `spearman(x, y)`, shapes (n,); NaN where ρ is."""
    known = ~(np.isnan(x) | np.isnan(y))
    return interval((x[known], y[known]), rho, paired=True)


def rho(x: NDArray[np.floating[Any]], y: NDArray[np.floating[Any]], axis: int = -1) -> NDArray[np.float64]:
    """Spearman's ρ along an axis, for many resamples at once.

    Args:
        x: Shape (..., n).
        y: Shape (..., n).
        axis: The axis of length n.

    Returns:
        ρ in [-1, 1] of the pairs in which neither value is NaN, shape (...); NaN as of `spearman`.
    """
    unknown = np.isnan(x) | np.isnan(y)
    first, second = (
        stats.rankdata(np.where(unknown, np.nan, values), axis=axis, nan_policy="omit") for values in (x, y)
    )
    n = (~unknown).sum(axis=axis, keepdims=True)
    # the ranks of n values sum to n (n + 1) / 2, ties or not
    first, second = (np.where(unknown, 0, ranks - (n + 1) / 2) for ranks in (first, second))
    with np.errstate(invalid="ignore"):  # 0 / 0: a sample that does not vary
        value: NDArray[np.float64] = (first * second).sum(axis=axis) / np.sqrt(
            np.square(first).sum(axis=axis) * np.square(second).sum(axis=axis)
        )
    return np.where(n.squeeze(axis) < 3, np.nan, value)
