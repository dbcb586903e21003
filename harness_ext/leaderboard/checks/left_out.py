"""Values that items leave out although the data gives them: a zero vector has no direction, so its
distances are NaN.

Few units may leave out values. On a board they count as the least favorable value, so that nobody
gains by them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from harness_ext.common.arrays import Array, Flags
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.outlines import Outline
from harness_ext.measures.core.items import Items, Table
from harness_ext.results.entry import Entry
from harness_ext.store.item_files import DIGEST

MOST_LEFT_OUT = 0.01
"""The largest share of a table's units that may leave out a value."""


def left_out_findings(entry: Entry, items: Items, outline: Outline) -> Iterator[Finding]:
    """Count the values left out, and find values and reasons that contradict the plan of the same
    rows.
    """
    missing = {name: _missing(name, table, outline) for name, table in items.tables().items()}
    for name, table in items.tables().items():
        yield from _contradictions(entry, name, table, outline, missing[name])
    for name, columns in missing.items():
        if columns and (rows := np.any([*columns.values()], axis=0)).any():
            unit, units = _units(entry, items.tables()[name])
            n, touched = len(np.unique(units)), len(np.unique(units[rows]))
            refused = touched > MOST_LEFT_OUT * n
            yield Finding(
                entry.file,
                name,
                f"zero vectors in {touched} of {n} ({touched / n:.1%})",
                f"at most {MOST_LEFT_OUT:.0%}",
                f"{entry.split} {entry.subset}: {touched} of {n} values of "
                f"{unit!r} are left out, wholly or in part.",
                refused,
            )


@dataclass(frozen=True, eq=False)
class CountedEntry(Entry):
    """An entry whose scores count what its items leave out as the least favorable value.

    Attributes:
        outline: Where the data gives a number.
    """

    outline: Outline

    def _stored(self, key: str, what: str, made_by: str) -> Items:
        items = super()._stored(key, what, made_by)
        return _complete(self, items, self.outline) if key == DIGEST else items


def counted(entry: Entry, outline: Outline) -> Entry:
    """Count the values that an entry leaves out as the least favorable ones; the entry itself if
    there are none.

    They are ends of their column's range: those that give the lowest main score, first for all rows
    of a unit, then for one row after the other.
    """
    tables = entry.items().tables()
    if not any(
        rows.any()
        for name, table in tables.items()
        for rows in _missing(name, table, outline).values()
    ):
        return entry
    complete = CountedEntry(
        **{one.name: getattr(entry, one.name) for one in fields(entry)}, outline=outline
    )
    scores = complete.recomputed()
    complete.forget_items()
    return replace(
        complete, scores={**entry.scores, **scores}, main_score=scores[entry.measure.main]
    )


def _complete(entry: Entry, items: Items, outline: Outline) -> Items:
    """Fill the missing numbers of items, table by table."""
    for name, table in items.tables().items():
        missing = {
            column: rows for column, rows in _missing(name, table, outline).items() if rows.any()
        }
        if missing:
            items = _least_favorable(entry, items, name, missing, outline)
    return items


def _least_favorable(
    entry: Entry, items: Items, name: str, missing: Mapping[str, Flags], outline: Outline
) -> Items:
    """Fill the missing numbers of a table, unit by unit."""
    measure, table = entry.measure, items.tables()[name]

    def filled(values: Mapping[str, Array]) -> Items:
        return replace(items, **{name: type(table).of(values)})

    def at_ends(values: dict[str, Array], column: str, rows: Flags) -> list[dict[str, Array]]:
        """The values with each end of a column's range in these rows."""
        return [
            values | {column: np.where(rows, end, values[column])}
            for end in table.measured()[column].range
        ]

    def main_score(values: Mapping[str, Array]) -> float:
        """Higher is better, in every task of encoders."""
        return measure.of_all_units(filled(values), measure.main).value()

    values, (_, units) = table.values(), _units(entry, table)
    left_out = np.any([*missing.values()], axis=0)
    for column in values:
        if (reasons := outline.reasons.get(f"{name}.{column}")) is not None:
            values[column] = np.where(left_out, reasons, values[column])
    for unit in np.unique(units[left_out]):
        mine = {
            column: rows & (units == unit)
            for column, rows in missing.items()
            if (rows & (units == unit)).any()
        }
        choices = [values]
        for column, rows in mine.items():
            choices = [changed for one in choices for changed in at_ends(one, column, rows)]
        values = min(choices, key=main_score)
        for column, rows in mine.items():
            for row in np.flatnonzero(rows) if rows.sum() > 1 else ():
                values = min(
                    [values, *at_ends(values, column, np.arange(len(table)) == row)], key=main_score
                )
    return filled(values)


def _units(entry: Entry, table: Table) -> tuple[str, Array]:
    """The name of the units of a table, and the unit of each row; a row is one where the table does
    not say.
    """
    values, unit = table.values(), entry.measure.unit
    return (unit, values[unit]) if unit in values else ("row", np.arange(len(table)))


def _has_number(name: str, table: Table, outline: Outline, column: str) -> Flags:
    """Where the data gives a number in a measured column, shape (n,)."""
    without = outline.without_number.get(f"{name}.{column}")
    return np.ones(len(table), dtype=bool) if without is None else ~without


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
    """Find numbers where the data gives none, and reasons that differ from the reasons in
    the data.
    """
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
            yield Finding.of_row(
                entry.file, (name, column, row), values[row].item(), expected, message
            )
