"""Ranks over several columns: which columns can rank, and confidence sets for the overall ranks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from harness_ext.results.columns import Column, Row
from harness_ext.results.ranks import ALPHA, Basis, Estimate, RankSet, rank_sets

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


def reliability(estimates: Sequence[Estimate]) -> Reliability:
    """Measure how well a column tells its models apart; models without an interval are left out."""
    known = [estimate for estimate in estimates if estimate.basis is not Basis.NOTHING]
    return Reliability(len(known), _reliability(known) if len(known) > 1 else math.nan)


def _reliability(estimates: Sequence[Estimate]) -> float:
    scores = np.array([estimate.score for estimate in estimates])
    drawn = np.array([estimate.draws() for estimate in estimates])
    error = (drawn - drawn.mean(axis=1, keepdims=True)).var(axis=0, ddof=1).mean()
    between = scores.var(ddof=1)
    return float(1 - error / between) if between else 0.0


def common_error(estimates: Sequence[Estimate]) -> float:
    """Return the root mean square of the models' standard errors; NaN if no model has one."""
    errors = [estimate.draws().std() for estimate in estimates if estimate.basis is not Basis.NOTHING]
    return float(np.sqrt(np.mean(np.square(errors)))) if errors else math.nan


class OverallRank(NamedTuple):
    """The rank of a model over several columns.

    Attributes:
        score: The mean, over constructs, of the mean of standardised scores in each; NaN if no column has the model.
        ranks: Those that it may have.
    """

    score: float
    ranks: RankSet


def rank_overall(
    estimates: Mapping[Column, Mapping[Row, Estimate]],
    languages: Mapping[Row, Collection[str]],
) -> tuple[tuple[Column, ...], dict[Row, OverallRank]]:
    """Rank the models that have a score in every column that can rank, as of `overall_ranks`.

    Args:
        estimates: Column, of `overall_columns` -> row -> its score.
        languages: Row -> the languages that the model claims, none where it says none. A column in no language of a
            model is not counted against it, nor for it.

    Returns:
        The columns that can rank, and the ranks of the models.
    """
    columns = tuple(column for column, of in estimates.items() if reliability([*of.values()]).can_rank)
    counted = [
        {**estimates[column], **{row: None for row, claimed in languages.items() if not column.is_in(claimed)}}
        for column in columns
    ]
    every, *others = counted or [{}]
    rows = [row for row in every if all(row in of_column for of_column in others)]
    rows = [row for row in rows if any(of_column[row] for of_column in counted)]
    of_rows = [[of_column[row] for row in rows] for of_column in counted]
    ranked = overall_ranks(of_rows, [column.declared_task.construct for column in columns], len(estimates))
    return columns, dict(zip(rows, ranked, strict=True))


def overall_ranks(
    columns: Sequence[Sequence[Estimate | None]], constructs: Sequence[str], considered: int = 0
) -> list[OverallRank]:
    """Rank models by the mean over constructs of the mean of their standardised scores in each.

    Of few models, scores are divided by the standard error of the column, the root mean square over its models: an
    error of its own would put a model with a wide interval behind one with a smaller score. From 15 models on they are
    z-scores by the spread between models, times the column's reliability. Where a model has no estimate (None), its
    mean is over its other columns.

    Args:
        columns: Per column an estimate per model, the same n models in each; scores are 0 for what knows nothing.
        constructs: What each column measures; every construct counts the same.
        considered: Out of how many columns these were picked, as of `level_of_some`; all by default.
    """
    scaled = [_standardised(column) for column in columns]
    means = [_mean_over_constructs(row, constructs) for row in zip(*scaled, strict=True)]
    sets = rank_sets(means, level_of_some(len(columns), considered or len(columns) or 1))
    return [OverallRank(mean.score, ranks) for mean, ranks in zip(means, sets, strict=True)]


def _standardised(column: Sequence[Estimate | None]) -> list[Estimate | None]:
    known = [estimate for estimate in column if estimate is not None]
    middle, unit = 0.0, common_error(known)
    of_units = [estimate for estimate in known if estimate.basis is not Basis.NOTHING]
    if len(of_units) >= _MANY and (trust := _reliability(of_units)) > 0:
        scores = np.array([estimate.score for estimate in known])
        middle, unit = float(scores.mean()), float(scores.std(ddof=1)) / trust
    if not unit > 0:  # alike on every resample, or without any
        unit = max((abs(estimate.score) / math.sqrt(estimate.n or 1) for estimate in known), default=0.0) or 1.0
    return [
        estimate
        and Estimate(
            (estimate.score - middle) / unit, None, (estimate.draws() - middle) / unit, estimate.n, estimate.tier
        )
        for estimate in column
    ]


def _mean_over_constructs(row: Sequence[Estimate | None], constructs: Sequence[str]) -> Estimate:
    of_constructs: dict[str, list[Estimate]] = {}
    for construct, estimate in zip(constructs, row, strict=True):
        if estimate is not None:
            of_constructs.setdefault(construct, []).append(estimate)
    means = [mean_estimate(estimates) for estimates in of_constructs.values()]
    return mean_estimate(means) if means else Estimate(np.nan)


def mean_estimate(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of a model's scores in one or more columns, without an interval; of one column it is that estimate.

    Resamples of columns that share units are drawn together, so what is known twice counts once.
    """
    if len(estimates) == 1:
        return estimates[0]
    drawn = np.mean([estimate.draws() for estimate in estimates], axis=0)
    n = min((estimate.n for estimate in estimates if estimate.n is not None), default=None)
    tier = max(estimate.tier for estimate in estimates)
    return Estimate(float(np.mean([estimate.score for estimate in estimates])), None, drawn, n, tier)
