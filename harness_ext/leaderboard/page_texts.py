"""Texts of a board's pages: signs of trust, headings of columns and constructs, figures of a cell."""

from __future__ import annotations

import math
import re
from typing import Any

from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.cell import RankedCell
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import Construct
from harness_ext.results.columns import Column
from harness_ext.results.overall import JUDGED, LEAST_RELIABILITY
from harness_ext.results.ranks import Basis
from harness_ext.show.numbers import DIRECTIONS, between, number

TRUST_SIGNS = dict(zip(Trust, "○◐●⊘", strict=True))
_TRUST_MEANS = {
    Trust.SELF_REPORTED: "the submitter states the scores; nothing shows that they follow from the pinned data",
    Trust.RECOMPUTED: "the scores follow from the items that were submitted with them",
    Trust.RERUN: "a maintainer of this board ran the same revision of the model and got the same scores",
    Trust.DECLINED: "the model's maker declines a rank here, because the model has seen the data; this costs no rank",
}
TRUST_LEGEND = [(TRUST_SIGNS[trust], trust.value, text) for trust, text in _TRUST_MEANS.items()]
BASIS_MEANS = {
    Basis.UNITS: "paired, over the same units",
    Basis.INTERVALS: "over intervals",
    Basis.NOTHING: "no interval: tied",
}

_CANNOT_RANK = "It cannot rank yet: more than half of what tells its models apart is chance."
_HARDLY_KNOWN = f"Of fewer than {JUDGED} models that is hardly known: it is not left out for it."


def construct_title(construct: Construct) -> str:
    """Write the name of a construct as a heading."""
    return f"{construct.name[0].upper()}{construct.name[1:]}"


def averaged(construct: Construct) -> str:
    """Say what a construct averages."""
    return f"mean of {len(construct.columns)} columns" if len(construct.columns) > 1 else "1 column"


def heading(column: Construct | Column, board: Board) -> dict[str, Any]:
    """Describe a column, or a construct, for the pages."""
    if isinstance(column, Construct):
        return {
            "construct": True,
            "parts": [construct_title(column)],
            "data": averaged(column),
            "better": DIRECTIONS["higher"],
            "in_overall": any(each in board.overall for each in column.columns),
        }
    score = board.score(column)
    return {
        **column._asdict(),
        "construct": False,
        "parts": re.findall(r"[A-Z]?[^A-Z_]*_?", column.task),
        "data": column.data,
        "key": score.key,
        "score": score,
        "better": DIRECTIONS[score.direction],
        "chance": "" if score.chance is None else number(score.chance),
        "ceiling": "" if score.ceiling is None else number(score.ceiling),
        "unit": column.definition.unit,
        "in_overall": column in board.overall,
        "models": len(board.places[column]),
        "weight": _weight(board, column),
        "reliability": _about_reliability(board, column),
    }


def _weight(board: Board, column: Column) -> str:
    weight = board.weights.get(column, math.nan)
    return "" if math.isnan(weight) else number(weight)


def _about_reliability(board: Board, column: Column) -> str:
    """Say how well a column tells its models apart; empty for other versions of a column."""
    about = board.reliabilities.get(column)
    if about is None or math.isnan(about.reliability):
        return ""
    sentences = [
        f"Reliability {number(about.reliability)}.",
        _CANNOT_RANK * (not about.can_rank),
        _HARDLY_KNOWN * (about.can_rank and about.reliability < LEAST_RELIABILITY),
    ]
    return " ".join(filter(None, sentences))


def place_texts(place: RankedCell) -> tuple[str, str, str, str]:
    """Write score or gain, interval, rank and trust for the pages."""
    return (
        "" if place.value is None else number(place.value),
        between(place.interval),
        str(place.rank or ""),
        f"{TRUST_SIGNS[place.trust]} {place.trust.value}",
    )
