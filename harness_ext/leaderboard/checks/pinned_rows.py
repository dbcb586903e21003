"""Rows of items that differ from the rows of the pinned dataset.

The rows do not depend on the model. So the task itself compares random vectors, by its own code. Every submission must
have the same values in the columns that no encoder determines.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.arrays import Floats
from harness_ext.data.sources import SourceError
from harness_ext.evaluators import polarity_items
from harness_ext.evaluators.items import Items, Table
from harness_ext.leaderboard.checks.finding import Finding, row_finding
from harness_ext.leaderboard.checks.left_out import left_out_findings
from harness_ext.names import pinned_revision

if TYPE_CHECKING:
    from harness_ext.encoders.texts import SpanTable
    from harness_ext.results.entry import Entry


class _MadeUp:
    """An encoder as a task sees it. Its vectors are random; none is zero."""

    def __init__(self, split: str, has_spans: bool, adds_up_words: bool) -> None:
        self.hf_split = split
        self.has_spans = has_spans
        self.adds_up_words = adds_up_words

    def __call__(self, texts: list[str]) -> Floats:
        return np.random.default_rng(0).normal(size=(len(texts), 4))

    def with_spans(self, texts: list[str], table: SpanTable, **_: Any) -> tuple[Floats, ...]:
        return self(texts), self(table.sentences)


def row_findings(entry: Entry, items: Items, *, of_words: bool = False) -> Iterator[Finding]:
    """Check the rows of an entry's items, and the values that they leave out: one finding per column.

    Without the pinned dataset the rows cannot be compared. A finding that is not `refused` says so.

    Args:
        entry: The entry.
        items: Its items.
        of_words: Whether they are the items of the encoder's own words.
    """
    place = entry.task, entry.split, entry.subset, entry.dataset_revision
    pinned = _pinned_items(*place, _has_spans(items), of_words)
    if isinstance(pinned, SourceError):
        message = f"Their rows could not be compared with the pinned dataset: {str(pinned).splitlines()[0]}"
        yield Finding(entry.file, "items", "", "", message, refused=False)
        return
    if isinstance(pinned, ValueError):
        yield Finding(entry.file, "scores", f"{entry.split} {entry.subset}", "a split and a subset of the task",
                      str(pinned).splitlines()[0])  # fmt: skip
        return
    different = [
        finding
        for name, table in items.tables().items()
        for finding in _differences(entry, name, table, pinned.tables()[name])
    ]
    yield from different or left_out_findings(entry, items, pinned)


def _has_spans(items: Items) -> bool:
    return any("span" in table.values().get("level", ()) for table in items.tables().values())


def _differences(entry: Entry, name: str, table: Table, pinned: Table) -> Iterator[Finding]:
    if isinstance(table, polarity_items.FineTunings):
        return
    if isinstance(table, polarity_items.PolarityAnswers | polarity_items.HeldOutAnswers):
        yield from _fine_tuning_differences(entry, name, table)
        table = table[table.mode == "fb"]
    where = f"the items of {entry.split} {entry.subset}"
    if len(table) != len(pinned):
        yield Finding(entry.file, name, f"{len(table)} rows", f"{len(pinned)} rows",
                      f"Rows of {where} are missing or doubled.")  # fmt: skip
        return
    for column, values in table.values().items():
        expected = pinned.values()[column]
        if column in table.measured() or np.array_equal(values, expected, equal_nan=values.dtype.kind == "f"):
            continue
        row = int(np.argmax(values != expected))
        message = f"The rows of {where} differ from the pinned dataset."
        yield row_finding(entry.file, (name, column, row), values[row].item(), expected[row].item(), message)


def _fine_tuning_differences(
    entry: Entry, name: str, table: polarity_items.PolarityAnswers | polarity_items.HeldOutAnswers
) -> Iterator[Finding]:
    """Check that each training of the encoder, if there is any, was asked the rows of the frozen encoder."""
    unit = table.values()["pair" if isinstance(table, polarity_items.PolarityAnswers) else "row"]
    training = list(zip(table.mode.tolist(), table.classifier.tolist(), table.seed.tolist(), strict=True))
    asked: dict[tuple[str, str, int], list[str]] = {one: [] for one in training}
    for one, row in zip(training, unit.tolist(), strict=True):
        asked[one].append(row)
    frozen = asked.get(("fb", "linear", 0))
    for one, rows in asked.items():
        if rows != frozen:
            yield Finding(entry.file, f"{name} of {' '.join(map(str, one))}", f"{len(rows)} rows",
                          f"{len(frozen or ())} rows", "This training was asked other rows than the frozen "
                          "encoder.")  # fmt: skip


@functools.lru_cache(maxsize=32)  # remembers failures too, so that a missing dataset is looked for once
def _pinned_items(
    task_name: str, split: str, subset: str, revision: str, has_spans: bool, of_words: bool
) -> Items | SourceError | ValueError:
    """Make the items of random vectors on the dataset at that revision.

    Returns:
        The items; a `SourceError` if the dataset is missing or another; a `ValueError` if it has no such split or
        subset.
    """
    try:
        return _made_up_items(task_name, split, subset, revision, _MadeUp(split, has_spans, of_words))
    except (SourceError, ValueError) as error:
        return error


def _made_up_items(task_name: str, split: str, subset: str, revision: str, encode: Any) -> Items:
    from harness_ext.tasks.every_task import TASKS  # not above: it imports mteb, which other checks do without

    task = next(task for task in TASKS if task.metadata.name == task_name)()
    task.max_steps = 0  # the rows do not depend on a fit
    if task.metadata.revision == pinned_revision(revision):  # another one may have other splits and subsets
        task = task.filter_eval_splits([split])
        if task.metadata.is_multilingual:
            task = task.filter_languages(None, hf_subsets=[subset])
        task.load_data()
    here = task.revisions.get((split, subset), task.metadata.revision)
    if here != revision:
        raise SourceError(f"that is here at the revision {here}, and not {revision}")
    return task.compare(task.rows(split, subset), encode)
