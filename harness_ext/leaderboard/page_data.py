"""Data for the script of a board's first page: models × constructs and their columns, as small as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.board_models import BoardModel
from harness_ext.leaderboard.cell import Place
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import Construct
from harness_ext.results.columns import Column, Row
from harness_ext.results.overall import mean_standing
from harness_ext.results.ranks import Standing
from harness_ext.results.reference_scores import reference_scores

_DIGITS = 3
"""Digits of the scores on the page; the tables beside it have all digits."""

TRUST_SIGNS = dict(zip(Trust, "○◐●⊘", strict=True))
_TRUST = list(Trust)


def page_tables(board: Board) -> list[tuple[str, list[Construct | Column]]]:
    """List title and columns of the ranking, which has the constructs, of each construct, and of all other columns."""
    tables: list[tuple[str, list[Construct | Column]]] = [("The ranking", [*board.constructs])]
    for construct in board.constructs:
        mean = [construct] if len(construct.columns) > 1 else []
        tables.append((construct.title, [*mean, *construct.columns]))
    shown = {column for construct in board.constructs for column in construct.columns}
    if others := [column for column in board.columns if column not in shown]:
        tables.append(("In no construct", [*others]))
    return tables


def page_data(board: Board, models: Mapping[Row, BoardModel]) -> dict[str, Any]:
    """Make the data of the first page, with the name, page and size of each model."""
    tables = [columns for _, columns in page_tables(board)]
    columns = list(dict.fromkeys(column for table in tables for column in table))
    return {
        "trust": [[TRUST_SIGNS[trust], trust.value] for trust in _TRUST],
        "columns": [_column_data(column, board) for column in columns],
        "tables": [[columns.index(column) for column in table] for table in tables],
        "rows": [_row_data(row, models[row], board, columns) for row in board.rows],
        "form": [
            {"name": name, "cells": _form_cells(board, columns, scores)} for name, scores in form_rows(board).items()
        ],
    }


def _column_data(column: Construct | Column, board: Board) -> dict[str, Any]:
    if isinstance(column, Construct):
        return {
            "construct": True,
            "task": column.title,
            "data": column.averaged,
            "lower": False,
        }
    return {
        "task": column.task,
        "data": column.data,
        "lower": board.score(column).direction == "lower",
    }


def _row_data(row: Row, model: BoardModel, board: Board, columns: Sequence[Construct | Column]) -> dict[str, Any]:
    overall = board.overall_ranks.get(row)
    places = ((each.places if isinstance(each, Construct) else board.places[each]).get(row) for each in columns)
    return {
        "name": model.name,
        "about": f"revision {row.revision}{f', {row.precision}' if row.precision else ''}",
        "page": model.page,
        "parameters": model.parameters,
        "mean": overall and (*overall.ranks, round(overall.score, 2)),
        "cells": [_cell_data(place) for place in places],
    }


def _cell_data(place: Place | None) -> Any:
    """List score, best and worst rank (0 without a rank), trust, and the ends of the interval if known."""
    if place is None or place.value is None:
        return None
    ends = [round(end, _DIGITS) for end in place.interval or ()]
    return [round(place.value, _DIGITS), *(place.rank or (0, 0)), _TRUST.index(place.trust), *ends]


def _form_cells(
    board: Board, columns: Sequence[Construct | Column], scores: Mapping[Column, float]
) -> list[float | None]:
    """List the score in each column, and in each construct the mean above chance if all its columns have a score."""
    cells: list[float | None] = []
    for column in columns:
        if isinstance(column, Construct):
            known = [Standing.above_chance(board.score(one), scores[one]) for one in column.columns if one in scores]
            cells.append(round(mean_standing(known).score, _DIGITS) if len(known) == len(column.columns) else None)
        else:
            cells.append(round(scores[column], _DIGITS) if column in scores else None)
    return cells


def form_rows(board: Board) -> dict[str, dict[Column, float]]:
    """Find the shipped scores of encoders that know nothing and are not on the board: model -> column -> score."""
    rows: dict[str, dict[Column, float]] = {}
    measured = {row.model for row in board.rows}
    for column in board.columns:
        entry = next(iter(board.places[column].values())).entry
        for reference in reference_scores(entry):
            if reference.key == board.keys[column] and reference.model not in measured:
                rows.setdefault(reference.model, {})[column] = reference.value
    return rows
