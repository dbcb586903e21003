"""What the four kinds of test share: a kind is an abstract measure, and says how rows are
compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from harness_ext.common.arrays import Names
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.measure import AnyItems, EncoderMeasure, Row, Rows
from harness_ext.measures.core.wording import Consequences, Wording

AnyTable = TypeVar("AnyTable", bound=Table)
Compared = TypeVar("Compared", bound=Table, covariant=True)

ROW = "Id of the dataset's row."


@dataclass(frozen=True)
class LeftOut(Table):
    """One row per row of the dataset that is not compared."""

    row: Names = column(ROW)


@dataclass(frozen=True)
class Removed(LeftOut):
    """The same with the reason."""

    reason: Names = column("Why, as the score n_excluded_<reason> says.")


@dataclass(frozen=True)
class KindItems(Items, Generic[Compared]):
    """The items of a kind. Their first table, of type `Compared`, has a row per comparison."""

    @property
    def compared(self) -> Compared:
        """The first table, whatever its name."""
        return cast(Compared, next(iter(self.tables().values())))


class OfRows(EncoderMeasure[AnyItems]):
    """A measure whose tables have a row per row of the dataset; with the attributes of a measure.

    Attributes:
        texts: The fields of a prepared row with the texts, in the order of the table's.
        source: What the scores are from, as in `Score`.
    """

    texts: tuple[str, ...] = ()
    source: str = "this project"

    def prepare(self, row: Row) -> Row:
        """Turn a row into one with a field for each text and column, if it has not all of them."""
        return row

    def plan(self, rows: Rows, split: str) -> AnyItems:
        """Compare the rows without a `removed_by`; the others are those of a table of `LeftOut`."""
        compared = [self.prepare(row) for row in used(rows)]
        tables: dict[str, Any] = {}
        for name, table in self.items.table_types().items():
            if issubclass(table, LeftOut):
                tables[name] = planned(table, removed(rows))
            else:
                tables[name] = planned(table, compared, self.texts)
        return self.items(**tables)


def planned(table: type[AnyTable], rows: Rows, texts: Sequence[str] = ()) -> AnyTable:
    """The table of a plan, of rows with a field for each of its columns; `texts` for its texts."""
    renamed = {"row": "id", "reason": "removed_by"}
    columns: dict[str, list[Any]] = {}
    for name, (column_name, _, _) in table.columns().items():
        if name not in table.measured():
            field = renamed.get(name, name)
            columns[column_name] = [row[field] for row in rows]
    for column_name, field in zip(table.text_columns(), texts, strict=False):
        columns[column_name] = [row[field] for row in rows]
    return table.of_columns(**columns)


def removed(rows: Rows) -> Rows:
    """The rows that say why they are not compared."""
    return [row for row in rows if row.get("removed_by")]


def used(rows: Rows) -> Rows:
    """The other rows."""
    return [row for row in rows if not row.get("removed_by")]


def nearer_wording(question: str, one: str, other: str, right: str) -> Wording:
    """Sentences about how often one thing is nearer than another, where ½ is chance.

    `right` says what the right result is.
    """
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
