"""A statistic of rows that cross two kinds of units, such as adjectives and nouns: both are resampled."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from harness_ext.arrays import Flags, Floats, Names
from harness_ext.statistics.bootstrap import N_RESAMPLES, SEED
from harness_ext.statistics.correlation import known_std

N_FOR_SIZE = 500
"""The number of resamples for the variance of each kind of units."""


class CrossedStatistic(ABC):
    """A score of a first and a second kind of units, which are drawn independently."""

    @property
    @abstractmethod
    def units(self) -> Names:
        """The first units that enter the score."""

    @property
    @abstractmethod
    def n_second(self) -> int:
        """The number of second units."""

    @abstractmethod
    def weights(self) -> tuple[Floats, Floats] | None:
        """Draw both kinds, each of shape (any, `N_RESAMPLES`); None if there are too few units."""

    @abstractmethod
    def score(self, first: Floats, second: Floats) -> Floats:
        """Compute the score of R resamples, shape (R,), from `weights` or some of their columns."""

    def resamples(self) -> Floats:
        """Resample both kinds of units, once; all NaN if there are too few."""
        return self._resamples

    @cached_property
    def _resamples(self) -> Floats:
        weights = self.weights()
        return np.full(N_RESAMPLES, np.nan) if weights is None else self.score(*weights)

    @property
    def fewest_units(self) -> int:
        """The first units of all groups."""
        return len(self.units)

    @cached_property
    def effective_size(self) -> int:
        """See `joint_size`."""
        sizes, weights = (len(self.units), self.n_second), self.weights()
        if weights is None or min(sizes) < 2:
            return 1
        first, second = (drawn[:, :N_FOR_SIZE] for drawn in weights)
        return joint_size(sizes, [self.score(first, np.ones_like(second)), self.score(np.ones_like(first), second)])


@dataclass(frozen=True)
class CrossedRows(CrossedStatistic):
    """A formula over rows, each of a first and a second unit.

    Attributes:
        first: The first unit of each row, shape (n,). First units are drawn within their group.
        second: The second unit, shape (n,).
        groups: Whether each row is in each group, shape (groups, n); every row is in one group.
        values: Shape (n,).
        formula: Called as `formula(rows, weights)`, to return shape (R,). Weights count each row in each of R
            resamples, shape (n, R).
    """

    first: Names
    second: Names
    groups: Flags
    values: Floats
    formula: Callable[[CrossedRows, Floats], Floats]

    @property
    def units(self) -> Names:
        """The first units, in alphabetical order."""
        return np.unique(self.first)

    @property
    def n_second(self) -> int:
        """The number of second units."""
        return len(np.unique(self.second))

    def value(self) -> float:
        """Compute the score; NaN if a group is empty."""
        if not self.groups.any(axis=1).all():
            return math.nan
        return float(self.formula(self, np.ones((len(self.first), 1)))[0])

    def weights(self) -> tuple[Floats, Floats] | None:
        """Count the draws of the first and the second unit of each row, each of shape (n, `N_RESAMPLES`)."""
        groups = [np.unique(self.first[group], return_inverse=True) for group in self.groups]
        seconds, place = np.unique(self.second, return_inverse=True)
        sizes = (*(len(names) for names, _ in groups), len(seconds))
        if min(sizes) < 2:
            return None
        *drawn, of_seconds = _draws(sizes)
        weights = np.zeros((len(self.first), N_RESAMPLES))
        for group, (_, own), times in zip(self.groups, groups, drawn, strict=True):
            weights[group] = times[own]
        return weights, of_seconds[place]

    def score(self, first: Floats, second: Floats) -> Floats:
        """Weigh each row by both of its units."""
        return self.formula(self, first * second)

    def restrict(self, names: Names) -> CrossedRows:
        """Keep only the rows of these first units."""
        kept = np.isin(self.first, names)
        values = {name: getattr(self, name)[..., kept] for name in ("first", "second", "groups", "values")}
        return replace(self, **values)


def crossed(
    formula: Callable[[CrossedRows, Floats], Floats],
    first: Names,
    second: Names,
    values: Floats,
    groups: list[Flags] | None = None,
) -> CrossedRows:
    """Apply the formula to rows; rows of no group or with NaN are left out.

    Args:
        formula: As in `CrossedRows`.
        first: Shape (n,).
        second: Shape (n,).
        values: Shape (n,).
        groups: Whether each row is in each group, shape (n,) each; by default a single group of all rows.
    """
    masks = np.array(groups if groups is not None else [np.ones(len(first), dtype=bool)])
    kept = ~np.isnan(values) & masks.any(axis=0)
    return CrossedRows(first[kept], second[kept], masks[:, kept], values[kept], formula)


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
    variances = np.square([known_std(each) for each in alone])
    if not variances.sum() > 0:
        return min(sizes)
    return 1 + int(variances.sum() ** 2 / (variances**2 / (np.array(sizes) - 1)).sum())


def mean_of_groups(rows: CrossedRows, weights: Floats) -> Floats:
    """Average the rows of each group, then the groups."""
    with np.errstate(invalid="ignore"):  # 0 / 0: no row of a group is drawn
        means = [rows.values[group] @ weights[group] / weights[group].sum(axis=0) for group in rows.groups]
    mean: Floats = np.mean(means, axis=0)
    return mean


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


@lru_cache(maxsize=4)
def _draws(sizes: tuple[int, ...]) -> list[Floats]:
    """Count the draws of each of n units, shape (n, `N_RESAMPLES`), for each n."""
    rng = np.random.default_rng(SEED)
    return [draw_counts(rng, n) for n in sizes]


def draw_counts(rng: np.random.Generator, n: int, n_resamples: int = N_RESAMPLES) -> Floats:
    """Count how often each of n units is drawn in n draws with replacement, shape (n, n_resamples)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).T.astype(np.float64)
