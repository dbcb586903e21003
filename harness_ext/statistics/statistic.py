"""A statistic of independent units, such as compounds: its units, its value, and its resamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from harness_ext.common.arrays import Array, Flags, Floats, Indices, Names
from harness_ext.statistics.bootstrap import N_RESAMPLES, Counts, draw_by_resamples, draw_by_units
from harness_ext.statistics.correlation import RhoOfCounts, members, ranks, rho

_IN_MEMORY = 2**18
"""Resamples × units, or × rows, that are counted together: they stay in a processor's cache."""

_ROWS_IN_MEMORY = 2**16
"""Resamples × rows that are counted together where the rows are sorted once."""

_RESAMPLES_OF_BLOCK = 64
"""The counts of so many resamples lie side by side: a line of a processor's cache has 64 bytes."""

_FEWEST_TOGETHER = 8
"""The least number of resamples that are counted together, as each time the values are sorted."""


OfCounts = Callable[[Counts], Floats]
"""How often each of k units is in each of m resamples, shape (m, k) -> shape (m,)."""


class Statistic(Protocol):
    """A score that knows its units. Resamples over the same units in the same order can be
    subtracted.
    """

    @property
    def units(self) -> Names:
        """The units that enter the score, in the order of drawing, shape (k,)."""
        ...

    def value(self) -> float:
        """Compute the score; NaN if it is not defined."""
        ...

    def resamples(self) -> Floats:
        """Compute the score on resamples of the units, shape (`N_RESAMPLES`,); NaN where it is not
        defined.
        """
        ...

    @property
    def fewest_units(self) -> int:
        """The number of units; of the smallest group, if a formula needs some of each group."""
        ...

    @property
    def effective_size(self) -> int:
        """The number of units for `harness_ext.statistics.bootstrap.widened`."""
        ...

    def restrict(self, names: Names) -> Self:
        """Restrict the score to the named units."""
        ...


@dataclass(frozen=True)
class UnitStatistic:
    """A formula over one or more values of each unit.

    Attributes:
        units: The names, shape (k,).
        values: Each of shape (k,).
        formula: Called as `formula(*values, *times)`, to return shape (m,). The values are those of
            each group, shape (n,); times count each unit of a group in each of m resamples, shape
            (m, n).
        groups: Whether each unit is in each group, shape (k,) each. A unit counts as often as its
            name says, whatever group it is in.
    """

    units: Names
    values: tuple[Array, ...]
    formula: Callable[..., Any]
    groups: tuple[Flags, ...]

    def value(self) -> float:
        """Compute the score; NaN if a group is empty."""
        once = [np.ones((1, int(group.sum()))) for group in self.groups]
        return float(self._of_draws(once)[0]) if self.fewest_units else math.nan

    def resamples(self) -> Floats:
        """Resample the units, once; all NaN if a group has fewer than two units."""
        return self._resamples

    @cached_property
    def _resamples(self) -> Floats:
        if self.fewest_units < 2:
            return np.full(N_RESAMPLES, np.nan)
        with np.errstate(invalid="ignore"):  # 0 / 0: a resample without a unit of a group
            if self.formula is average:
                return _resampled_ratio(self.units, self.values[0], np.ones(len(self.units)))
            if self.formula is _ratio_of_sums:
                return _resampled_ratio(self.units, *self.values)
            return self._resamples_by_counts()

    def _resamples_by_counts(self) -> Floats:
        if isinstance(self.formula, RowFormula) and self.formula.of_counts is not None:
            return self._resamples_of_counts(self.formula)
        step = _resamples_together(len(self.units))
        resamples: list[Floats] = []
        for counts in draw_by_resamples(self.units):
            for start in range(0, len(counts), step):
                times = counts[start : start + step].astype(np.float64, order="C")
                times_of_groups = [times[:, group] for group in self.groups]
                resamples.append(self._of_draws(times_of_groups))
        return np.concatenate(resamples)

    def _resamples_of_counts(self, formula: RowFormula) -> Floats:
        resamples: list[Floats] = []
        for counts in draw_by_resamples(self.units):
            for start in range(0, len(counts), _RESAMPLES_OF_BLOCK):
                block = counts[start : start + _RESAMPLES_OF_BLOCK]
                resamples.append(formula.resampled(self.values[0], block))
        return np.concatenate(resamples)

    @property
    def fewest_units(self) -> int:
        """The number of units of the smallest group; a formula may need them of fewer groups."""
        return self.effective_size

    @property
    def effective_size(self) -> int:
        """The number of units of the smallest group: a resample varies with it."""
        return min(int(group.sum()) for group in self.groups)

    def restrict(self, names: Names) -> Self:
        """Restrict the score to the named units, in the same order."""
        return self._of(np.isin(self.units, names))

    def _of_draws(self, times: Sequence[Floats]) -> Floats:
        values: list[Array] = []
        for group in self.groups:
            values += [value[group] for value in self.values]
        return self.formula(*values, *times)

    def _of(self, kept: Flags) -> Self:
        return replace(
            self,
            units=self.units[kept],
            values=tuple(value[kept] for value in self.values),
            groups=tuple(group[kept] for group in self.groups),
        )


