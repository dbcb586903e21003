"""Ranks models in the columns of a board and in its constructs, from checked results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust
from harness_ext.measures.core.gain_keys import gain_key
from harness_ext.measures.core.scores import Score
from harness_ext.results.columns import Column, Row, overall_columns, ranking_key
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.overall import (
    OverallRank,
    Reliability,
    level_of_some,
    mean_estimate,
    rank_overall,
    reliability,
)
from harness_ext.results.ranks import Basis, Estimate, RankSet, rank_sets
from harness_ext.statistics.bootstrap import percentile_interval

_MANY = 10**9
"""The number of units for scores with an interval but no items: their draws are normal already."""


@dataclass(frozen=True, eq=False)
class BoardCell(CheckedEntry):
    """A result on a board.

    Attributes:
        estimates: Key of the main score or of the gain -> the score above chance, with its resamples.
    """

    estimates: Mapping[str, Estimate]

    @classmethod
    def of(cls, checked: CheckedEntry) -> Self:
        """Resample a sound result, and let go of its items.

        Raises:
            ItemsError: Its items are missing or damaged.
        """
        entry, main = checked.entry, checked.entry.measure.main
        scores, tier = {**entry.scores, main: entry.main_score}, int(checked.trust is Trust.SELF_REPORTED)
        keys = [key for key in (main, gain_key(main)) if key in scores]
        estimates = {key: replace(Estimate.of(entry, key), tier=tier) for key in keys}
        digest = entry.items().digest() if isinstance(entry, LanguageModelEntry) else entry.digest
        return cls(replace(entry, scores=scores, digest=digest), checked.trust, checked.findings, estimates)


@dataclass(frozen=True, eq=False)
class RankedScore:
    """The score or gain of a model in a column or in a construct, and its ranks there.

    Attributes:
        value: The score or the gain; None if the model lacks it, such as a gain without own words. In a construct the
            mean over its columns, of gains or of scores above chance.
        interval: Its 95 % interval.
        rank: The ranks that the model may have; None if it has no such score, or knows nothing.
        basis: The basis of the rank.
        trust: How far the value can be trusted; in a construct, its least trusted cell.
    """

    value: float | None
    interval: tuple[float, float] | None
    rank: RankSet | None
    basis: Basis
    trust: Trust


@dataclass(frozen=True, eq=False)
class Construct:
    """What several columns measure, such as the roles of words: means over columns, and ranks by them.

    Attributes:
        name: Its name, such as `modifiers`.
        columns: The columns that measure it; only columns of the overall rank, if it has any.
        ranked_scores: Row -> its score and ranks, for rows with a score in each of the columns.
    """

    name: str
    columns: tuple[Column, ...]
    ranked_scores: Mapping[Row, RankedScore]

    @property
    def title(self) -> str:
        """Its name as a heading."""
        return f"{self.name[0].upper()}{self.name[1:]}"

    @property
    def averaged(self) -> str:
        """Says what it averages."""
        return f"mean of {len(self.columns)} columns" if len(self.columns) > 1 else "1 column"


@dataclass(frozen=True, eq=False)
class Board:
    """A board.

    Attributes:
        rows: The models.
        columns: For every task, subset and split, the version that most models have.
        others: Other versions of the same, each a ranking of its own.
        overall: The columns of the overall rank: those of `overall_columns` that can rank.
        constructs: The constructs that the columns measure.
        keys: Column -> the score that it shows: gains over own words, or main scores where there is no gain.
        cells: Column -> row -> the result.
        ranked_scores: Column -> row -> its score and ranks.
        overall_ranks: Row -> its overall rank, for rows with the score of every column of `overall`.
        reliabilities: Column -> how well it tells its models apart.
    """

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    others: tuple[Column, ...]
    overall: tuple[Column, ...]
    constructs: tuple[Construct, ...]
    keys: Mapping[Column, str]
    cells: Mapping[Column, Mapping[Row, BoardCell]]
    ranked_scores: Mapping[Column, Mapping[Row, RankedScore]]
    overall_ranks: Mapping[Row, OverallRank]
    reliabilities: Mapping[Column, Reliability]

    def score(self, column: Column) -> Score:
        """The declaration of the score that a column shows."""
        return column.definition.declarations()[self.keys[column]][0]


def make_board(all_cells: Iterable[BoardCell]) -> tuple[Board, list[str]]:
    """Rank the cells of `read_cells`.

    Returns:
        The board, and a sentence for each cell that is left out because an earlier cell has its place.
    """
    cells, problems = _by_column(all_cells)
    columns, others = _versions(cells)
    every = (*columns, *others)
    rows = tuple(dict.fromkeys(row for column in every for row in cells[column]))
    keys = {column: ranking_key(column, (cell.entry for cell in cells[column].values()), "gain") for column in every}
    estimates = {
        column: {row: cell.estimates[key] for row, cell in cells[column].items() if key in cell.estimates}
        for column, key in keys.items()
    }
    ranked = {
        column: {row: value for row, value in estimates[column].items() if not cells[column][row].entry.is_baseline}
        for column in every
    }
    ranked_scores = {column: _ranked_scores(keys[column], cells[column], ranked[column]) for column in every}
    considered = overall_columns(columns)
    languages = {row: cell.entry.languages for of_column in cells.values() for row, cell in of_column.items()}
    overall, ranks = rank_overall({column: ranked[column] for column in considered}, languages)
    of_all = _construct_columns(considered, considered)
    constructs = tuple(
        _construct(name, averaged, estimates, ranked_scores, len(of_all.get(name, ())))
        for name, averaged in _construct_columns(columns, overall).items()
    )
    known = {column: reliability([*ranked[column].values()]) for column in columns}
    return Board(rows, columns, others, overall, constructs, keys, cells, ranked_scores, ranks, known), problems


def _by_column(cells: Iterable[BoardCell]) -> tuple[dict[Column, dict[Row, BoardCell]], list[str]]:
    """Put the cells into columns and rows, and say which cells are left out."""
    by_column: dict[Column, dict[Row, BoardCell]] = {}
    problems: list[str] = []
    for cell in cells:
        later = cell.entry
        earlier = by_column.setdefault(Column.of(later), {}).setdefault(Row.of(later), cell).entry
        is_earlier_run = isinstance(later, LanguageModelEntry) and later.file.parent == earlier.file.parent
        if (earlier.main_score, earlier.digest) != (later.main_score, later.digest) and not is_earlier_run:
            problems.append(
                f"{later.file}: {later.split} {later.subset} of {later.model} ({later.revision}) is in {earlier.file} "
                f"already, with the main score {earlier.main_score:g}, here {later.main_score:g}. The first one is on "
                "the board."
            )
    return by_column, problems


def _versions(
    by_column: Mapping[Column, Mapping[Row, BoardCell]],
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Pick the version of each task, subset and split that most models have, and list the other versions."""
    versions: dict[tuple[str, ...], list[Column]] = {}
    for column in sorted(by_column, key=lambda column: (column.order, column)):
        versions.setdefault(column[:3], []).append(column)
    columns = tuple(
        max(same, key=lambda column: (bool(column.measure), not column.is_unverified, len(by_column[column]), column))
        for same in versions.values()
    )
    return columns, tuple(column for same in versions.values() for column in same if column not in columns)


