"""Means, spreads and rank correlations, also of few values, and with another explanation held
constant.
"""

from typing import NamedTuple, Self

import numpy as np
import scipy

from harness_ext.common.arrays import Array, Floats, Indices, Vectors
from harness_ext.statistics.bootstrap import Counts


def known_mean(values: Floats) -> float:
    """Average values of shape (n,), NaN left out; NaN without values."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def known_std(values: Floats) -> float:
    """Compute the standard deviation (ddof 1) of values of shape (n,), NaN left out; NaN for fewer
    than two values.
    """
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else np.nan


def members(group: Indices, n: int) -> list[Indices]:
    """List the places of the members of each of n groups; `group` has the number of each place's
    group, from 0.

    Examples:
        >>> members(np.array([1, 0, 1]), 2)
        [array([1]), array([0, 2])]
    """
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=n))
    return np.split(order, ends[:-1])


def group_means(values: Floats, group: Indices, n: int) -> Floats:
    """Average the values of each group, NaN left out, shape (n,); NaN for a group without values.

    `group` has the number of each value's group, from 0, shape (m,).

    Examples:
        >>> group_means(np.array([1.0, 3.0, np.nan]), np.array([0, 0, 1]), 2)
        array([ 2., nan])
    """
    known = ~np.isnan(values)
    sums = np.bincount(group[known], weights=values[known], minlength=n)
    counts = np.bincount(group[known], minlength=n)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def spearman(
    x: Vectors,
    y: Vectors,
) -> tuple[float, float]:
    """Compute Spearman's ρ of the pairs without NaN, shapes (n,), and its two-sided p.

    Both are NaN for fewer than three pairs, or if x or y does not vary.

    Examples:
        >>> spearman(np.array([1.0, 2.0, 3.0, np.nan]), np.array([1.0, 9.0, 4.0, 0.0]))[0]
        0.5
    """
    known = ~(np.isnan(x) | np.isnan(y))
    x = x[known]
    y = y[known]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan, np.nan
    result = scipy.stats.spearmanr(x, y)
    return float(result.statistic), float(result.pvalue)


def rho(x: Vectors, y: Vectors, times: Floats) -> Floats:
    """Compute Spearman's ρ for many samples of pairs at once, shape (m,); NaN as in `spearman`.

    The pairs, of shapes (n,), have no NaN. `times` says how often each is in each sample, shape (m,
    n).

    Examples:
        >>> rho(np.array([1.0, 2.0, 3.0]), np.array([1.0, 9.0, 4.0]), np.ones((1, 3)))
        array([0.5])
    """
    return rho_of_ranks(ranks(x, times), ranks(y, times), times)


def rho_of_known(x: Vectors, y: Vectors) -> float:
    """Compute Spearman's ρ of the pairs without NaN, shapes (n,), in a tenth of the time of
    `spearman`; NaN as there.

    Examples:
        >>> rho_of_known(np.array([1.0, 2.0, 3.0, np.nan]), np.array([1.0, 9.0, 4.0, 0.0]))
        0.5
    """
    known = ~(np.isnan(x) | np.isnan(y))
    once = np.ones((1, known.sum()))
    return float(rho(x[known], y[known], once)[0])


def rho_of_ranks(first: Floats, second: Floats, times: Floats) -> Floats:
    """Compute `rho` from `ranks`, each of shape (m, n)."""
    total = times.sum(axis=1, keepdims=True)
    mean_rank = (total + 1) / 2  # the ranks of n values sum to n (n + 1) / 2, ties or not
    first = first - mean_rank
    second = second - mean_rank
    covariance = (times * first * second).sum(axis=1)
    variance_of_first = (times * np.square(first)).sum(axis=1)
    variance_of_second = (times * np.square(second)).sum(axis=1)
    spreads = np.sqrt(variance_of_first * variance_of_second)
    with np.errstate(invalid="ignore"):  # 0 / 0: a sample that does not vary
        value: Floats = covariance / spreads
    return np.where(total[:, 0] < 3, np.nan, value)


def ranks(values: Vectors, times: Floats) -> Floats:
    """Rank values for many samples of them at once, shape (m, n); equal values have the mean of
    their ranks.

    The values, of shape (n,), have no NaN. `times` says how often each is in each sample, shape (m,
    n).

    Examples:
        >>> ranks(np.array([2.0, 1.0, 2.0]), np.array([[1.0, 1.0, 1.0], [1.0, 3.0, 0.0]]))
        array([[2.5, 1. , 2.5],
               [4. , 2. , 4. ]])
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(counts) < len(values):
        order = np.argsort(place, kind="stable")
        starts = np.cumsum(counts) - counts
        distinct_times = np.add.reduceat(times[:, order], starts, axis=1)
    else:
        distinct_times = np.empty_like(times)
        distinct_times[:, place] = times
    last_ranks = np.cumsum(distinct_times, axis=1)
    mean_ranks: Floats = last_ranks - (distinct_times - 1) / 2
    return mean_ranks[:, place]


