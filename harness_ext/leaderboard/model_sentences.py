"""Sums up a model on a board in a few sentences. Each figure has its interval."""

from __future__ import annotations

from collections.abc import Iterator

from harness_ext.leaderboard.board import Board
from harness_ext.names import REFERENCE_MODELS
from harness_ext.results.columns import Column, Row
from harness_ext.results.reference_scores import lead
from harness_ext.show.model_labels import listed
from harness_ext.show.numbers import number
from harness_ext.show.verdict import may_be_noise

_MOST_NAMED = 3
"""The most columns that a sentence names; it counts the others."""

_OF_WORDS = {
    "noise": "Encoders that know nothing gain too, where its score is not above chance, on",
    "less": "Its own words do better than it does on",
    "near": "Any difference from them is too small to matter on",
    "open": "It cannot be told from them on",
}


def model_sentences(board: Board, row: Row) -> list[str]:
    """Write the sentences, from the board of gains: own words, the comparison with form alone, the rank, the gaps."""
    return [*_about_words(board, row), _about_form(board, row), _standing(board, row), _missing(board, row)]


def not_measured(board: Board, row: Row) -> list[str]:
    """List the columns in which a model has no score."""
    return [_name(column) for column in board.columns if row not in board.places[column]]


def _about_words(board: Board, row: Row) -> Iterator[str]:
    """Sort the gains by what their intervals show, not by their size, and say each with its figures."""
    gains: dict[str, list[str]] = {}
    for construct in board.constructs:
        place = construct.places.get(row)
        if construct.shows_gains and place and place.interval:
            low, high = place.interval
            smallest = min(board.score(column).smallest_effect for column in construct.columns)
            is_small = -smallest < low and high < smallest
            outcome = "beyond" if low > 0 else "less" if high < 0 else "near" if is_small else "open"
            if outcome == "beyond" and any(may_be_noise(board.places[each][row].entry) for each in construct.columns):
                outcome = "noise"
            kind = "a mean gain" if len(construct.columns) > 1 else "a gain"
            figures = f"{kind} of {number(place.value or 0.0)}, 95 % interval from {number(low)} to {number(high)}"
            gains.setdefault(outcome, []).append(f"{construct.name} ({figures})")
    if not gains:
        yield "How far it goes beyond its own words is not known: each construct lacks a task, or its own words in one."
        return
    if "beyond" in gains:
        yield f"It goes beyond its own words on {listed(gains['beyond'])}."
    else:
        nowhere = "It goes nowhere surely beyond its own words."
        yield "Its own words do better everywhere." if gains.keys() == {"less"} else nowhere
    for outcome, said in _OF_WORDS.items():
        if outcome in gains:
            yield f"{said} {listed(gains[outcome])}."


def _about_form(board: Board, row: Row) -> str:
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
    return f"An encoder that knows nothing does better, or cannot be told from it, on {listed(level, _MOST_NAMED)}."


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
