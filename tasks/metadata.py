"""mteb's metadata of a task, made from its row of the catalogue."""

from __future__ import annotations

from mteb.abstasks.task_metadata import TaskMetadata

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.tasks.abstask import PROMPT


def task_metadata(name: str) -> TaskMetadata:
    """The metadata of the task with this name.

    Raises:
        KeyError: The catalogue has no such task for mteb.
    """
    row = ENCODER_TASKS[name]
    languages = {subset: list(found) for subset, found in row.languages.items()}
    common = {
        "type": "Compositionality",
        "category": "t2t",
        "modalities": ["text"],
        "prompt": PROMPT,
        "task_subtypes": [],
        "dialect": [],
    }
    return TaskMetadata(
        **{
            **common,
            **row.about,
            "name": row.name,
            "description": row.description,
            "dataset": dict(row.dataset),
            "eval_splits": list(row.splits),
            "eval_langs": languages if row.has_subsets else languages["default"],
            "main_score": row.measure.main,
        }
    )
