"""The data of a board beside its pages: one row per cell, as CSV, JSON and Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet

from harness_ext.evaluators.gain_keys import gain_key, words_key
from harness_ext.files import whole_file
from harness_ext.show.listing import csv_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harness_ext.leaderboard.board import Board, RankedCell
    from harness_ext.leaderboard.model_facts import ModelFacts
    from harness_ext.results.columns import Column, Row

SCHEMA = pyarrow.schema(
    {
        "model": pyarrow.string(),
        "revision": pyarrow.string(),
        "precision": pyarrow.string(),
        "task": pyarrow.string(),
        "subset": pyarrow.string(),
        "split": pyarrow.string(),
        "dataset": pyarrow.string(),
        "measure": pyarrow.string(),
        "version": pyarrow.string(),
        "main_score": pyarrow.float64(),
        "ci_low": pyarrow.float64(),
        "ci_high": pyarrow.float64(),
        "own_words": pyarrow.float64(),
        "gain": pyarrow.float64(),
        "gain_ci_low": pyarrow.float64(),
        "gain_ci_high": pyarrow.float64(),
        "ranked_by": pyarrow.string(),
        "best_rank": pyarrow.int64(),
        "worst_rank": pyarrow.int64(),
        "rank_basis": pyarrow.string(),
        "trust": pyarrow.string(),
        "in_overall_rank": pyarrow.bool_(),
        "overall_best_rank": pyarrow.int64(),
        "overall_worst_rank": pyarrow.int64(),
        "overall_score": pyarrow.float64(),
        "parameters": pyarrow.int64(),
        "open_weights": pyarrow.bool_(),
        "instruction_tuned": pyarrow.bool_(),
        "zero_shot": pyarrow.bool_(),
        "signature": pyarrow.string(),
        "items": pyarrow.string(),
    }
)


def write_tables(board: Board, facts: Mapping[Row, ModelFacts], folder: Path, name: str = "board") -> None:
    """Write `<name>.csv`, `<name>.json` and `<name>.parquet` into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [
        _record(board, column, row, place, facts[row])
        for column in (*board.columns, *board.others)
        for row, place in board.places[column].items()
    ]
    with whole_file(folder / f"{name}.csv") as partial:
        partial.write_text(csv_text(records, SCHEMA.names), encoding="utf-8")
    with whole_file(folder / f"{name}.json") as partial:
        partial.write_text(json.dumps(records, ensure_ascii=True, allow_nan=False), encoding="utf-8")
    with whole_file(folder / f"{name}.parquet") as partial:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records, schema=SCHEMA), partial, compression="zstd")


def _record(board: Board, column: Column, row: Row, place: RankedCell, facts: ModelFacts) -> dict[str, Any]:
    low, high = place.cell.interval() or (None, None)
    scores, main = place.cell.scores, place.cell.measure.main
    gain_low, gain_high = place.cell.interval(gain_key(main)) or (None, None)
    best, worst = place.rank or (None, None)
    overall, ranks = board.overall_ranks.get(row, (None, (None, None)))
    overall_best, overall_worst = ranks
    return {
        **row._asdict(),
        **column._asdict(),
        "main_score": place.cell.main_score,
        "ci_low": low,
        "ci_high": high,
        "own_words": scores.get(words_key(main)),
        "gain": scores.get(gain_key(main)),
        "gain_ci_low": gain_low,
        "gain_ci_high": gain_high,
        "ranked_by": None if place.rank is None else place.key,
        "best_rank": best,
        "worst_rank": worst,
        "rank_basis": None if place.rank is None else place.basis.value,
        "trust": place.trust.value,
        "in_overall_rank": column in board.overall,
        "overall_best_rank": overall_best,
        "overall_worst_rank": overall_worst,
        "overall_score": overall,
        "parameters": facts.parameters,
        "open_weights": facts.open_weights,
        "instruction_tuned": facts.instructed,
        "zero_shot": facts.zero_shot,
        "signature": str(place.cell.signature) if place.cell.signature else None,
        "items": place.cell.digest,
    }
