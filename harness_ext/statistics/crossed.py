"""A statistic of two kinds of units that are crossed, such as adjectives and nouns: both are
resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Names
from harness_ext.statistics.bootstrap import N_RESAMPLES, draw
from harness_ext.statistics.correlation import known_std

N_FOR_SIZE = 500
"""The number of resamples for the variance of each kind of units."""

FEWEST_IN_RESAMPLE = 2
"""A resample with fewer different units of either kind is not defined: second units are compared in
pairs.
"""


class Draws(NamedTuple):
    """How often each unit counts in each resample.

    Attributes:
        first: The first units, shape (A, `N_RESAMPLES`).
        second: The second units, shape (N, `N_RESAMPLES`).
    """

    first: Floats
    second: Floats


@dataclass(frozen=True)
class CrossedStatistic:
    """A score of a first and a second kind of units, which are drawn independently.

    A row of a first and a second unit counts as often as the product of both counts says.

    Attributes:
        units: The first units that enter the score, shape (k,).
        first: The names of all first units, shape (A,).
        second: The names of all second units, shape (N,).
        formula: Called with the number of times that each first and each second unit counts in each
            of R resamples, shapes (A, R) and (N, R), to return shape (R,); without arguments, all
            count once, and R is 1.
        of_units: Some first units -> the score of these alone.
    """

    units: Names
    first: Names
    second: Names
    formula: Callable[..., Floats]
    of_units: Callable[[Names], CrossedStatistic]

    def value(self) -> float:
        """Compute the score; NaN if it is not defined."""
        return float(self.formula()[0])

    def resamples(self) -> Floats:
        """Resample both kinds of units, once; NaN where too few of them are drawn."""
        return self._resamples

    @cached_property
    def _resamples(self) -> Floats:
        draws = self._draws
        is_in_score = np.isin(self.first, self.units)
        is_defined = _has_enough(draws.first[is_in_score]) & _has_enough(draws.second)
        if not is_defined.any():
            return np.full(N_RESAMPLES, np.nan)
        return np.where(is_defined, self.formula(*draws), np.nan)

    @cached_property
    def _draws(self) -> Draws:
        return Draws(_draw("first", self.first), _draw("second", self.second))

    @property
    def fewest_units(self) -> int:
        """The first units of all groups."""
        return len(self.units)

    @cached_property
    def effective_size(self) -> int:
        """See `joint_size`."""
        sizes = (len(self.units), len(self.second))
        if min(sizes) < FEWEST_IN_RESAMPLE:
            return 1
        first, second = (counts[:, :N_FOR_SIZE] for counts in self._draws)
        first_alone = self.formula(first, np.ones_like(second))
        second_alone = self.formula(np.ones_like(first), second)
        return joint_size(sizes, (first_alone, second_alone))

    def restrict(self, names: Names) -> CrossedStatistic:
        """Draw no other first units any more."""
        return self.of_units(names)


def joint_size(
    sizes: Sequence[int],
    alone: Sequence[Floats],
) -> int:
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
    degrees_of_freedom = np.array(sizes) - 1
    variance_of_variances = (variances**2 / degrees_of_freedom).sum()
    return 1 + int(variances.sum() ** 2 / variance_of_variances)


def _draw(kind: str, units: Names) -> Floats:
    """Count how often each unit of a kind is in each resample, shape (n, `N_RESAMPLES`).

    A name that is both a first and a second unit is drawn twice, independently.
    """
    names = np.array([f"{kind}|{name}" for name in units.tolist()], dtype=str)
    return draw(names).T.astype(np.float64)


def _has_enough(counts: Floats) -> Flags:
    """Whether each resample has enough different units, shape (n, R) -> (R,)."""
    n_different = np.count_nonzero(counts, axis=0)
    has_enough: Flags = n_different >= FEWEST_IN_RESAMPLE
    return has_enough
