"""Values that an entry leaves out of its scores. A zero vector has no direction: its distances are NaN."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness_ext.framework.items import Items, Table
from harness_ext.leaderboard.checks.finding import Finding, row_finding
from harness_ext.results.entry import Entry

MOST_LEFT_OUT = 0.05
"""The largest share of a table's units that may leave out a value."""


def left_out_findings(entry: Entry, items: Items, pinned: Items) -> Iterator[Finding]:
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
            yield row_finding(entry.file, (name, column, row), values[row].item(), expected[row].item(), message)
