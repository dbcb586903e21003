"""The benchmarks: named lists of tasks for `mteb run -b`."""

from importlib import import_module

import mteb
from mteb.benchmarks.benchmark import Benchmark

from harness_ext.common.random_states import random_states_kept
from harness_ext.common.wraps import find
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.task import CATEGORIES

COMPOSITIONALITY = (
    "Is a text encoder's meaning compositional where language is, and holistic where language is "
    f"not? Measured: {', '.join(filter(None, CATEGORIES))}. Of texts alone: mteb's own "
    "Compositionality tasks are of images."
)

COMPOSITIONALITY_MINI = (
    "The small version of each task of Compositionality, on data written for them or on fewer "
    "phrases: needs no download and runs in seconds; a first look, too small to rank models by."
)


@random_states_kept()  # mteb seeds everything when it makes a task
def register() -> None:
    """Add them to mteb's module of benchmarks, once our tasks are in its registry."""
    if find("mteb.get_tasks:_TASKS_REGISTRY") is None:
        return
    # which is no attribute of mteb.benchmarks yet
    benchmarks = import_module("mteb.benchmarks.benchmarks")
    for name, quick, description in (
        ("Compositionality", False, COMPOSITIONALITY),
        ("CompositionalityMini", True, COMPOSITIONALITY_MINI),
    ):
        tasks = [task for task, declared in ENCODER_TASKS.items() if declared.quick == quick]
        benchmark = Benchmark(
            name=name,
            tasks=mteb.get_tasks(tasks=tasks),
            description=description,
        )
        setattr(benchmarks, name, benchmark)
    listed = find("mteb.benchmarks.get_benchmark:_build_registry")
    if listed:
        listed.cache_clear()
