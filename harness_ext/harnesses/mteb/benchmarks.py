"""The benchmarks: named lists of tasks for `mteb run -b`."""

from __future__ import annotations

from importlib import import_module

import mteb
from mteb.benchmarks.benchmark import Benchmark
from mteb.benchmarks.get_benchmark import _build_registry

from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.task import CATEGORIES

COMPOSITIONALITY = Benchmark(
    name="Compositionality",
    tasks=mteb.get_tasks(tasks=[name for name, task in ENCODER_TASKS.items() if not task.quick]),
    description=(
        "Is a text encoder's meaning compositional where language is, and holistic where language is not? Measured: "
        f"{', '.join(filter(None, CATEGORIES))}. Of texts alone: mteb's own Compositionality tasks are of images."
    ),
)

COMPOSITIONALITY_MINI = Benchmark(
    name="CompositionalityMini",
    tasks=mteb.get_tasks(tasks=[name for name, task in ENCODER_TASKS.items() if task.quick]),
    description=(
        "The small version of each task of Compositionality, on data written for them or on fewer phrases: needs no "
        "download and runs in seconds; a first look, too small to rank models by."
    ),
)

BENCHMARKS = (COMPOSITIONALITY, COMPOSITIONALITY_MINI)


def register() -> None:
    """Add them to mteb's module of benchmarks, once our tasks are in its registry."""
    benchmarks = import_module("mteb.benchmarks.benchmarks")  # which is no attribute of mteb.benchmarks yet
    for benchmark in BENCHMARKS:
        setattr(benchmarks, benchmark.name, benchmark)
    _build_registry.cache_clear()
