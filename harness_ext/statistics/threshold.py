"""Thresholds that accept a share of values, and the shares of other values below them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from harness_ext.common.arrays import Array, Flags, Floats, Indices, Integers, Names
from harness_ext.statistics.bootstrap import Counts
from harness_ext.statistics.correlation import Levels, steps
from harness_ext.statistics.distance import TIE, at_most, chord
from harness_ext.statistics.statistic import OfCounts, UnitStatistic, auc, average, mean, of_rows

_MORE_ACCEPTED = 64
"""So many values more than twice the threshold's rank are looked at first, in all resamples."""


@dataclass(frozen=True)
class OfTwoKinds(UnitStatistic):
    """A formula over rows of two kinds: a few of the first say nothing of it, however many others
    there are.

    Attributes:
        first: The unit of each row of the first kind.
    """

    first: Names

    @cached_property
    def fewest_units(self) -> int:
        """The number of units of the smallest group, and of those with a row of the first kind."""
        return min(super().fewest_units, int(np.isin(self.units, self.first).sum()))


@dataclass(frozen=True)
class ShareOfRows(OfTwoKinds):
    """A share of the rows of units: a row is in it or not, which the other rows decide."""


@dataclass(frozen=True)
class ShareBelowThreshold(ShareOfRows):
    """A share below the threshold that rows of the first kind decide.

    Attributes:
        percent: How many percent of new rows of the first kind the threshold keeps.
    """

    percent: int

    @cached_property
    def fewest_units(self) -> int:
        """The same; 0 where so few rows of the first kind have no threshold."""
        n_first = int(np.isin(self.first, self.units).sum())
        return super().fewest_units if n_first >= fewest_accepted(self.percent) else 0


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
    ends = np.searchsorted(nearness, nearness + TIE, "right").tolist()
    starts: list[int] = []
    end = 0
    while end < len(nearness):
        starts.append(end)
        end = ends[end]
    numbers = np.empty(len(cosines), dtype=np.int64)
    numbers[order] = np.searchsorted(starts, np.arange(len(cosines)), "right") - 1
    return numbers


