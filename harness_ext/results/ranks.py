"""Ranks with ties, and the mean rank over several tasks, from scores and their resamples.

A column is what models are ranked by: one score of the same measure on the same rows. In it a model's resamples are of
the same draws of the units as everybody else's, so that those of two models can be subtracted from each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from scipy import special, stats

from harness_ext.evaluators.statistics.bootstrap import N_RESAMPLES, p_value
from harness_ext.results.compare import ALPHA, tie_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

N_DRAWS = 500
"""How many of the resamples the mean rank takes: an interval of ranks needs no more, and it grows with the models."""

_Z = float(special.ndtri(0.975))  # stats.norm takes fifty times as long for one number


class Basis(StrEnum):
    """What told a model from the best one of its tie group, or from that of the group above."""

    UNITS = "units"
    """Paired: both were measured on the same units, and their resamples are of the same draws."""
    INTERVALS = "intervals"
    """Their 95 % intervals, as of independent and normal scores: there are no items, or of other units."""
    NOTHING = "nothing"
    """One of them has no interval: they are tied."""


@dataclass(frozen=True, eq=False)
class Standing:
    """What is known of a model's score in one column.

    Attributes:
        score: The higher the better.
        interval: Its 95 % interval; None if there is none.
        drawn: Its resamples, shape (`N_RESAMPLES`,); None without items.
        units: Says which units these are of, and in which order.
        tier: A standing of a higher tier ranks below all of a lower one, whatever its score.
    """

    score: float
    interval: tuple[float, float] | None = None
    drawn: NDArray[np.floating] | None = None
    units: str = ""
    tier: int = 0

    @property
    def standard_error(self) -> float:
        """By its interval; NaN without."""
        return np.nan if self.interval is None else (self.interval[1] - self.interval[0]) / (2 * _Z)


def p_better(one: Standing, other: Standing) -> tuple[float, Basis]:
    """The one-sided p-value that the one is no better than the other, and what it is computed from.

    Examples:
        >>> p_better(Standing(0.9, (0.8, 1.0)), Standing(0.5, (0.4, 0.6)))[1].value
        'intervals'
        >>> p_better(Standing(0.9), Standing(0.1))
        (1.0, <Basis.NOTHING: 'nothing'>)
    """
    if one.drawn is not None and other.drawn is not None and one.units == other.units:
        return p_value(one.drawn - other.drawn, alternative="greater"), Basis.UNITS
    if one.interval is None or other.interval is None:
        return 1.0, Basis.NOTHING
    spread = np.hypot(one.standard_error, other.standard_error)
    if spread == 0:
        return (0.5 if one.score == other.score else float(one.score < other.score)), Basis.INTERVALS
    return float(special.ndtr((other.score - one.score) / spread)), Basis.INTERVALS


def rank_column(standings: Sequence[Standing]) -> tuple[NDArray[np.int64], list[Basis]]:
    """The tie groups of a column, one-sided at `ALPHA`, and what each place in them rests on."""
    basis = [Basis.UNITS if one.drawn is not None else Basis.INTERVALS if one.interval else Basis.NOTHING
             for one in standings]  # fmt: skip

    def is_better(one: int, other: int) -> bool:
        if standings[one].tier != standings[other].tier:
            return True
        p, basis[other] = p_better(standings[one], standings[other])
        return p < ALPHA

    ranked = _ranks_in_tiers(np.array([one.score for one in standings]), _tiers(standings))
    return tie_groups(-ranked, is_better), basis


def _tiers(standings: Sequence[Standing]) -> NDArray[np.int64]:
    return np.array([one.tier for one in standings], dtype=np.int64)


def _ranks_in_tiers(scores: NDArray[np.floating], tiers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Ranks from 1 along the first axis, ties ½, those of a tier after those of the tiers before it."""
    found = np.zeros(scores.shape)
    for tier in np.unique(tiers):
        inside = tiers == tier
        found[inside] = stats.rankdata(-scores[inside], axis=0) + (tiers < tier).sum()
    return found


@dataclass(frozen=True)
class MeanRanks:
    """The mean rank of models over columns.

    Attributes:
        mean: Shape (n,); 1 is the best, NaN for a model that no column has.
        low: Lower ends of their 95 % intervals, shape (n,). A resample adds noise, which draws all ranks to the middle:
            where the mean itself would be outside, the interval is widened to it.
        high: Their upper ends.
        group: Dense tie groups by the resampled mean ranks, one-sided, shape (n,).
    """

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    group: NDArray[np.int64]


def mean_ranks(columns: Sequence[Sequence[Standing | None]]) -> MeanRanks:
    """Rank the models in every column (ties ½), and average; then the same on every joint resample.

    A resample draws the units of every column anew, the same ones for all models. A model without items has normal
    draws from its interval instead; one without an interval stays where it is. Where a model has no cell (None) it has
    no rank, the others are ranked among themselves, and its mean is over its other columns.

    Args:
        columns: Per column a standing per model, the same n models in each.
    """
    n = len(columns[0]) if columns else 0
    total, drawn_total, counts = np.zeros(n), np.zeros((n, N_DRAWS), dtype=np.float32), np.zeros(n)
    for place, column in enumerate(columns):
        rows = np.array([number for number, one in enumerate(column) if one is not None], dtype=np.intp)
        there = [one for one in column if one is not None]
        if not there:
            continue
        tiers = _tiers(there)
        total[rows] += _ranks_in_tiers(np.array([one.score for one in there]), tiers)
        drawn_total[rows] += _ranks_in_tiers(_draws(there, place), tiers)
        counts[rows] += 1
    with np.errstate(invalid="ignore"):
        mean, drawn = total / counts, drawn_total / counts[:, None]
    low, high = np.percentile(drawn, [2.5, 97.5], axis=1) if n else (mean, mean)

    def is_better(one: int, other: int) -> bool:
        return p_value(drawn[other] - drawn[one], alternative="greater") < ALPHA

    return MeanRanks(mean, np.minimum(low, mean), np.maximum(high, mean), tie_groups(-mean, is_better))


def _draws(standings: Sequence[Standing], seed: int) -> NDArray[np.float32]:
    """Scores on `N_DRAWS` resamples, shape (n, `N_DRAWS`)."""
    rng = np.random.default_rng(seed)
    step = N_RESAMPLES // N_DRAWS
    found = np.empty((len(standings), N_DRAWS), dtype=np.float32)
    for number, one in enumerate(standings):
        if one.drawn is not None and not np.isnan(one.drawn).any():
            found[number] = one.drawn[::step]
        elif one.interval is not None:
            found[number] = rng.normal(one.score, one.standard_error, size=N_DRAWS)
        else:
            found[number] = one.score
    return found
