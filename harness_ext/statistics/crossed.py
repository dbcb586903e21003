"""A statistic of two kinds of units that are crossed, such as adjectives and nouns: both are resampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices, Names
from harness_ext.statistics.bootstrap import N_RESAMPLES, SEED
from harness_ext.statistics.correlation import known_std

N_FOR_SIZE = 500
"""The number of resamples for the variance of each kind of units."""


@dataclass(frozen=True)
class CrossedStatistic:
    """A score of a first and a second kind of units, which are drawn independently.

    Attributes:
        units: The first units that enter the score, shape (k,).
        groups: Whether each first unit that is drawn is in each group, shape (groups, A); it is drawn within its group.
        n_second: The number of second units, N.
        formula: Called with the number of times that each first and each second unit counts in each of R resamples,
            shapes (A, R) and (N, R), to return shape (R,); without arguments, all count once, and R is 1.
        of_units: Some first units -> the score of these alone.
        is_share: Whether it is a mean of rows from 0 to 1.
        in_pairs: Whether second units are compared in pairs: if one is drawn alone, all are drawn again. Groups may
            then have a single unit; otherwise no resample is defined.
    """

    units: Names
    groups: Flags
    n_second: int
    formula: Callable[..., Floats]
    of_units: Callable[[Names], CrossedStatistic]
    is_share: bool = False
    in_pairs: bool = False

    def value(self) -> float:
        """Compute the score; NaN if it is not defined."""
        return float(self.formula()[0])

    def resamples(self) -> Floats:
        """Resample both kinds of units, once; all NaN if there are too few."""
        return self._resamples

    @cached_property
    def _resamples(self) -> Floats:
        return np.full(N_RESAMPLES, np.nan) if self._draws is None else self.formula(*self._draws)

    @cached_property
    def _draws(self) -> tuple[Floats, Floats] | None:
        sizes = self.groups.sum(axis=1).tolist()
        if self.n_second < 2 or (min(sizes, default=0) < 2 and not self.in_pairs):
            return None
        rng = np.random.default_rng(SEED)
        first = np.zeros((self.groups.shape[1], N_RESAMPLES))
        for group, size in zip(self.groups, sizes, strict=True):
            first[group] = _draw(rng, size)
        second = _draw(rng, self.n_second)
        while self.in_pairs and (alone := second.max(axis=0) == self.n_second).any():
            second[:, alone] = _draw(rng, self.n_second, int(alone.sum()))
        return first, second

    @property
    def fewest_units(self) -> int:
        """The first units of all groups."""
        return len(self.units)

    @cached_property
    def effective_size(self) -> int:
        """See `joint_size`."""
        sizes = (len(self.units), self.n_second)
        if self._draws is None or min(sizes) < 2:
            return 1
        first, second = (drawn[:, :N_FOR_SIZE] for drawn in self._draws)
        alone = self.formula(first, np.ones_like(second)), self.formula(np.ones_like(first), second)
        return joint_size(sizes, alone)

    def restrict(self, names: Names) -> CrossedStatistic:
        """Draw no other first units any more."""
        return self.of_units(names)


class CrossedRows(NamedTuple):
    """Rows, each of a first and a second unit.

    Attributes:
        first: The number of the first unit of each row, shape (n,).
        values: Shape (n,).
        groups: Whether each row is in each group, shape (groups, n); every row is in one group.
    """

    first: Indices
    values: Floats
    groups: Flags


def crossed(
    formula: Callable[[CrossedRows, Floats], Floats],
    first: Names,
    second: Names,
    values: Floats,
    groups: Sequence[Flags] | None = None,
) -> CrossedStatistic:
    """Apply a formula to rows; rows of no group or with NaN are left out.

    Args:
        formula: Called as `formula(rows, weights)`, to return shape (R,). Weights count each row in each of R
            resamples, shape (n, R).
        first: The first unit of each row, shape (n,).
        second: Its second unit, shape (n,).
        values: Shape (n,).
        groups: Whether each row is in each group, shape (n,) each; all rows of a first unit are in one group. By
            default a single group of all rows.
    """
    masks = np.array(groups if groups is not None else [np.ones(len(first), dtype=bool)])
    kept = ~np.isnan(values) & masks.any(axis=0)
    first, second, values, masks = first[kept], second[kept], values[kept], masks[:, kept]
    units, of_first = np.unique(first, return_inverse=True)
    seconds, of_second = np.unique(second, return_inverse=True)
    rows = CrossedRows(of_first, values, masks)

    def of_weights(*weights: Floats) -> Floats:
        if not masks.any(axis=1).all():
            return np.array([np.nan])
        return formula(rows, weights[0][of_first] * weights[1][of_second] if weights else np.ones((len(values), 1)))

    def of_units(names: Names) -> CrossedStatistic:
        inside = np.isin(first, names)
        return crossed(formula, first[inside], second[inside], values[inside], [*masks[:, inside]])

    return CrossedStatistic(
        units=units,
        groups=np.array([np.bincount(of_first[mask], minlength=len(units)) > 0 for mask in masks]),
        n_second=len(seconds),
        formula=of_weights,
        of_units=of_units,
        is_share=formula is mean_of_groups and bool(values.size and values.min() >= 0 and values.max() <= 1),
    )


def joint_size(sizes: Sequence[int], alone: Sequence[Floats]) -> int:
    """Find the number of units of one kind that determine the variance as well as several kinds (Satterthwaite 1946).

    Few units of one kind, such as 12 nouns, tell little about the variance that they cause.

    Examples:
        >>> joint_size((61, 13), [np.array([-1.0, 1.0]), np.array([-1.0, 1.0])])  # 1 + 2² / (1/60 + 1/12)
        41

    Args:
        sizes: The number of units of each kind.
        alone: The score on resamples of each kind of units alone, shape (R,) each.
    """
    variances = np.square([known_std(resamples) for resamples in alone])
    if not variances.sum() > 0:
        return min(sizes)
    return 1 + int(variances.sum() ** 2 / (variances**2 / (np.array(sizes) - 1)).sum())


def mean_of_groups(rows: CrossedRows, weights: Floats) -> Floats:
    """Average the rows of each group, then the groups."""
    with np.errstate(invalid="ignore"):  # 0 / 0: no row of a group is drawn
        means = [rows.values[group] @ weights[group] / weights[group].sum(axis=0) for group in rows.groups]
    return np.mean(means, axis=0)


def probability_of_first_group(rows: CrossedRows, weights: Floats) -> Floats:
    """P(mean of a first unit of the first group > mean of a first unit of the second group), ties ½."""
    sides = []
    for group in rows.groups:
        _, unit = np.unique(rows.first[group], return_inverse=True)
        members = np.eye(unit.max() + 1)[unit].T
        counts = members @ weights[group]
        sums = members @ (weights[group] * rows.values[group, None])
        means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        sides.append((means.round(12), counts))  # equal means are ties, whatever the order of their sums
    (above, above_counts), (below, below_counts) = sides
    wins = np.array([(above_counts * (np.sign(above - mean) + 1) / 2).sum(axis=0) for mean in below])
    with np.errstate(invalid="ignore"):  # 0 / 0: no row of a group is drawn
        share: Floats = (wins * below_counts).sum(axis=0) / (above_counts.sum(axis=0) * below_counts.sum(axis=0))
    return share


def _draw(rng: np.random.Generator, n: int, n_resamples: int = N_RESAMPLES) -> Floats:
    """Count how often each of n units is drawn in n draws with replacement, shape (n, n_resamples)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).T.astype(np.float64)
