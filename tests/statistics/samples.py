"""Units with names, a mean of crossed units, and what is not defined."""

from __future__ import annotations

import numpy as np


def units(n, start=0):
    """`n` names, numbered from `start`."""
    numbers = range(start, start + n)
    return np.array([f"unit {number}" for number in numbers])


def mean_of_cells(values):
    """The formula of a mean of values of shape (first units, second units), for `CrossedStatistic`."""
    n_first, n_second = values.shape

    def formula(first=None, second=None):
        if first is None:
            first = np.ones((n_first, 1))
            second = np.ones((n_second, 1))
        sums = np.einsum("ar,an,nr->r", first, values, second)
        n_cells = first.sum(axis=0) * second.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return sums / n_cells

    return formula


def all_undefined(values):
    return np.isnan(values).all()


def share_undefined(values):
    return np.isnan(values).mean()
