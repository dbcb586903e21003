"""Constructs of a board, such as the roles of words: means over their columns, and ranks by these means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.leaderboard.cell import RankedCell
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.results.columns import Column, Row
from harness_ext.results.ranks import Basis, RankSet, Standing, mean_standing, rank_sets
from harness_ext.statistics.bootstrap import percentile_interval

MANY = 10**9
"""The number of units for scores with an interval but no items: their draws are normal already."""


@dataclass(frozen=True)
class ConstructPlace:
    """The place of a model in a construct.

    Attributes:
        value: The mean of the score above chance, or of the gain, over the columns.
        interval: Its 95 % interval.
        rank: The ranks that the model may have; None if it knows nothing.
        basis: The basis of the rank.
        trust: The trust of its least trusted cell.
    """

    value: float
    interval: tuple[float, float] | None
    rank: RankSet | None
    basis: Basis
    trust: Trust


@dataclass(frozen=True, eq=False)
class Construct:
    """A construct.

    Attributes:
        name: Its name, such as `modifiers`.
        columns: The columns that measure it; only columns of the overall rank, if it has any.
        shows_gains: Whether these columns all show gains over own words.
        places: Row -> its place, for rows with a score in each of the columns.
    """

    name: str
    columns: tuple[Column, ...]
    shows_gains: bool
    places: Mapping[Row, ConstructPlace]


def construct_columns(columns: Sequence[Column], overall: Sequence[Column]) -> dict[str, tuple[Column, ...]]:
    """Sort columns by construct. All are of the same kind as the columns of the overall rank.

    A construct without a column in the overall rank has its other columns, such as columns of another split.

    Args:
        columns: The columns of a board, in their order.
        overall: The columns of the overall rank.
    """
    found: dict[str, list[Column]] = {}
    able = [one for one in columns if one.measure and one.about.construct]
    kind = min((one.kind for one in overall or able), default=None)
    for one in able:
        if one.kind == kind:
            found.setdefault(one.about.construct, []).append(one)
    return {name: tuple([one for one in same if one in overall] or same) for name, same in found.items()}


def make_construct(
    name: str,
    columns: tuple[Column, ...],
    standings: Mapping[Column, Mapping[Row, Standing]],
    places: Mapping[Column, Mapping[Row, RankedCell]],
) -> Construct:
    """Rank the models of a construct by the mean over its columns.

    Args:
        name: The construct.
        columns: Its columns, as `construct_columns` returns them.
        standings: Column -> row -> the score above chance, for all rows that did not decline.
        places: Column -> row -> the ranked cell.
    """
    complete = [row for row in standings[columns[0]] if all(row in standings[one] for one in columns)]
    means = {row: mean_standing([standings[one][row] for one in columns]) for row in complete}
    ranked = [row for row in complete if places[columns[0]][row].rank is not None]
    sets = dict(zip(ranked, rank_sets([means[row] for row in ranked]), strict=True))
    order = list(Trust)
    found = {
        row: ConstructPlace(
            mean.score,
            mean.interval or percentiles(mean),
            sets.get(row),
            mean.basis,
            min((places[one][row].trust for one in columns), key=order.index),
        )
        for row, mean in means.items()
    }
    are_gains = all(place.key == gain_key(one.definition.main) for one in columns for place in places[one].values())
    return Construct(name, columns, are_gains, found)


def percentiles(one: Standing) -> tuple[float, float] | None:
    """Compute the 95 % interval of its resamples; None if a resample is not defined."""
    low, high = percentile_interval(one.draws(), one.n or MANY)
    return None if math.isnan(low) else (low, high)
