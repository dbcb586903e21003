"""The bootstrap of all intervals and paired tests.

There are 2 000 resamples. In resample i a unit counts k times; k is Poisson with mean 1, and
depends only on the unit's name and on i (of very many units also on how many there are, see
`MOST_UNITS_AT_ONCE`). So scores of the same units are resampled together: scores of two models, of
a model and its additive baseline, or of two tasks on the same compounds. The number of units in a
resample is random. A resample may have no unit of a group; such resamples are left out,
and a score has an interval only if few are.
"""

from collections.abc import Iterator, Sequence
from hashlib import shake_128
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from harness_ext.common.arrays import Flags, Floats, Names, Vectors

Counts = NDArray[np.uint8]
"""How often units count in resamples."""

N_RESAMPLES = 2000

DETECTED = 2.8
"""The effect that is found in 80 % of all samples, in standard errors: z(.975) + z(.8), for tests
at .05, two-sided.
"""

LEAST_DEFINED = 0.99
"""The least share of the resamples that must be defined for an interval or a test."""

MOST_UNITS_AT_ONCE = 200_000
"""The counts of so many units are in memory together, 400 MB. Those of more units are drawn for a
block of resamples at a time.
"""

N_RESAMPLES_OF_BLOCK = 100
"""The number of resamples in a block, of more units than `MOST_UNITS_AT_ONCE`."""

_N_UNITS_OF_BLOCK = 1000
"""The number of units whose digests are in memory together."""

_BYTES_KEPT = 2**24
"""The bytes of counts that are kept for the next score of the same units."""

_MOST_UNITS_KEPT = 4000
"""The counts of more units are not kept."""

_KEPT: dict[tuple[str, bytes], Counts] = {}
"""Type and bytes of the names of units -> their counts, the oldest first."""

_BYTES_OF_RESAMPLE = 2
"""16 bits give a count with a mean of .9999 and a variance of .9994."""

_LIMITS = np.rint(2**16 * scipy.special.pdtr(np.arange(8), 1))
"""A number of 16 bits below the n-th limit, from 0, is a count of at most n."""

_COUNT_OF_NUMBER = np.searchsorted(_LIMITS, np.arange(2**16), side="right").astype(np.uint8)
"""A number of 16 bits -> the count, 0 to 8."""


def draw(units: Names) -> Counts:
    """Count how often each of k units is in each resample, by their names, shape (k,) -> shape
    (`N_RESAMPLES`, k).
    """
    if not _is_kept(units):
        return _drawn(units)
    key = (units.dtype.str, units.tobytes())
    counts = _KEPT.pop(key, None)
    if counts is None:
        counts = _drawn(units)
        counts.flags.writeable = False
    _KEPT[key] = counts  # the last one is the newest
    n_bytes = sum(kept.nbytes for kept in _KEPT.values())
    for oldest in [*_KEPT]:
        if n_bytes <= _BYTES_KEPT:
            break
        n_bytes -= _KEPT.pop(oldest).nbytes
    return counts


def draw_by_units(units: Names) -> Iterator[tuple[slice, Counts]]:
    """`draw` some units at a time, for sums over the units: their places, and their counts of shape
    (`N_RESAMPLES`, n).
    """
    if not _is_kept(units):
        yield from _drawn_by_units(units)
        return
    drawn = draw(units)
    for start in range(0, len(units), _N_UNITS_OF_BLOCK):
        places = slice(start, start + _N_UNITS_OF_BLOCK)
        yield places, drawn[:, places]


def _is_kept(units: Names) -> bool:
    """Whether the counts of so many units are kept."""
    return len(units) <= min(_MOST_UNITS_KEPT, MOST_UNITS_AT_ONCE)


def _drawn(units: Names) -> Counts:
    """Draw all units, as `draw`."""
    counts = np.empty((N_RESAMPLES, len(units)), dtype=np.uint8)
    for places, counts_of_units in _drawn_by_units(units):
        counts[:, places] = counts_of_units
    return counts


def _drawn_by_units(units: Names) -> Iterator[tuple[slice, Counts]]:
    """Draw some units at a time, as `draw_by_units`."""
    is_in_blocks = len(units) > MOST_UNITS_AT_ONCE
    for start in range(0, len(units), _N_UNITS_OF_BLOCK):
        places = slice(start, start + _N_UNITS_OF_BLOCK)
        names = units[places].tolist()
        if is_in_blocks:
            blocks = [_counts_of_block(names, block) for block in _blocks()]
            yield places, np.concatenate(blocks)
        else:
            yield places, _counts(names, N_RESAMPLES)


