"""Means, spreads and rank correlations, also of few values, and with another explanation held
constant.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import scipy

from harness_ext.common.arrays import Floats, Indices, Vectors

_RANKS_IN_MEMORY = 2**21
"""Levels × samples whose ranks are in memory together, in `rho_of_counts`."""

_FEWEST_TOGETHER = 128
"""The least number of samples whose ranks are, as each time all rows are passed."""


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


def levels_of(values: Vectors) -> Iterator[list[int]]:
    """Yield the places of each distinct value, from the least value.

    Examples:
        >>> list(levels_of(np.array([2.0, 1.0, 2.0])))
        [[1], [0, 2]]
    """
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order])) + 1
    places = order.tolist()
    ends = [*starts.tolist(), len(places)]
    for start, end in pairwise([0, *ends]):
        yield places[start:end]


def counts_of_rows(rows: list[int], unit: Indices, counts: Floats) -> Floats:
    """How often some rows count together in each of m samples, shape (m,).

    Args:
        rows: Numbers of rows.
        unit: The number of each row's unit, from 0, shape (n,).
        counts: How often each of k units is in each sample, shape (k, m).
    """
    if len(rows) == 1:
        times: Floats = counts[unit[rows[0]]]
    else:
        times = counts[unit[rows]].sum(axis=0)
    return times


def rho_of_counts(x: Vectors, y: Vectors, unit: Indices, counts: Floats) -> Floats:
    """Compute `rho` of rows whose units are drawn, shape (m,); the same to the last digit.

    Row after row is added up for all samples at once: sums of whole numbers and halves are exact in
    any order. Those of the ranks of more than 30 000 rows are rounded.

    Args:
        x: A value of each row, without NaN, shape (n,).
        y: Another one, shape (n,).
        unit: The number of each row's unit, from 0, shape (n,).
        counts: How often each of k units is in each of m samples, shape (k, m).
    """
    levels_of_x = list(levels_of(x))
    levels_of_y = list(levels_of(y))
    step = max(_FEWEST_TOGETHER, _RANKS_IN_MEMORY // max(len(levels_of_y), 1))
    correlations: list[Floats] = []
    for start in range(0, counts.shape[1], step):
        block = np.ascontiguousarray(counts[:, start : start + step])
        correlations.append(_rho_of_levels(levels_of_x, levels_of_y, unit, block))
    return np.concatenate(correlations)


def _rho_of_levels(
    levels_of_x: list[list[int]],
    levels_of_y: list[list[int]],
    unit: Indices,
    counts: Floats,
) -> Floats:
    """`rho_of_counts` from `levels_of` both values. Ranks are less by ½, so that those of n values
    have the mean n/2.
    """
    n_samples = counts.shape[1]
    ranks_of_y = np.empty((len(levels_of_y), n_samples))
    level_of_row = np.empty(len(unit), dtype=np.intp)
    before = np.zeros(n_samples)
    for number, rows in enumerate(levels_of_y):
        level_of_row[rows] = number
        times = counts_of_rows(rows, unit, counts)
        ranks_of_level = ranks_of_y[number]
        np.multiply(times, 0.5, out=ranks_of_level)
        ranks_of_level += before
        before += times
    total = before
    before = np.zeros(n_samples)
    products = np.zeros(n_samples)
    rank_of_x = np.empty(n_samples)
    for rows in levels_of_x:
        times = counts_of_rows(rows, unit, counts)
        np.multiply(times, 0.5, out=rank_of_x)
        rank_of_x += before
        if len(rows) == 1:
            rank_of_x *= times
            rank_of_x *= ranks_of_y[level_of_row[rows[0]]]
        else:
            ranks_of_rows = ranks_of_y[level_of_row[rows]]
            ranks_of_rows *= counts[unit[rows]]
            rank_of_x *= ranks_of_rows.sum(axis=0)
        products += rank_of_x
        before += times
    covariance = products - total**3 / 4
    cubes_of_units = counts * counts
    cubes_of_units *= counts  # faster than a power, and in place
    variance_of_x = (total**3 - _cubes(levels_of_x, unit, counts, cubes_of_units)) / 12
    variance_of_y = (total**3 - _cubes(levels_of_y, unit, counts, cubes_of_units)) / 12
    spreads = np.sqrt(variance_of_x * variance_of_y)
    with np.errstate(invalid="ignore"):  # 0 / 0: a sample that does not vary
        value: Floats = covariance / spreads
    return np.where(total < 3, np.nan, value)


def _cubes(
    levels: list[list[int]],
    unit: Indices,
    counts: Floats,
    cubes_of_units: Floats,
) -> Floats:
    """The sum of the cubes of how often each level is in each sample, shape (m,): what ties take
    from the variance of ranks.
    """
    single = [rows[0] for rows in levels if len(rows) == 1]
    n_single = np.bincount(unit[single], minlength=len(counts)).astype(np.float64)
    cubes: Floats = n_single @ cubes_of_units
    for rows in levels:
        if len(rows) > 1:
            cubes += counts_of_rows(rows, unit, counts) ** 3
    return cubes


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
