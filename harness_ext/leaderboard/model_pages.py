"""Writes a page for each model of a board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tqdm import tqdm

from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.board_models import BoardModel
from harness_ext.leaderboard.cell import RankedCell
from harness_ext.leaderboard.page_texts import TRUST_LEGEND, place_texts
from harness_ext.results.columns import Column, Row
from harness_ext.show.numbers import between, number
from harness_ext.show.result_tables import own_words
from harness_ext.show.static_site import Site
from harness_ext.show.verdict import TERMS, outcome, verdict


def write_model_pages(site: Site, board: Board, models: Mapping[Row, BoardModel]) -> None:
    """Write each model's page."""
    of_models: dict[Row, list[tuple[Column, RankedCell]]] = {row: [] for row in board.rows}
    for column in (*board.columns, *board.others):
        for row, place in board.places[column].items():
            of_models[row].append((column, place))
    for row, places in tqdm(of_models.items(), desc="Model pages", unit="page", disable=None):
        model = models[row]
        site.write(
            model.page,
            "model.html",
            name=model.name,
            row=row,
            facts=_fact_texts(model),
            reference=model.reference,
            places=[_place(column, place) for column, place in places],
            trust=TRUST_LEGEND,
            terms=TERMS,
        )


def _fact_texts(model: BoardModel) -> list[tuple[str, str]]:
    yes_or_no = {True: "yes", False: "no", None: "not known"}
    return [
        ("Parameters", "not known" if model.parameters is None else f"{model.parameters:,}"),
        ("Open weights", yes_or_no[model.open_weights]),
        ("Instruction-tuned", yes_or_no[model.instructed]),
        ("Zero-shot on these tasks, by mteb's lists", yes_or_no[model.zero_shot]),
        ("Languages", ", ".join(model.languages) or "not known"),
        ("Dimensions", str(model.dimensions or "not known")),
        ("Longest input, tokens", str(model.max_tokens or "not known")),
        ("Licence", model.licence or "not known"),
    ]


def _place(column: Column, place: RankedCell) -> dict[str, Any]:
    entry = place.entry
    *_, trust = place_texts(place)
    words, gain = own_words(entry)
    return {
        "task": column.task,
        "data": column.data,
        "score": number(entry.main_score),
        "interval": between(entry.interval()),
        "words": words,
        "gain": gain,
        "outcome": outcome(entry),
        "verdict": verdict(entry),
        "trust": trust,
        "findings": list(dict.fromkeys(finding.message for finding in place.cell.findings)),
        "signature": str(entry.signature or "none: another program made it"),
    }
