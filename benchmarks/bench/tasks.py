"""Every task against a plain encode of its texts: time, peak memory, and what keeping its items
costs.
"""

from __future__ import annotations

import functools
import multiprocessing
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from multiprocessing.pool import Pool
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from benchmarks.bench.clock import Spent, in_rounds, now, peak_megabytes, ratio, seconds, spent
from harness_ext.data.sources import SourceError

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings

Case = tuple[str, tuple[str, ...] | None]
"""A task with its eval splits, None for its own."""

FULL: tuple[Case, ...] = (
    ("TypeTokenIdiomaticity", None),
    ("EpsilonCompositionality", None),
    ("PolaritySensitivity", None),
    ("PolaritySensitivity", ("reference_trained_on_dev",)),
    ("TreeReconstruction", None),
    ("MontagueConsistency", None),
    ("NounCompoundAffinity", None),
    ("NounCompoundScaledSimilarity", None),
)
SMALL: tuple[Case, ...] = (
    ("EpsilonCompositionalityMini", None),
    ("NounCompoundAffinityMini", None),
    ("NounCompoundScaledSimilarityMini", None),
    ("MontagueConsistencyFast", None),
    ("PolaritySensitivityMini", None),
    ("TreeReconstructionMini", None),
)
QUICK: tuple[Case, ...] = (
    ("CaptionSwapMini", None),
    ("NounCompoundAffinityMini", None),
)

BATCH_SIZE = 32


class Run(NamedTuple):
    """A run of one way of doing a task.

    Attributes:
        time: Of all of it; the model was loaded, and warm.
        peak: Of the process so far, in MB.
        texts: What was encoded, distinct; nothing for a plain encode.
        metrics: Processor seconds of measuring without encoding.
        items: Of writing the items to disk.
        items_megabytes: Their size there.
    """

    time: Spent
    peak: float
    texts: Sequence[str] = ()
    metrics: float = 0.0
    items: Spent = Spent(0, 0)
    items_megabytes: float = 0.0


def tasks(settings: Settings) -> Iterator[Row]:
    """Each task, measured by `mteb.evaluate` (data, encoding, metrics, result files), against a
    plain encode.

    The plain encode is one call of the model's own `encode` for the distinct texts. Both run in
    turn, each in a process of its own whose model is loaded and warm; the ratios are medians over
    the pairs of runs. Memory is the peak of the whole task's process over that of the plain
    encode's. Seconds are processor time. Words inside sentences and own words are not measured
    here.
    """
    cases = QUICK if settings.quick else FULL + SMALL
    if settings.tasks:
        cases = tuple(case for case in FULL + SMALL if case[0] in settings.tasks)
    with ExitStack() as shared:
        workers = Workers(shared)
        for name, splits in tqdm(cases, desc="tasks"):
            if settings.quick:
                yield measured(workers, settings, name, splits)
            else:  # new processes, as the peak of one that has done another task says nothing
                with ExitStack() as own:
                    yield measured(Workers(own), settings, name, splits)


