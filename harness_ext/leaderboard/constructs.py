"""Constructs of a board, such as the roles of words, and its languages: means over columns, and ranks by them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness_ext.framework.gain_keys import gain_key
from harness_ext.leaderboard.cell import Place, RankedCell
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.results.columns import Column, Row
from harness_ext.results.overall import level_of_some, mean_standing
from harness_ext.results.ranks import Standing, rank_sets
from harness_ext.statistics.bootstrap import percentile_interval

MANY = 10**9
"""The number of units for scores with an interval but no items: their draws are normal already."""


@dataclass(frozen=True, eq=False)
class Construct:
    """A construct, or a language.

    Attributes:
        name: Its name, such as `modifiers` or `eng`.
        columns: The columns that measure it, or are in it; only columns of the overall rank, if it has any.
        shows_gains: Whether these columns all show gains over own words.
        places: Row -> its place, for rows with a score in each of the columns.
    """

    name: str
    columns: tuple[Column, ...]
    shows_gains: bool
    places: Mapping[Row, Place]


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


def language_columns(overall: Sequence[Column]) -> dict[str, tuple[Column, ...]]:
    """Sort the columns of the overall rank by language; empty if all have the same."""
    languages = dict.fromkeys(language for column in overall for language in column.languages)
    by_language = {each: tuple(column for column in overall if each in column.languages) for each in languages}
    return by_language if len(set(by_language.values())) > 1 else {}


def make_construct(
    name: str,
    columns: tuple[Column, ...],
    standings: Mapping[Column, Mapping[Row, Standing]],
    places: Mapping[Column, Mapping[Row, RankedCell]],
    considered: int,
) -> Construct:
    """Rank the models of a construct or language by the mean over its columns.

    Args:
        name: The construct or language.
        columns: Its columns, as of `construct_columns` or `language_columns`.
        standings: Column -> row -> the score above chance, for all rows that did not decline.
        places: Column -> row -> the ranked cell.
        considered: Out of how many columns these were picked, because they can rank.
    """
    complete = [row for row in standings[columns[0]] if all(row in standings[column] for column in columns)]
    means = {row: mean_standing([standings[column][row] for column in columns]) for row in complete}
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
    shows_gains = all(place.key == gain_key(column.definition.main) for column in columns for place in
                      places[column].values())  # fmt: skip
    return Construct(name, columns, shows_gains, of_construct)


def _percentiles(mean: Standing) -> tuple[float, float] | None:
    """Compute the 95 % interval of its resamples; None if a resample is not defined."""
    low, high = percentile_interval(mean.draws(), mean.n or MANY)
    return None if math.isnan(low) else (low, high)
