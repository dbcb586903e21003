"""What holds of every result file with items."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from harness_ext.measures.core.baseline_keys import keys_of_the_run
from harness_ext.results.load import read_result
from harness_ext.store.item_files import keep, write_kept

if TYPE_CHECKING:
    from pathlib import Path

    from harness_ext.measures.core.items import Items


def write_items(result_file: Path, items: Items) -> str:
    """Write items into the file beside a result file, as a run does. Returns their digest."""
    digest = keep(items)
    write_kept(result_file, type(items), [digest])
    return digest


def assert_rescored(result_file: Path) -> dict[tuple[str, str], Items]:
    """Every score of the file follows from its items, is declared, and lies in its range. Returns
    the items.
    """
    entries = {(entry.split, entry.subset): entry for entry in read_result(result_file)}
    written = json.loads(result_file.read_text())["scores"]
    for (split, subset), entry in entries.items():
        (record,) = [record for record in written[split] if record["hf_subset"] == subset]
        scores = {key: value for key, value in record.items() if isinstance(value, int | float)}
        of_the_run = keys_of_the_run(entry.measure.compared_keys)
        stored = {key: value for key, value in scores.items() if key not in of_the_run}
        assert stored.pop("main_score") == stored[entry.measure.main]
        computed = entry.recomputed()
        assert stored == pytest.approx(computed, rel=0, abs=1e-9)
        for key, value in computed.items():
            score, _ = entry.measure.declarations[key]
            assert score.range[0] <= value <= score.range[1], key
    assert entries
    return {place: entry.items() for place, entry in entries.items()}
