"""Agreement of people with each other: the noise ceiling of a correlation with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness_ext.statistics.bootstrap import SEED
from harness_ext.statistics.correlation import rho_of_each

N_SPLITS = 100


def split_half(ratings: Sequence[Sequence[float]]) -> float:
    """Correlate the means of two random halves of each thing's ratings (Spearman's ρ), averaged over `N_SPLITS` splits.

    It is not corrected for the halved number of people (Spearman-Brown).

    Args:
        ratings: Of each thing; things with fewer than two are left out. The half of an odd number is rounded down.

    Returns:
        In [-1, 1]; NaN for fewer than three things.

    Examples:
        >>> split_half([[1, 1, 1], [2, 2], [3, 3, 3, 3]])
        1.0
    """
    draw = np.random.default_rng(SEED)
    rated = [np.array(given, dtype=np.float64) for given in ratings if len(given) > 1]
    means = np.empty((2, N_SPLITS, len(rated)))
    for thing, given in enumerate(rated):
        drawn = draw.permuted(np.tile(given, (N_SPLITS, 1)), axis=1)
        half = len(given) // 2
        means[:, :, thing] = drawn[:, :half].mean(axis=1), drawn[:, half:].mean(axis=1)
    return float(rho_of_each(*means).mean())