def fewest_accepted(percent: int) -> int:
    """The least number of values of which a threshold keeps so many percent of new ones.

    Examples:
        >>> [fewest_accepted(percent) for percent in (80, 90, 95)]
        [4, 9, 19]
    """
    left = 100 - percent
    return -(-100 // left) - 1


def rank(percent: int, n: Any) -> Any:
    """The rank k, from 1, of the threshold among n values: ⌊(100 - percent)/100 · (n + 1)⌋.

    New values reach it with a probability of 1 - k/(n + 1). 0 where no value is such a threshold.

    Args:
        percent: How many percent of new values reach it at least.
        n: A whole number, or several, shape (m,).

    Examples:
        >>> [rank(90, n) for n in (8, 9, 12, 180)]
        [0, 1, 1, 18]
    """
    # in floating point, .1 · 10 is below 1
    return (100 - percent) * (n + 1) // 100


def accepting(percent: int, times: Floats) -> Indices:
    """Find the greatest threshold that accepts a share of new values, by sorted values.

    It is the k-th smallest of the n values, from 1, with k as `rank` has it. A new value of their
    kind is at least the threshold with a probability of 1 - k/(n + 1), which is never below the
    share: a conformal quantile (Vovk, Gammerman, Shafer 2005, *Algorithmic Learning in a Random
    World*). Where k is 0, no value is such a threshold.

    Args:
        percent: The share in percent.
        times: How often each value is in each of m resamples, in the order of the values: whole
            numbers, shape (m, n).

    Returns:
        The place of the threshold among the values, from 0, shape (m,); -1 where k is 0.

    Examples:
        >>> accepting(90, np.ones((1, 20)))
        array([1])
        >>> accepting(90, np.ones((1, 8)))
        array([-1])
        >>> accepting(50, np.array([[0.0, 1.0, 4.0]]))
        array([2])
    """
    until = np.cumsum(times, axis=1)
    return _places(until, rank(percent, until[:, -1].astype(np.int64)))


def _places(until: Array, k: Indices) -> Indices:
    """Where so many values are there up to a place, shape (m, n), that they are k, shape (m,); -1
    where k is 0.
    """
    place = (until < k[:, None]).sum(axis=1)
    return np.where(k > 0, place, -1)


class _Accepting:
    """`accepting` of sorted rows whose units are drawn, for many resamples."""

    def __init__(self, percent: int, unit: Indices) -> None:
        """Count the rows; `unit` has the number of the unit of each, the row with the least value
        first, shape (n,).
        """
        self._percent = percent
        self._unit = unit
        self._total = _Total(unit)
        # those among which the threshold of most resamples is
        self._first = unit[: 2 * rank(percent, len(unit)) + _MORE_ACCEPTED]

    def __call__(self, counts: Counts) -> Indices:
        """The place of the threshold among the rows, from 0, by how often each unit is in each
        resample, shape (m, k) -> shape (m,); -1 where there is none.
        """
        k = rank(self._percent, self._total(counts))
        for unit in (self._first, self._unit):
            until = np.cumsum(counts.take(unit, axis=1), axis=1, dtype=np.int32)
            if (until[:, -1] >= k).all():
                break
        return _places(until, k)


def threshold(percent: int, units: Names, cosines: Floats) -> UnitStatistic:
    """Compute the threshold of `accepting` for cosines, NaN left out.

    Units are resampled, each with all its values. Too few values have no threshold, and the
    statistic no units. In a resample of too few it is -1, the least cosine.
    """

    def of_sorted(cosines: Floats, times: Floats) -> Floats:
        return np.append(-1.0, cosines)[accepting(percent, times) + 1]

    def of_counts(cosines: Floats, unit: Indices) -> OfCounts:
        thresholds = np.append(-1.0, cosines)
        places = _Accepting(percent, unit)

        def of_drawn(counts: Counts) -> Floats:
            return thresholds[places(counts) + 1]

        return of_drawn

    known = np.flatnonzero(~np.isnan(cosines))
    if len(known) < fewest_accepted(percent):
        known = known[:0]
    order = known[np.argsort(cosines[known], kind="stable")]
    return of_rows(of_sorted, units[order], cosines[order], of_counts=of_counts)


def share_below(
    percent: int, units: Names, cosines: Floats, accepted: Flags, tested: Flags, fewest: int
) -> ShareBelowThreshold:
    """Compute the share of the values `tested` below the threshold that `accepting` finds for the
    values `accepted`.

    Units are resampled, each with the values of both kinds, and the threshold is found anew in each
    resample. In a resample of so few values `accepted` that they have no threshold, none is below
    it. If some units have no tested value, the smaller group counts as the number of units: unless
    at least `fewest` units have one, and they outnumber the rest.

    No value is both, and NaN is neither.
    """

    def of_sorted(level: Floats, is_tested: Floats, times: Floats) -> Floats:
        is_accepted_row = is_tested == 0
        is_tested_row = is_tested == 1
        place = accepting(percent, times[:, is_accepted_row])
        # no level is below -1
        threshold_level = np.append(-1.0, level[is_accepted_row])[place + 1]
        n_below = np.searchsorted(level[is_tested_row], threshold_level)
        tested_times = np.pad(times[:, is_tested_row], ((0, 0), (1, 0)))
        times_up_to = np.cumsum(tested_times, axis=1)
        below = times_up_to[np.arange(len(times_up_to)), n_below]
        with np.errstate(invalid="ignore"):  # 0 / 0: a resample without tested values
            share: Floats = below / times_up_to[:, -1]
        return share

    def of_counts(level: Floats, is_tested: Floats, unit: Indices) -> OfCounts:
        is_accepted = is_tested == 0
        places = _Accepting(percent, unit[is_accepted])
        tested_unit = unit[~is_accepted]
        n_tested = _Total(tested_unit)
        # at a threshold of each row accepted, and last without a threshold
        n_rows_below = np.searchsorted(level[~is_accepted], level[is_accepted])
        n_rows_below = np.append(n_rows_below, 0)

        def of_drawn(counts: Counts) -> Floats:
            n_rows = n_rows_below[places(counts)]
            times = counts.take(tested_unit[: n_rows.max()], axis=1)
            times *= np.arange(times.shape[1]) < n_rows[:, None]
            below = times.sum(axis=1, dtype=np.int64)
            with np.errstate(invalid="ignore"):
                share: Floats = below / n_tested(counts)
            return share

        return of_drawn

    share = _of_two_kinds(of_sorted, units, cosines, accepted, tested, fewest, of_counts=of_counts)
    return ShareBelowThreshold(**vars(share), percent=percent)


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
        shares: list[Floats] = []
        n_pairs: list[Floats] = []
        for value in both:
            is_in_stratum = stratum == value
            is_accepted_row = is_in_stratum & (is_tested == 0)
            is_tested_row = is_in_stratum & (is_tested == 1)
            accepted_times = times[:, is_accepted_row]
            tested_times = times[:, is_tested_row]
            with np.errstate(invalid="ignore"):
                share = auc(
                    level[is_accepted_row], level[is_tested_row], accepted_times, tested_times
                )
            shares.append(share)
            n_pairs.append(accepted_times.sum(axis=1) * tested_times.sum(axis=1))
        return _pooled(shares, n_pairs)

    def of_counts(level: Floats, is_tested: Floats, stratum: Floats, unit: Indices) -> OfCounts:
        kinds: list[_OfTwoKinds] = []
        for value in both:
            rows = stratum == value
            kinds.append(_OfTwoKinds(level[rows], is_tested[rows], unit[rows]))

        def of_drawn(counts: Counts) -> Floats:
            shares: list[Floats] = []
            n_pairs: list[Floats] = []
            for of_stratum in kinds:
                nearer = _nearer(*of_stratum.until(counts))
                shares.append(nearer.share)
                n_pairs.append(nearer.n_pairs)
            return _pooled(shares, n_pairs)

        return of_drawn

    return _of_two_kinds(
        of_sorted,
        units,
        cosines,
        accepted & kept,
        tested & kept,
        0,
        strata,
        of_counts=of_counts,
    )


def _pooled(shares: Sequence[Floats], n_pairs: Sequence[Floats]) -> Floats:
    """The share of all pairs, from that of each stratum, shape (m,) each; NaN is of no pairs."""
    if len(shares) == 1:
        return shares[0]
    nearer = np.nansum(np.multiply(shares, n_pairs), axis=0)
    with np.errstate(invalid="ignore"):
        pooled: Floats = nearer / np.sum(n_pairs, axis=0)
    return pooled


class _Nearer(NamedTuple):
    """How often a value accepted is above a value tested, in each of m resamples.

    Attributes:
        share: Ties ½, shape (m,); NaN without pairs.
        n_pairs: Of how many pairs, shape (m,).
    """

    share: Floats
    n_pairs: Floats


def _nearer(accepted_until: Array, tested_until: Array) -> _Nearer:
    """Compare the rows of a stratum, as `harness_ext.statistics.statistic.auc` does, by how many
    rows of each kind there are up to each level in each resample, shape (m, l) each.
    """
    doubled = 2 * tested_until - steps(tested_until)  # a tie is half above
    n_won = np.einsum("ij,ij->i", steps(accepted_until), doubled, dtype=np.float64, casting="safe")
    n_pairs = accepted_until[:, -1].astype(np.float64) * tested_until[:, -1]
    with np.errstate(invalid="ignore"):
        return _Nearer(n_won / 2 / n_pairs, n_pairs)


class _Total:
    """How many of some rows are in each resample."""

    def __init__(self, unit: Indices) -> None:
        """Count the rows of each unit; `unit` has the number of each row's unit, shape (n,)."""
        self._n_rows = np.bincount(unit)

    def __call__(self, counts: Counts) -> Indices:
        """Add up by how often each unit is in each resample, shape (m, k) -> shape (m,)."""
        of_units = counts[:, : len(self._n_rows)]
        total: Indices = np.einsum("ij,j->i", of_units, self._n_rows, dtype=np.intp, casting="safe")
        return total


class _OfTwoKinds:
    """The levels of rows accepted and tested, sorted once for many resamples."""

    def __init__(self, level: Floats, is_tested: Floats, unit: Indices) -> None:
        self._levels = Levels(level, unit)
        self._is_tested = (is_tested[self._levels.order] == 1).astype(np.uint8)

    def until(self, counts: Counts) -> tuple[Array, Array]:
        """How many rows accepted, and rows tested, there are up to each level in each resample:
        shape (m, k) -> shape (m, l) each.
        """
        times = counts.take(self._levels.unit, axis=1)
        tested_times = times * self._is_tested
        times -= tested_times
        return self._levels.until(times), self._levels.until(tested_times)


def _of_two_kinds(
    formula: Callable[..., Floats],
    units: Names,
    cosines: Floats,
    accepted: Flags,
    tested: Flags,
    fewest: int,
    *more: Array,
    of_counts: Callable[..., OfCounts],
) -> OfTwoKinds:
    """Apply a formula to levels of values, least first, whether each is tested, and more values of
    each.
    """
    known = np.flatnonzero(~np.isnan(cosines) & (accepted | tested))
    if not accepted[known].any():
        known = known[:0]
    order = known[np.argsort(cosines[known], kind="stable")]
    sorted_units = units[order]
    is_tested = tested[order]
    tested_units = np.unique(sorted_units[is_tested])
    has_tested = np.isin(sorted_units, tested_units)
    n_rest = len(np.unique(sorted_units[~has_tested]))
    are_mostly_tested = len(tested_units) >= fewest and len(tested_units) > n_rest
    is_one_group = n_rest == 0 or are_mostly_tested
    groups = () if is_one_group else (has_tested, ~has_tested)
    level = levels(cosines[order]).astype(np.float64)
    further = [column[order] for column in more]
    statistic = of_rows(
        formula,
        sorted_units,
        level,
        is_tested.astype(np.float64),
        *further,
        groups=groups,
        of_counts=of_counts,
    )
    return OfTwoKinds(**vars(statistic), first=sorted_units[~is_tested])
