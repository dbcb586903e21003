"""Rows of items that differ from the rows of the pinned dataset, and values that they leave out.

The plan of a measure has all rows before an encoder has seen them. Every submission must have the same values in the
columns that no encoder determines. A zero vector has no direction: its distances are NaN, and left out of the scores.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from harness_ext.data.sources import SourceError
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.measures.core.items import Items, Table
from harness_ext.results.entry import Entry
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import data_revision, load_rows

MOST_LEFT_OUT = 0.05
"""The largest share of a table's units that may leave out a value."""


def row_findings(entry: Entry, items: Items, *, of_baseline: bool = False) -> Iterator[Finding]:
    """Check the rows of an entry's items, and the values that they leave out: one finding per column.

    Without the pinned dataset the rows cannot be compared. A finding that is not `refused` says so.

    Args:
        entry: The entry.
        items: Its items.
        of_baseline: Whether they are the items of a baseline of the encoder.
    """
    place = entry.task, entry.split, entry.subset, entry.dataset_revision
    pinned = _plan(*place, _has_spans(items), of_baseline)
    if isinstance(pinned, SourceError):
        message = f"Their rows could not be compared with the pinned dataset: {str(pinned).splitlines()[0]}"
        yield Finding(entry.file, "items", "", "", message, refused=False)
        return
    if isinstance(pinned, ValueError):
        yield Finding(entry.file, "scores", f"{entry.split} {entry.subset}", "a split and a subset of the task",
                      str(pinned).splitlines()[0])  # fmt: skip
        return
    different = [Finding(entry.file, *contradiction) for contradiction in items.contradictions()]
    items = items.as_planned()
    for name, table in items.tables().items():
        different += _differences(entry, name, table, pinned.tables()[name])
    yield from different or _left_out_findings(entry, items, pinned)


def _has_spans(items: Items) -> bool:
    return any("span" in table.values().get("level", ()) for table in items.tables().values())


def _differences(entry: Entry, name: str, table: Table, pinned: Table) -> Iterator[Finding]:
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
        yield Finding.of_row(entry.file, (name, column, row), values[row].item(), expected[row].item(), message)


def _left_out_findings(entry: Entry, items: Items, pinned: Items) -> Iterator[Finding]:
    """Count the values left out, and find values and reasons that contradict the plan of the same rows."""
    tables = {name: table for name, table in items.tables().items() if len(table) == len(pinned.tables()[name])}
    missing = {name: _missing(table, pinned.tables()[name]) for name, table in tables.items()}
    for name, table in tables.items():
        yield from _contradictions(entry, name, table, pinned.tables()[name], missing[name])
    for name, columns in missing.items():
        if columns and (rows := np.any([*columns.values()], axis=0)).any():
            values, unit = tables[name].values(), entry.measure.unit
            units, unit = (values[unit], unit) if unit in values else (np.arange(len(rows)), "row")
            n, touched = len(np.unique(units)), len(np.unique(units[rows]))
            refused = touched > MOST_LEFT_OUT * n
            yield Finding(entry.file, name, f"zero vectors in {touched} of {n} ({touched / n:.1%})",
                          f"at most {MOST_LEFT_OUT:.0%}", f"{entry.split} {entry.subset}: {touched} of {n} values of "
                          f"{unit!r} are left out, wholly or in part.", refused)  # fmt: skip


def _missing(table: Table, pinned: Table) -> dict[str, np.ndarray]:
    """Measured column -> whether a number is missing although the data gives one, shape (n,)."""
    values = table.values()
    return {
        column: np.isnan(values[column]) & pinned.has_number(column)
        for column in table.measured()
        if column in values and values[column].dtype.kind == "f"
    }


def _contradictions(
    entry: Entry, name: str, table: Table, pinned: Table, missing: dict[str, np.ndarray]
) -> Iterator[Finding]:
    """Find numbers where the data gives none, and reasons that differ from the reasons in the data."""
    left_out = np.any([np.zeros(len(table), dtype=bool), *missing.values()], axis=0)
    for column, values in table.values().items():
        expected = pinned.values()[column]
        if column in missing:
            wrong = ~np.isnan(values) & ~pinned.has_number(column)
        elif column in table.measured() and values.dtype.kind == "U":
            wrong = (values != expected) & ~left_out | (values == "") & left_out
        else:
            continue
        if wrong.any():
            row = int(np.argmax(wrong))
            message = f"{int(wrong.sum())} values contradict the pinned dataset."
            yield Finding.of_row(entry.file, (name, column, row), values[row].item(), expected[row].item(), message)


@functools.lru_cache(maxsize=32)  # remembers failures too, so that a missing dataset is looked for once
def _plan(
    task_name: str, split: str, subset: str, revision: str, has_spans: bool, of_baseline: bool
) -> Items | SourceError | ValueError:
    """Plan the comparisons of a task on the dataset at that revision.

    Returns:
        The plan; a `SourceError` if the dataset is missing or another; a `ValueError` if it has no such split or
        subset.
    """
    task = ENCODER_TASKS[task_name]
    try:
        here = data_revision(task, split, subset)
        if here != revision:
            raise SourceError(f"that is here at the revision {here}, and not {revision}")
        plan: Items = task.measure.planned(load_rows(task, split, subset).to_list(), split)
    except (SourceError, ValueError) as error:
        return error
    if of_baseline:
        return plan.of_baselines()
    return plan if has_spans else plan.without_spans()
