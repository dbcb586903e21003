"""Paired tests of two scores of the same units, of two models or of a model and its additive
baseline.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from harness_ext.common.arrays import Floats, Indices, Names
from harness_ext.statistics.bootstrap import LEAST_DEFINED, mostly_defined, percentile_intervals
from harness_ext.statistics.confidence_interval import is_binary
from harness_ext.statistics.statistic import DifferenceStatistic, Statistic, unit_values

Test = Literal["sign flips", "resamples"]

_ROUNDING = 1e-6
"""Scores that differ by less are equal: float32 vectors have no more digits, and a test must not
find rounding.
"""

_SEED = 42
"""The seed of the random sign flips."""

_N_FLIPS = 9999
"""The number of random sign flips."""

_BLOCK_OF_FLIPS = 1000
"""The number of sign flips that are in memory as float32 together."""

_TIE_OF_FLIPS = 1e-4
"""Means nearer than this, in units of their spread, are ties, as float32 adds them up."""

_EXACT = 13
"""The most units whose sign flips are all counted: 8 192."""

_FEW = 10
"""If fewer resamples than these are beyond zero, the tail of a normal distribution is used."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A score, with its resamples and units for a paired test.

    Attributes:
        value: The score.
        drawn: Its resamples, shape (`N_RESAMPLES`,).
        units: The values that it averages, shape (n,); None if it is no mean of units.
        n: The number of its units.
        names: The names of all its units.
        error: A standard error of it that neither units nor resamples show.
    """

    value: float
    drawn: Floats
    units: Floats | None
    n: int
    names: Names
    error: float = 0.0

    @classmethod
    def of(cls, statistic: Statistic) -> Self:
        """Resample a statistic."""
        error = statistic.error if isinstance(statistic, DifferenceStatistic) else 0.0
        return cls(
            value=statistic.value(),
            drawn=statistic.resamples(),
            units=unit_values(statistic),
            n=statistic.effective_size,
            names=statistic.units,
            error=error,
        )


@dataclass(frozen=True)
class Difference:
    """The difference of two scores.

    Attributes:
        value: The first score minus the second.
        low: Lower end of its interval.
        high: Its upper end.
        p_value: Two-sided p-value of no difference; NaN if it is not defined.
        test: The test that gave the p-value.
    """

    value: float
    low: float
    high: float
    p_value: float
    test: Test


def differences(
    one: Sample,
    others: Sequence[Sample],
    level: float = 0.95,
) -> list[Difference]:
    """Compute the differences of a score from others of the same units, in the same order, with
    intervals of a level.

    A mean of units is tested by flipping the signs of the units' differences, any other score by
    the resamples. The interval has expanded percentiles. A difference of shares of units that are 0
    or 1 has Bonett and Price's interval (2012, Journal of Educational and Behavioral Statistics
    37(4)), because few units with a difference give few different resamples. Errors that the units
    do not show widen it, and take the p-value nearer to 1: `_with_error`.
    """
    if not others:
        return []
    value = one.value - np.array([other.value for other in others])
    drawn = _without_rounding(one.drawn - np.array([other.drawn for other in others]))
    sizes = np.array([min(one.n, other.n) for other in others])
    ends = np.empty((len(others), 2))
    for n in np.unique(sizes).tolist():
        is_of_size = sizes == n
        ends[is_of_size] = percentile_intervals(drawn[is_of_size], n, level)
    test: Test = "resamples"
    if one.units is None or one.n < 2:
        p_values = resampled_p_values(value, drawn, sizes)
    else:
        test = "sign flips"
        units = _without_rounding(one.units - np.array([other.units for other in others]))
        p_values = sign_flip_p_values(units)
        if is_binary(one.units):
            binary = np.array([_has_binary_units(other) for other in others])
            ends[binary] = _bonett_price(units[binary], level)
    p_values = np.where(np.isnan(value), np.nan, p_values)
    errors = np.hypot(one.error, [other.error for other in others])
    ends, p_values = _with_error(value, ends, p_values, errors, level)
    low, high = ends.T
    columns = (value.tolist(), low.tolist(), high.tolist(), p_values.tolist())
    return [Difference(*numbers, test) for numbers in zip(*columns, strict=True)]


def _has_binary_units(sample: Sample) -> bool:
    return sample.units is not None and is_binary(sample.units)


def difference(one: Statistic, other: Statistic) -> Difference:
    """Compute the difference of two scores over their common units, as `differences`."""
    both = DifferenceStatistic.of(one, other)
    return differences(Sample.of(both.one), [Sample.of(both.other)])[0]


def equality_p_value(
    values: Sequence[float],
    drawn: Sequence[Floats],
) -> float:
    """Compute the p-value of k scores that are all equal, from joint resamples of them, shape (k,
    `N_RESAMPLES`).

    It is the share of resamples whose differences from the scores vary as much as the scores do,
    of those resamples that are defined for all; NaN where a score is not defined, or where these
    are too few for a test.
    """
    scores = np.array(values)[:, None]
    resamples = np.array(drawn)
    is_defined = ~np.isnan(resamples).any(axis=0)
    if np.isnan(scores).any() or is_defined.mean() < LEAST_DEFINED:
        return float("nan")
    scatter = (resamples - scores)[:, is_defined].var(axis=0)
    beyond = scatter >= scores.var() - _ROUNDING**2
    return float((1 + beyond.sum()) / (1 + beyond.size))


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Correct p-values by Holm's method (1979): the k-th smallest of m by m - k + 1, never falling.

    Examples:
        >>> holm_adjusted([0.03, 0.01, 0.5])
        [0.06, 0.03, 0.5]
    """
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    corrected = np.array(p_values)[order] * (n - np.arange(n))
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(np.maximum.accumulate(corrected), 1)
    return adjusted.tolist()


