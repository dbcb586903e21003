"""Scores of encoders that know nothing, as shipped: main, controlled and gain, on the data that they were measured on.

The data is told by the digest of what follows from it in the items, so a score is never shown beside other rows. To
write the file again, from folders with results of these encoders:

    python -m harness_ext.results.reference_scores FOLDER...
"""

from __future__ import annotations

import csv
import functools
import math
import sys
from dataclasses import asdict, dataclass, fields
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.results.load import load_results
from harness_ext.store.item_files import ItemsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness_ext.evaluators.measure import Measure
    from harness_ext.results.entry import Entry

FILE = files("harness_ext.results") / "reference_scores.csv"

REFERENCE_MODELS = (
    "compositionality/random-words",
    "compositionality/letters",
    "compositionality/trigrams",
    "compositionality/length",
    "mteb/baseline-random-encoder",
)
"""The encoders that know nothing: they are never ranked."""


@dataclass(frozen=True)
class ReferenceScore:
    """A score of an encoder that knows nothing.

    Attributes:
        task: The task.
        subset: The subset.
        split: The split.
        data: The digest of the items without what the encoder determines.
        model: One of `REFERENCE_MODELS`.
        key: The key of the score.
        value: The score.
        low: The lower end of its 95 % interval.
        high: The upper end.
    """

    task: str
    subset: str
    split: str
    data: str
    model: str
    key: str
    value: float
    low: float
    high: float


def telling_keys(measure: Measure[Any]) -> tuple[str, ...]:
    """The keys that say whether a score means something: the main one, the controlled one, the gain."""
    gain = gain_key(measure.main) if measure.own_words else ""
    return tuple(filter(None, (measure.main, measure.controlled, gain)))


@functools.cache
def _shipped() -> Mapping[tuple[str, str, str, str], tuple[ReferenceScore, ...]]:
    found: dict[tuple[str, str, str, str], list[ReferenceScore]] = {}
    for cells in csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()):
        place = cells["task"], cells["subset"], cells["split"], cells["data"]
        numbers = (float(cells[name]) for name in ("value", "low", "high"))
        found.setdefault(place, []).append(ReferenceScore(*place, cells["model"], cells["key"], *numbers))
    return {place: tuple(scores) for place, scores in found.items()}


def reference_scores(entry: Entry) -> tuple[ReferenceScore, ...]:
    """The shipped scores on the data of an entry; none on other data, or where the entry has no items to tell."""
    try:
        data = entry.items().digest(measured=False)
    except ItemsError:
        return ()
    return _shipped().get((entry.task, entry.subset, entry.split, data), ())


def best_reference(entry: Entry) -> ReferenceScore | None:
    """The encoder that knows nothing and has the best main score on the data of an entry."""
    main = entry.measure.main
    score, _ = entry.measure.declarations()[main]
    sign = -1 if score.direction == "lower" else 1
    there = [one for one in reference_scores(entry) if one.key == main]
    return max(there, key=lambda one: sign * one.value, default=None)


def scores_of(entry: Entry) -> list[ReferenceScore]:
    """What is shipped of an entry of one of `REFERENCE_MODELS`.

    Raises:
        ItemsError: It has no items.
    """
    data = entry.items().digest(measured=False)
    return [
        ReferenceScore(entry.task, entry.subset, entry.split, data, entry.model, key, entry.scores[key], *ends)
        for key in telling_keys(entry.measure)
        if key in entry.scores and not math.isnan(entry.scores[key]) and (ends := entry.interval(key)) is not None
    ]


def write(scores: Iterable[ReferenceScore], path: Path) -> None:
    """Write the shipped file; numbers have six digits after the point."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([one.name for one in fields(ReferenceScore)])
        for score in scores:
            writer.writerow([round(cell, 6) if isinstance(cell, float) else cell for cell in asdict(score).values()])


if __name__ == "__main__":
    found = [entry for folder in sys.argv[1:] for entry in load_results(folder, models=REFERENCE_MODELS).entries]
    write((score for entry in found for score in scores_of(entry)), Path(str(FILE)))
