"""The models of a board, and the data for the script of its first page, as small as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from harness_ext.leaderboard.board import Board, Construct, Place
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.results.columns import Column, Row
from harness_ext.results.overall import mean_estimate
from harness_ext.results.ranks import Estimate
from harness_ext.results.reference_scores import reference_scores
from harness_ext.show.model_labels import revision_label
from harness_ext.show.static_site import cut, slugs
from harness_ext.store.mteb_files import ModelMetaFile

_DIGITS = 3
"""Digits of the scores on the page; the tables beside it have all digits."""

TRUST_SIGNS = dict(zip(Trust, "○◐●", strict=True))
_TRUST = list(Trust)


class BoardModel(NamedTuple):
    """A model on the pages of a board; its name has revision or precision if it has several, None is unknown."""

    name: str
    page: str
    parameters: int | None


def board_models(board: Board) -> dict[Row, BoardModel]:
    """Name the models of a board and their pages, and read their sizes from the metadata beside their results."""
    names: dict[Row, str] = {}
    for model, group in groupby(sorted(board.rows), key=lambda row: row.model):
        same = list(group)
        revisions, precisions = {row.revision for row in same}, {row.precision for row in same}
        for row in same:
            precision = f" {row.precision or 'unknown precision'}" if len(precisions) > 1 else ""
            names[row] = f"{cut(model)}{revision_label(row.revision, revisions)}{precision}"
    pages = slugs("\n".join((row.model, row.revision, row.precision)) for row in board.rows).values()
    files = {row: cell.entry.file for cells in board.cells.values() for row, cell in cells.items()}
    sizes = {row: ModelMetaFile.beside(files[row]).n_parameters for row in board.rows}
    return {
        row: BoardModel(names[row], f"models/{page}.html", None if sizes[row] is None else int(sizes[row] or 0))
        for row, page in zip(board.rows, pages, strict=True)
    }


def page_tables(board: Board) -> list[tuple[str, list[Construct | Column]]]:
    """List title and columns of the ranking, which has the constructs, of each construct, and of all other columns.

    The columns that a construct does not count, such as those of a rebuilt split, stand behind those that it does.
    """
    tables: list[tuple[str, list[Construct | Column]]] = [("The ranking", [*board.constructs])]
    for construct in board.constructs:
        mean = [construct] if len(construct.columns) > 1 else []
        kind = construct.columns[0].kind
        alike = [each for each in board.columns if each.about.construct == construct.name and each.kind == kind]
        tables.append((construct.title, [*mean, *dict.fromkeys((*construct.columns, *alike))]))
    shown = {column for _, columns in tables for column in columns}
    if others := [column for column in board.columns if column not in shown]:
        tables.append(("In no construct", [*others]))
    return tables


def page_data(board: Board, models: Mapping[Row, BoardModel]) -> dict[str, Any]:
    """Make the data of the first page, with the name, page and size of each model."""
    tables = [columns for _, columns in page_tables(board)]
    columns = list(dict.fromkeys(column for table in tables for column in table))
    places = [each.places if isinstance(each, Construct) else board.places[each] for each in columns]
    return {
        "trust": [[TRUST_SIGNS[trust], trust.value] for trust in _TRUST],
        "columns": [heading(column, board) for column in columns],
        "tables": [[columns.index(column) for column in table] for table in tables],
        "rows": [
            {**_row_data(row, models[row], board), "cells": [_cell_data(of_column.get(row)) for of_column in places]}
            for row in board.rows
        ],
        "form": [
            {"name": name, "cells": _form_cells(board, columns, scores)} for name, scores in form_rows(board).items()
        ],
    }


def heading(column: Construct | Column, board: Board) -> dict[str, Any]:
    """Describe a column of the first page."""
    if isinstance(column, Construct):
        in_overall = any(each in board.overall for each in column.columns)
        about = {"construct": True, "task": column.title, "data": column.averaged, "lower": False}
    else:
        in_overall = column in board.overall
        lower = board.score(column).direction == "lower"
        about = {"construct": False, "task": column.task, "data": column.data, "lower": lower}
    return {**about, "in_overall": in_overall}


def _row_data(row: Row, model: BoardModel, board: Board) -> dict[str, Any]:
    overall = board.overall_ranks.get(row)
    about = f"revision {row.revision}{f', {row.precision}' if row.precision else ''}"
    return {**model._asdict(), "about": about, "mean": overall and (*overall.ranks, round(overall.score, 2))}


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
    above = {column: Estimate.above_chance(board.score(column), value) for column, value in scores.items()}

    def cell(column: Construct | Column) -> float | None:
        if not isinstance(column, Construct):
            return scores.get(column)
        known = [above[one] for one in column.columns if one in above]
        return mean_estimate(known).score if len(known) == len(column.columns) else None

    return [None if value is None else round(value, _DIGITS) for value in map(cell, columns)]


def form_rows(board: Board) -> dict[str, dict[Column, float]]:
    """Find the shipped scores of encoders that know nothing and are not on the board: model -> column -> score."""
    rows: dict[str, dict[Column, float]] = {}
    measured = {row.model for row in board.rows}
    for column in board.columns:
        entry = next(iter(board.cells[column].values())).entry
        for reference in reference_scores(entry):
            if reference.key == board.keys[column] and reference.model not in measured:
                rows.setdefault(reference.model, {})[column] = reference.value
    return rows