def of_units(
    formula: Callable[..., Any],
    units: Names,
    *values: Array,
    groups: Sequence[Flags] = (),
) -> UnitStatistic:
    """Apply the formula to values of units; units of no group or with NaN are left out.

    For the arguments see `UnitStatistic`. Several groups have a single value; by default all units
    are one group.

    Examples:
        >>> of_units(average, np.array(["b", "a", "c"]), np.array([1.0, 0.5, np.nan])).value()
        0.75
    """
    groups = tuple(groups) or (np.ones(len(units), dtype=bool),)
    known = ~np.isnan(np.array(values, dtype=np.float64)).any(axis=0)
    is_in_group = np.any(groups, axis=0)
    return UnitStatistic(units, values, formula, groups)._of(known & is_in_group)


@dataclass(frozen=True)
class DifferenceStatistic:
    """One statistic minus another of the same units, in the same order.

    Attributes:
        error: A standard error of it that its units do not show, and its resamples do not have.
    """

    one: Statistic
    other: Statistic
    error: float = 0.0

    @classmethod
    def of(
        cls,
        one: Statistic,
        other: Statistic,
        error: float = 0.0,
    ) -> DifferenceStatistic:
        """Subtract over common units."""
        if np.array_equal(one.units, other.units):
            return cls(one, other, error)
        return cls(one.restrict(other.units), other.restrict(one.units), error)

    @property
    def units(self) -> Names:
        """The common units."""
        return self.one.units

    def value(self) -> float:
        """Compute the difference; NaN if either score is not defined."""
        return self.one.value() - self.other.value()

    def resamples(self) -> Floats:
        """Resample both with the same draws."""
        return self.one.resamples() - self.other.resamples()

    @property
    def fewest_units(self) -> int:
        """The smaller number."""
        return min(self.one.fewest_units, self.other.fewest_units)

    @property
    def effective_size(self) -> int:
        """The smaller size."""
        return min(self.one.effective_size, self.other.effective_size)

    def restrict(self, names: Names) -> DifferenceStatistic:
        """Restrict both."""
        return replace(self, one=self.one.restrict(names), other=self.other.restrict(names))


def unit_values(statistic: Statistic) -> Floats | None:
    """Return the values of the units, shape (k,), if the score is their mean; else None."""
    if isinstance(statistic, DifferenceStatistic):
        one = unit_values(statistic.one)
        other = unit_values(statistic.other)
        return None if one is None or other is None else one - other
    if not isinstance(statistic, UnitStatistic):
        return None
    is_mean = statistic.formula is average and len(statistic.groups) == 1
    return np.asarray(statistic.values[0], dtype=np.float64) if is_mean else None


def unit_means(
    units: Names,
    *values: Array,
) -> tuple[Array, ...]:
    """Average each value per unit, over the rows without NaN: units and values of rows, shapes (n,)
    -> shapes (k,).

    The units are in alphabetical order. The order of the rows changes no digit.

    Examples:
        >>> unit_means(np.array(["b", "a", "a", "c"]), np.array([1.0, 1.0, 0.0, np.nan]))
        (array(['a', 'b'], dtype='<U1'), array([0.5, 1. ]))
    """
    table = np.array(values, dtype=np.float64)
    known = ~np.isnan(table).any(axis=0)
    names, unit = np.unique(units[known], return_inverse=True)
    means = np.empty((len(values), len(names)))
    if len(names):
        rows_of_units = members(unit, len(names))
        for value, means_of_value in zip(table[:, known], means, strict=True):
            for place, rows in enumerate(rows_of_units):
                # a plain sum depends on the order
                means_of_value[place] = math.fsum(value[rows]) / len(rows)
    return names, *means


