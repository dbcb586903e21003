"""Checks of a submitted result file before its scores are recomputed: dataset, splits and subsets, items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness_ext.json_files import DamagedFileError
from harness_ext.leaderboard.checks.finding import Finding, brief
from harness_ext.leaderboard.checks.submitted_files import items_problems
from harness_ext.names import pinned_revision
from harness_ext.results.entry import Entry
from harness_ext.results.load import is_own, read_result, task_of_result
from harness_ext.store.mteb_files import read_result_file
from harness_ext.tasks.task import Task


def file_findings(file: Path) -> Iterator[Finding]:
    """Check a result file before its scores are recomputed, and its files of items."""
    try:
        task, content, entries = task_of_result(file), read_result_file(file), read_result(file)
    except DamagedFileError as error:
        yield Finding(file, error.key, "", "", str(error))
        return
    revision = task.dataset["revision"]
    here = pinned_revision(content.dataset_revision)  # recomputed() reports unverified rows
    if here != revision and not is_own(file):
        yield Finding(file, "dataset_revision", brief(content.dataset_revision), revision,
                      "It was computed on another version of the dataset.")  # fmt: skip
    yield from _subset_findings(file, task, entries)
    yield from items_problems(file, task.measure.items)


def _subset_findings(file: Path, task: Task, entries: Sequence[Entry]) -> Iterator[Finding]:
    """Check that the task has these subsets. A missing split or subset is a note: it costs overall ranks."""
    submitted, expected = {entry.subset for entry in entries}, ", ".join(task.subsets)
    if submitted - {*task.subsets}:
        yield Finding(file, "scores", brief(sorted(submitted)), expected, "Subsets are unknown.")
    there = {(entry.split, entry.subset) for entry in entries}
    default = [(split, subset) for split in task.splits for subset in task.subsets]
    missing = [f"{split} {subset}" for split, subset in default if (split, subset) not in there]
    if missing and any(split in task.splits for split, _ in there):  # else it is another protocol
        yield Finding(file, "scores", "", "", f"It has no scores of {', '.join(missing)}. Without them the model gets "
                      f"no overall rank. Run the whole task: mteb run -m MODEL -t {file.stem}",
                      refused=False)  # fmt: skip
