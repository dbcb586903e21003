"""The rows of a task, loaded from its dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness_ext.tasks.task import Task

if TYPE_CHECKING:
    from datasets import Dataset


def load_rows(task: Task, split: str, subset: str) -> Dataset:
    """The rows of one split of one subset; the source files of other splits may be missing.

    Raises:
        ValueError: There is no such split or subset; lists those that there are.
        SourceError: A source file is not available or is not the pinned file.
    """
    if subset not in task.subsets:
        raise ValueError(
            f"{task.name} has no subset {subset!r}. There are: {', '.join(task.subsets)}."
        )
    return task.load(split, subset)


def data_revision(
    task: Task,
    split: str | None = None,
    subset: str | None = None,
) -> str:
    """The revision of the data as it would be loaded now: says whether its source files are the
    pinned ones.

    By default of all splits and subsets: mteb keeps one revision with a result file, and it is that
    of the worst.

    Raises:
        OSError: A file cannot be read.
    """
    # not above: declarations are read without it
    from harness_ext.data.builder import builder_class

    own_revision = task.own_revision()
    if own_revision is not None:
        return own_revision
    builder = builder_class(task.dataset["path"])
    configs = task.dataset_configs(split, subset)
    suffix = builder.revision_suffix(*configs, split=split)
    return task.dataset["revision"] + suffix
