"""Differences of each two models of a small board, for the scripts of its pages."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.constructs import MANY, Construct, mean_of_groups
from harness_ext.leaderboard.page_data import DIGITS
from harness_ext.leaderboard.page_texts import page_columns
from harness_ext.results.columns import Column, Row
from harness_ext.statistics.paired_difference import Difference, Sample, differences


def difference_data(board: Board) -> dict[str, list[Any]]:
    """Compute the difference of each two models of a small board, with its 95 % interval.

    Returns:
        Numbers of both rows, such as `0,3` -> for each column of `page_data`, the difference of the scores above chance
        and the ends of its interval; None if a model has no score there. Empty for a board of more than
        `MOST_COMPARED` models.
    """
    if not board.standings:
        return {}
    data: dict[str, list[Any]] = {f"{first},{second}": [] for first, second in combinations(range(len(board.rows)), 2)}
    for column in page_columns(board):
        samples = [_sample(column, row, board) for row in board.rows]
        for first, sample in enumerate(samples):
            later = {n: other for n, other in enumerate(samples) if n > first and other}
            known = dict(zip(later, differences(sample, [*later.values()]), strict=True)) if sample else {}
            for second in range(first + 1, len(samples)):
                data[f"{first},{second}"].append(_figures(known.get(second)))
    return data


def _sample(column: Construct | Column, row: Row, board: Board) -> Sample | None:
    """Take the score of a model above chance, in a construct the mean over its columns; None if one is missing."""
    groups = column.groups if isinstance(column, Construct) else ((column,),)
    standings = {each: board.standings[each].get(row) for group in groups for each in group}
    known = {each: standing for each, standing in standings.items() if standing is not None}
    if len(known) < len(standings):
        return None
    mean = mean_of_groups(groups, known)
    return Sample(mean.score, mean.draws(), None, mean.n or MANY, np.array([]))


def _figures(difference: Difference | None) -> list[float] | None:
    if difference is None or math.isnan(difference.low):
        return None
    return [round(figure, DIGITS) for figure in (difference.value, difference.low, difference.high)]