def _ranked_scores(key: str, cells: Mapping[Row, BoardCell], ranked: Mapping[Row, Estimate]) -> dict[Row, RankedScore]:
    ranks = dict(zip(ranked, rank_sets([*ranked.values()]), strict=True))
    return {
        row: RankedScore(
            cell.entry.scores.get(key),
            cell.entry.interval(key),
            ranks.get(row),
            ranked[row].basis if row in ranked else Basis.NOTHING,
            cell.trust,
        )
        for row, cell in cells.items()
    }


def _construct_columns(columns: Sequence[Column], overall: Sequence[Column]) -> dict[str, tuple[Column, ...]]:
    """Sort columns by construct. All are of the same kind as the columns of the overall rank.

    A construct without a column in the overall rank has its other columns, such as columns of another split.
    """
    able = [column for column in columns if column.measure and column.declared_task.construct]
    kind = min((column.kind for column in overall or able), default=None)
    by_construct: dict[str, list[Column]] = {}
    for column in able:
        if column.kind == kind:
            by_construct.setdefault(column.declared_task.construct, []).append(column)
    return {
        name: tuple([column for column in measuring if column in overall] or measuring)
        for name, measuring in by_construct.items()
    }


def _construct(
    name: str,
    columns: tuple[Column, ...],
    estimates: Mapping[Column, Mapping[Row, Estimate]],
    ranked_scores: Mapping[Column, Mapping[Row, RankedScore]],
    considered: int,
) -> Construct:
    """Rank the models of a construct by the mean over its columns, picked out of those considered."""
    complete = [row for row in estimates[columns[0]] if all(row in estimates[column] for column in columns)]
    means = {row: mean_estimate([estimates[column][row] for column in columns]) for row in complete}
    ranked = [row for row in complete if ranked_scores[columns[0]][row].rank is not None]
    level = level_of_some(len(columns), max(considered, len(columns)))
    ranks = dict(zip(ranked, rank_sets([means[row] for row in ranked], level), strict=True))
    rungs = list(Trust)
    of_construct = {
        row: RankedScore(
            mean.score,
            mean.interval or _percentiles(mean),
            ranks.get(row),
            mean.basis,
            min((ranked_scores[column][row].trust for column in columns), key=rungs.index),
        )
        for row, mean in means.items()
    }
    return Construct(name, columns, of_construct)


def _percentiles(mean: Estimate) -> tuple[float, float] | None:
    """Compute the 95 % interval of its resamples; None if a resample is not defined."""
    low, high = percentile_interval(mean.draws(), mean.n or _MANY)
    return None if math.isnan(low) else (low, high)
