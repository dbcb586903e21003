"""What the four kinds of test share: a kind is a class, and a measure of the kind a subclass that says what differs."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from harness_ext.common.arrays import Names
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.old_measure import Measure, Rows
from harness_ext.measures.core.old_scores import Score, Scores
from harness_ext.measures.core.wording import CloserLook, Consequences, Wording

Row = dict[str, Any]
AnyItems = TypeVar("AnyItems", bound=Items)
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
    """The items of a kind. Their first table, of the type `Compared`, has a row per comparison, whatever its name."""

    @property
    def compared(self) -> Compared:
        """The first table."""
        return cast(Compared, next(iter(self.tables().values())))


class Kind(ABC, Generic[AnyItems]):
    """A kind of test. A measure is a subclass, whose docstring is its question: `Subclass().measure()`.

    Attributes and methods with the name of a field of `Measure` are that field. An attribute that is a score, made by
    `declared` and its like, is scored beyond those of the kind.

    Attributes:
        texts: The fields of a row with the texts, in the order of the table's.
        source: As of `Score`.
    """

    name: str
    version: int = 1
    main: str
    adjusted: str
    unit: str
    items: type[AnyItems]
    needs: type[Any]
    labels: tuple[str, ...]
    symmetric: tuple[str, ...]
    examples: tuple[Mapping[str, str], ...]
    package: str
    published: str
    closer_look: CloserLook
    texts: tuple[str, ...] = ()
    source: str = "this project"

    @property
    def question(self) -> str:
        """What it asks."""
        return inspect.getdoc(type(self)) or ""

    @abstractmethod
    def wording(self) -> Wording:
        """Word the question and the main score."""

    @abstractmethod
    def scores(self) -> dict[str, Score]:
        """Declare the scores, each under the name of its field."""

    def more_scores(self) -> dict[str, Score]:
        """List the scores that are attributes of the class."""
        declared = {name: getattr(type(self), name) for kind in type(self).__mro__ for name in vars(kind)}
        return {name: score for name, score in declared.items() if isinstance(score, Score)}

    def prepare(self, row: Row) -> Row:
        """Turn a row into one with a field for each text and column, where it has not all of them."""
        return row

    def plan(self, rows: Rows, split: str = "") -> AnyItems:
        """Compare the rows that no `removed_by` leaves out; the others are those of a table of `LeftOut`."""
        compared = [self.prepare(row) for row in used(rows)]
        tables = {
            name: planned(table, removed(rows) if issubclass(table, LeftOut) else compared, self.texts)
            for name, table in self.items.table_types().items()
        }
        return self.items(**tables)

    def measure(self) -> Any:
        """Make the measure."""
        names = ("name version main unit items needs plan fill adjusted exploratory additive fewest_units view package "
                 "headline published closer_look labels symmetric learned examples made_of").split()
        given = {name: getattr(self, name) for name in names if hasattr(self, name)}
        if "view" in given and not callable(given["view"]): given.pop("view")
        scores = Scores.of(f"{type(self).__name__}Scores", self.scores())
        return Measure(**{**given, "scores": scores, "wording": self.wording()})


def planned(table: type[AnyTable], rows: Rows, texts: Sequence[str] = ()) -> AnyTable:
    """The table of a plan, of rows with a field for each of its columns, and these fields for its texts."""
    field_of = {column: name for name, (column, _, _) in table.columns().items() if name not in table.measured()}
    field_of |= zip(table.text_columns(), texts, strict=False)
    of_every_row = {"row": "id", "reason": "removed_by"}
    return table.of_columns(
        **{column: [row[of_every_row.get(name, name)] for row in rows] for column, name in field_of.items()}
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