def draw_by_resamples(units: Names) -> Iterator[Counts]:
    """`draw` some resamples of all units at a time, shape (m, k); all, unless there are more units
    than `MOST_UNITS_AT_ONCE`.
    """
    if len(units) <= MOST_UNITS_AT_ONCE:
        yield draw(units)
        return
    for block in _blocks():
        counts = np.empty((N_RESAMPLES_OF_BLOCK, len(units)), dtype=np.uint8)
        for start in range(0, len(units), _N_UNITS_OF_BLOCK):
            places = slice(start, start + _N_UNITS_OF_BLOCK)
            counts[:, places] = _counts_of_block(units[places].tolist(), block)
        yield counts


def _blocks() -> range:
    """The numbers of the blocks of resamples."""
    return range(N_RESAMPLES // N_RESAMPLES_OF_BLOCK)


def _counts_of_block(names: Sequence[str], block: int) -> Counts:
    """How often units count in a block of resamples, shape (`N_RESAMPLES_OF_BLOCK`, n)."""
    return _counts([f"{block}|{name}" for name in names], N_RESAMPLES_OF_BLOCK)


def _counts(texts: Sequence[str], n_resamples: int) -> Counts:
    """Poisson variables with mean 1 that texts determine, shape (n_resamples, n)."""
    n_bytes = _BYTES_OF_RESAMPLE * n_resamples
    digests = [shake_128(text.encode()).digest(n_bytes) for text in texts]
    numbers = np.frombuffer(b"".join(digests), dtype="<u2")
    counts = _COUNT_OF_NUMBER.take(numbers)
    return counts.reshape(len(texts), n_resamples).T


def mostly_defined(resamples: Vectors) -> Flags:
    """Whether so many resamples are no NaN that they give an interval, shape (…, `N_RESAMPLES`) ->
    shape (…).

    Examples:
        >>> mostly_defined(np.array([[1.0] * 99 + [np.nan], [1.0] * 98 + [np.nan] * 2]))
        array([ True, False])
    """
    is_defined: Flags = (~np.isnan(resamples)).mean(axis=-1) >= LEAST_DEFINED
    return is_defined


def widened(z: Any, n: Any) -> Any:
    """Widen a quantile of the normal distribution for n units.

    The spread of resamples of n units is too small by √((n − 1)/n), and it is estimated: Student's
    t with n − 1 degrees of freedom. Hesterberg (2015, The American Statistician 69(4)) calls
    percentiles at these quantiles *expanded*.
    """
    quantile = scipy.special.stdtrit(n - 1, scipy.special.ndtr(z))
    return quantile * np.sqrt(n / (n - 1))


def percentile_interval(
    resamples: Floats,
    n: int,
    level: float = 0.95,
) -> tuple[float, float]:
    """Compute the interval that holds a score of n units at the rate `level`: expanded percentiles
    of its resamples, NaN left out.

    Both ends are NaN if the resamples are not `mostly_defined`, or for fewer than two units.

    Examples:
        >>> percentile_interval(np.arange(2001.0), 10**9)
        (50.0, 1950.0)
    """
    low, high = percentile_intervals(resamples[None], n, level)[0]
    return float(low), float(high)


def percentile_intervals(
    resamples: Floats,
    n: int,
    level: float = 0.95,
) -> Floats:
    """`percentile_interval` of many scores of the same units, shape (m, `N_RESAMPLES`) -> shape (m,
    2).
    """
    intervals = np.full((len(resamples), 2), np.nan)
    is_defined = mostly_defined(resamples)
    if n < 2 or not is_defined.any():
        return intervals
    defined = resamples[is_defined]
    quantile = widened(scipy.special.ndtri((1 - level) / 2), n)
    tail = 100 * round(float(scipy.special.ndtr(quantile)), 9)
    tails = [tail, 100 - tail]
    if np.isnan(defined).any():  # several times slower
        ends = np.nanpercentile(defined, tails, axis=1)
    else:
        ends = np.percentile(defined, tails, axis=1)
    intervals[is_defined] = ends.T
    return intervals
