"""What holds of every result file with items."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import mteb
import pytest

from harness_ext.measures.core.gain import gain_scores
from harness_ext.measures.core.gain_keys import OF_THE_RUN
from harness_ext.store.item_files import DIGEST, WORDS_DIGEST, read_items

if TYPE_CHECKING:
    from pathlib import Path

    from harness_ext.measures.core.items import Items


def assert_rescored(result_file: Path) -> dict[tuple[str, str], Items]:
    """Every score of the file follows from its items, is declared, and lies in its range. Returns the items."""
    measure = mteb.get_task(result_file.stem).measure
    declarations = measure.declarations()
    found = {}
    for split, entries in json.loads(result_file.read_text())["scores"].items():
        for entry in entries:
            place = split, entry["hf_subset"]
            found[place] = read_items(result_file, measure.items, entry[DIGEST])
            flat = measure.flat_scores(found[place])
            if WORDS_DIGEST in entry:
                words = read_items(result_file, measure.items, entry[WORDS_DIGEST])
                flat |= gain_scores(measure, found[place], words)
            scores = {key: value for key, value in entry.items() if isinstance(value, int | float)}
            stored = {key: value for key, value in scores.items() if key not in OF_THE_RUN}
            assert stored.pop("main_score") == stored[measure.main]
            assert stored == pytest.approx(flat, rel=0, abs=1e-9)
            for key, value in flat.items():
                score, _ = declarations[key]
                assert score.range[0] <= value <= score.range[1], key
    assert found
    return found