def difference_of(statistic: DifferenceStatistic, level: float = 0.95) -> Difference:
    """Compute a difference that is a statistic of its own, as `differences`. `_with_error` widens
    the interval by its error.
    """
    other = replace(Sample.of(statistic.other), error=statistic.error)
    return differences(Sample.of(statistic.one), [other], level)[0]


def _with_error(
    value: Floats, ends: Floats, p_values: Floats, errors: Floats, level: float
) -> tuple[Floats, Floats]:
    """Widen intervals of differences, shape (m, 2), by independent standard errors, shape (m,);
    p-values as much.

    The distance e of an end from the difference becomes √(e² + (z · error)²). The normal quantile
    of p is divided by how many times as wide the interval is then.
    """
    far = errors * scipy.special.ndtri((1 + level) / 2)
    has_error = far > 0
    distances = ends - value[:, None]
    wider_distances = np.hypot(distances, far[:, None])
    wider_ends = value[:, None] + np.array([-1, 1]) * wider_distances
    with np.errstate(invalid="ignore", divide="ignore"):
        times_as_wide = np.hypot(1, far / np.abs(distances).mean(axis=1))
        quantiles = scipy.special.ndtri(p_values / 2) / times_as_wide
        less_sure = 2 * scipy.special.ndtr(quantiles)
    ends = np.where(has_error[:, None], wider_ends, ends)
    return ends, np.where(has_error, less_sure, p_values)


def _without_rounding(differences: Floats) -> Floats:
    return np.where(np.abs(differences) < _ROUNDING, 0, differences)


