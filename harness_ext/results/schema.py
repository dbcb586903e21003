"""A JSON Schema of each task's result file, made from the declared scores."""

from __future__ import annotations

import math
from typing import Any

from harness_ext.names import ALL_TASKS, WITHOUT_VECTOR, unknown_name
from harness_ext.store.item_files import ENDINGS
from harness_ext.tasks import ENCODER_TASKS


def result_schema(task_name: str) -> dict[str, Any]:
    """The schema (draft 2020-12) of the result file of a task.

    Raises:
        UnknownNameError: There is no such task.
    """
    if task_name not in ENCODER_TASKS:
        raise unknown_name("task", task_name, ENCODER_TASKS, ALL_TASKS)
    measure = ENCODER_TASKS[task_name].measure
    properties: dict[str, Any] = {
        key: {"type": "number", "title": score.title, "description": score.formula, **_bounds(*score.range)}
        for key, (score, _) in measure.declarations().items()
    }
    text = {"type": "string"}
    entry = {
        "type": "object",
        "properties": {
            **properties,
            "main_score": properties[measure.main],
            "hf_subset": text,
            "languages": {"type": "array", "items": text},
            "mteb_version": text,
            WITHOUT_VECTOR: {"type": "integer", "minimum": 0},
            "signature": text,
            **{key: {"type": "string", "pattern": "^[0-9a-f]{64}$"} for key in ENDINGS},
        },
        "required": ["main_score", "hf_subset", "languages", measure.main],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Result of {task_name}",
        "type": "object",
        "properties": {
            "task_name": {"const": task_name},
            "dataset_revision": text,
            "mteb_version": text,
            "evaluation_time": {"type": ["number", "null"]},
            "kg_co2_emissions": {"type": ["number", "null"]},
            "date": {"type": ["number", "null"]},
            "evaluation_phases": {"type": ["array", "null"]},
            "scores": {"type": "object", "additionalProperties": {"type": "array", "items": entry}},
        },
        "required": ["task_name", "dataset_revision", "scores"],
        "additionalProperties": False,
    }


def _bounds(low: float, high: float) -> dict[str, float]:
    return {"minimum": low} if math.isinf(high) else {"minimum": low, "maximum": high}
