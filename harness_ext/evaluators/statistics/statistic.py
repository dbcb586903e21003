"""Statistics of independent units, such as compounds: their value, and what it is on resamples of the units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from harness_ext.evaluators.epsilon import auc
from harness_ext.evaluators.statistics.bootstrap import N_RESAMPLES, resample
from harness_ext.evaluators.statistics.correlation import members, rho

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Statistic(NamedTuple):
    """A statistic of independent units.

    Attributes:
        samples: A value per unit, each of shape (k,).
        of: Called as `of(*samples, axis=-1)` with samples of shape (..., k), to return shape (...).
        paired: Whether the samples are values of the same units, else each is resampled on its own.
    """

    samples: tuple[NDArray[Any], ...]
    of: Callable[..., Any]
    paired: bool = False

    def value(self) -> float:
        """The statistic; NaN where a sample is empty."""
        return float(self.of(*self.samples, axis=-1)) if all(map(len, self.samples)) else math.nan

    def resamples(self) -> NDArray[np.float64]:
        """The statistic on resamples of the units, shape (`N_RESAMPLES`,); NaN where it is not defined."""
        if not all(map(len, self.samples)):
            return np.full(N_RESAMPLES, np.nan)
        return resample(self.samples, self.of, paired=self.paired)


def unit_means(units: NDArray[np.str_], *values: NDArray[Any]) -> tuple[NDArray[np.float64], ...]:
    """The mean of each value per unit, over the rows in which none is NaN.

    Args:
        units: What each row belongs to, shape (n,).
        values: Each of shape (n,).

    Returns:
        For each value an array of shape (k,), units in alphabetical order; to the last digit the same for every order
        of the rows.

    Examples:
        >>> unit_means(np.array(["b", "a", "a", "c"]), np.array([1.0, 1.0, 0.0, np.nan]))
        (array([0.5, 1. ]),)
    """
    wide = np.array(values, dtype=np.float64)
    known = ~np.isnan(wide).any(axis=0)
    parts = _parts(units[known], wide[:, known])
    means = [[math.fsum(row) / len(row) for row in part] for part in parts]  # a plain sum depends on the order
    return tuple(np.array(means, dtype=np.float64).reshape(-1, len(values)).T)


def mean(units: NDArray[np.str_], values: NDArray[Any]) -> Statistic:
    """The mean over the units of their means, shapes (n,)."""
    return Statistic(unit_means(units, values), _mean)


def balanced_mean(units: NDArray[np.str_], values: NDArray[Any], groups: list[NDArray[np.bool_]]) -> Statistic:
    """The mean over groups of rows of the mean over the units in each; units are resampled within their group."""

    def of_groups(*samples: NDArray[np.float64], axis: int = -1) -> Any:
        return sum(sample.mean(axis=axis) for sample in samples) / len(samples)

    return Statistic(tuple(unit_means(units[group], values[group])[0] for group in groups), of_groups)


def probability_above(
    units: NDArray[np.str_], values: NDArray[Any], above: NDArray[np.bool_], below: NDArray[np.bool_]
) -> Statistic:
    """P(mean of a unit of the rows `above` > that of one of the rows `below`), ties ½."""
    return Statistic(tuple(unit_means(units[rows], values[rows])[0] for rows in (above, below)), auc)


def spearman_of_units(units: NDArray[np.str_], x: NDArray[Any], y: NDArray[Any]) -> Statistic:
    """Spearman's ρ over the units, between their means of x and of y, shapes (n,)."""
    return Statistic(unit_means(units, x, y), rho, paired=True)


def spearman_of_rows(units: NDArray[np.str_], x: NDArray[Any], y: NDArray[Any]) -> Statistic:
    """Spearman's ρ over the rows, shapes (n,); resampled are the units, each with all its rows."""
    wide = np.array([x, y], dtype=np.float64)
    known = ~np.isnan(wide).any(axis=0)
    parts = _parts(units[known], wide[:, known])
    padded = np.full((2, len(parts), max((part.shape[1] for part in parts), default=0)), np.nan)
    for number, part in enumerate(parts):
        padded[:, number, : part.shape[1]] = part

    def of_rows(drawn: NDArray[np.intp], axis: int = -1) -> Any:
        first, second = padded[:, drawn].reshape(2, *drawn.shape[:-1], -1)
        return rho(first, second, axis=axis)

    return Statistic((np.arange(len(parts)),), of_rows)


def _parts(units: NDArray[np.str_], values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The columns of `values`, shape (v, n), unit by unit in alphabetical order."""
    names, unit = np.unique(units, return_inverse=True)
    return [values[:, own] for own in members(unit, len(names))] if len(names) else []


def _mean(sample: NDArray[np.float64], axis: int = -1) -> Any:
    return sample.mean(axis=axis)
