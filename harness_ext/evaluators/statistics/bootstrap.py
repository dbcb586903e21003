"""The bootstrap that all intervals and paired tests share."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

N_RESAMPLES = 2000
SEED = 42


def resample(
    samples: tuple[NDArray[Any], ...], statistic: Callable[..., Any], *, paired: bool = False
) -> NDArray[np.float64]:
    """A statistic on resamples of the units, drawn with replacement.

    The same numbers of units give the same draws, so that the resamples of two models over the same units, in the same
    order, can be subtracted from each other.

    Args:
        samples: One value per unit, shape (k,); several samples are resampled each on its own, or together.
        statistic: Called as `statistic(*samples, axis=-1)` with samples of shape (..., k), to return shape (...).
        paired: Whether the samples are values of the same units.

    Returns:
        Shape (`N_RESAMPLES`,); all NaN if a sample has fewer than two units.
    """
    if min(map(len, samples)) < 2:
        return np.full(N_RESAMPLES, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)  # one value of the statistic is a result too
        found: NDArray[np.float64] = stats.bootstrap(
            samples, statistic, paired=paired, vectorized=True, n_resamples=N_RESAMPLES, method="percentile", rng=SEED
        ).bootstrap_distribution
    return found


def percentile_interval(resamples: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval: the 2.5 and 97.5 percentiles of the resamples, shape (n,); NaN if one is not defined."""
    low, high = np.percentile(resamples, [2.5, 97.5])
    return float(low), float(high)


def p_value(drawn: NDArray[np.float64], alternative: str = "two-sided") -> float:
    """The p-value of a difference, from its resamples.

    Args:
        drawn: Resamples of the difference, shape (n,).
        alternative: `two-sided`, or `greater` for a difference above zero.

    Returns:
        In [1/(n + 1), 1]; 1 if a resample is not defined, as with a single unit.

    Examples:
        >>> p_value(np.array([0.1, 0.2, 0.3, -0.1]))
        0.5
        >>> p_value(np.zeros(4))
        1.0
    """
    if np.isnan(drawn).any():
        return 1.0
    below = float(np.mean(drawn < 0) + np.mean(drawn == 0) / 2)
    p = below if alternative == "greater" else min(1.0, 2 * min(below, 1 - below))
    return max(p, 1 / (len(drawn) + 1))
