"""Items: what the scores of a measure are computed from, one row per comparison that was made.

A measure turns vectors into items, and items into scores and resamples. So whatever is asked later (an interval, a
paired test, a slice, a check of a submission) needs the items alone, and no model. Items hold ids and words of the
data, never a sentence of it.
"""

from __future__ import annotations

import functools
import hashlib
import math
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self, get_type_hints

import numpy as np

from harness_ext.arrays import Array, Names, Places

if TYPE_CHECKING:
    import pandas
    import pyarrow


DISTANCE, COSINE = (0.0, 2.0), (-1.0, 1.0)
"""The ranges of d = 1 - cos and of cos."""


@dataclass(frozen=True)
class Measured:
    """The declaration of a column that the encoder determines; all other columns follow from the data.

    Attributes:
        range: The least and the greatest number; a zero vector gives NaN.
        texts: Templates that name the texts whose vectors give the number, see `column`.
    """

    range: tuple[float, float]
    texts: tuple[str, ...]


def column(
    description: str,
    dtype: type,
    *,
    range: tuple[float, float] = (-math.inf, math.inf),  # noqa: A002 - the word for it
    measured: bool = False,
    texts: tuple[str, ...] = (),
) -> Any:
    """A column of a `Table`: one value per row.

    Args:
        description: What it holds, with its unit and range; goes into the files.
        dtype: `str` ("" where there is none), `float` (NaN where there is none), `int` or `bool`.
        range: The least and the greatest number of a measured column.
        measured: Whether the encoder determines it. Else the data does, and every submission must have the same.
        texts: The texts whose vectors a measured number is computed from, each named by a template of the row's
            columns: `("{row}", "{row} {synonym}")`. The same name in any table is the same text. Two texts in
            the range `DISTANCE` or `COSINE` have that distance or cosine.
    """
    about = Measured(range, texts) if measured else None
    return field(metadata={"description": description, "dtype": dtype, "measured": about})


def distance_of(description: str, *texts: str) -> Any:
    """A measured column with the cosine distance of two texts, or the least or greatest distance among more."""
    return column(description, float, range=DISTANCE, measured=True, texts=texts)


def cosine_of(description: str, *texts: str) -> Any:
    """A measured column with the cosine of two texts."""
    return column(description, float, range=COSINE, measured=True, texts=texts)


