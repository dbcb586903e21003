"""Every task of this project, of either harness, by name and in the order of the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness_ext.catalogue import encoder_tasks, language_model_tasks

if TYPE_CHECKING:
    from collections.abc import Mapping

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
