"""Values that items leave out although the data gives them: a zero vector has no direction, so its
distances are NaN.

Few units may leave out values. On a board they count as the least favorable value, so that nobody
gains by them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Array, Flags
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.outlines import Outline
from harness_ext.leaderboard.checks.parquet_reader import READER
from harness_ext.leaderboard.checks.work import WORK
from harness_ext.measures.core.items import Items, Table
from harness_ext.results.entry import Entry
from harness_ext.store.item_files import DIGEST

MOST_LEFT_OUT = 0.01
"""The largest share of a table's units that may leave out a value."""

MOST_SCORES = 600
"""The most main scores that are computed to find the least favorable values of an entry."""


def left_out_findings(
    entry: Entry,
    items: Items,
    outline: Outline,
) -> Iterator[Finding]:
    """Count the values left out, and find values and reasons that contradict the plan of the same
    rows.
    """
    tables = items.tables()
    missing = {}
    for name, table in tables.items():
        missing[name] = _missing(name, table, outline)
    for name, table in tables.items():
        yield from _contradictions(entry, name, table, outline, missing[name])
    is_refused = False
    for name, table in tables.items():
        rows = _any_of(missing[name], len(table))
        if not rows.any():
            continue
        unit, units = _units(entry, table)
        n_units = len(np.unique(units))
        n_touched = len(np.unique(units[rows]))
        are_too_many = n_touched > MOST_LEFT_OUT * n_units
        is_refused |= are_too_many
        yield Finding(
            entry.file,
            name,
            f"zero vectors in {n_touched} of {n_units} ({n_touched / n_units:.1%})",
            f"at most {MOST_LEFT_OUT:.0%}",
            f"{entry.split} {entry.subset}: {n_touched} of {n_units} values of "
            f"{unit!r} are left out, wholly or in part.",
            refused=are_too_many,
        )
    if is_refused:
        return
    n_scores = sum(_n_scores(entry, table, missing[name]) for name, table in tables.items())
    if n_scores > MOST_SCORES:
        yield Finding(
            entry.file,
            "items",
            f"{n_scores} scores to find the least favorable values",
            f"at most {MOST_SCORES}",
            f"{entry.split} {entry.subset}: too many values are left out to count each as the "
            "least favorable one. Submit results without zero vectors.",
        )
        return
    problem = WORK.problem(n_scores * len(items), READER.n_bytes)
    if problem is not None:
        yield Finding(entry.file, "items", *problem)


def _n_scores(entry: Entry, table: Table, missing: Mapping[str, Flags]) -> int:
    """How many main scores `counted` computes for a table, with the rows that `_missing` finds."""
    _, units = _units(entry, table)
    n_scores = 0
    for unit in np.unique(units[_any_of(missing, len(table))]):
        of_columns = [int(rows[units == unit].sum()) for rows in missing.values()]
        n_columns = sum(n_rows > 0 for n_rows in of_columns)
        n_scores += 2**n_columns + sum(n_rows for n_rows in of_columns if n_rows > 1)
    return n_scores


@dataclass(frozen=True, eq=False)
class CountedEntry(Entry):
    """An entry whose scores count what its items leave out as the least favorable value.

    Attributes:
        outline: Where the data gives a number.
    """

    outline: Outline

    def _stored(
        self,
        key: str,
        what: str,
        made_by: str,
    ) -> Items:
        items = super()._stored(key, what, made_by)
        return _complete(self, items, self.outline) if key == DIGEST else items


def counted(entry: Entry, outline: Outline) -> Entry:
    """Count the values that an entry leaves out as the least favorable ones; the entry itself if
    there are none.

    They are ends of their column's range: those that give the lowest main score, first for all rows
    of a unit, then for one row after the other.
    """
    if not _leaves_out(entry.items(), outline):
        return entry
    values = {field.name: getattr(entry, field.name) for field in fields(entry)}
    complete = CountedEntry(**values, outline=outline)
    scores = complete.recomputed()
    complete.forget_items()
    main_score = scores[entry.measure.main]
    return replace(complete, scores={**entry.scores, **scores}, main_score=main_score)


def _leaves_out(items: Items, outline: Outline) -> bool:
    """Whether items lack a number that the data gives."""
    for name, table in items.tables().items():
        missing = _missing(name, table, outline)
        if _any_of(missing, len(table)).any():
            return True
    return False


def _complete(
    entry: Entry,
    items: Items,
    outline: Outline,
) -> Items:
    """Fill the missing numbers of items, table by table."""
    for name, table in items.tables().items():
        missing = {}
        for column, rows in _missing(name, table, outline).items():
            if rows.any():
                missing[column] = rows
        if missing:
            filling = _Filling(entry, items, name, outline)
            items = filling.filled(filling.least_favorable(missing))
    return items


class _Scored(NamedTuple):
    """Values of a table, column -> values, with the main score of the items that have them."""

    values: dict[str, Array]
    score: float


def _score_of(scored: _Scored) -> float:
    return scored.score