@dataclass(frozen=True)
class Table:
    """Columns of equal length. A subclass is a frozen dataclass whose fields are made by `column`.

    A field that would be a Python keyword ends in `_`; the column's name does not.

    Examples:
        >>> @dataclass(frozen=True)
        ... class Words(Table):
        ...     word: Names = column("The word.", str)
        ...     length: Integers = column("Letters.", int)
        >>> words = Words(["black", "box"], [5, 3])
        >>> len(words), words[words.length > 3].word.tolist()
        (2, ['black'])
    """

    def __post_init__(self) -> None:
        for name, (field_name, dtype, _) in self.columns().items():
            values: Array = np.asarray(getattr(self, field_name), dtype=dtype)
            if values.ndim != 1 or len(values) != len(self):
                raise ValueError(
                    f"{type(self).__name__}: the column {name!r} has shape {values.shape}, ({len(self)},) expected"
                )
            object.__setattr__(self, field_name, values)

    def __len__(self) -> int:
        return len(getattr(self, next(iter(self.columns().values()))[0]))

    def __getitem__(self, rows: Array) -> Self:
        """The rows that a mask or an array of numbers picks."""
        return replace(self, **{one.name: getattr(self, one.name)[rows] for one in fields(self)})

    @classmethod
    @functools.cache
    def columns(cls) -> Mapping[str, tuple[str, type, str]]:
        """Column -> (the field that holds it, its type, its description)."""
        return {
            one.name.removesuffix("_"): (one.name, one.metadata["dtype"], one.metadata["description"])
            for one in fields(cls)
        }

    @classmethod
    @functools.cache
    def measured(cls) -> Mapping[str, Measured]:
        """The columns that the encoder determines -> their declarations."""
        found = {one.name.removesuffix("_"): one.metadata["measured"] for one in fields(cls)}
        return {name: about for name, about in found.items() if about}

    def texts(self, column: str) -> Names:
        """The names of the texts that each number of a measured column is computed from, shape (texts, n)."""
        values = self.values()

        def named(template: str) -> list[str]:
            used = [name for _, name, _, _ in string.Formatter().parse(template) if name]
            fill = template.format_map(dict.fromkeys(used, "{}")).format
            return [fill(*row) for row in zip(*(values[name].tolist() for name in used), strict=True)]

        templates = self.measured()[column].texts
        return np.array([named(template) for template in templates], dtype=str).reshape(len(templates), -1)

    def values(self) -> dict[str, Array]:
        """Column -> its values, shape (n,)."""
        return {name: getattr(self, field_name) for name, (field_name, _, _) in self.columns().items()}

    def to_arrow(self) -> pyarrow.Table:
        """The same as a table of Arrow: texts as dictionaries, the descriptions of columns in the schema's fields."""
        import pyarrow  # here, since scores are computed without it

        types = {
            str: pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
            float: pyarrow.float64(),
            int: pyarrow.int64(),
            bool: pyarrow.bool_(),
        }
        fields, arrays = [], []
        for name, (field_name, dtype, description) in self.columns().items():
            array = pyarrow.array(getattr(self, field_name))
            arrays.append(array.dictionary_encode() if dtype is str else array)
            fields.append(pyarrow.field(name, types[dtype], metadata={"description": description}))
        return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.values())

    def _repr_html_(self) -> str:
        html: str = self.to_pandas()._repr_html_()
        return html

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The table with these columns.

        Raises:
            ValueError: A column is missing or is one too many, or its values are not of its type; names it.
        """
        columns = cls.columns()
        if columns.keys() != values.keys():
            wrong = ", ".join(sorted(columns.keys() ^ values.keys()))
            raise ValueError(
                f"{cls.__name__} has the columns {', '.join(columns)}; missing or not one of them: {wrong}"
            )
        for name, (_, dtype, _) in columns.items():
            if np.asarray(values[name]).dtype.kind not in {str: "UO", float: "f", int: "iu", bool: "b"}[dtype]:
                raise ValueError(f"{cls.__name__}: the column {name!r} holds no {dtype.__name__} values")
        return cls(**{columns[name][0]: value for name, value in values.items()})


def positions(names: Names, among: Names) -> Places:
    """Where each of `names` stands in `among`, shapes (m,) and (k,) -> (m,).

    Raises:
        KeyError: A name does not; it is the error's argument.

    Examples:
        >>> positions(np.array(["box", "box", "rain"]), np.array(["rain", "box"]))
        array([1, 1, 0])
    """
    place = {name: number for number, name in enumerate(among.tolist())}
    return np.array([place[name] for name in names.tolist()], dtype=np.intp)


@dataclass(frozen=True)
class Items:
    """The tables of one measure. A subclass is a frozen dataclass whose fields are `Table`s."""

    @classmethod
    @functools.cache
    def table_types(cls) -> dict[str, type[Table]]:
        """The name of each table and what it is."""
        hints = get_type_hints(cls)
        return {one.name: hints[one.name] for one in fields(cls)}

    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def to_arrow(self, table: str | None = None) -> pyarrow.Table:
        """One of the tables as a table of Arrow, which Polars and DuckDB read too.

        Args:
            table: Its name, of `tables()`; by default the first.

        Raises:
            KeyError: There is no such table; lists the tables.
        """
        return self._table(table).to_arrow()

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """One of the tables as a DataFrame; arguments and errors as of `to_arrow`."""
        return self._table(table).to_pandas()

    def _table(self, name: str | None) -> Table:
        tables = self.tables()
        if name is None:
            return next(iter(tables.values()))
        if name not in tables:
            raise KeyError(f"{type(self).__name__} has no table {name!r}. There are: {', '.join(tables)}.")
        return tables[name]

    def _repr_html_(self) -> str:
        return "".join(f"<p><b>{name}</b></p>{table._repr_html_()}" for name, table in self.tables().items())

    def restrict(self, unit: str, names: Names) -> Self:
        """These items without the rows of other units than `names`; tables without the column `unit` stay whole."""
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
        """A hash of all that the items hold, in hexadecimal: a result and its items belong together if it is equal.

        Args:
            measured: Whether measured columns count. Without them, all encoders have the same hash on the same data.
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
                    yield "\0".join(values.tolist()).encode()
                else:
                    yield np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