class Workers:
    """A process for each way of doing tasks."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._pools: dict[str, Pool] = {}

    def run(self, way: str, *arguments: Any) -> Run:
        """A run of a way in the process of that way.

        Raises:
            SourceError: The data are not at hand.
        """
        if way not in self._pools:
            context = multiprocessing.get_context("spawn")
            pool = context.Pool(1)
            self._stack.callback(pool.join)
            self._stack.callback(pool.close)
            self._pools[way] = pool
        return self._pools[way].apply(_run, (way, *arguments))


def measured(
    workers: Workers,
    settings: Settings,
    name: str,
    splits: tuple[str, ...] | None,
) -> Row:
    """The row of one task."""
    row: Row = {"task": f"{name} ({', '.join(splits)})" if splits else name}

    def in_turn() -> dict[str, Run]:
        whole = workers.run("whole", settings.model, name, splits)
        plain = workers.run("plain", settings.model, whole.texts)
        return {"whole": whole, "plain": plain}

    try:
        runs = in_rounds(in_turn, settings)
    except SourceError as error:
        return {**row, "not measured": str(error).strip()}
    clock, processor = seconds(runs)
    first = runs["whole"][0]
    peak_over_plain = first.peak - runs["plain"][0].peak
    return {
        **row,
        "texts": len(first.texts),
        "runs": len(runs["plain"]),
        "plain encode, s": statistics.median(processor["plain"]),
        "whole task, s": statistics.median(processor["whole"]),
        "ratio": ratio(processor["whole"], processor["plain"]),
        "ratio by the clock": ratio(clock["whole"], clock["plain"]),
        "metrics alone, s": statistics.median(run.metrics for run in runs["whole"]),
        "peak memory over plain, MB": None if settings.quick else peak_over_plain,
        "items, s": statistics.median(run.items.processor for run in runs["whole"]),
        "items, MB": first.items_megabytes,
    }


@functools.cache
def _model(name: str) -> Any:
    """The model, warm: it has encoded, and a task of another model has imported what tasks
    import.
    """
    import mteb
    import mteb.timing

    # the stopwatch of the phases of a task
    mteb.timing.time = SimpleNamespace(monotonic=time.process_time)
    random_encoder = mteb.get_model("mteb/baseline-random-encoder")
    evaluated(random_encoder, "PolaritySensitivityMini", None)
    model = mteb.get_model(name)
    model.model.encode(
        ["Search teams combed the ocean floor before they found the black box."] * BATCH_SIZE
    )
    return model


class SentencesOnly:
    """An mteb encoder that keeps the texts it was given, and hides that it has vectors of the words
    inside.
    """

    def __init__(self, model: Any) -> None:
        self.mteb_model_meta = model.mteb_model_meta
        self.similarity = model.similarity
        self.similarity_pairwise = model.similarity_pairwise
        self.texts: dict[str, None] = {}
        self.tokenizer = model.model.tokenizer  # texts of as many tokens are encoded together
        self._sentence_model = model

    def encode(self, inputs: Any, **kwargs: Any) -> Any:
        """As the model's own."""
        for batch in inputs:
            self.texts.update(dict.fromkeys(batch["text"]))
        return self._sentence_model.encode(inputs, **kwargs)


def evaluated(model: Any, name: str, splits: tuple[str, ...] | None) -> tuple[Any, Any]:
    """The task after a run, and its result."""
    import mteb

    task = _task(name, splits)
    with tempfile.TemporaryDirectory() as folder:
        cache = mteb.ResultCache(folder)
        results = mteb.evaluate(
            model,
            task,
            cache=cache,
            overwrite_strategy="always",
            show_progress_bar=False,
        )
    return task, results.task_results[0]


def _task(name: str, splits: tuple[str, ...] | None) -> Any:
    import mteb

    eval_splits = list(splits) if splits else None
    (task,) = mteb.get_tasks(tasks=[name], eval_splits=eval_splits)
    return task


def _whole(model: SentencesOnly, name: str, splits: tuple[str, ...] | None) -> Run:
    """A task with a model."""
    # so that the rows are prepared, which is done once on any machine
    _task(name, splits).load_data()
    start = now()
    task, result = evaluated(model, name, splits)
    took = now() - start
    phases: dict[str, float] = defaultdict(float)
    for phase in result.evaluation_phases:
        phases[phase["name"]] += phase["end"] - phase["start"]
    items, megabytes = _cost_of_items(task)
    return Run(
        took,
        peak_megabytes(),
        list(model.texts),
        metrics=phases["Measuring"] - phases["Encoding"],
        items=items,
        items_megabytes=megabytes,
    )


def _cost_of_items(task: Any) -> tuple[Spent, float]:
    from harness_ext.store.item_files import keep, write_kept

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "result.json")

        def write() -> None:
            for items in task.items.values():
                write_kept(file, type(items), [keep(items)])

        took = spent(write)
        files = Path(folder).iterdir()
        n_bytes = sum(file.stat().st_size for file in files)
        return took, n_bytes / 1e6


def _run(way: str, model_name: str, *arguments: Any) -> Run:
    """In the process of a way."""
    model = _model(model_name)
    if way == "whole":
        return _whole(SentencesOnly(model), *arguments)
    (texts,) = arguments

    def encode() -> None:
        model.model.encode(texts, batch_size=BATCH_SIZE, show_progress_bar=False)

    took = spent(encode)
    return Run(took, peak_megabytes())
