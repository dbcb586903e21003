"""Files of items: `<Task>.items.parquet` beside the `<Task>.json` that states them.

An entry of a result states the digest of its items, and those of the items of the encoder's
baselines. The file has a row for each of these, under its digest; the column `<table>.<column>` has
the list of that column's values. So words that stand in many of them take hardly any room. Numbers
that the encoder determines are float32, as its vectors are.

Items are added before the result that states them is written, and removed when none states them. So
a result and its items belong together at any moment, whenever a program is killed.
"""

import functools
import glob
import weakref
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

from harness_ext.common.arrays import Array
from harness_ext.common.files import POINTER, is_pointer, whole_file
from harness_ext.measures.core.baseline_keys import BASELINES
from harness_ext.measures.core.items import Items

MAX_ITEMS = 2_000_000
"""Above this many rows only scores are saved."""

DIGEST = "items"
"""The key of the digest of the items, in an entry of a result; also the column of the digests in
the files.
"""

DIGESTS = (DIGEST, *(baseline.items for baseline in BASELINES))
"""The keys of all digests that an entry may have."""

_ARROW_TYPES = {
    str: pyarrow.string(),
    float: pyarrow.float64(),
    int: pyarrow.int64(),
    bool: pyarrow.bool_(),
}
"""The type of a column -> that of its values in a file."""

_UNWRITTEN: weakref.WeakValueDictionary[str, Items] = weakref.WeakValueDictionary()
"""Digest -> items that were measured by this program and are not written yet."""


class ItemsError(ValueError):
    """A file of items is missing, damaged, or does not belong to its result; names the file."""


def keep(items: Items) -> str:
    """Remember items for the result that will be written, as long as their task does. Returns their
    digest.
    """
    digest = items.digest()
    _UNWRITTEN[digest] = items
    return digest


def is_kept(digest: str) -> bool:
    """Whether these items were measured by this program and are not written yet."""
    return digest in _UNWRITTEN


def write_kept(
    result_file: Path,
    items_type: type[Items],
    digests: Collection[str],
) -> None:
    """Write those items that were kept; they are forgotten then. All others are in the file
    already.
    """
    unwritten = {digest: _UNWRITTEN[digest] for digest in digests if is_kept(digest)}
    if not unwritten:
        return
    _add(result_file, items_type, unwritten)
    for digest in unwritten:
        _UNWRITTEN.pop(digest, None)


def items_file(result_file: Path) -> Path:
    """The file of items beside a result file."""
    return result_file.with_name(f"{result_file.stem}.items.parquet")


def schema(items_type: type[Items]) -> pyarrow.Schema:
    """The columns of a file of such items."""
    columns = [pyarrow.field(DIGEST, pyarrow.string())]
    for table, table_type in items_type.table_types().items():
        measured = table_type.measured()
        for name, (_, dtype, description) in table_type.columns().items():
            arrow_type = _ARROW_TYPES[dtype]
            if dtype is float and name in measured:
                arrow_type = pyarrow.float32()
            element = pyarrow.field("element", arrow_type)
            column = pyarrow.field(
                f"{table}.{name}",
                pyarrow.list_(element),
                metadata={"description": description},
            )
            columns.append(column)
    return pyarrow.schema(columns)


def _add(
    result_file: Path,
    items_type: type[Items],
    more: dict[str, Items],
) -> None:
    path = items_file(result_file)
    columns = schema(items_type)
    values: dict[str, Any] = {DIGEST: [*more]}
    for column in columns:
        if column.name != DIGEST:
            values[column.name] = _lists(column, more.values())
    table = pyarrow.table(values, schema=columns)
    written = _sound(path, columns)
    if written is not None:
        table = pyarrow.concat_tables([_without(written, more), table])
    _write(path, table)


def _lists(column: pyarrow.Field, all_items: Iterable[Items]) -> pyarrow.ListArray:
    """The values of a column of each of some items."""
    table, _, name = column.name.partition(".")
    tables = [items.tables()[table] for items in all_items]
    lists = [table_of_items.values()[name] for table_of_items in tables]
    lengths = [len(values) for values in lists]
    offsets = np.cumsum([0, *lengths], dtype=np.int32)
    joined = pyarrow.array(np.concatenate(lists))
    values = joined.cast(column.type.value_type)
    return pyarrow.ListArray.from_arrays(offsets, values, type=column.type)


def _sound(path: Path, columns: pyarrow.Schema) -> pyarrow.Table | None:
    """What a file has; None where there is none, or none that is of any use."""
    try:
        table = _read(path)
    except (pyarrow.ArrowException, OSError, ValueError):
        return None
    return table if table.schema.equals(columns) else None


