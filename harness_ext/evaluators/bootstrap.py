"""The intervals that all main scores carry."""

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


def interval(
    samples: tuple[NDArray[np.float64], ...], statistic: Callable[..., Any], *, paired: bool = False
) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of a statistic, from resamples of the items.

    Args:
        samples: One value per item, shape (k,); several samples are resampled each on its own, or together.
        statistic: Called as `statistic(*samples, axis=-1)` with samples of shape (..., k), to return shape (...).
        paired: Whether the samples are values of the same items.

    Returns:
        The 2.5 and 97.5 percentiles of the statistic; NaN if a sample has fewer than two items, or a resample may
        leave the statistic undefined.
    """
    if min(map(len, samples)) < 2:
        return np.nan, np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)  # the NaN says it
        found = stats.bootstrap(
            samples, statistic, paired=paired, vectorized=True, n_resamples=N_RESAMPLES, method="percentile", rng=SEED
        ).confidence_interval
    return float(found.low), float(found.high)
