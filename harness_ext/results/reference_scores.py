"""Main scores of control encoders, as shipped, on the data that they were measured on.

Their signatures name data and measure, so a score is never shown beside other rows or another
version. Results of these encoders in a folder fill gaps between the shipped scores.
docs/reference_scores.py writes the file.
"""

import csv
import functools
import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.resources import files
from typing import NamedTuple

from harness_ext.common.names import REFERENCE_MODELS, control_label
from harness_ext.results.effects import Outcome
from harness_ext.results.entry import Entry
from harness_ext.results.ranks import ALPHA
from harness_ext.store.item_files import ItemsError

FILE = files("harness_ext.results") / "reference_scores.csv"


class ReferenceScore(NamedTuple):
    """A main score, with its 95 % interval, of one of `REFERENCE_MODELS`; dataset and measure are
    as in signatures.
    """

    task: str
    subset: str
    split: str
    dataset: str
    measure: str
    model: str
    value: float
    low: float
    high: float

    @property
    def measured(self) -> tuple[str, ...]:
        """Task, subset, split, dataset and measure, as `_measured` returns them."""
        return self[:5]

    @property
    def name(self) -> str:
        """What tables call the encoder."""
        return control_label(self.model)


@functools.cache
def _shipped() -> Mapping[tuple[str, ...], list[ReferenceScore]]:
    """What was measured, as `_measured` -> scores."""
    shipped: dict[tuple[str, ...], list[ReferenceScore]] = {}
    for cells in csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()):
        score = ReferenceScore(
            task=cells["task"],
            subset=cells["subset"],
            split=cells["split"],
            dataset=cells["dataset"],
            measure=cells["measure"],
            model=cells["model"],
            value=float(cells["value"]),
            low=float(cells["low"]),
            high=float(cells["high"]),
        )
        shipped.setdefault(score.measured, []).append(score)
    return shipped


def _measured(entry: Entry) -> tuple[str, ...]:
    """Task, subset, split, dataset and measure: scores of the same can be compared. Empty of an
    earlier definition.
    """
    signed = entry.signature
    if signed is None or entry.is_of_another_version:
        return ()
    return (*entry.measured_on, signed.dataset, signed.measure)


def reference_scores(
    entry: Entry,
    entries: Iterable[Entry] = (),
) -> tuple[ReferenceScore, ...]:
    """Main scores of control encoders, measured as an entry was, in the order of
    `REFERENCE_MODELS`.

    Those among other results fill gaps: anyone may have made them, so they never replace shipped
    scores.

    Args:
        entry: The entry.
        entries: Other results.
    """
    by_model: dict[str, ReferenceScore] = {}
    for other in entries:
        if other.is_baseline and _measured(other) == _measured(entry):
            score = score_of(other)
            if score:
                by_model[score.model] = score
    for score in _shipped().get(_measured(entry), ()):
        by_model[score.model] = score
    return tuple(by_model[name] for name in REFERENCE_MODELS if name in by_model)


def best_reference(
    entry: Entry,
    entries: Iterable[Entry] = (),
) -> ReferenceScore | None:
    """The control encoder with the best main score; arguments as above."""
    return max(reference_scores(entry, entries), key=lambda score: score.value, default=None)


def lead(
    entry: Entry,
    entries: Iterable[Entry] = (),
) -> tuple[ReferenceScore, Outcome] | None:
    """Hold an entry against the best control encoder.

    Args:
        entry: The entry.
        entries: Other results. An encoder that is among them, with its items, is compared on the
            same units. Of others, both intervals are taken as those of independent scores.

    Returns:
        That encoder's score, and whether the entry is above or below it, with a two-sided p below
        .05, or inconclusive. None where no such encoder was measured so, or the entry has no
        interval.
    """
    entries = [*entries]
    best = best_reference(entry, entries)
    interval = entry.interval()
    if best is None or interval is None:
        return None
    difference = entry.main_score - best.value
    if not _differs(entry, interval, best, entries):
        return best, Outcome.INCONCLUSIVE
    return best, Outcome.ABOVE if difference > 0 else Outcome.BELOW


def _differs(
    entry: Entry,
    interval: tuple[float, float],
    best: ReferenceScore,
    entries: Iterable[Entry],
) -> bool:
    """Whether an entry differs significantly from a control encoder: on the same units if its
    items are among the entries, else by both intervals.
    """
    for other in entries:
        if other.model != best.model or _measured(other) != _measured(entry):
            continue
        with suppress(ItemsError):
            return entry.difference(other, entry.measure.main).p_value < ALPHA
        break
    half_width = (interval[1] - interval[0]) / 2
    half_width_of_best = (best.high - best.low) / 2
    distance = abs(entry.main_score - best.value)
    return distance > math.hypot(half_width, half_width_of_best)


def score_of(entry: Entry) -> ReferenceScore | None:
    """The main score of an entry of one of `REFERENCE_MODELS`; None of another version, or without
    an interval.
    """
    ends = entry.interval()
    measured = _measured(entry)
    if not measured or not ends:
        return None
    task, subset, split, dataset, measure = measured
    low, high = ends
    return ReferenceScore(
        task=task,
        subset=subset,
        split=split,
        dataset=dataset,
        measure=measure,
        model=entry.model,
        value=entry.main_score,
        low=low,
        high=high,
    )
