"""The registry, under its former name until every reader is moved."""

from harness_ext.tasks import ENCODER_TASKS, LANGUAGE_MODEL_MEASURES, TASKS, language_model_task, task_order

CATALOGUE = TASKS
__all__ = ["CATALOGUE", "ENCODER_TASKS", "LANGUAGE_MODEL_MEASURES", "language_model_task", "task_order"]
