"""Data for the scripts of a board's pages: models × constructs and their columns, as small as possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.board_models import BoardModel
from harness_ext.leaderboard.cell import Place
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import MULTILINGUAL, Construct, mean_of_groups
from harness_ext.leaderboard.page_texts import (
    BASIS_MEANS,
    TRUST_SIGNS,
    averaged,
    construct_title,
    is_on_first_page,
    page_columns,
)
from harness_ext.results.columns import Column, Row
from harness_ext.results.published import published_scores
from harness_ext.results.ranks import Basis, Standing
from harness_ext.results.reference_scores import reference_scores

DIGITS = 3
"""Digits of the scores on the pages; the tables beside them have all digits."""

_TRUST = list(Trust)


def page_data(board: Board, models: Mapping[Row, BoardModel]) -> dict[str, Any]:
    """Make the data of the first page, with the name, page and facts of each model."""
    columns = page_columns(board)
    languages = {each: n for n, each in enumerate(dict.fromkeys(models[row].languages for row in board.rows))}
    return {
        "shown": board.shown,
        "trust": [[TRUST_SIGNS[trust], trust.value] for trust in _TRUST],
        "basis": [BASIS_MEANS[basis] for basis in Basis],
        "languages": [list(each) for each in languages],
        "columns": [_column_data(column, board) for column in columns],
        "rows": [_row_data(row, models[row], board, columns, languages) for row in board.rows],
        "published": [
            {"name": name, "kind": kind, "cells": _unranked_cells(board, columns, scores)}
            for kind, rows in (("published", published_rows(board)), ("knows nothing", form_rows(board)))
            for name, scores in rows.items()
        ],
    }


def _column_data(column: Construct | Column, board: Board) -> dict[str, Any]:
    if isinstance(column, Construct):
        return {
            "construct": True,
            "first": is_on_first_page(column),
            "task": construct_title(column),
            "data": averaged(column),
            "languages": _views(column),
            "unverified": any(each.is_unverified for each in column.columns),
            "title": "gain over own words" if board.shown == "gain" else "score above chance",
            "chance": 0.0,
            "lower": False,
        }
    score = board.score(column)
    return {
        "part": any(column in construct.columns for construct in board.constructs),
        "task": column.task,
        "data": column.data,
        "languages": column.languages,
        "unverified": column.is_unverified,
        "title": score.title,
        "chance": score.chance,
        "lower": score.direction == "lower",
    }


def _views(construct: Construct) -> list[str]:
    """List the choices of a language that show a construct: its own, or the only one that its columns have."""
    if construct.view:
        return [construct.view, *([MULTILINGUAL] if construct.is_language else [])]
    languages = {language for column in construct.columns for language in column.languages}
    return [*languages] if len(languages) == 1 else []


def _row_data(
    row: Row,
    model: BoardModel,
    board: Board,
    columns: list[Construct | Column],
    languages: Mapping[tuple[str, ...], int],
) -> dict[str, Any]:
    overall = board.overall_ranks.get(row)
    places = ((each.places if isinstance(each, Construct) else board.places[each]).get(row) for each in columns)
    return {
        "name": model.name,
        **({} if model.name == row.model else {"model": row.model}),
        "about": f"revision {row.revision}{f', {row.precision}' if row.precision else ''}",
        "page": model.page,
        "precision": row.precision,
        "mean": overall and (*overall.ranks, round(overall.score, 2)),
        "facts": [
            model.parameters,
            model.open_weights,
            model.instructed,
            model.zero_shot,
            languages[model.languages],
        ],
        "cells": [_cell_data(place) for place in places],
    }


def _cell_data(place: Place | None) -> Any:
    """List score, best and worst rank (0 without a rank), trust, basis, and the ends of the interval if known."""
    if place is None or place.value is None:
        return None
    ends = [round(end, DIGITS) for end in place.interval or ()]
    basis = list(Basis).index(place.basis)
    return [round(place.value, DIGITS), *(place.rank or (0, 0)), _TRUST.index(place.trust), basis, *ends]


def _unranked_cells(
    board: Board, columns: list[Construct | Column], scores: Mapping[Column, float]
) -> list[float | None]:
    """List the score in each column, and in each construct the mean above chance if all its columns have a score."""
    cells: list[float | None] = []
    for column in columns:
        if isinstance(column, Construct):
            if not scores.keys() >= {*column.columns}:
                cells.append(None)
                continue
            above = {each: Standing.above_chance(board.score(each), scores[each]) for each in column.columns}
            cells.append(round(mean_of_groups(column.groups, above).score, DIGITS))
        else:
            cells.append(round(scores[column], DIGITS) if column in scores else None)
    return cells


def published_rows(board: Board) -> dict[str, dict[Column, float]]:
    """Find the papers' main scores: model and table -> column -> score; no paper has gains."""
    rows: dict[str, dict[Column, float]] = {}
    for column in board.columns:
        main = board.keys[column]
        for place, cells in published_scores(column.task).items():
            if place[1:] == (column.subset, column.split) and main in cells and not cells[main].suspect:
                rows.setdefault(f"{place.model} ({cells[main].table})", {})[column] = cells[main].value
    return rows


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