def ranks_within(values: Vectors, group: Indices) -> Floats:
    """Rank values among those of their group, shape (n,); equal values have the mean of their
    ranks.

    The values, of shape (n,), have no NaN. `group` has the number of each value's group.

    Examples:
        >>> ranks_within(np.array([7.0, 9.0, 8.0, 9.0]), np.array([0, 1, 0, 1]))
        array([1. , 1.5, 2. , 1.5])
    """
    order = np.lexsort((values, group))
    is_new_group = np.diff(group[order], prepend=-1) != 0
    is_new_value = is_new_group | (np.diff(values[order], prepend=np.nan) != 0)
    starts_of_groups = np.flatnonzero(is_new_group)
    starts_of_values = np.flatnonzero(is_new_value)
    ends_of_values = np.append(starts_of_values[1:], len(values))
    mean_places = (starts_of_values + ends_of_values + 1) / 2
    first_places = starts_of_groups[np.cumsum(is_new_group) - 1]
    found = np.empty(len(values))
    found[order] = mean_places[np.cumsum(is_new_value) - 1] - first_places
    return found


_MANY_OF_A_LEVEL = 8
"""Rows of a value: more are added up by value first, in a tenth of the time."""


class Levels:
    """The rows of a table in the order of a value, equal values together: sorted once, for many
    samples of the rows.

    Attributes:
        order: The numbers of the rows, those with the least value first, shape (n,).
        unit: The number of the unit of each of them, in that order, shape (n,).
        ends: The place in that order where each distinct value ends, shape (l,).
        of_rows: The number of each row's distinct value, from 0 for the least, shape (n,).
    """

    def __init__(self, values: Vectors, unit: Indices) -> None:
        """Sort the rows.

        Args:
            values: One of each row, without NaN, shape (n,).
            unit: The number of each row's unit, from 0, shape (n,).
        """
        self.order: Indices = np.argsort(values, kind="stable")
        self.unit = unit[self.order]
        is_last = np.diff(values[self.order], append=np.nan) != 0
        self.ends: Indices = np.flatnonzero(is_last)
        self.of_rows = np.empty(len(values), dtype=np.intp)
        self.of_rows[self.order] = np.cumsum(is_last) - is_last

    @property
    def has_ties(self) -> bool:
        """Whether two rows have the same value."""
        return len(self.ends) < len(self.order)

    def until(self, times: Counts) -> Array:
        """How often there is a row up to each distinct value, from the least, in each of m samples.

        Args:
            times: How often each row is there, in `order`, shape (m, n).

        Returns:
            Whole numbers of 32 bits, shape (m, l).
        """
        until: Array
        if _MANY_OF_A_LEVEL * len(self.ends) < len(self.order):
            starts = np.append(0, self.ends[:-1] + 1)
            of_levels = np.add.reduceat(times, starts, axis=1, dtype=np.int32)
            until = np.cumsum(of_levels, axis=1, dtype=np.int32)
            return until
        until = np.cumsum(times, axis=1, dtype=np.int32)
        return until.take(self.ends, axis=1) if self.has_ties else until


def steps(until: Array) -> Array:
    """How often each distinct value is there, from `Levels.until`, shape (m, l).

    Examples:
        >>> steps(np.array([[1, 3, 4]])).tolist()
        [[1, 2, 1]]
    """
    times = until.copy()
    times[:, 1:] -= until[:, :-1]
    return times


