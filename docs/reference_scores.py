"""Write the shipped scores of control encoders: python docs/reference_scores.py RESULTS...

RESULTS are folders with results of these encoders. Numbers have six digits after the point.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from pathlib import Path

from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results
from harness_ext.results.reference_scores import FILE, ReferenceScore, score_of


def write(scores: Iterable[ReferenceScore], path: Path) -> None:
    """Write the file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(ReferenceScore._fields)
        writer.writerows(map(_rounded, scores))


def _rounded(score: ReferenceScore) -> list[str | float]:
    return [round(cell, 6) if isinstance(cell, float) else cell for cell in score]


if __name__ == "__main__":
    measured: list[Entry] = []
    for folder in sys.argv[1:]:
        entries = load_results(folder).entries
        measured += [entry for entry in entries if entry.is_baseline]
    scores = filter(None, map(score_of, measured))
    write(scores, Path(str(FILE)))
