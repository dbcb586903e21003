"""Ranks over several columns: which columns can rank, and confidence sets for the overall ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from harness_ext.results.ranks import ALPHA, Basis, RankSet, Standing, rank_sets

LEAST_RELIABILITY = 0.5
"""A column of less reliability enters no overall rank: more than half of what tells its models apart is chance."""

JUDGED = 5
"""Of fewer models the spread between them is hardly known, and no column is left out."""

_MANY = 15
"""From so many models on, scores are standardised by the spread between models."""


class Reliability(NamedTuple):
    """How well a column tells its models apart.

    Attributes:
        models: The number of models.
        reliability: 1 − error variance of a model's score / variance between models; NaN for fewer than two models.
            The error is what a model does not share with the others.
    """

    models: int
    reliability: float

    @property
    def can_rank(self) -> bool:
        """Whether the column may enter an overall rank."""
        return self.models < JUDGED or not self.reliability < LEAST_RELIABILITY


def level_of_some(n: int, considered: int) -> float:
    """The level of rank sets over n columns that are picked out of those considered, because they tell models apart.

    The same differences pick a column and rank by it, so equal models would be told apart in up to a third of all
    boards. At .05 · (n / considered)², they are in 5 % or less: benchmarks/comparison_simulation.py.
    """
    return ALPHA * (n / considered) ** 2


def reliability(standings: Sequence[Standing]) -> Reliability:
    """Measure how well a column tells its models apart, by a standing for each; one without an interval is left out."""
    known = [standing for standing in standings if standing.basis is not Basis.NOTHING]
    return Reliability(len(known), _reliability(known) if len(known) > 1 else math.nan)


def _reliability(standings: Sequence[Standing]) -> float:
    scores = np.array([standing.score for standing in standings])
    drawn = np.array([standing.draws() for standing in standings])
    error = (drawn - drawn.mean(axis=1, keepdims=True)).var(axis=0, ddof=1).mean()
    between = scores.var(ddof=1)
    return float(1 - error / between) if between else 0.0


def common_error(standings: Sequence[Standing]) -> float:
    """Return the root mean square of the models' standard errors; NaN if no model has one."""
    errors = [standing.draws().std() for standing in standings if standing.basis is not Basis.NOTHING]
    return float(np.sqrt(np.mean(np.square(errors)))) if errors else math.nan


class OverallRank(NamedTuple):
    """The rank of a model over several columns.

    Attributes:
        score: The mean, over constructs, of the mean of standardised scores in each; NaN if no column has the model.
        ranks: Those that it may have.
    """

    score: float
    ranks: RankSet


def overall_ranks(
    columns: Sequence[Sequence[Standing | None]], constructs: Sequence[str], considered: int = 0
) -> list[OverallRank]:
    """Rank models by the mean over constructs of the mean of their standardised scores in each.

    Of few models, scores are divided by the standard error of the column, the root mean square over its models: an
    error of its own would put a model with a wide interval behind one with a smaller score. From 15 models on they are
    z-scores by the spread between models, times the column's reliability. Where a model has no standing (None), its
    mean is over its other columns.

    Args:
        columns: Per column a standing per model, the same n models in each; scores are 0 for what knows nothing.
        constructs: What each column measures; every construct counts the same.
        considered: Out of how many columns these were picked, as of `level_of_some`; all by default.
    """
    scaled = [_standardised(column) for column in columns]
    means = [_mean_over_constructs(row, constructs) for row in zip(*scaled, strict=True)]
    sets = rank_sets(means, level_of_some(len(columns), considered or len(columns) or 1))
    return [OverallRank(mean.score, ranks) for mean, ranks in zip(means, sets, strict=True)]


def _standardised(column: Sequence[Standing | None]) -> list[Standing | None]:
    known = [standing for standing in column if standing is not None]
    middle, unit = 0.0, common_error(known)
    of_units = [standing for standing in known if standing.basis is not Basis.NOTHING]
    if len(of_units) >= _MANY and (trust := _reliability(of_units)) > 0:
        scores = np.array([standing.score for standing in known])
        middle, unit = float(scores.mean()), float(scores.std(ddof=1)) / trust
    if not unit > 0:  # alike on every resample, or without any
        unit = max((abs(standing.score) / math.sqrt(standing.n or 1) for standing in known), default=0.0) or 1.0
    return [
        standing
        and Standing(
            (standing.score - middle) / unit, None, (standing.draws() - middle) / unit, standing.n, standing.tier
        )
        for standing in column
    ]


def _mean_over_constructs(row: Sequence[Standing | None], constructs: Sequence[str]) -> Standing:
    of_constructs: dict[str, list[Standing]] = {}
    for construct, standing in zip(constructs, row, strict=True):
        if standing is not None:
            of_constructs.setdefault(construct, []).append(standing)
    means = [mean_standing(standings) for standings in of_constructs.values()]
    return mean_standing(means) if means else Standing(np.nan)


def mean_standing(standings: Sequence[Standing]) -> Standing:
    """The mean of a model's scores in one or more columns, without an interval; of one column it is that standing.

    Resamples of columns that share units are drawn together, so what is known twice counts once.
    """
    if len(standings) == 1:
        return standings[0]
    drawn = np.mean([standing.draws() for standing in standings], axis=0)
    n = min((standing.n for standing in standings if standing.n is not None), default=None)
    tier = max(standing.tier for standing in standings)
    return Standing(float(np.mean([standing.score for standing in standings])), None, drawn, n, tier)