def resampled_p_values(value: Floats, drawn: Floats, sizes: Indices) -> Floats:
    """Compute two-sided p-values of no difference from resamples of the differences.

    The share of resamples beyond zero, ties ½, gives a normal quantile. Below 10 resamples the
    quantile is the difference over its standard error. The quantile is `widened` for n units, like
    the ends of an interval. So p goes from 2^(1 − n) to 1. Resamples that are not defined are left
    out; p is 1 where they are too many, or of one unit.

    Args:
        value: The differences, shape (m,).
        drawn: Their resamples, shape (m, `N_RESAMPLES`).
        sizes: The number of units of each, shape (m,).
    """
    n = np.maximum(sizes, 2)
    n_defined = np.maximum((~np.isnan(drawn)).sum(axis=1), 1)
    below = ((drawn < 0).sum(axis=1) + (drawn == 0).sum(axis=1) / 2) / n_defined
    beyond = np.minimum(below, 1 - below)
    few = _FEW / (drawn.shape[1] + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        studentized = -np.abs(value) / _standard_deviations(drawn)
        z_of_few = np.minimum(studentized, scipy.special.ndtri(few))
        z_of_share = scipy.special.ndtri(np.maximum(beyond, few))
        z = np.where(beyond < few, z_of_few, z_of_share)
    p_values = 2 * scipy.special.stdtr(n - 1, z * np.sqrt((n - 1) / n))
    is_defined = mostly_defined(drawn) & (sizes >= 2)
    return np.where(is_defined, np.clip(p_values, 2.0 ** (1 - n), 1.0), 1.0)


def _standard_deviations(resamples: Floats) -> Floats:
    """The standard deviation of each row, NaN left out, shape (m, n) -> (m,); NaN of nothing."""
    is_known = ~np.isnan(resamples)
    n = is_known.sum(axis=1)
    known = np.where(is_known, resamples, 0)
    means = known.sum(axis=1) / n
    deviations = np.where(is_known, resamples - means[:, None], 0)
    return np.sqrt(np.square(deviations).sum(axis=1) / n)


def sign_flip_p_values(units: Floats) -> Floats:
    """Compute two-sided p-values of a mean difference of 0, from the differences of n units, shape
    (m, n) -> (m,).

    It is the share of random signs that take the mean as far from 0, as in
    `scipy.stats.permutation_test` with `permutation_type="samples"`, for many differences at once.
    Up to 13 units all signs are counted. If fewer than 10 random ones are as far, a normal
    distribution gives the tail.

    Examples:
        >>> sign_flip_p_values(np.array([[1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0]]))
        array([0.625, 0.125])
    """
    n = units.shape[1]
    signs = _signs(n)
    total = np.abs(units.sum(axis=1))
    spread = np.sqrt(np.square(units).sum(axis=1))
    scale = np.where(spread > 0, spread, 1)
    scaled = (units / scale[:, None]).astype(np.float32)
    limit = total / scale - _TIE_OF_FLIPS
    beyond = np.zeros(len(units), dtype=np.intp)
    for start in range(0, signs.shape[1], _BLOCK_OF_FLIPS):
        block = signs[:, start : start + _BLOCK_OF_FLIPS].astype(np.float32)
        flipped = scaled @ block
        beyond += (np.abs(flipped) >= limit[:, None]).sum(axis=1)
    if n <= _EXACT:
        return beyond / signs.shape[1]
    normal_tail = 2 * scipy.special.ndtr(-np.maximum(limit, 0))
    few = _FEW / (_N_FLIPS + 1)
    p_of_few = np.minimum(np.maximum(normal_tail, 2.0 ** (1 - n)), few)
    p_values = (beyond + 1) / (_N_FLIPS + 1)
    return np.where(beyond < _FEW, p_of_few, p_values)


def _signs(n: int) -> NDArray[np.int8]:
    """Make signs of n units, shape (n, flips): all combinations, or random ones."""
    if n <= _EXACT:
        return np.array(list(product((-1, 1), repeat=n)), dtype=np.int8).T
    return _RANDOM_SIGNS.of(n)


class _RandomSigns:
    """Random signs of units, drawn one unit after the other: fewer units have the signs of the
    first of more, so that each is drawn once in a process.
    """

    def __init__(self) -> None:
        self._generator = np.random.default_rng(_SEED)
        self._signs = np.empty((0, _N_FLIPS), dtype=np.int8)

    def of(self, n: int) -> NDArray[np.int8]:
        """The signs of n units, shape (n, flips), to be read only."""
        n_drawn = len(self._signs)
        if n > n_drawn:
            signs = np.empty((n, _N_FLIPS), dtype=np.int8)
            signs[:n_drawn] = self._signs
            for signs_of_unit in signs[n_drawn:]:  # by units: numbers of 8 bytes are drawn
                signs_of_unit[:] = self._generator.integers(0, 2, _N_FLIPS)
            signs[n_drawn:] *= 2
            signs[n_drawn:] -= 1
            signs.flags.writeable = False
            self._signs = signs
        return self._signs[:n]


_RANDOM_SIGNS = _RandomSigns()


def _bonett_price(units: Floats, level: float) -> Floats:
    """Compute the interval from differences of units that are −1, 0 or 1, shape (m, n) -> shape (m,
    2).

    It is a normal interval with one more unit on either side.
    """
    n = units.shape[1] + 2
    middle = units.sum(axis=1) / n
    mean_square = (np.square(units).sum(axis=1) + 2) / n
    standard_error = np.sqrt((mean_square - np.square(middle)) / n)
    quantiles = scipy.special.ndtri([(1 - level) / 2, (1 + level) / 2])
    return middle[:, None] + np.outer(standard_error, quantiles)
