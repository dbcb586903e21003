"""Items: what the scores of a measure are computed from, one row per comparison that was made.

A measure turns vectors into items, and items into scores and resamples. So whatever is asked later
(an interval, a paired test, a slice, a check of a submission) needs the items alone, and no model.
Items hold ids and words of the data, never a sentence of it; of data without a license ids alone.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, get_type_hints

import numpy as np

from harness_ext.common.arrays import Array, Flags, Floats, Integers, Names
from harness_ext.measures.core.distinct_texts import DistinctTexts
from harness_ext.measures.core.inputs import Text, as_texts, is_inside, parts

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from harness_ext.statistics.statistic import Statistic


DISTANCE, COSINE = (0.0, 2.0), (-1.0, 1.0)
"""The ranges of d = 1 - cos and of cos."""

SEPARATOR = "\0"
"""The letter between the texts of a column where its digest is made; no text of the data has it."""

_TYPES: dict[Any, type] = {Names: str, Floats: float, Integers: int, Flags: bool}
_BLANK: dict[type, Any] = {str: "", float: math.nan, int: 0, bool: False}


@dataclass(frozen=True)
class Measured:
    """The declaration of a column that the encoder determines; all other columns follow from the
    data.

    Attributes:
        range: The least and the greatest number; a zero vector gives NaN.
        pairs: The columns of the two texts whose distance or cosine it is; several pairs if it is
            the greatest or the least of their distances; none if it is neither.
        of_pairs: `np.max` or `np.min`, of the distances of several pairs.
    """

    range: tuple[float, float]
    pairs: tuple[tuple[str, str], ...] = ()
    of_pairs: Callable[..., Any] = np.max


def column(
    description: str,
    *,
    range: tuple[float, float] = (-math.inf, math.inf),  # noqa: A002 - the word for it
    measured: bool = False,
    name: str = "",
) -> Any:
    """A column of a `Table`: a value per row, of the type in its annotation.

    The types are `Names` ("" where there is none), `Floats` (NaN where there is none), `Integers`
    and `Flags`.

    Args:
        description: What it holds, with its unit and range; goes into the files.
        range: The least and the greatest number of a measured column.
        measured: Whether the encoder determines it. Else the data does, and every submission must
            have the same.
        name: What files call it, where that is not the name of its field.
    """
    metadata = {
        "description": description,
        "measured": Measured(range) if measured else None,
        "name": name,
    }
    return (
        field(default=None, kw_only=True, metadata=metadata)
        if measured
        else field(metadata=metadata)
    )


def text(description: str) -> Any:
    """A column of what is encoded: `Text`s. It is there in a plan, and never stored."""
    return field(
        default=None, kw_only=True, repr=False, metadata={"description": description, "text": True}
    )


def distance(description: str, *texts: str, name: str = "") -> Any:
    """A column with the cosine distance of two columns of texts; NaN in a plan, and for a zero
    vector.

    A measure with a `fill` of its own names no texts.
    """
    return _compared(description, DISTANCE, [texts] if texts else [], name=name)


def cosine(description: str, *texts: str) -> Any:
    """A column with a cosine, as `distance`."""
    return _compared(description, COSINE, [texts] if texts else [])


def greatest_distance(description: str, *pairs: tuple[str, ...]) -> Any:
    """A column with the greatest distance of several pairs of columns."""
    return _compared(description, DISTANCE, pairs, np.max)


def least_distance(description: str, *pairs: tuple[str, ...]) -> Any:
    """A column with the least distance of several pairs of columns."""
    return _compared(description, DISTANCE, pairs, np.min)


def _compared(
    description: str,
    range_: tuple[float, float],
    pairs: Iterable[Any],
    *of_pairs: Any,
    name: str = "",
) -> Any:
    metadata = {
        "description": description,
        "measured": Measured(range_, tuple(pairs), *of_pairs),
        "name": name,
    }
    return field(default=None, kw_only=True, metadata=metadata)


@dataclass(frozen=True)
class Table:
    """Columns of equal length. A subclass is a frozen dataclass whose fields are made by `column`
    and its like.

    A table of a plan has texts, and its distances are NaN; a measured table has distances, and
    needs no texts. A field that would be a Python keyword ends in `_`; the column's name does not.
    Numbers that the encoder determines are rounded to float32, and are the last columns, wherever
    their fields stand.

    Examples:
        >>> @dataclass(frozen=True)
        ... class Words(Table):
        ...     word: Names = column("The word.")
        ...     is_noun: Flags = column("Whether it is a noun.")
        >>> words = Words(["black", "box"], [False, True])
        >>> len(words), words[words.is_noun].word.tolist()
        (2, ['box'])
    """

    def __post_init__(self) -> None:
        # object.__setattr__: a frozen dataclass has no other way to keep arrays of what it is given
        for name, (field_name, dtype, _) in self.columns().items():
            given = getattr(self, field_name)
            values: Array = np.asarray(
                [_BLANK[dtype]] * len(self) if given is None else given, dtype=dtype
            )
            if dtype is float and name in self.measured():
                # as exact as vectors are, in half the file
                values = values.astype(np.float32).astype(float)
            if values.ndim != 1 or len(values) != len(self):
                raise ValueError(
                    f"{type(self).__name__}: the column {name!r} has shape {values.shape}, "
                    f"({len(self)},) expected"
                )
            object.__setattr__(self, field_name, values)
        for name in self.text_columns():
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, as_texts(given))

    def __len__(self) -> int:
        return len(getattr(self, next(iter(self.columns().values()))[0]))

    def __getitem__(self, rows: Array) -> Self:
        """The rows that a mask or an array of numbers picks."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return replace(
            self, **{name: value[rows] for name, value in values.items() if value is not None}
        )

    def at(self, axes: Mapping[str, str]) -> Self:
        """The rows with these values of the axes of a score that are columns, such as those of a
        class.
        """
        rows = self
        for name in self.columns().keys() & axes.keys():
            rows = rows[rows.values()[name] == axes[name]]
        return rows

    @classmethod
    @functools.cache
    def columns(cls) -> Mapping[str, tuple[str, type, str]]:
        """Stored column -> (the field that holds it, its type, its description)."""
        hints = get_type_hints(cls)
        columns = {
            _stored_name(one): (one.name, _TYPES[hints[one.name]], one.metadata["description"])
            for one in fields(cls)
            if "text" not in one.metadata
        }
        last = [name for name in cls.measured() if columns[name][1] is not str]
        return {name: columns[name] for name in sorted(columns, key=last.__contains__)}

    @classmethod
    @functools.cache
    def text_columns(cls) -> tuple[str, ...]:
        """The columns of a plan that are never stored."""
        return tuple(one.name for one in fields(cls) if "text" in one.metadata)

    @classmethod
    @functools.cache
    def measured(cls) -> Mapping[str, Measured]:
        """The columns that the encoder determines -> their declarations."""
        declared = {_stored_name(one): one.metadata.get("measured") for one in fields(cls)}
        return {name: measured for name, measured in declared.items() if measured}

    @classmethod
    @functools.cache
    def compared(cls) -> tuple[str, ...]:
        """The columns whose texts are compared, in their order."""
        named = {
            name for column in cls.measured().values() for pair in column.pairs for name in pair
        }
        return tuple(one.name for one in fields(cls) if one.name in named)

    def compared_texts(self) -> Iterator[tuple[Text, ...]]:
        """The texts that are compared, row by row; none if the table is no plan."""
        columns = [getattr(self, name) for name in self.compared()]
        if any(texts is None for texts in columns):
            return iter(())
        return zip(*(texts.tolist() for texts in columns), strict=True)

    def drawn(self, rng: np.random.Generator) -> Self:
        """The table with random numbers in the place of what an encoder determines, wherever the
        data gives some.
        """
        values: dict[str, Any] = {}
        for name, measured in self.measured().items():
            field_name, dtype, _ = self.columns()[name]
            if dtype is float:
                low, high = np.nan_to_num(measured.range, posinf=1, neginf=0)
                values[field_name] = np.where(
                    self.has_number(name), rng.uniform(low, high, len(self)), math.nan
                )
            elif dtype is bool:
                values[field_name] = rng.integers(2, size=len(self))
        return replace(self, **values)

    def values(self) -> dict[str, Array]:
        """Column -> its values, shape (n,)."""
        return {
            name: getattr(self, field_name) for name, (field_name, _, _) in self.columns().items()
        }

    def has_number(self, column: str) -> Flags:
        """Where the data gives a number in a measured column, unless a vector is zero,
        shape (n,).
        """
        return np.ones(len(self), dtype=bool)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.values())

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()

    @classmethod
    def of_columns(cls, **columns: Any) -> Self:
        """The table with these columns, of any sequences, which become arrays; measured columns may
        be missing.
        """
        return cls(**columns)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Self:
        """The table of a plan, with these rows: a field -> its value, of each field that is not
        measured.

        Raises:
            ValueError: A row has not these fields; names the row and the fields.
        """
        names = [one.name for one in fields(cls) if not one.metadata.get("measured")]
        listed = list(rows)
        for place, row in enumerate(listed):
            wrong = sorted(row.keys() ^ set(names))
            if wrong:
                raise ValueError(
                    f"{cls.__name__}: row {place + 1} of a plan needs {', '.join(names)}; missing "
                    f"or not one of them: {', '.join(wrong)}"
                )
        return cls(**{name: [row[name] for row in listed] for name in names})

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The table with these columns.

        Raises:
            ValueError: A column is missing or is one too many, or its values are not of its type;
                names it.
        """
        columns = cls.columns()
        if columns.keys() != values.keys():
            wrong = ", ".join(sorted(columns.keys() ^ values.keys()))
            raise ValueError(
                f"{cls.__name__} has the columns {', '.join(columns)}; missing or not one of them: "
                f"{wrong}"
            )
        for name, (_, dtype, _) in columns.items():
            if (
                np.asarray(values[name]).dtype.kind
                not in {str: "UO", float: "f", int: "iu", bool: "b"}[dtype]
            ):
                raise ValueError(
                    f"{cls.__name__}: the column {name!r} holds no {dtype.__name__} values"
                )
        return cls(**{columns[name][0]: value for name, value in values.items()})


def _stored_name(one: Field[Any]) -> str:
    return one.metadata.get("name") or one.name.removesuffix("_")


def only_planned() -> Any:
    """A table of `Items` that is there in a plan, for a `fill` that does not compare texts one by
    one.
    """
    return field(default=None, kw_only=True, repr=False, metadata={"planned": True})


@dataclass(frozen=True)
class Items:
    """The tables of one measure. A subclass is a frozen dataclass whose fields are `Table`s.

    A **plan** is the items before an encoder has seen them: all rows that will be compared with
    their ids, facts and texts, and what was left out and why. Only the measured columns are empty.
    """

    @functools.cached_property
    def kept_statistics(self) -> dict[Any, Statistic]:
        """The statistics of these items, with their resamples: `Measure.of_all_units` computes each
        once.
        """
        return {}

    @classmethod
    @functools.cache
    def table_types(cls) -> dict[str, type[Table]]:
        """The name of each table and what it is."""
        hints = get_type_hints(cls)
        return {one.name: hints[one.name] for one in fields(cls) if not one.metadata}

    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {name: getattr(self, name) for name in self.table_types()}

    def drawn(self) -> Self:
        """A plan with random numbers in the place of what an encoder determines: which scores will
        be defined?
        """
        rng = np.random.default_rng(0)
        return replace(self, **{name: table.drawn(rng) for name, table in self.tables().items()})

    def compared_texts(self) -> Iterator[Text]:
        """The texts that are compared, table by table and row by row; none if the items are no
        plan.
        """
        rows = (table.compared_texts() for table in self.tables().values())
        return chain.from_iterable(chain.from_iterable(rows))

    @functools.cached_property
    def distinct_texts(self) -> DistinctTexts:
        """The distinct texts that are compared, in their order."""
        return DistinctTexts(self.compared_texts())

    @property
    def has_spans(self) -> bool:
        """Whether words inside sentences are compared."""
        return bool(self.distinct_texts.inside)

    def texts(self) -> list[str]:
        """The distinct whole texts of a plan: of its comparisons in their order, then of its
        planned tables.
        """
        planned = (getattr(self, one.name) for one in fields(self) if one.metadata)
        tables = (table for table in planned if isinstance(table, Table))
        columns = (getattr(table, name) for table in tables for name in table.text_columns())
        of_columns = chain.from_iterable(map(parts, chain.from_iterable(columns)))
        every = dict.fromkeys(chain(self.distinct_texts.whole, of_columns))
        return [text for text in every if isinstance(text, str)]

    def without_spans(self) -> Self:
        """The plan without comparisons of words inside sentences."""
        kept = {
            name: [not any(map(is_inside, row)) for row in table.compared_texts()]
            for name, table in self.tables().items()
        }
        return replace(
            self,
            **{name: self.tables()[name][np.array(rows)] for name, rows in kept.items() if rows},
        )

    def of_baselines(self) -> Self:
        """The plan of what is measured of the encoder's baselines: a bag has no words inside a
        sentence.
        """
        return self.without_spans()

    def as_planned(self) -> Self:
        """These items without the rows that no plan has, such as the answers of fine-tuned
        encoders.
        """
        return self

    def contradictions(self) -> Iterator[tuple[str, str, str, str]]:
        """What contradicts itself in the rows that no plan has: where it is, found, expected, and a
        sentence.
        """
        return iter(())

    def to_arrow(self, table: str | None = None) -> pyarrow.Table:
        """One of the tables as a table of Arrow, which Polars and DuckDB read too.

        Args:
            table: Its name, of `tables()`; by default the first.

        Raises:
            KeyError: There is no such table; lists the tables.
        """
        import pyarrow  # here, since scores are computed without it

        return pyarrow.table(self._table(table).values())

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """One of the tables as a DataFrame; takes and raises what `to_arrow` does."""
        return self._table(table).to_pandas()

    def _table(self, name: str | None) -> Table:
        tables = self.tables()
        if name is None:
            return next(iter(tables.values()))
        if name not in tables:
            raise KeyError(
                f"{type(self).__name__} has no table {name!r}. There are: {', '.join(tables)}."
            )
        return tables[name]

    def _repr_html_(self) -> str:
        return "".join(
            f"<p><b>{name}</b></p>{table._repr_html_()}" for name, table in self.tables().items()
        )

    def restrict(self, unit: str, names: Names) -> Self:
        """These items without the rows of other units than `names`; tables without the column
        `unit` stay whole.
        """
        return replace(
            self,
            **{
                name: table[np.isin(table.values()[unit], names)]
                for name, table in self.tables().items()
                if unit in table.columns()
            },
        )

    def __len__(self) -> int:
        """The rows of all tables."""
        return sum(map(len, self.tables().values()))

    def digest(self, *, measured: bool = True) -> str:
        """A hash of all that the items hold, in hexadecimal: a result and its items belong together
        if it is equal.

        Without measured columns, all encoders have the same hash on the same data.
        """
        digest = hashlib.sha256()
        for part in self._bytes(measured):
            digest.update(len(part).to_bytes(8, "little") + part)
        return digest.hexdigest()

    def _bytes(self, measured: bool) -> Iterator[bytes]:
        for table_name, table in self.tables().items():
            for name, values in table.values().items():
                if name in table.measured() and not measured:
                    continue
                yield f"{table_name}.{name}".encode()
                if values.dtype.kind == "U":
                    yield SEPARATOR.join(values.tolist()).encode()
                else:
                    yield np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
