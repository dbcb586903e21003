"""A statistic of two kinds of units that are crossed, such as adjectives and nouns: both are
resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Names
from harness_ext.statistics.bootstrap import N_RESAMPLES, SEED
from harness_ext.statistics.correlation import known_std

N_FOR_SIZE = 500
"""The number of resamples for the variance of each kind of units."""


@dataclass(frozen=True)
class CrossedStatistic:
    """A score of a first and a second kind of units, which are drawn independently.

    Second units are compared in pairs: if one is drawn alone, all are drawn again.

    Attributes:
        units: The first units that enter the score, shape (k,).
        groups: Whether each first unit that is drawn is in each group, shape (groups, A); it is
            drawn within its group.
        n_second: The number of second units, N.
        formula: Called with the number of times that each first and each second unit counts in each
            of R resamples, shapes (A, R) and (N, R), to return shape (R,); without arguments, all
            count once, and R is 1.
        of_units: Some first units -> the score of these alone.
    """

    units: Names
    groups: Flags
    n_second: int
    formula: Callable[..., Floats]
    of_units: Callable[[Names], CrossedStatistic]

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
        if self.n_second < 2:
            return None
        rng = np.random.default_rng(SEED)
        first = np.zeros((self.groups.shape[1], N_RESAMPLES))
        for group in self.groups:
            first[group] = _draw(rng, int(group.sum()))
        second = _draw(rng, self.n_second)
        while (alone := second.max(axis=0) == self.n_second).any():
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


def joint_size(sizes: Sequence[int], alone: Sequence[Floats]) -> int:
    """Find the number of units of one kind that determine the variance as well as several kinds
    (Satterthwaite 1946).

    Few units of one kind, such as 12 nouns, tell little about the variance that they cause. `alone`
    has the score on resamples of each kind of units alone, shape (R,) each.

    Examples:
        >>> joint_size((61, 13), 2 * [np.array([-1.0, 1.0])])  # 1 + 2² / (1/60 + 1/12)
        41
    """
    variances = np.square([known_std(resamples) for resamples in alone])
    if not variances.sum() > 0:
        return min(sizes)
    return 1 + int(variances.sum() ** 2 / (variances**2 / (np.array(sizes) - 1)).sum())


def _draw(rng: np.random.Generator, n: int, n_resamples: int = N_RESAMPLES) -> Floats:
    """Count how often each of n units is drawn in n draws with replacement, shape (n,
    n_resamples).
    """
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).T.astype(np.float64)