class RhoOfCounts:
    """`rho` of rows whose units are drawn: the same to the last digit, with values sorted once.

    Sums of whole numbers are exact in any order. Those of the ranks of more than 180 000 rows are
    rounded.
    """

    def __init__(self, x: Vectors, y: Vectors, unit: Indices) -> None:
        """Sort the rows.

        Args:
            x: A value of each row, without NaN, shape (n,).
            y: Another one, shape (n,).
            unit: The number of each row's unit, from 0, shape (n,).
        """
        self._x = Levels(x, unit)
        self._y = Levels(y, unit)
        # of the rows in the order of x
        self._level_of_x = self._x.of_rows[self._x.order]
        self._level_of_y = self._y.of_rows[self._x.order]

    def __call__(self, counts: Counts) -> Floats:
        """Compute ρ of each of m samples, by how often each of k units is in it, shape (m, k) ->
        shape (m,).
        """
        times_of_rows = counts.take(self._x.unit, axis=1)
        of_x = _Ranked.of(self._x, times_of_rows)
        of_y = _Ranked.of(self._y, counts.take(self._y.unit, axis=1))
        ranks_of_x = of_x.doubled
        if self._x.has_ties:
            ranks_of_x = ranks_of_x.take(self._level_of_x, axis=1)
        ranks_of_y = of_y.doubled.take(self._level_of_y, axis=1)
        ranks_of_y *= times_of_rows
        products = np.einsum("ij,ij->i", ranks_of_x, ranks_of_y, dtype=np.float64, casting="safe")
        total = of_x.total
        covariance = (products - total**3) / 4
        variance_of_x = (total**3 - of_x.cubes) / 12
        variance_of_y = (total**3 - of_y.cubes) / 12
        spreads = np.sqrt(variance_of_x * variance_of_y)
        with np.errstate(invalid="ignore"):  # 0 / 0: a sample that does not vary
            value: Floats = covariance / spreads
        return np.where(total < 3, np.nan, value)


class _Ranked(NamedTuple):
    """Ranks of distinct values in each of m samples.

    Attributes:
        doubled: Twice the ranks, each less by ½, shape (m, l): whole numbers, ties or not.
        total: How many values there are, shape (m,).
        cubes: The sum of the cubes of how often each distinct value is there, shape (m,): what ties
            take from the variance of ranks.
    """

    doubled: Array
    total: Floats
    cubes: Floats

    @classmethod
    def of(cls, levels: Levels, times_of_rows: Counts) -> Self:
        """Rank the values of rows, by how often each row is there, as `Levels.until`."""
        until = levels.until(times_of_rows)
        times = steps(until) if levels.has_ties else times_of_rows
        cubes = np.einsum("ij,ij,ij->i", times, times, times, dtype=np.float64, casting="safe")
        return cls(2 * until - times, until[:, -1].astype(np.float64), cubes)


_ROUNDING = 1e-12
"""A smaller share of x and y left unexplained is rounding."""


def partial_rho(
    x: Vectors,
    y: Vectors,
    given: Vectors,
    times: Floats,
) -> Floats:
    """Compute Spearman's partial ρ of x and y: their ranks are regressed on the ranks of another
    explanation.

    Shapes are those of `rho`. An explanation that does not vary changes nothing. NaN if x or y does
    not vary or follows from the explanation, or for fewer than three.

    Examples:
        >>> x = np.array([1.0, 2.0, 3.0, 4.0])
        >>> y = np.array([2.0, 1.0, 4.0, 3.0])
        >>> partial_rho(x, y, np.array([1.0, 1.0, 2.0, 2.0]), np.ones((1, 4))).round(6)
        array([-1.])
    """
    x_ranks = ranks(x, times)
    y_ranks = ranks(y, times)
    given_ranks = ranks(given, times)
    rho_of_both = rho_of_ranks(x_ranks, y_ranks, times)
    rho_of_x = np.nan_to_num(rho_of_ranks(x_ranks, given_ranks, times))
    rho_of_y = np.nan_to_num(rho_of_ranks(y_ranks, given_ranks, times))
    unexplained = (1 - rho_of_x**2) * (1 - rho_of_y**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        partial = (rho_of_both - rho_of_x * rho_of_y) / np.sqrt(unexplained)
    return np.where(unexplained > _ROUNDING, np.clip(partial, -1, 1), np.nan)


def residuals(values: Floats, *explaining: Floats) -> Floats:
    """Compute the residuals of a least-squares fit of values by a constant and explaining values,
    shapes (n,) -> (n,).

    They are rounded to nine decimals, so that equally explained values are tied. NaN where any
    value is NaN; all NaN unless there are at least two more known values than coefficients.

    Examples:
        >>> residuals(np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0])).tolist()
        [nan, nan, nan]
        >>> residuals(np.array([1.0, 2.0, 4.0, 4.0]), np.array([0.0, 0.0, 1.0, 1.0])).tolist()
        [-0.5, 0.5, 0.0, 0.0]
    """
    known = ~np.isnan(np.array([values, *explaining])).any(axis=0)
    constant = np.ones(known.sum())
    design = np.column_stack([constant, *(column[known] for column in explaining)])
    unexplained = np.full(len(values), np.nan)
    if len(design) > design.shape[1] + 1:
        explained_values = values[known]
        coefficients = np.linalg.lstsq(design, explained_values, rcond=None)[0]
        rounded = (explained_values - design @ coefficients).round(9)
        unexplained[known] = rounded + 0.0  # no -0
    return unexplained
