"""Rank correlation within groups: how values agree inside each group, whatever differs between
groups.
"""

import numpy as np

from harness_ext.common.arrays import Floats, Indices, Names, Vectors
from harness_ext.statistics.correlation import ranks
from harness_ext.statistics.statistic import UnitStatistic, of_rows

_ROUNDING = 1e-9
"""A smaller sum of squares of deviations from the mean ranks of groups is rounding."""


def rho_within(x: Vectors, y: Vectors, group: Indices, times: Floats) -> Floats:
    """Correlate the ranks of two values after the mean rank of each group is taken away.

    The ranks are those among all rows, equal values have the mean of their ranks. What is left is
    correlated by Pearson's r. A group of one row has nothing left, and adds nothing.

    Args:
        x: A value of each row, without NaN, shape (n,).
        y: Another one, shape (n,).
        group: The number of each row's group, from 0, shape (n,).
        times: How often each row is in each of m samples, shape (m, n).

    Returns:
        The correlation in each sample, in [-1, 1], shape (m,); NaN where nothing is left.

    Examples:
        >>> x, y = np.array([1.0, 2.0, 8.0, 9.0]), np.array([5.0, 6.0, 2.0, 3.0])
        >>> rho_within(x, y, np.array([0, 0, 1, 1]), np.ones((1, 4)))
        array([1.])
    """
    is_in_group = np.eye(group.max(initial=-1) + 1)[group]
    left_of_x = _without_group_means(ranks(x, times), is_in_group, times)
    left_of_y = _without_group_means(ranks(y, times), is_in_group, times)
    products = (times * left_of_x * left_of_y).sum(axis=1)
    squares_of_x = (times * np.square(left_of_x)).sum(axis=1)
    squares_of_y = (times * np.square(left_of_y)).sum(axis=1)
    varies = np.minimum(squares_of_x, squares_of_y) > _ROUNDING
    size = np.sqrt(np.where(varies, squares_of_x * squares_of_y, np.nan))
    correlation: Floats = products / size
    return correlation


def _without_group_means(values: Floats, is_in_group: Floats, times: Floats) -> Floats:
    """Values less the mean of their group in the same sample, shape (m, n)."""
    sizes = times @ is_in_group
    sums = (times * values) @ is_in_group
    # a group that is not in a sample has no value there
    means = sums / np.maximum(sizes, 1)
    difference: Floats = values - means @ is_in_group.T
    return difference


def spearman_within(units: Names, x: Vectors, y: Vectors, groups: Names) -> UnitStatistic:
    """`rho_within` of rows without NaN; units are resampled, each with all its rows.

    Args:
        units: The unit of each row, shape (n,).
        x: A value of each row, shape (n,).
        y: Another one, shape (n,).
        groups: The group of each row, shape (n,); all rows of a group are of one unit, and rows of
            the group "" are left out.
    """
    known = ~np.isnan(np.array([x, y], dtype=np.float64)).any(axis=0) & (groups != "")
    _, number = np.unique(groups[known], return_inverse=True)
    return of_rows(rho_within, units[known], x[known], y[known], number)