def mean(units: Names, values: Array) -> UnitStatistic:
    """Average the rows of each unit, then the units; shapes (n,)."""
    return of_units(average, *unit_means(units, values))


def mean_of_rows(names: Names, unit: Indices, values: Floats) -> UnitStatistic:
    """Average all values without NaN; `unit` has the number of each value's unit, from 0.

    Units are resampled, each with all its values.
    """
    known = ~np.isnan(values)
    sums = np.bincount(unit[known], values[known], len(names))
    counts = np.bincount(unit[known], None, len(names))
    return of_units(_ratio_of_sums, names, sums, np.where(counts, counts, np.nan))


@dataclass(frozen=True, eq=False)
class RowFormula:
    """A formula over rows, as one over units that are drawn: for `UnitStatistic`, see `of_rows`.

    Attributes:
        formula: Called as `formula(*values, times)`.
        of_counts: The same for many resamples, called as `of_counts(*values, unit)`, see `of_rows`;
            None if there is none.
        values: Each of the rows, shape (n,).
        unit: The number of each row's unit, from 0, shape (n,).
        n_units: The number of units, k.
        n_groups: In how many groups the units are.
    """

    formula: Callable[..., Floats]
    of_counts: Callable[..., OfCounts] | None
    values: tuple[Array, ...]
    unit: Indices
    n_units: int
    n_groups: int

    def __call__(self, *numbers_and_times: Array) -> Floats:
        """Apply it to the numbers of the units of each group, and how often each is drawn."""
        numbers = numbers_and_times[: self.n_groups]
        times = numbers_and_times[self.n_groups :]
        times_of_units = np.zeros((len(times[0]), self.n_units))
        for of_group, drawn in zip(numbers, times, strict=True):
            times_of_units[:, of_group] = drawn
        step = _resamples_together(len(self.unit))
        results: list[Floats] = []
        for start in range(0, len(times_of_units), step):
            times_of_rows = times_of_units[start : start + step, self.unit]
            results.append(self.formula(*self.values, times_of_rows))
        return np.concatenate(results)

    def resampled(self, numbers: Indices, counts: Counts) -> Floats:
        """The same by `of_counts`, from how often the units of these numbers are drawn, shape
        (m, j) -> shape (m,).
        """
        if len(numbers) == self.n_units:  # in their order
            counts_of_units = np.ascontiguousarray(counts)
        else:
            counts_of_units = np.zeros((len(counts), self.n_units), dtype=counts.dtype)
            counts_of_units[:, numbers] = counts
        step = 1 + _ROWS_IN_MEMORY // len(self.unit)
        results: list[Floats] = []
        for start in range(0, len(counts), step):
            results.append(self._of_sorted(counts_of_units[start : start + step]))
        return np.concatenate(results)

    @cached_property
    def _of_sorted(self) -> OfCounts:
        assert self.of_counts is not None  # else nothing asks
        return self.of_counts(*self.values, self.unit)


def of_rows(
    formula: Callable[..., Floats],
    units: Names,
    *values: Array,
    groups: Sequence[Flags] = (),
    of_counts: Callable[..., OfCounts] | None = None,
) -> UnitStatistic:
    """Apply the formula to rows. Units are resampled, each with all its rows.

    It is called as `formula(*values, times)`, to return shape (m,). Units and values are those of
    each row, shape (n,), and times count each row in each of m resamples, shape (m, n). The
    smallest of the groups, if any, says of how many units the score is.

    Many resamples are faster with `of_counts`, which sorts the rows once. It is called as
    `of_counts(*values, unit)`, with the number of each row's unit, shape (n,), and returns what
    gives the same numbers from how often each unit is in each resample, shape (m, k) -> shape (m,).
    """
    names, first, unit = np.unique(units, return_index=True, return_inverse=True)
    of_numbers = RowFormula(formula, of_counts, values, unit, len(names), max(len(groups), 1))
    return of_units(
        of_numbers, names, np.arange(len(names)), groups=[group[first] for group in groups]
    )


