"""The declaration of a task, under its former name until every reader is moved."""

from harness_ext.tasks.task import Task

__all__ = ["Task"]