@dataclass(frozen=True, eq=False)
class _Filling:
    """Fills the missing numbers of a table.

    Attributes:
        entry: The entry.
        items: Its items.
        name: The name of the table.
        outline: Where the data gives a number.
    """

    entry: Entry
    items: Items
    name: str
    outline: Outline

    @property
    def table(self) -> Table:
        """The table as it is."""
        return self.items.tables()[self.name]

    def filled(self, values: Mapping[str, Array]) -> Items:
        """The items with these values in the table, column -> values, shape (n,)."""
        table = type(self.table).of(values)
        return replace(self.items, **{self.name: table})

    def main_score(self, values: Mapping[str, Array]) -> float:
        """The main score with these values; higher is better, in every task of encoders."""
        measure = self.entry.measure
        return measure.of_all_units(self.filled(values), measure.main).value()

    def at_ends(
        self,
        values: dict[str, Array],
        column: str,
        rows: Flags,
    ) -> list[dict[str, Array]]:
        """The values with each end of a column's range in these rows."""
        changed = []
        for end in self.table.measured()[column].range:
            at_end = np.where(rows, end, values[column])
            changed.append(values | {column: at_end})
        return changed

    def scored(self, values: dict[str, Array]) -> _Scored:
        """The values with their main score."""
        return _Scored(values, self.main_score(values))

    def least_favorable(
        self,
        missing: Mapping[str, Flags],
    ) -> dict[str, Array]:
        """Fill the missing numbers, column -> rows, unit by unit."""
        table = self.table
        values = table.values()
        _, units = _units(self.entry, table)
        left_out = _any_of(missing, len(table))
        for column in values:
            reasons = self.outline.reasons.get(f"{self.name}.{column}")
            if reasons is not None:
                values[column] = np.where(left_out, reasons, values[column])
        for unit in np.unique(units[left_out]):
            missing_of_unit = {}
            for column, rows in missing.items():
                rows_of_unit = rows & (units == unit)
                if rows_of_unit.any():
                    missing_of_unit[column] = rows_of_unit
            values = self._of_unit(values, missing_of_unit)
        return values

    def _of_unit(
        self,
        values: dict[str, Array],
        missing: Mapping[str, Flags],
    ) -> dict[str, Array]:
        """Fill the missing numbers of a unit: all rows of a column alike, then row after row."""
        choices = [values]
        for column, rows in missing.items():
            longer = []
            for choice in choices:
                longer += self.at_ends(choice, column, rows)
            choices = longer
        least = min(map(self.scored, choices), key=_score_of)
        for column, rows in missing.items():
            if rows.sum() == 1:
                continue
            for row in np.flatnonzero(rows):
                this_row = np.arange(len(rows)) == row
                known = least.values
                for changed in self.at_ends(known, column, this_row):
                    if changed[column][row] == known[column][row]:
                        continue  # it is at this end, and its score is known
                    least = min(least, self.scored(changed), key=_score_of)
        return least.values


def _any_of(
    flags: Mapping[str, Flags],
    n_rows: int,
) -> Flags:
    """Where any column has a flag, shape (n,)."""
    nowhere = np.zeros(n_rows, dtype=bool)
    any_of: Flags = np.any([nowhere, *flags.values()], axis=0)
    return any_of


def _units(
    entry: Entry,
    table: Table,
) -> tuple[str, Array]:
    """The name of the units of a table, and the unit of each row; a row is one where the table does
    not say.
    """
    values = table.values()
    unit = entry.measure.unit
    if unit in values:
        return unit, values[unit]
    return "row", np.arange(len(table))


def _has_number(
    name: str,
    table: Table,
    outline: Outline,
    column: str,
) -> Flags:
    """Where the data gives a number in a measured column, shape (n,)."""
    without = outline.without_number.get(f"{name}.{column}")
    if without is None:
        return np.ones(len(table), dtype=bool)
    return ~without


def _missing(
    name: str,
    table: Table,
    outline: Outline,
) -> dict[str, Flags]:
    """Measured column -> whether a number is missing although the data gives one, shape (n,)."""
    missing = {}
    all_values = table.values()
    for column in table.measured():
        values = all_values.get(column)
        if values is not None and values.dtype.kind == "f":
            has_number = _has_number(name, table, outline, column)
            missing[column] = np.isnan(values) & has_number
    return missing


def _contradictions(
    entry: Entry,
    name: str,
    table: Table,
    outline: Outline,
    missing: Mapping[str, Flags],
) -> Iterator[Finding]:
    """Find numbers where the data gives none, and reasons that differ from the reasons in
    the data.
    """
    left_out = _any_of(missing, len(table))
    for column, values in table.values().items():
        reasons = outline.reasons.get(f"{name}.{column}")
        if column in missing:
            wrong = ~np.isnan(values) & ~_has_number(name, table, outline, column)
        elif reasons is not None:
            is_other = (values != reasons) & ~left_out
            is_lost = (values == "") & left_out
            wrong = is_other | is_lost
        else:
            continue
        if not wrong.any():
            continue
        row = int(np.argmax(wrong))
        expected = "no number" if reasons is None else reasons[row].item()
        yield Finding.of_row(
            entry.file,
            (name, column, row),
            values[row].item(),
            expected,
            f"{int(wrong.sum())} values contradict the pinned dataset.",
        )
