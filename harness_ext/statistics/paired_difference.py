"""Paired tests of two scores of the same units, of two models or of a model and its additive
baseline.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Literal, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from harness_ext.common.arrays import Floats, Indices, Names
from harness_ext.statistics.bootstrap import SEED, percentile_intervals
from harness_ext.statistics.confidence_interval import is_binary
from harness_ext.statistics.statistic import DifferenceStatistic, Statistic, unit_values

Test = Literal["sign flips", "resamples"]

_ROUNDING = 1e-6
"""Scores that differ by less are equal: float32 vectors have no more digits, and a test must not
find rounding.
"""

_N_FLIPS = 9999
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
        units, error = (
            unit_values(statistic),
            statistic.error if isinstance(statistic, DifferenceStatistic) else 0.0,
        )
        return cls(
            statistic.value(),
            statistic.resamples(),
            units,
            statistic.effective_size,
            statistic.units,
            error,
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


def differences(one: Sample, others: Sequence[Sample], level: float = 0.95) -> list[Difference]:
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
        ends[sizes == n] = percentile_intervals(drawn[sizes == n], n, level)
    test: Test = "resamples"
    if one.units is None or one.n < 2:
        p_values = resampled_p_values(value, drawn, sizes)
    else:
        test = "sign flips"
        of_units = _without_rounding(one.units - np.array([other.units for other in others]))
        p_values = sign_flip_p_values(of_units)
        if is_binary(one.units):
            binary = np.array(
                [other.units is not None and is_binary(other.units) for other in others]
            )
            ends[binary] = _bonett_price(of_units[binary], level)
    errors = np.hypot(one.error, [other.error for other in others])
    ends, p_values = _with_error(
        value, ends, np.where(np.isnan(value), np.nan, p_values), errors, level
    )
    return [
        Difference(of, low, high, p_value, test)
        for of, (low, high), p_value in zip(
            value.tolist(), ends.tolist(), p_values.tolist(), strict=True
        )
    ]


def difference(one: Statistic, other: Statistic) -> Difference:
    """Compute the difference of two scores over their common units, as `differences`."""
    both = DifferenceStatistic.of(one, other)
    return differences(Sample.of(both.one), [Sample.of(both.other)])[0]


def equality_p_value(values: Sequence[float], drawn: Sequence[Floats]) -> float:
    """Compute the p-value of k scores that are all equal, from joint resamples of them, shape (k,
    `N_RESAMPLES`).

    It is the share of resamples whose differences from the scores vary as much as the scores do;
    NaN where a score or a resample is not defined.
    """
    scores, resamples = np.array(values)[:, None], np.array(drawn)
    if np.isnan(scores).any() or np.isnan(resamples).any():
        return float("nan")
    beyond = (resamples - scores).var(axis=0) >= scores.var() - _ROUNDING**2
    return float((1 + beyond.sum()) / (1 + beyond.size))


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Correct p-values by Holm's method (1979): the k-th smallest of m by m - k + 1, never falling.

    Examples:
        >>> holm_adjusted([0.03, 0.01, 0.5])
        [0.06, 0.03, 0.5]
    """
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(
        np.maximum.accumulate(np.array(p_values)[order] * (n - np.arange(n))), 1
    )
    return adjusted.tolist()


def difference_of(statistic: DifferenceStatistic, level: float = 0.95) -> Difference:
    """Compute a difference that is a statistic of its own, as `differences`."""
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
    far, distances = errors * scipy.special.ndtri((1 + level) / 2), ends - value[:, None]
    wider = value[:, None] + np.array([-1, 1]) * np.hypot(distances, far[:, None])
    with np.errstate(invalid="ignore", divide="ignore"):
        times = np.hypot(1, far / np.abs(distances).mean(axis=1))
        less_sure = 2 * scipy.special.ndtr(scipy.special.ndtri(p_values / 2) / times)
    return np.where(far[:, None] > 0, wider, ends), np.where(far > 0, less_sure, p_values)


def _without_rounding(differences: Floats) -> Floats:
    return np.where(np.abs(differences) < _ROUNDING, 0, differences)


def resampled_p_values(value: Floats, drawn: Floats, sizes: Indices) -> Floats:
    """Compute two-sided p-values of no difference from resamples of the differences.

    The share of resamples beyond zero, ties ½, gives a normal quantile. Below 10 resamples the
    quantile is the difference over its standard error. The quantile is `widened` for n units, like
    the ends of an interval. So p goes from 2^(1 − n) to 1; it is 1 where a resample is not defined,
    or of one unit.

    Args:
        value: The differences, shape (m,).
        drawn: Their resamples, shape (m, `N_RESAMPLES`).
        sizes: The number of units of each, shape (m,).
    """
    n = np.maximum(sizes, 2)
    below = (drawn < 0).mean(axis=1) + (drawn == 0).mean(axis=1) / 2
    beyond = np.minimum(below, 1 - below)
    few = _FEW / (drawn.shape[1] + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        normal = -np.abs(value) / drawn.std(axis=1)
        z = np.where(
            beyond < few,
            np.minimum(normal, scipy.special.ndtri(few)),
            scipy.special.ndtri(np.maximum(beyond, few)),
        )
    p_values = 2 * scipy.special.stdtr(n - 1, z * np.sqrt((n - 1) / n))
    return np.where(
        np.isnan(drawn).any(axis=1) | (sizes < 2), 1.0, np.clip(p_values, 2.0 ** (1 - n), 1.0)
    )


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
    scaled = (units / np.where(spread > 0, spread, 1)[:, None]).astype(np.float32)
    limit = total / np.where(spread > 0, spread, 1) - 1e-4  # ties, as float32 adds them up
    beyond = np.zeros(len(units), dtype=np.intp)
    for start in range(0, signs.shape[1], 1000):
        flipped = scaled @ signs[:, start : start + 1000].astype(np.float32)
        beyond += (np.abs(flipped) >= limit[:, None]).sum(axis=1)
    if n <= _EXACT:
        return beyond / signs.shape[1]
    tail = 2 * scipy.special.ndtr(-np.maximum(limit, 0))
    few = _FEW / (_N_FLIPS + 1)
    p_values = (beyond + 1) / (_N_FLIPS + 1)
    return np.where(beyond < _FEW, np.minimum(np.maximum(tail, 2.0 ** (1 - n)), few), p_values)


@lru_cache(maxsize=1)  # n × flips numbers
def _signs(n: int) -> NDArray[np.int8]:
    """Make signs of n units, shape (n, flips): all combinations, or random ones."""
    if n <= _EXACT:
        return np.array(list(product((-1, 1), repeat=n)), dtype=np.int8).T
    generator, signs = np.random.default_rng(SEED), np.empty((n, _N_FLIPS), dtype=np.int8)
    for of_unit in signs:  # by units: numbers of 8 bytes are drawn
        of_unit[:] = generator.choice([-1, 1], _N_FLIPS)
    return signs


def _bonett_price(units: Floats, level: float) -> Floats:
    """Compute the interval from differences of units that are −1, 0 or 1, shape (m, n) -> shape (m,
    2).

    It is a normal interval with one more unit on either side.
    """
    n = units.shape[1] + 2
    middle = units.sum(axis=1) / n
    spread = np.sqrt(((np.square(units).sum(axis=1) + 2) / n - np.square(middle)) / n)
    return middle[:, None] + np.outer(
        spread, scipy.special.ndtri([(1 - level) / 2, (1 + level) / 2])
    )
