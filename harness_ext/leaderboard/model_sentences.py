"""Sums up a model on a board in five sentences. Each figure has its interval."""

from __future__ import annotations

from collections.abc import Iterator

from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.cell import Place
from harness_ext.names import REFERENCE_MODELS
from harness_ext.results.columns import Column, Row
from harness_ext.results.reference_scores import lead
from harness_ext.show.model_labels import listed
from harness_ext.show.numbers import number

_MOST_NAMED = 3
"""The most columns that a sentence names; it counts the others."""


def model_sentences(board: Board, row: Row) -> list[str]:
    """Write the sentences: the largest and smallest gain, the comparison with form alone, the rank, the gaps.

    Args:
        board: The board of gains over own words.
        row: The model.
    """
    return [*_furthest_and_least(board, row), _beside_form(board, row), _standing(board, row), _missing(board, row)]


def not_measured(board: Board, row: Row) -> list[str]:
    """List the columns in which a model has no score."""
    return [_name(column) for column in board.columns if row not in board.places[column]]


def _furthest_and_least(board: Board, row: Row) -> Iterator[str]:
    gains = [
        (construct, construct.places[row])
        for construct in board.constructs
        if construct.shows_gains and row in construct.places and construct.places[row].interval
    ]
    if not gains:
        yield "How far it goes beyond its own words is not known: each construct lacks a task, or its own words in one."
        return
    (most, place), *less = sorted(gains, key=lambda gain: -(gain[1].value or 0.0))
    yield _by_interval(
        place,
        len(most.columns),
        above=f"It goes furthest beyond its own words on {most.name}",
        below=f"Its own words do better everywhere; they lead by least on {most.name}",
        level=f"It goes nowhere surely beyond its own words, and comes nearest to that on {most.name}",
    )
    for least, place in less[-1:]:
        yield _by_interval(
            place,
            len(least.columns),
            above=f"It goes least far on {least.name}",
            below=f"On {least.name} its own words do better than it does",
            level=f"It goes least far on {least.name}, where it is not told from its own words",
        )


def _by_interval(place: Place, n_columns: int, *, above: str, below: str, level: str) -> str:
    """Pick the sentence for an interval above 0, below 0, or around 0, and add the figures."""
    low, high = place.interval or (0.0, 0.0)
    return (
        f"{above if low > 0 else below if high < 0 else level}: {'a mean gain' if n_columns > 1 else 'a gain'} of "
        f"{number(place.value or 0.0)}, with a 95 % interval from {number(low)} to {number(high)}."
    )


def _beside_form(board: Board, row: Row) -> str:
    if row.model in REFERENCE_MODELS:
        return "It knows nothing of meaning: it is here for reference."
    leads = {
        column: ahead
        for column in board.columns
        if row in board.places[column] and (ahead := lead(board.places[column][row].entry)) is not None
    }
    level = [_name(column) for column, ahead in leads.items() if not ahead.is_beyond]
    if not leads:
        return "Of encoders that know nothing, none was measured on the same data."
    if not level:
        return "Each score that can be held against encoders that know nothing is above theirs."
    return f"An encoder that knows nothing does as well, or cannot be told from it, on {listed(level, _MOST_NAMED)}."


def _standing(board: Board, row: Row) -> str:
    if overall := board.overall_ranks.get(row):
        several = " (it may be any of these)" if overall.ranks.best < overall.ranks.worst else ""
        return f"Its overall rank is {overall.ranks}{several}, of {len(board.overall_ranks)} ranked models."
    if row.model in REFERENCE_MODELS:
        return "It is never ranked."
    return "It has no overall rank, because it lacks a column that counts for it."


def _missing(board: Board, row: Row) -> str:
    missing = listed(not_measured(board, row), _MOST_NAMED)
    return f"It was not measured on {missing}." if missing else "It was measured in every column of the board."


def _name(column: Column) -> str:
    return f"{column.task} ({column.data})"
