"""Thresholds that accept a share of values, and the shares of other values below them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from harness_ext.common.arrays import Array, Flags, Floats, Indices, Integers, Names
from harness_ext.statistics.distance import TIE, at_most, chord
from harness_ext.statistics.statistic import UnitStatistic, auc, average, mean, of_rows


@dataclass(frozen=True)
class OfTwoKinds(UnitStatistic):
    """A formula over rows of two kinds: a few of the first say nothing of it, however many others
    there are.

    Attributes:
        first: The units with a row of the first kind.
    """

    first: Names

    @property
    def fewest_units(self) -> int:
        """The number of units of the smallest group, and of those with a row of the first kind."""
        return min(super().fewest_units, int(np.isin(self.units, self.first).sum()))


@dataclass(frozen=True)
class ShareOfRows(OfTwoKinds):
    """A share of the rows of units: a row is in it or not, which the other rows decide."""


def levels(cosines: Floats) -> Integers:
    """Number the values from the least, equal values alike.

    Rounding must not decide ties: values count as equal to the least of their level if ‖u - v‖
    differs from its by no more than `harness_ext.statistics.distance.TIE`. So a level has an end,
    however many values there are. None is NaN.

    Examples:
        >>> levels(np.array([0.5, 0.2, 0.5 + 1e-9, 0.9]))
        array([1, 0, 1, 2])
    """
    order = np.argsort(cosines, kind="stable")
    nearness = -chord(np.maximum(1 - cosines[order], 0))
    starts: list[int] = []
    end = 0
    while end < len(nearness):
        starts.append(end)
        end = int(np.searchsorted(nearness, nearness[end] + TIE, "right"))
    numbers = np.empty(len(cosines), dtype=np.int64)
    numbers[order] = np.searchsorted(starts, np.arange(len(cosines)), "right") - 1
    return numbers


def accepting(percent: int, times: Floats) -> Indices:
    """Find the greatest threshold that accepts a share of sorted values with multiplicities.

    It is the ⌊(1 - percent/100) · n⌋-th smallest of the n values, from 0: at least the share is not
    below it.

    `times` says how often each value is in each of m resamples, in the order of the values, shape
    (m, n).

    Returns:
        The place of the threshold among the values, shape (m,); n where a resample is empty.

    Examples:
        >>> accepting(90, np.ones((1, 20)))
        array([2])
        >>> accepting(50, np.array([[0.0, 1.0, 3.0]]))
        array([2])
    """
    until = np.cumsum(times, axis=1)
    below = np.floor((100 - percent) * until[:, -1:] / 100 + 1e-9)
    return (until <= below).sum(axis=1)


def threshold(percent: int, units: Names, cosines: Floats) -> UnitStatistic:
    """Compute the threshold of `accepting` for values without NaN; units are resampled, each with
    all its values.
    """

    def of_sorted(cosines: Floats, times: Floats) -> Floats:
        return np.append(cosines, np.nan)[accepting(percent, times)]

    known = np.flatnonzero(~np.isnan(cosines))
    order = known[np.argsort(cosines[known], kind="stable")]
    return of_rows(of_sorted, units[order], cosines[order])


def share_below(
    percent: int, units: Names, cosines: Floats, accepted: Flags, tested: Flags, fewest: int
) -> ShareOfRows:
    """Compute the share of the values `tested` below the threshold that `accepting` finds for the
    values `accepted`.

    Units are resampled, each with the values of both kinds, and the threshold is found anew in each
    resample. If some units have no tested value, the units with and without are drawn apart, so
    that a resample has as many of each.

    No value is both, and NaN is neither. `fewest` is the number of tested units from which most
    units, and more, may be drawn together with the rest.
    """

    def of_sorted(level: Floats, is_tested: Floats, times: Floats) -> Floats:
        ours, others = is_tested == 0, is_tested == 1
        place = accepting(percent, times[:, ours])
        below = np.searchsorted(level[others], np.append(level[ours], np.nan)[place])
        until = np.cumsum(np.pad(times[:, others], ((0, 0), (1, 0))), axis=1)
        with np.errstate(invalid="ignore"):  # 0 / 0: a resample without tested values
            share = until[np.arange(len(until)), below] / until[:, -1]
        return np.where(place < ours.sum(), share, np.nan)

    share = _of_two_kinds(of_sorted, units, cosines, accepted, tested, fewest)
    return ShareOfRows(**vars(share))


def share_under(cosine: float, units: Names, cosines: Floats) -> UnitStatistic:
    """Compute the share of values, NaN left out, below a cosine.

    Units are resampled, each with all its values. For ties see
    `harness_ext.statistics.distance.at_most`.
    """
    units, cosines = units[~np.isnan(cosines)], cosines[~np.isnan(cosines)]
    under = 1 - at_most(np.maximum(1 - cosines, 0), np.asarray(1 - cosine))
    names = np.unique(units)
    if len(names) == len(units):  # a mean of 0 and 1, whose intervals suit few units
        return mean(units, under)
    return ShareOfRows(**vars(of_rows(average, units, under)), first=names)


def probability_nearer(
    units: Names, cosines: Floats, accepted: Flags, tested: Flags, within: Array | None = None
) -> UnitStatistic:
    """Compute P(a value `accepted` > a value `tested`), ties ½; takes what `share_below` does, and
    has its units.

    `within`, shape (n,), is what two values must have in common to be compared; None for nothing.
    """
    strata = np.zeros(len(cosines)) if within is None else within
    known = ~np.isnan(cosines)
    both = np.intersect1d(strata[known & accepted], strata[known & tested])
    kept = known & np.isin(strata, both)

    def of_sorted(level: Floats, is_tested: Floats, stratum: Floats, times: Floats) -> Floats:
        shares, weights = [], []
        for value in both:
            ours, others = (
                (stratum == value) & (is_tested == 0),
                (stratum == value) & (is_tested == 1),
            )
            with np.errstate(invalid="ignore"):
                shares.append(auc(level[ours], level[others], times[:, ours], times[:, others]))
            weights.append(times[:, ours].sum(axis=1) * times[:, others].sum(axis=1))
        if len(both) == 1:
            return shares[0]
        with np.errstate(invalid="ignore"):
            pooled: Floats = np.nansum(np.multiply(shares, weights), axis=0) / np.sum(
                weights, axis=0
            )
        return pooled

    return _of_two_kinds(of_sorted, units, cosines, accepted & kept, tested & kept, 0, strata)


def _of_two_kinds(
    formula: Callable[..., Floats],
    units: Names,
    cosines: Floats,
    accepted: Flags,
    tested: Flags,
    fewest: int,
    *more: Array,
) -> OfTwoKinds:
    """Apply a formula to levels of values, least first, whether each is tested, and more values of
    each.
    """
    known = np.flatnonzero(~np.isnan(cosines) & (accepted | tested))
    if not accepted[known].any():
        known = known[:0]
    order = known[np.argsort(cosines[known], kind="stable")]
    of_tested = np.unique(units[order][tested[order]])
    has_tested = np.isin(units[order], of_tested)
    n_rest = len(np.unique(units[order][~has_tested]))
    together = not n_rest or n_rest < len(of_tested) >= fewest
    groups = () if together else (has_tested, ~has_tested)
    level = levels(cosines[order]).astype(np.float64)
    values = level, tested[order].astype(np.float64), *(column[order] for column in more)
    statistic = of_rows(formula, units[order], *values, groups=groups)
    return OfTwoKinds(**vars(statistic), first=np.unique(units[order][~tested[order]]))
