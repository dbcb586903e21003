"""Data for the scripts of a board's pages: models × constructs and their columns, as small as possible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from itertools import combinations
from typing import Any

import numpy as np

from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.cell import RankedCell
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import MANY, Construct, ConstructPlace
from harness_ext.leaderboard.model_facts import ModelFacts
from harness_ext.results.columns import Column, Row
from harness_ext.results.published import published_scores
from harness_ext.results.ranks import Basis, Standing, mean_standing
from harness_ext.results.reference_scores import reference_scores
from harness_ext.statistics.paired_difference import Difference, Sample, differences

_DIGITS = 4
"""Digits of the scores on the pages; the tables beside them have all digits."""

_TRUST = list(Trust)
TRUST_SIGNS = dict(zip(Trust, "○◐●⊘", strict=True))
BASIS_MEANS = {
    Basis.UNITS: "paired, over the same units",
    Basis.INTERVALS: "over intervals",
    Basis.NOTHING: "no interval: tied",
}


def shown_columns(board: Board) -> list[Construct | Column]:
    """List each construct followed by its columns, then the columns outside of all constructs."""
    found: list[Construct | Column] = []
    for construct in board.constructs:
        found += [construct, *construct.columns]
    return found + [column for column in board.columns if column not in found]


def construct_title(construct: Construct) -> str:
    """Write the name of a construct as a heading."""
    return construct.name[0].upper() + construct.name[1:]


def columns_said(construct: Construct) -> str:
    """Say how many columns a construct averages."""
    return f"mean of {len(construct.columns)} columns" if len(construct.columns) > 1 else "1 column"


def page_data(
    board: Board, names: Mapping[Row, str], page_of: Mapping[Row, str], facts: Mapping[Row, ModelFacts]
) -> dict[str, Any]:
    """Make the data of the first page.

    Args:
        board: The board.
        names: Row -> its name on the pages.
        page_of: Row -> its page.
        facts: Row -> the facts for the filters.
    """
    shown = shown_columns(board)
    means = {row: (*one.ranks, round(one.score, 2)) for row, one in board.overall_ranks.items()}
    languages = {one: n for n, one in enumerate(dict.fromkeys(facts[row].languages for row in board.rows))}
    return {
        "shown": board.shown,
        "trust": [[TRUST_SIGNS[one], one.value] for one in _TRUST],
        "basis": [BASIS_MEANS[one] for one in Basis],
        "languages": [list(one) for one in languages],
        "columns": [_column_data(one, board) for one in shown],
        "rows": [
            {
                "name": names[row],
                **({} if names[row] == row.model else {"model": row.model}),
                "about": f"revision {row.revision}{f', {row.precision}' if row.precision else ''}",
                "page": page_of[row],
                "precision": row.precision,
                "mean": means.get(row),
                "facts": [*astuple(facts[row])[:4], languages[facts[row].languages]],
                "cells": [
                    _cell_data((one.places if isinstance(one, Construct) else board.places[one]).get(row))
                    for one in shown
                ],
            }
            for row in board.rows
        ],
        "published": [
            {"name": name, "kind": kind, "cells": _unranked_cells(board, scores)}
            for kind, found in (("published", published_rows(board)), ("knows nothing", form_rows(board)))
            for name, scores in found.items()
        ],
    }


def _column_data(one: Construct | Column, board: Board) -> dict[str, Any]:
    if isinstance(one, Construct):
        return {
            "construct": True,
            "task": construct_title(one),
            "data": columns_said(one),
            "languages": [],
            "unverified": any(column.is_unverified for column in one.columns),
            "title": "gain over own words" if board.shown == "gain" else "score above chance",
            "chance": 0.0,
            "lower": False,
        }
    score = board.score(one)
    return {
        "part": any(one in construct.columns for construct in board.constructs),
        "task": one.task,
        "data": one.data,
        "languages": one.languages,
        "unverified": one.is_unverified,
        "title": score.title,
        "chance": score.chance,
        "lower": score.direction == "lower",
    }


def _cell_data(place: RankedCell | ConstructPlace | None) -> Any:
    """List score, best and worst rank (0 without a rank), trust, basis, and the ends of the interval if known."""
    if place is None or place.value is None:
        return None
    ends = [round(end, _DIGITS) for end in place.interval or ()]
    basis = list(Basis).index(place.basis)
    return [round(place.value, _DIGITS), *(place.rank or (0, 0)), _TRUST.index(place.trust), basis, *ends]


def _unranked_cells(board: Board, scores: Mapping[Column, float]) -> list[float | None]:
    """List the score in each column, and in each construct the mean above chance if all its columns have a score."""
    cells: list[float | None] = []
    for one in shown_columns(board):
        if isinstance(one, Construct):
            found = [
                Standing.above_chance(board.score(column), scores[column]).score
                for column in one.columns
                if column in scores
            ]
            cells.append(round(sum(found) / len(found), _DIGITS) if len(found) == len(one.columns) else None)
        else:
            cells.append(round(scores[one], _DIGITS) if one in scores else None)
    return cells


def published_rows(board: Board) -> dict[str, dict[Column, float]]:
    """Find the papers' main scores: model and table -> column -> score; no paper has gains."""
    found: dict[str, dict[Column, float]] = {}
    for column in board.columns:
        main = board.keys[column]
        for place, cells in published_scores(column.task).items():
            if place[1:] == (column.subset, column.split) and main in cells and not cells[main].suspect:
                found.setdefault(f"{place.model} ({cells[main].table})", {})[column] = cells[main].value
    return found


def form_rows(board: Board) -> dict[str, dict[Column, float]]:
    """Find the shipped scores of encoders that know nothing and are not on the board: model -> column -> score."""
    found: dict[str, dict[Column, float]] = {}
    measured = {row.model for row in board.rows}
    for column in board.columns:
        cell = next(iter(board.places[column].values())).cell
        for one in reference_scores(cell):
            if one.key == board.keys[column] and one.model not in measured:
                found.setdefault(one.model, {})[column] = one.value
    return found


def difference_data(board: Board) -> dict[str, list[Any]]:
    """Compute the difference of each two models of a small board, with its 95 % interval.

    Returns:
        Numbers of both rows, such as `0,3` -> for each column of `page_data`, the difference of the scores above chance
        and the ends of its interval; None if a model has no score there. Empty for a board of more than
        `MOST_COMPARED` models.
    """
    if not board.standings:
        return {}
    found: dict[str, list[Any]] = {f"{first},{second}": [] for first, second in combinations(range(len(board.rows)), 2)}
    for one in shown_columns(board):
        samples = [*_samples(one, board)]
        for first, sample in enumerate(samples):
            later = {number: other for number, other in enumerate(samples) if number > first and other}
            known = dict(zip(later, differences(sample, [*later.values()]), strict=True)) if sample else {}
            for second in range(first + 1, len(samples)):
                found[f"{first},{second}"].append(_numbers(known.get(second)))
    return found


def _samples(one: Construct | Column, board: Board) -> Iterator[Sample | None]:
    columns = one.columns if isinstance(one, Construct) else (one,)
    for row in board.rows:
        found = [board.standings[column][row] for column in columns if row in board.standings[column]]
        yield _sample(mean_standing(found)) if len(found) == len(columns) else None


def _sample(one: Standing) -> Sample:
    return Sample(one.score, one.draws(), None, one.n or MANY, np.array([]))


def _numbers(difference: Difference | None) -> list[float] | None:
    if difference is None or math.isnan(difference.low):
        return None
    return [round(number, _DIGITS) for number in (difference.value, difference.low, difference.high)]
