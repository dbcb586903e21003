"""The bootstrap of all intervals and paired tests.

Units are drawn by their names, so that scores of the same units are resampled together: scores of
two models, of a model and its additive baseline, or of two tasks on the same compounds. A unit
arrives again and again after random times that depend only on its name (a Poisson process); a
resample of k units is the first k arrivals. This is a plain draw with replacement: every unit is
equally likely to arrive next, whatever arrived before.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from harness_ext.common.arrays import Floats, Names
from harness_ext.common.seeds import seed_of

N_RESAMPLES = 2000
SEED = 42

DETECTED = 2.8
"""The effect that is found in 80 % of all samples, in standard errors: z(.975) + z(.8), for tests
at .05, two-sided.
"""

_BLOCK = 250
"""The number of resamples whose arrivals are in memory together."""

_MOST = 8
"""The most times that a unit can be in a resample. It would be there more often once in a million
resamples.
"""


def draw(units: Names) -> NDArray[np.uint8]:
    """Count how often each of k units is in each resample, by their names, shape (k,) -> shape
    (`N_RESAMPLES`, k).
    """
    return _draws(tuple(units.tolist()))


@lru_cache(maxsize=32)  # up to 32 × 2 000 × k bytes; safe-to-merge has 27 sets of units
def _draws(names: tuple[str, ...]) -> NDArray[np.uint8]:
    most = min(len(names), _MOST)
    seeds = [*map(seed_of, names)]
    counts = np.empty((N_RESAMPLES, len(names)), dtype=np.uint8)
    waits = np.empty((len(names), _BLOCK, most), dtype=np.float32)
    for start in range(0, N_RESAMPLES, _BLOCK):
        for of_unit, seed in zip(waits, seeds, strict=True):
            np.random.default_rng([SEED, seed, start]).standard_exponential(
                dtype=np.float32, out=of_unit
            )
        arrivals = waits.cumsum(axis=2, out=waits)
        for number in range(_BLOCK):
            first = np.argpartition(arrivals[:, number].ravel(), len(names) - 1)[: len(names)]
            counts[start + number] = np.bincount(first // most, minlength=len(names))
    return counts


def forget_draws() -> None:
    """Let go of the draws that are remembered, when other units come."""
    _draws.cache_clear()


def widened(z: Any, n: Any) -> Any:
    """Widen a quantile of the normal distribution for n units.

    The spread of resamples of n units is too small by √((n − 1)/n), and it is estimated: Student's
    t with n − 1 degrees of freedom. Hesterberg (2015, The American Statistician 69(4)) calls
    percentiles at these quantiles *expanded*.
    """
    return scipy.special.stdtrit(n - 1, scipy.special.ndtr(z)) * np.sqrt(n / (n - 1))


def percentile_interval(resamples: Floats, n: int, level: float = 0.95) -> tuple[float, float]:
    """Compute the interval that holds a score of n units at this rate: expanded percentiles of its
    resamples.

    Both ends are NaN if a resample is not defined, or for fewer than two units.

    Examples:
        >>> percentile_interval(np.arange(2001.0), 10**9)
        (50.0, 1950.0)
    """
    low, high = percentile_intervals(resamples[None], n, level)[0]
    return float(low), float(high)


def percentile_intervals(resamples: Floats, n: int, level: float = 0.95) -> Floats:
    """`percentile_interval` of many scores of the same units, shape (m, `N_RESAMPLES`) -> shape (m,
    2).
    """
    if n < 2 or not len(resamples):
        return np.full((len(resamples), 2), np.nan)
    tail = 100 * round(
        float(scipy.special.ndtr(widened(scipy.special.ndtri((1 - level) / 2), n))), 9
    )
    return np.percentile(resamples, [tail, 100 - tail], axis=1).T
