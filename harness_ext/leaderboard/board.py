"""Ranks models in the columns of a board, from the cells alone."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from harness_ext.evaluators.scores import Score
from harness_ext.leaderboard.board_cache import BoardCache
from harness_ext.leaderboard.cell import Cell, RankedCell, gain_digest
from harness_ext.leaderboard.checks.records import Records
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import Construct, construct_columns, make_construct
from harness_ext.results.columns import Column, Row, Shown, overall_columns, rank_overall, shown_key
from harness_ext.results.ranks import Basis, OverallRank, Standing, rank_sets

MOST_COMPARED = 50
"""A board of more models has no differences of two models."""


@dataclass(frozen=True, eq=False)
class Board:
    """A board.

    Attributes:
        shown: Gains or scores.
        rows: The models.
        columns: For every task, subset and split, the version that most models have.
        others: Other versions of the same, each a ranking of its own.
        overall: The columns of the overall rank, by `overall_columns`.
        constructs: The constructs that the columns measure.
        standings: Column -> row -> its score above chance; empty for a board of more than `MOST_COMPARED` models.
        keys: Column -> the score that it shows.
        places: Column -> row -> the ranked cell.
        overall_ranks: Row -> its overall rank, for rows with the score of every column of `overall`. A declined cell
            counts as present.
    """

    shown: Shown
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    others: tuple[Column, ...]
    overall: tuple[Column, ...]
    constructs: tuple[Construct, ...]
    standings: Mapping[Column, Mapping[Row, Standing]]
    keys: Mapping[Column, str]
    places: Mapping[Column, Mapping[Row, RankedCell]]
    overall_ranks: Mapping[Row, OverallRank]

    def score(self, column: Column) -> Score:
        """The declaration of the score that a column shows."""
        return column.definition.declarations()[self.keys[column]][0]

    def bases(self, column: Column) -> Counter[Basis]:
        """Count the ranks of a column by their basis."""
        return Counter(place.basis for place in self.places[column].values() if place.rank is not None)

    def current(self, column: Column) -> Column | None:
        """Find the version of a column's task, subset and split that is on the first page."""
        return next((one for one in self.columns if one[:3] == column[:3]), None)


def make_boards(cells: Iterable[Cell], records: Records, cache: BoardCache) -> tuple[dict[Shown, Board], list[str]]:
    """Rank cells, once by gains and once by scores.

    Args:
        cells: The cells of all files that `read_cells` reads.
        records: The maintainers' records.
        cache: The cache with the resamples.

    Returns:
        The board of gains and the board of scores, and a sentence for each cell that is left out because an earlier
        cell has its place.
    """
    found: dict[Column, dict[Row, Cell]] = {}
    problems: list[str] = []
    for cell in cells:
        earlier = found.setdefault(Column.of(cell), {}).setdefault(Row.of(cell), cell)
        is_superseded = cell.is_of_language_model and cell.file.parent == earlier.file.parent  # by a later run
        if (earlier.main_score, earlier.digest) != (cell.main_score, cell.digest) and not is_superseded:
            problems.append(
                f"{cell.file}: {cell.split} {cell.subset} of {cell.model} ({cell.revision}) is in {earlier.file} "
                f"already, with the main score {earlier.main_score:g}, here {cell.main_score:g}. The first one is on "
                "the board."
            )

    @functools.cache  # both boards have the columns without gains
    def ranked(column: Column, key: str) -> _Ranked:
        return _ranked(column, key, found[column], records, cache)

    boards: dict[Shown, Board] = {"gain": _make_board(found, "gain", ranked)}
    has_gains = any(key != column.definition.main for column, key in boards["gain"].keys.items())
    boards["score"] = _make_board(found, "score", ranked) if has_gains else replace(boards["gain"], shown="score")
    return boards, problems


def _make_board(
    found: Mapping[Column, Mapping[Row, Cell]], shown: Shown, ranked: Callable[[Column, str], _Ranked]
) -> Board:
    versions: dict[tuple[str, ...], list[Column]] = {}
    for column in sorted(found, key=lambda one: (one.place, one)):
        versions.setdefault(column[:3], []).append(column)
    columns = tuple(
        max(same, key=lambda one: (bool(one.measure), not one.is_unverified, len(found[one]), one))
        for same in versions.values()
    )
    others = tuple(one for same in versions.values() for one in same if one not in columns)
    overall = overall_columns(columns)
    measured = construct_columns(columns, overall)
    told = {column for same in measured.values() for column in same}
    rows = tuple(dict.fromkeys(row for column in (*columns, *others) for row in found[column]))
    keys = {column: shown_key(column, there.values(), shown) for column, there in found.items()}
    places: dict[Column, dict[Row, RankedCell]] = {}
    standings: dict[Column, dict[Row, Standing]] = {}
    of_overall: dict[Column, dict[Row, Standing | None]] = {}
    are_compared = len(rows) <= MOST_COMPARED
    for column in (*columns, *others):
        places[column], of_column = ranked(column, keys[column])
        if column in told or (are_compared and column in columns):
            standings[column] = of_column
        if column in overall:
            with_rank = {row: one for row, one in of_column.items() if places[column][row].rank}
            declined = (row for row, place in places[column].items() if place.trust is Trust.DECLINED)
            of_overall[column] = {**with_rank, **dict.fromkeys(declined)}
    constructs = tuple(make_construct(name, same, standings, places) for name, same in measured.items())
    kept = standings if are_compared else {}
    return Board(shown, rows, columns, others, overall, constructs, kept, keys, places, rank_overall(of_overall))


class _Ranked(NamedTuple):
    """A column's cells with their ranks, and the standings of the models that did not decline it."""

    places: dict[Row, RankedCell]
    standings: dict[Row, Standing]


def _ranked(column: Column, key: str, cells: Mapping[Row, Cell], records: Records, cache: BoardCache) -> _Ranked:
    score, _ = column.definition.declarations()[key]
    trust = {row: cell.trust(records) for row, cell in cells.items()}
    standing = [row for row in cells if trust[row] is not Trust.DECLINED and key in cells[row].scores]
    digests = {row: gain_digest(cell) if key != cell.measure.main else cell.digest or "" for row, cell in cells.items()}
    drawn = cache.resamples(column.measure, [digests[row] for row in standing])
    standings = {}
    for row in standing:
        cell, of_items, tier = cells[row], drawn.get(digests[row]), int(trust[row] is Trust.SELF_REPORTED)
        drawn_of, n = (None, None) if of_items is None else (of_items.drawn, of_items.n)
        standings[row] = Standing.above_chance(score, cell.scores[key], cell.interval(key), drawn_of, n, tier)
    ranked = [row for row in standing if not cells[row].knows_nothing]
    found = {
        row: RankedCell(cells[row], key, trust[row], ranks, standings[row].basis)
        for row, ranks in zip(ranked, rank_sets([standings[row] for row in ranked]), strict=True)
    }
    unranked = {row: RankedCell(cells[row], key, trust[row], None, Basis.NOTHING) for row in cells if row not in found}
    return _Ranked({**found, **unranked}, standings)


def beside(one: Column, other: Column) -> Sequence[str]:
    """List the differences between two versions of the same task, subset and split."""
    return [
        f"{name} {theirs or 'not said'} instead of {ours or 'not said'}"
        for name, ours, theirs in zip(Column._fields, one, other, strict=True)
        if ours != theirs
    ]
