"""Every task of this project, of either harness, by name and in the order of the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from harness_ext.catalogue import encoder_tasks, language_model_tasks
from harness_ext.catalogue.task import Task
from harness_ext.evaluators.measure import Measure

CATALOGUE: Mapping[str, Task] = {row.name: row for row in (*encoder_tasks.ROWS, *language_model_tasks.ROWS)}
"""Every task."""

ENCODER_TASKS: Mapping[str, Task] = {name: row for name, row in CATALOGUE.items() if row.harness == "mteb"}
"""The tasks whose result files are mteb's."""

LANGUAGE_MODEL_MEASURES: Mapping[str, Measure[Any]] = {
    row.measure.name: row.measure for row in CATALOGUE.values() if row.harness == "lm-eval"
}
"""The measures that a task for lm-eval may have, of this project or a user's own, by the name of the measure."""


@cache
def language_model_task(name: str, measure: str) -> Task:
    """The row of a task for lm-eval. A user's own task gets a row made from the first row with its measure.

    Args:
        name: The task's name.
        measure: The name of its measure, a key of `LANGUAGE_MODEL_MEASURES`.
    """
    known = [row for row in CATALOGUE.values() if row.harness == "lm-eval" and row.measure.name == measure]
    own = replace(known[0], name=name, languages={}, quick=name.endswith("_mini"))
    return next((row for row in known if row.name == name), own)


def task_order(task: Task) -> int:
    """The place of a task in the documentation; a user's own stands with the first of its measure."""
    names = [*CATALOGUE]
    known = [row.name for row in CATALOGUE.values() if row.measure.name == task.measure.name]
    return names.index(task.name if CATALOGUE.get(task.name) is task else known[0])
