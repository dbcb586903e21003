"""What a task measures beside its texts: time with spans, own words or all layers, against a plain encode."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tqdm import tqdm

from benchmarks.bench.clock import in_rounds, ratio, seconds
from benchmarks.bench.tasks import Workers, part_name
from harness_ext.data.sources import SourceError

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings
    from benchmarks.bench.tasks import Run

FULL = (
    *(("TypeTokenIdiomaticity", "spans", 1), ("NounCompoundAffinity", "spans", 5)),
    *(("NounCompoundScaledSimilarity", "spans", 7), ("EpsilonCompositionality", "own words", 1)),
    ("EpsilonCompositionality", "all layers", 10),
)
QUICK = (
    *(("NounCompoundScaledSimilarityMini", "spans", 12), ("MontagueConsistencyFast", "own words", 1)),
    ("MontagueConsistencyFast", "all layers", 4),
)
"""Tasks, what is measured beside their texts, and of how many rows one is taken."""


def additions(settings: Settings) -> Iterator[Row]:
    """Tasks measured by `mteb.evaluate` alone, with an addition, and a plain encode of their texts, in turn.

    *Spans* are the words inside sentences, *own words* the words of the texts by themselves, *all layers* what
    `harness-ext layers` measures, mean-pooled. Each way has a process of its own whose model is loaded and warm. The
    ratios are medians over the rounds, of processor time. The distinct texts of the task alone are encoded plainly.
    """
    cases = QUICK if settings.quick else FULL
    if settings.tasks:
        cases = tuple(case for case in FULL + QUICK if case[0] in settings.tasks)
    with ExitStack() as shared:
        workers = Workers(shared)
        for name, addition, every in tqdm(cases, desc="additions"):
            yield _measured(workers, settings, name, addition, every)


def _measured(workers: Workers, settings: Settings, name: str, addition: str, every: int) -> Row:
    row: Row = {"task": part_name(name, every), "addition": addition}

    def in_turn() -> dict[str, Run]:
        whole = workers.run("whole", settings.model, name, None, every)
        added = workers.run(addition, settings.model, name, None, every)
        return {"whole": whole, "added": added, "plain": workers.run("plain", settings.model, whole.texts)}

    try:
        runs = in_rounds(in_turn, settings)
    except SourceError as error:
        return {**row, "not measured": str(error).strip()}
    clock, processor = seconds(runs)
    return {
        **row,
        "texts": len(runs["whole"][0].texts),
        "runs": len(runs["plain"]),
        "plain encode, s": statistics.median(processor["plain"]),
        "task with it, s": statistics.median(processor["added"]),
        "task / plain": ratio(processor["whole"], processor["plain"]),
        "task with it / plain": ratio(processor["added"], processor["plain"]),
        "by the clock": ratio(clock["added"], clock["plain"]),
    }