def probability_above(
    units: Names,
    values: Array,
    above: Flags,
    below: Flags,
) -> UnitStatistic:
    """P(mean of a unit of the rows `above` > mean of a unit of the rows `below`), ties ½; they
    share no unit.
    """
    names, means = unit_means(units, np.where(above | below, values, np.nan))
    is_above = np.isin(names, units[above])
    return of_units(auc, names, means, groups=[is_above, ~is_above])


def spearman_of_units(units: Names, x: Array, y: Array) -> UnitStatistic:
    """Spearman's ρ over the units, between their means of x and of y, shapes (n,)."""
    return of_units(rho, *unit_means(units, x, y))


def spearman_of_rows(units: Names, x: Array, y: Array) -> UnitStatistic:
    """Spearman's ρ over the rows, shapes (n,). Units are resampled, each with all its rows."""
    known = ~np.isnan(np.array([x, y], dtype=np.float64)).any(axis=0)
    return of_rows(rho, units[known], x[known], y[known], of_counts=RhoOfCounts)


def spearman_difference(
    units: Names, x: Array, y: Array, more: Flags, less: Flags
) -> UnitStatistic:
    """`spearman_of_rows` of the rows `more` minus the same of the rows `less`; they share no unit;
    shapes (n,).
    """
    known = ~np.isnan(np.array([x, y], dtype=np.float64)).any(axis=0) & (more | less)

    x = x[known]
    y = y[known]
    more = more[known]
    less = less[known]

    def difference(
        x: Floats,
        y: Floats,
        more: Flags,
        times: Floats,
    ) -> Floats:
        rho_of_more = rho(x[more], y[more], times[:, more])
        rho_of_less = rho(x[~more], y[~more], times[:, ~more])
        return rho_of_more - rho_of_less

    def difference_of_counts(
        x: Floats,
        y: Floats,
        more: Flags,
        unit: Indices,
    ) -> OfCounts:
        rho_of_more = RhoOfCounts(x[more], y[more], unit[more])
        rho_of_less = RhoOfCounts(x[~more], y[~more], unit[~more])

        def of_counts(counts: Counts) -> Floats:
            return rho_of_more(counts) - rho_of_less(counts)

        return of_counts

    return of_rows(
        difference,
        units[known],
        x,
        y,
        more,
        groups=(more, less),
        of_counts=difference_of_counts,
    )


def average(values: Floats, times: Floats) -> Floats:
    """Average values with multiplicities, shapes (n,) and (m, n) -> (m,)."""
    return _ratio_of_sums(values, np.ones(len(values)), times)


def auc(
    above: Floats,
    below: Floats,
    times_above: Floats,
    times_below: Floats,
) -> Floats:
    """P(above > below), ties ½, of values with multiplicities, shapes (n,), (k,), (m, n) and (m, k)
    -> (m,).
    """
    values = np.concatenate([above, below])
    times = np.concatenate([times_above, times_below], axis=1)
    ranks_above = ranks(values, times)[:, : len(above)]
    n = times_above.sum(axis=1)
    k = times_below.sum(axis=1)
    rank_sums = (times_above * ranks_above).sum(axis=1)
    n_won = rank_sums - n * (n + 1) / 2  # Mann-Whitney's U
    return n_won / (n * k)


def _resamples_together(n: int) -> int:
    """How many resamples of n units, or rows, are counted together."""
    return max(_FEWEST_TOGETHER, 1 + _IN_MEMORY // n)


def _resampled_ratio(units: Names, sums: Floats, counts: Floats) -> Floats:
    """Resample `_ratio_of_sums`, some units at a time, shapes (k,) -> (`N_RESAMPLES`,)."""
    columns = np.column_stack([sums, counts]).astype(np.float64)
    totals = np.zeros((N_RESAMPLES, 2))
    for places, times in draw_by_units(units):
        totals += times.astype(np.float64) @ columns[places]
    return totals[:, 0] / totals[:, 1]


def _ratio_of_sums(sums: Floats, counts: Floats, times: Floats) -> Floats:
    return (times @ sums) / (times @ counts)
