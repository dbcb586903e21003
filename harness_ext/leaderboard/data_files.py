"""Writes the data of a board beside its pages: one row per cell, as CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness_ext.files import whole_file
from harness_ext.framework.gain_keys import gain_key, words_key
from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.board_models import BoardModel
from harness_ext.leaderboard.cell import RankedCell
from harness_ext.results.columns import Column, Row
from harness_ext.show.listing import csv_text


def write_tables(board: Board, models: Mapping[Row, BoardModel], folder: Path) -> None:
    """Write `board.csv` and `board.json` into a folder; made if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [
        _record(board, column, row, place, models[row])
        for column in (*board.columns, *board.others)
        for row, place in board.places[column].items()
    ]
    with whole_file(folder / "board.csv") as partial:
        partial.write_text(csv_text(records, list(records[0]) if records else []), encoding="utf-8")
    with whole_file(folder / "board.json") as partial:
        partial.write_text(json.dumps(records, ensure_ascii=True, allow_nan=False), encoding="utf-8")


def _record(board: Board, column: Column, row: Row, place: RankedCell, model: BoardModel) -> dict[str, Any]:
    entry, main = place.entry, place.entry.measure.main
    low, high = entry.interval() or (None, None)
    gain_low, gain_high = entry.interval(gain_key(main)) or (None, None)
    best, worst = place.rank or (None, None)
    overall, ranks = board.overall_ranks.get(row, (None, (None, None)))
    overall_best, overall_worst = ranks
    return {
        **row._asdict(),
        **column._asdict(),
        "main_score": entry.main_score,
        "ci_low": low,
        "ci_high": high,
        "own_words": entry.scores.get(words_key(main)),
        "gain": entry.scores.get(gain_key(main)),
        "gain_ci_low": gain_low,
        "gain_ci_high": gain_high,
        "ranked_by": None if place.rank is None else board.keys[column],
        "best_rank": best,
        "worst_rank": worst,
        "rank_basis": None if place.rank is None else place.basis.value,
        "trust": place.trust.value,
        "in_overall_rank": column in board.overall,
        "overall_best_rank": overall_best,
        "overall_worst_rank": overall_worst,
        "overall_score": overall,
        "parameters": model.parameters,
        "signature": str(entry.signature) if entry.signature else None,
        "items": entry.digest,
    }
