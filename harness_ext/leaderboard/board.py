"""Ranks models in the columns of a board, from the cells alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from harness_ext.framework.scores import Score
from harness_ext.leaderboard.cell import BoardCell, RankedCell
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import Construct, construct_columns, make_construct
from harness_ext.results.columns import Column, Row, overall_columns, rank_overall, shown_key
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.overall import OverallRank, Reliability, reliability
from harness_ext.results.ranks import Basis, Standing, rank_sets


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
        places: Column -> row -> the ranked cell.
        overall_ranks: Row -> its overall rank, for rows with the score of every column of `overall`. A declined cell
            counts as present.
        reliabilities: Column -> how well it tells its models apart.
    """

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    others: tuple[Column, ...]
    overall: tuple[Column, ...]
    constructs: tuple[Construct, ...]
    keys: Mapping[Column, str]
    places: Mapping[Column, Mapping[Row, RankedCell]]
    overall_ranks: Mapping[Row, OverallRank]
    reliabilities: Mapping[Column, Reliability]

    def score(self, column: Column) -> Score:
        """The declaration of the score that a column shows."""
        return column.definition.declarations()[self.keys[column]][0]


def make_board(cells: Iterable[BoardCell]) -> tuple[Board, list[str]]:
    """Rank the cells of `read_cells`.

    Returns:
        The board, and a sentence for each cell that is left out because an earlier cell has its place.
    """
    by_column, problems = _by_column(cells)
    columns, others = _versions(by_column)
    rows = tuple(dict.fromkeys(row for column in (*columns, *others) for row in by_column[column]))
    keys = {
        column: shown_key(column, (cell.entry for cell in there.values()), "gain")
        for column, there in by_column.items()
    }
    ranked = {column: _rank(column, keys[column], by_column[column]) for column in (*columns, *others)}
    places = {column: of_column.places for column, of_column in ranked.items()}
    standings = {column: ranked[column].standings for column in columns}
    known = {column: ranked[column].reliability for column in columns}
    considered = overall_columns(columns)
    overall = tuple(column for column in considered if known[column].can_rank)
    of_all = construct_columns(considered, considered)
    constructs = tuple(
        make_construct(name, averaged, standings, places, len(of_all.get(name, ())))
        for name, averaged in construct_columns(columns, overall).items()
    )
    of_overall = {column: _for_overall_rank(places[column], standings[column]) for column in overall}
    ranks = rank_overall(of_overall, _claimed_languages(by_column), len(considered))
    return Board(rows, columns, others, overall, constructs, keys, places, ranks, known), problems


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


def _claimed_languages(by_column: Mapping[Column, Mapping[Row, BoardCell]]) -> dict[Row, frozenset[str]]:
    return {row: cell.entry.languages for there in by_column.values() for row, cell in there.items()}


def _versions(
    by_column: Mapping[Column, Mapping[Row, BoardCell]],
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Pick the version of each task, subset and split that most models have, and list the other versions."""
    versions: dict[tuple[str, ...], list[Column]] = {}
    for column in sorted(by_column, key=lambda column: (column.place, column)):
        versions.setdefault(column[:3], []).append(column)
    columns = tuple(
        max(same, key=lambda column: (bool(column.measure), not column.is_unverified, len(by_column[column]), column))
        for same in versions.values()
    )
    return columns, tuple(column for same in versions.values() for column in same if column not in columns)


def _for_overall_rank(
    places: Mapping[Row, RankedCell], standings: Mapping[Row, Standing]
) -> dict[Row, Standing | None]:
    """List the standings of the ranked models, and None for each model that declined."""
    with_rank = {row: standing for row, standing in standings.items() if places[row].rank}
    return {**with_rank, **{row: None for row, place in places.items() if place.trust is Trust.DECLINED}}


class _Ranked(NamedTuple):
    """A column's cells with their ranks, the standings of the models that did not decline it, and its reliability."""

    places: dict[Row, RankedCell]
    standings: dict[Row, Standing]
    reliability: Reliability


def _rank(column: Column, key: str, cells: Mapping[Row, BoardCell]) -> _Ranked:
    score, _ = column.definition.declarations()[key]
    standings = {
        row: _standing(cell, key, score)
        for row, cell in cells.items()
        if cell.trust is not Trust.DECLINED and key in cell.entry.scores
    }
    with_rank = {row: standing for row, standing in standings.items() if not cells[row].entry.knows_nothing}
    ranks = dict(zip(with_rank, rank_sets([*with_rank.values()]), strict=True))
    places = {
        row: RankedCell(
            cell.entry.scores.get(key),
            cell.entry.interval(key),
            ranks.get(row),
            standings[row].basis if row in ranks else Basis.NOTHING,
            cell.trust,
            cell,
        )
        for row, cell in cells.items()
    }
    return _Ranked(places, standings, reliability([*with_rank.values()]))


def _standing(cell: BoardCell, key: str, score: Score) -> Standing:
    n, drawn = cell.resamples.get(key, (None, None))
    tier = int(cell.trust is Trust.SELF_REPORTED)
    return Standing.above_chance(score, cell.entry.scores[key], cell.entry.interval(key), drawn, n, tier)
