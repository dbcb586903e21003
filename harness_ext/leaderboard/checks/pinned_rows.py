"""Rows of items that differ from the rows of the pinned dataset, and values that they leave out.

The plan of a measure has all rows before an encoder has seen them. Every submission must have the same values in the
columns that no encoder determines. A zero vector has no direction: its distances are NaN, and left out of the scores.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

import numpy as np

from harness_ext.common.arrays import Flags
from harness_ext.data.sources import SourceError
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.outlines import Outline, Planned, shipped_outline
from harness_ext.measures.core.baseline_keys import ADDITIVE, Baseline
from harness_ext.measures.core.items import COSINE, Items, Table
from harness_ext.results.entry import Entry
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import data_revision, load_rows

MOST_LEFT_OUT = 0.01
"""The largest share of a table's units that may leave out a value."""

SAME = 1e-6
"""Distances and cosines of equal vectors may be this far from 0 and 1."""

NOT_COMPARED = "items.rows"
"""The key of the note that the rows could not be compared."""


def row_findings(entry: Entry, items: Items, baseline: Baseline | None = None) -> Iterator[Finding]:
    """Check the rows of an entry's items, and the values that they leave out: one finding per column.

    The rows are compared with the shipped outline of their plan, else with the dataset. Without both they cannot be
    compared. A finding that is not `refused` says so.

    Args:
        entry: The entry.
        items: Its items.
        baseline: The baseline of the encoder that they are the items of; None for its own.
    """
    different = [Finding(entry.file, *contradiction) for contradiction in items.contradictions()]
    items = items.as_planned()
    of = "baselines" if baseline else "spans" if _has_spans(items) else "texts"
    planned = Planned(entry.task, entry.split, entry.subset, entry.dataset_revision, of)
    outline = shipped_outline(planned)
    if outline is None or items.digest(measured=False) != outline.digest:
        pinned = _plan(planned)
        if isinstance(pinned, SourceError) and outline is None:
            message = f"Their rows could not be compared with the pinned dataset: {str(pinned).splitlines()[0]}"
            yield Finding(entry.file, NOT_COMPARED, "", "", message, refused=False)
            return
        if isinstance(pinned, SourceError):
            yield Finding(entry.file, "items", "other rows", "those of the pinned dataset", f"The rows of the items of "
                          f"{entry.split} {entry.subset} are missing, doubled or changed.")  # fmt: skip
            return
        if isinstance(pinned, ValueError):
            yield Finding(entry.file, "scores", f"{entry.split} {entry.subset}", "a split and a subset of the task",
                          str(pinned).splitlines()[0])  # fmt: skip
            return
        for name, table in items.tables().items():
            different += _differences(entry, name, table, pinned.tables()[name])
        outline = outline or Outline.of(pinned)
    if not different and baseline == ADDITIVE:
        different += _word_order_findings(entry, items, outline)
    yield from different or _left_out_findings(entry, items, outline)


def _word_order_findings(entry: Entry, items: Items, outline: Outline) -> Iterator[Finding]:
    """Find texts of the same words that the additive baseline compares as different: its order of words is free."""
    for name, table in items.tables().items():
        for column, rows in ((column, outline.same_words.get(f"{name}.{column}")) for column in table.measured()):
            if rows is None:
                continue
            values, same = table.values()[column], float(table.measured()[column].range == COSINE)
            wrong = rows[: len(table)] & (np.abs(values - same) > SAME)
            if wrong.any():
                place, message = int(np.argmax(wrong)), f"{int(wrong.sum())} pairs of texts have the same words, but "
                yield Finding.of_row(entry.file, (name, column, place), float(values[place]), same, message +
                                     "another additive baseline.")  # fmt: skip


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


def _left_out_findings(entry: Entry, items: Items, outline: Outline) -> Iterator[Finding]:
    """Count the values left out, and find values and reasons that contradict the plan of the same rows."""
    missing = {name: _missing(name, table, outline) for name, table in items.tables().items()}
    for name, table in items.tables().items():
        yield from _contradictions(entry, name, table, outline, missing[name])
    for name, columns in missing.items():
        if columns and (rows := np.any([*columns.values()], axis=0)).any():
            values, unit = items.tables()[name].values(), entry.measure.unit
            units, unit = (values[unit], unit) if unit in values else (np.arange(len(rows)), "row")
            n, touched = len(np.unique(units)), len(np.unique(units[rows]))
            refused = touched > MOST_LEFT_OUT * n
            yield Finding(entry.file, name, f"zero vectors in {touched} of {n} ({touched / n:.1%})",
                          f"at most {MOST_LEFT_OUT:.0%}", f"{entry.split} {entry.subset}: {touched} of {n} values of "
                          f"{unit!r} are left out, wholly or in part.", refused)  # fmt: skip


def _has_number(name: str, table: Table, outline: Outline, column: str) -> Flags:
    """Where the data gives a number in a measured column, shape (n,)."""
    without = outline.without_number.get(f"{name}.{column}")
    return np.ones(len(table), dtype=bool) if without is None else ~without[: len(table)]


def _missing(name: str, table: Table, outline: Outline) -> dict[str, Flags]:
    """Measured column -> whether a number is missing although the data gives one, shape (n,)."""
    values = table.values()
    return {
        column: np.isnan(values[column]) & _has_number(name, table, outline, column)
        for column in table.measured()
        if column in values and values[column].dtype.kind == "f"
    }


def _contradictions(
    entry: Entry, name: str, table: Table, outline: Outline, missing: Mapping[str, Flags]
) -> Iterator[Finding]:
    """Find numbers where the data gives none, and reasons that differ from the reasons in the data."""
    left_out = np.any([np.zeros(len(table), dtype=bool), *missing.values()], axis=0)
    for column, values in table.values().items():
        reasons = outline.reasons.get(f"{name}.{column}")
        if column in missing:
            wrong = ~np.isnan(values) & ~_has_number(name, table, outline, column)
        elif reasons is not None:
            wrong = (values != reasons) & ~left_out | (values == "") & left_out
        else:
            continue
        if wrong.any():
            row = int(np.argmax(wrong))
            message = f"{int(wrong.sum())} values contradict the pinned dataset."
            expected = "no number" if reasons is None else reasons[row].item()
            yield Finding.of_row(entry.file, (name, column, row), values[row].item(), expected, message)


@functools.lru_cache(maxsize=32)  # remembers failures too, so that a missing dataset is looked for once
def _plan(planned: Planned) -> Items | SourceError | ValueError:
    """Plan the comparisons of a task on the dataset at that revision.

    Returns:
        The plan; a `SourceError` if the dataset is missing or another; a `ValueError` if it has no such split or
        subset.
    """
    task, split, subset = ENCODER_TASKS[planned.task], planned.split, planned.subset
    try:
        here = data_revision(task, split, subset)
        if here != planned.revision:
            raise SourceError(f"that is here at the revision {here}, and not {planned.revision}")
        plan: Items = task.measure.planned(load_rows(task, split, subset).to_list(), split)
    except (SourceError, ValueError) as error:
        return error
    if planned.of == "baselines":
        return plan.of_baselines()
    return plan if planned.of == "spans" else plan.without_spans()
