"""What the four kinds of test share: tables, items and scores made from a kind's parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, make_dataclass
from typing import Any, NamedTuple

from harness_ext.common.arrays import Flags, Floats, Integers, Names
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.measure import Rows
from harness_ext.measures.core.scores import Scores
from harness_ext.measures.core.wording import Consequences, Wording

ROW = "Id of the dataset's row."
_ARRAYS: dict[type, Any] = {str: Names, float: Floats, int: Integers, bool: Flags}


class Fact(NamedTuple):
    """A column of items that follows from the data.

    Attributes:
        type: Of its values: str, float, int or bool.
        description: What it holds.
    """

    type: type
    description: str


Facts = Mapping[str, Fact]
"""Name of a column -> the fact."""

Row = dict[str, Any]
Prepare = Callable[[Row], Row]
"""A row of a dataset -> one with the fields that the kind reads."""


@dataclass(frozen=True)
class LeftOut(Table):
    """One row per row of the dataset that is not compared."""

    row: Names = column(ROW)


@dataclass(frozen=True)
class Removed(LeftOut):
    """The same with the reason."""

    reason: Names = column("Why, as the score n_excluded_<reason> says.")


@dataclass(frozen=True)
class KindItems(Items):
    """The items of a kind; their first table holds the comparisons, whatever it is called."""

    @property
    def compared(self) -> Any:
        """The first table."""
        return next(iter(self.tables().values()))


def table_of(base: type[Table], **declared: tuple[Any, Any] | Fact) -> Any:
    """A table with the column `row` and more: name -> its type and its declaration, or a fact."""
    columns: list[Any] = [("row", Names, column(ROW))]
    for name, spec in declared.items():
        columns.append((name, _ARRAYS[spec.type], column(spec[1])) if isinstance(spec, Fact) else (name, *spec))
    return make_dataclass(base.__name__, columns, bases=(base,), frozen=True)


def items_of(base: type[KindItems] = KindItems, **tables: type[Table]) -> Any:
    """The items of a kind with these tables."""
    return make_dataclass(base.__name__, tables.items(), bases=(base,), frozen=True)


def scores_of(declared: Mapping[str, Any]) -> type[Scores]:
    """The scores of a kind: name of a field -> what `declared` and its like return."""
    listed = [(name, Any, spec) for name, spec in declared.items()]
    return make_dataclass("Scores", listed, bases=(Scores,), frozen=True)


def planned(table: type[Table], rows: Rows) -> Any:
    """The table of a plan, of rows with a field for each of its columns."""
    fields_of = {"row": "id", "reason": "removed_by"}
    names = [one.name for one in fields(table) if not one.metadata.get("measured")]
    return table.of_columns(
        **{name: [row[fields_of.get(name, name.removesuffix("_"))] for row in rows] for name in names}
    )


def removed(rows: Rows) -> Rows:
    """The rows that say why they are not compared."""
    return [row for row in rows if row.get("removed_by")]


def used(rows: Rows) -> Rows:
    """The other rows."""
    return [row for row in rows if not row.get("removed_by")]


def nearer_wording(question: str, one: str, other: str, right: str) -> Wording:
    """Sentences about how often one thing is nearer than another, where ½ is chance; and about the right result."""
    return Wording(
        question,
        f"In {{value}} of the cases, {one} is nearer than {other}.",
        Consequences(
            "Tossing a coin",
            above=f"More often than not, {one} is nearer than {other}.",
            below=f"More often than not, {other} is nearer than {one}.",
        ),
        right,
    )
