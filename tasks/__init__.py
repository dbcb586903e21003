"""Every task of this project, of either harness, by name and in the order of the documentation.

A module of this package declares tasks in its tuple `TASKS`; that is all it takes. Declarations are
read without mteb, so that results can be. `harness_ext.tasks.NAME` is mteb's class of the task,
made from its declaration on first access.
"""

import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

from harness_ext.common.names import OWN
from harness_ext.measures.core.measure import EncoderMeasure, Measure
from harness_ext.measures.kinds.pair_classes import PAIR_CLASSES
from harness_ext.measures.kinds.rated_pairs import RATED_PAIRS
from harness_ext.measures.kinds.retrieval import RETRIEVAL
from harness_ext.measures.kinds.triplets import TRIPLETS
from harness_ext.tasks.task import CATEGORIES, Task

_MODULES = [name for _, name, is_package in pkgutil.iter_modules(__path__) if not is_package]


def _declared() -> list[Task]:
    tasks: list[Task] = []
    for name in _MODULES:
        module = import_module(f"{__name__}.{name}")
        tasks += getattr(module, "TASKS", ())
    more_categories = {task.category for task in tasks} - {*CATEGORIES}
    categories = [*CATEGORIES, *sorted(more_categories)]

    def place(task: Task) -> tuple[bool, int]:
        return task.harness == "lm-eval", categories.index(task.category)

    return sorted(tasks, key=place)


TASKS: Mapping[str, Task] = {task.name: task for task in _declared()}  # every task

ENCODER_TASKS: Mapping[str, Task] = {
    name: task for name, task in TASKS.items() if task.harness == "mteb"
}
"""The tasks whose result files are mteb's."""

DEMO_TASKS = tuple(name for name, task in ENCODER_TASKS.items() if task.in_demo)
"""The names of those that `harness-ext demo` runs."""

_MEASURES_OF_TASKS = [task.encoder_measure for task in ENCODER_TASKS.values()]

ENCODER_MEASURES: Mapping[str, EncoderMeasure[Any]] = {
    measure.name: measure
    for measure in (*_MEASURES_OF_TASKS, TRIPLETS, RATED_PAIRS, PAIR_CLASSES, RETRIEVAL)
}
"""The measures that a task for mteb may have: those of the tasks, and the four kinds for a user's
own rows.
"""

LANGUAGE_MODEL_MEASURES: Mapping[str, Measure[Any]] = {
    task.measure.name: task.measure for task in TASKS.values() if task.harness == "lm-eval"
}
"""The measures that a task for lm-eval may have, of this project or a user's own, by the name of
the measure.
"""


def declared_task(name: str, measure: str) -> Task:
    """The declaration of a task; that of a task on a user's own data is made of its measure, by the
    measure's name.

    Raises:
        KeyError: There is no such task, nor such a measure.
    """
    return _own_task(name, measure) if name.startswith(OWN) else TASKS[name]


@cache  # one for each name and measure in results
def _own_task(name: str, measure: str) -> Task:
    if measure not in ENCODER_MEASURES:
        raise KeyError(f"{measure}: no such measure of encoders")
    known = ENCODER_MEASURES[measure]
    return Task(
        name=name,
        measure=known,
        description=f"{known.question} On own data.",
        dataset={"path": name, "revision": ""},
        languages={"default": ()},
        splits=(),
    )


@cache  # the same
def language_model_task(name: str, measure: str) -> Task:
    """The declaration of a task for lm-eval. A user's own task gets one made from the first task
    with its measure.
    """
    known = TASKS.get(name)
    if known is not None and known.harness == "lm-eval" and known.measure.name == measure:
        return known
    tasks = [task for task in TASKS.values() if task.harness == "lm-eval"]
    like = next(task for task in tasks if task.measure.name == measure)
    return replace(like, name=name, languages={}, quick=name.endswith("_mini"))


def task_order(task: Task) -> int:
    """The place of a task in the documentation; a user's own stands with the first of its measure,
    or last.
    """
    if TASKS.get(task.name) is task:
        return [*TASKS].index(task.name)
    measures = [other.measure.name for other in TASKS.values()]
    if task.measure.name not in measures:
        return len(measures)
    return measures.index(task.measure.name)


def __getattr__(name: str) -> Any:
    if name not in ENCODER_TASKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module("mteb")  # whose import registers the classes
    return import_module("harness_ext.harnesses.mteb.task").task_class(ENCODER_TASKS[name])
