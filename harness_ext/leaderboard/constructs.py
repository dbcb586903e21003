"""Constructs of a board, such as the roles of words: means over columns, and ranks by them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness_ext.leaderboard.cell import Place, RankedCell
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.results.columns import Column, Row
from harness_ext.results.overall import level_of_some, mean_standing
from harness_ext.results.ranks import Standing, rank_sets
from harness_ext.statistics.bootstrap import percentile_interval

_MANY = 10**9
"""The number of units for scores with an interval but no items: their draws are normal already."""


@dataclass(frozen=True, eq=False)
class Construct:
    """A construct.

    Attributes:
        name: Its name, such as `modifiers`.
        columns: The columns that measure it; only columns of the overall rank, if it has any.
        places: Row -> its place, for rows with a score in each of the columns.
    """

    name: str
    columns: tuple[Column, ...]
    places: Mapping[Row, Place]

    @property
    def title(self) -> str:
        """Its name as a heading."""
        return f"{self.name[0].upper()}{self.name[1:]}"

    @property
    def averaged(self) -> str:
        """Says what it averages."""
        return f"mean of {len(self.columns)} columns" if len(self.columns) > 1 else "1 column"


def construct_columns(columns: Sequence[Column], overall: Sequence[Column]) -> dict[str, tuple[Column, ...]]:
    """Sort columns by construct. All are of the same kind as the columns of the overall rank.

    A construct without a column in the overall rank has its other columns, such as columns of another split.
    """
    able = [column for column in columns if column.measure and column.about.construct]
    kind = min((column.kind for column in overall or able), default=None)
    by_construct: dict[str, list[Column]] = {}
    for column in able:
        if column.kind == kind:
            by_construct.setdefault(column.about.construct, []).append(column)
    return {
        name: tuple([column for column in measuring if column in overall] or measuring)
        for name, measuring in by_construct.items()
    }


def make_construct(
    name: str,
    columns: tuple[Column, ...],
    standings: Mapping[Column, Mapping[Row, Standing]],
    places: Mapping[Column, Mapping[Row, RankedCell]],
    considered: int,
) -> Construct:
    """Rank the models of a construct by the mean over its columns.

    Args:
        name: The construct.
        columns: Its columns, as of `construct_columns`.
        standings: Column -> row -> the score above chance, for all rows that did not decline.
        places: Column -> row -> the ranked cell.
        considered: Out of how many columns these were picked, because they can rank.
    """
    complete = [row for row in standings[columns[0]] if all(row in standings[column] for column in columns)]
    means = {row: mean_standing([standings[each][row] for each in columns]) for row in complete}
    ranked = [row for row in complete if places[columns[0]][row].rank is not None]
    level = level_of_some(len(columns), max(considered, len(columns)))
    ranks = dict(zip(ranked, rank_sets([means[row] for row in ranked], level), strict=True))
    rungs = list(Trust)
    of_construct = {
        row: Place(
            mean.score,
            mean.interval or _percentiles(mean),
            ranks.get(row),
            mean.basis,
            min((places[column][row].trust for column in columns), key=rungs.index),
        )
        for row, mean in means.items()
    }
    return Construct(name, columns, of_construct)


def _percentiles(mean: Standing) -> tuple[float, float] | None:
    """Compute the 95 % interval of its resamples; None if a resample is not defined."""
    low, high = percentile_interval(mean.draws(), mean.n or _MANY)
    return None if math.isnan(low) else (low, high)