def _without(table: pyarrow.Table, digests: Collection[str]) -> pyarrow.Table:
    is_left = [digest not in digests for digest in table[DIGEST].to_pylist()]
    return table.filter(pyarrow.array(is_left, pyarrow.bool_()))


def _write(path: Path, table: pyarrow.Table) -> None:
    numbers: list[str] = []
    others: list[str] = []
    for column in table.schema:
        if column.name == DIGEST:
            continue
        is_number = pyarrow.types.is_floating(column.type.value_type)
        elements = numbers if is_number else others
        elements.append(f"{column.name}.list.element")
    with whole_file(path) as partial:
        pyarrow.parquet.write_table(
            table.sort_by(DIGEST),
            partial,
            compression="zstd",
            use_dictionary=others,
            use_byte_stream_split=numbers,  # a third smaller
            write_statistics=False,
        )


def remove_unnamed(result_file: Path, items_type: type[Items]) -> None:
    """Remove the items that neither the result states nor one that was set aside beside it."""
    path = items_file(result_file)
    table = _sound(path, schema(items_type))
    if table is None:
        return
    results = result_file.parent.glob(f"{glob.escape(result_file.name)}*")
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in results]
    text = "".join(texts)
    digests = table[DIGEST].to_pylist()
    unnamed = {digest for digest in digests if digest not in text}
    if len(unnamed) == len(table):
        path.unlink()
    elif unnamed:
        _write(path, _without(table, unnamed))


def read_items(
    result_file: Path,
    items_type: type[Items],
    digest: str,
) -> Items:
    """Read the items of an entry of a result, by its value of one of `DIGESTS`.

    Raises:
        ItemsError: The items are missing, cannot be read, or have another digest; names the file.
    """
    path = items_file(result_file)
    columns = read_columns(result_file, digest)
    types = items_type.table_types()
    unknown = columns.keys() - types.keys()
    try:
        if unknown:
            raise ValueError(f"unknown tables: {', '.join(sorted(unknown))}")
        tables = {name: kind.of(columns.get(name, {})) for name, kind in types.items()}
        items = items_type(**tables)
    except ValueError as error:
        raise ItemsError(f"{path} is not a file of items: {error}") from error
    if items.digest() != digest:
        raise ItemsError(
            f"{path}: these items were changed after {result_file.name} was computed from them."
        )
    return items


def stored_digests(result_file: Path) -> list[str]:
    """Read the digests of all items in the file beside a result, in its order; none without a file.

    Raises:
        ItemsError: The file cannot be read; names it.
    """
    path = items_file(result_file)
    if not path.is_file():
        return []
    try:
        return [str(digest) for digest in _read(path)[DIGEST].to_pylist()]
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise ItemsError(f"{path} is not a file of items: {error}") from error


def read_columns(result_file: Path, digest: str) -> dict[str, dict[str, Array]]:
    """Read the columns of items of any version of a measure: table -> column -> its values.

    Raises:
        ItemsError: The items are missing or cannot be read; names the file.
    """
    path = items_file(result_file)
    missing = ItemsError(
        f"{path}: the items that {result_file.name} was computed from are missing."
    )
    if not path.is_file():
        raise missing
    tables: dict[str, dict[str, Array]] = {}
    try:
        file = _read(path)
        digests = file[DIGEST].to_pylist()
        if digest not in digests:
            raise missing
        row = digests.index(digest)
        for name in file.column_names:
            if name == DIGEST:
                continue
            table, _, column = name.partition(".")
            tables.setdefault(table, {})[column] = _values(file[name][row])
    except ItemsError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise ItemsError(f"{path} is not a file of items: {error}") from error
    return tables


def _read(path: Path) -> pyarrow.Table:
    stat = path.stat()
    return _read_once(path, stat.st_ino, stat.st_mtime_ns, stat.st_size)


@functools.lru_cache(2)  # the entries of a result are read from one file; two models are compared
def _read_once(path: Path, *_: int) -> pyarrow.Table:
    if is_pointer(path):
        raise ValueError(POINTER)
    with pyarrow.parquet.ParquetFile(path) as file:  # read_table is four times slower
        return file.read(use_threads=False).combine_chunks()  # the file is small


def _values(cell: pyarrow.ListScalar) -> Any:
    """The values of a list; by DLPack, since `to_numpy` imports pandas."""
    values = cell.values
    if values is None or values.null_count:
        raise ValueError("a cell is empty")
    if pyarrow.types.is_boolean(values.type):
        numbers = np.from_dlpack(values.cast(pyarrow.uint8()))
        return numbers.astype(bool)
    if not pyarrow.types.is_string(values.type):
        return np.from_dlpack(values)
    words = values.dictionary_encode()
    # each word a Python string once, not once per row
    texts = np.array(words.dictionary.to_pylist(), dtype=str)
    return texts[np.from_dlpack(words.indices)]
