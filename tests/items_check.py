"""What holds of every result file with items."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from harness_ext.measures.core.baseline_keys import keys_of_the_run
from harness_ext.results.load import read_result
from harness_ext.store.item_files import keep, write_kept

if TYPE_CHECKING:
    from pathlib import Path

    from harness_ext.measures.core.items import Items
    from harness_ext.results.entry import Entry


def write_items(result_file: Path, items: Items) -> str:
    """Write items into the file beside a result file, as a run does. Returns their digest."""
    digest = keep(items)
    write_kept(result_file, type(items), [digest])
    return digest


def assert_rescored(result_file: Path) -> dict[tuple[str, str], Items]:
    """Every score of the file follows from its items, is declared, and lies in its range. Returns
    the items.
    """
    entries = read_result(result_file)
    assert entries
    content = json.loads(result_file.read_text())
    items = {}
    for entry in entries:
        records = content["scores"][entry.split]
        record_of_subset = {record["hf_subset"]: record for record in records}
        assert len(record_of_subset) == len(records)
        _assert_stored(record_of_subset[entry.subset], entry)
        items[entry.split, entry.subset] = entry.items()
    return items


def _assert_stored(record: dict[str, Any], entry: Entry) -> None:
    """The scores of a record are those of the items, and within their ranges."""
    keys_without_items = keys_of_the_run(entry.measure.compared_keys)
    scores = {}
    for key in record.keys() - keys_without_items:
        if isinstance(record[key], int | float):
            scores[key] = record[key]
    assert scores.pop("main_score") == scores[entry.measure.main]
    computed = entry.recomputed()
    assert scores == pytest.approx(computed, rel=0, abs=1e-9)
    for key, value in computed.items():
        score, _ = entry.measure.declarations[key]
        lowest, highest = score.range
        assert lowest <= value <= highest, key
