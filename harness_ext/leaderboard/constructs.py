"""Constructs of a board, such as the roles of words, and its languages: means over columns, and ranks by them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from harness_ext.framework.gain_keys import gain_key
from harness_ext.leaderboard.cell import Place, RankedCell
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.results.columns import Column, Row
from harness_ext.results.overall import level_of_some, mean_standing
from harness_ext.results.ranks import Standing, rank_sets
from harness_ext.statistics.bootstrap import percentile_interval

MANY = 10**9
"""The number of units for scores with an interval but no items: their draws are normal already."""


MULTILINGUAL = "multilingual"
"""The view of all languages, and the mean in which each of them counts alike."""

Groups = tuple[tuple[Column, ...], ...]
"""Columns whose means are averaged: a group per language in `MULTILINGUAL`, else one group."""


@dataclass(frozen=True, eq=False)
class Construct:
    """A construct, a language, a construct in a language, or all languages.

    Attributes:
        name: Its name, such as `modifiers` or `eng`.
        groups: The columns that measure it, or are in it; only columns of the overall rank, if it has any.
        shows_gains: Whether these columns all show gains over own words.
        places: Row -> its place, for rows with a score in each of the columns.
        view: The language, or `MULTILINGUAL`, that it is of; empty for a construct in all its languages.
    """

    name: str
    groups: Groups
    shows_gains: bool
    places: Mapping[Row, Place]
    view: str = ""

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, in order."""
        return tuple(dict.fromkeys(chain.from_iterable(self.groups)))

    @property
    def is_language(self) -> bool:
        """Whether it is the mean of one language."""
        return self.name == self.view != MULTILINGUAL


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


def language_groups(
    overall: Sequence[Column], constructs: Mapping[str, tuple[Column, ...]]
) -> Iterator[tuple[str, str, Groups]]:
    """Yield name, view and columns of each language, of constructs in it, and of all languages, each counted alike.

    A construct that has the columns of the language, or no others, is left out: its mean is there already.

    Args:
        overall: The columns of the overall rank.
        constructs: As of `construct_columns`.
    """
    by_language = language_columns(overall)
    for language, columns in by_language.items():
        yield language, language, (columns,)
        for name, measuring in constructs.items():
            inside = tuple(column for column in measuring if language in column.languages)
            if inside and inside not in (columns, measuring):
                yield name, language, (inside,)
    if by_language:
        yield MULTILINGUAL, MULTILINGUAL, tuple(by_language.values())


def mean_of_groups(groups: Groups, standings: Mapping[Column, Standing]) -> Standing:
    """The mean over groups of the means over their columns."""
    return mean_standing([mean_standing([standings[column] for column in group]) for group in groups])


def make_construct(
    name: str,
    groups: Groups,
    standings: Mapping[Column, Mapping[Row, Standing]],
    places: Mapping[Column, Mapping[Row, RankedCell]],
    considered: int,
    view: str = "",
) -> Construct:
    """Rank the models of a construct or language by the mean over its columns.

    Args:
        name: The construct or language.
        groups: Its columns, as of `construct_columns` or `language_groups`.
        standings: Column -> row -> the score above chance, for all rows that did not decline.
        places: Column -> row -> the ranked cell.
        considered: Out of how many columns these were picked, because they can rank.
        view: See `Construct`.
    """
    columns = tuple(dict.fromkeys(chain.from_iterable(groups)))
    complete = [row for row in standings[columns[0]] if all(row in standings[column] for column in columns)]
    means = {row: mean_of_groups(groups, {each: standings[each][row] for each in columns}) for row in complete}
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
    return Construct(name, groups, shows_gains, of_construct, view)


def _percentiles(mean: Standing) -> tuple[float, float] | None:
    """Compute the 95 % interval of its resamples; None if a resample is not defined."""
    low, high = percentile_interval(mean.draws(), mean.n or MANY)
    return None if math.isnan(low) else (low, high)
