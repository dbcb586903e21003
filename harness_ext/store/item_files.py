"""Files of items, named by what they hold: `<Task>.<digest>.<table>.parquet` beside the `<Task>.json` that states it.

An entry of a result states the digest of its items, and those of the items of the encoder's baselines. A file never
changes: other items have another digest, and so another file. So a result and its items belong together at any moment,
whenever a program is killed.
"""

from __future__ import annotations

import glob
import re
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

from harness_ext.common.files import whole_file
from harness_ext.measures.core.baseline_keys import BASELINES
from harness_ext.measures.core.items import Items

MAX_ITEMS = 2_000_000
"""Above this many rows only scores are saved."""

DIGEST = "items"
"""Key of the digest of the items, in an entry of a result."""

DIGESTS = (DIGEST, *(baseline.items for baseline in BASELINES))
"""Keys of all digests that an entry may have."""

_LETTERS = 16
"""So many letters of a digest stand in the names of its files."""

_UNWRITTEN: weakref.WeakValueDictionary[str, Items] = weakref.WeakValueDictionary()


class ItemsError(ValueError):
    """A file of items is missing, damaged, or does not belong to its result; names the file."""


def keep(items: Items) -> str:
    """Remember items for the result that will be written, as long as their task does. Returns their digest."""
    digest = items.digest()
    _UNWRITTEN[digest] = items
    return digest


def is_kept(digest: str) -> bool:
    """Whether these items were measured by this program and are not written yet."""
    return digest in _UNWRITTEN


def write_kept(result_file: Path, digest: str) -> None:
    """Write items that were kept; they are forgotten then. Of all others the files are there already."""
    if digest in _UNWRITTEN:
        _write(result_file, _UNWRITTEN[digest], digest)
        _UNWRITTEN.pop(digest, None)


def write_items(result_file: Path, items: Items) -> str:
    """Write the files of items beside a result file. Returns their digest."""
    digest = items.digest()
    _write(result_file, items, digest)
    return digest


def _write(result_file: Path, items: Items, digest: str) -> None:
    tables = items.tables()
    for name, path in item_files(result_file, type(items), digest).items():
        with whole_file(path) as partial:
            pyarrow.parquet.write_table(tables[name].to_arrow(), partial, compression="zstd")


def item_files(result_file: Path, items_type: type[Items], digest: str) -> dict[str, Path]:
    """Table -> its file, beside the result file."""
    return {
        name: result_file.with_name(f"{result_file.stem}.{digest[:_LETTERS]}.{name}.parquet")
        for name in items_type.table_types()
    }


def all_item_files(result_file: Path, items_type: type[Items]) -> list[tuple[str, Path]]:
    """List table and path of every file of items beside a result file."""
    digest = "[0-9a-f]" * _LETTERS
    names = {table: f"{glob.escape(result_file.stem)}.{digest}.{table}.parquet" for table in items_type.table_types()}
    return [(table, path) for table, name in names.items() for path in sorted(result_file.parent.glob(name))]


def remove_unnamed(result_file: Path, items_type: type[Items]) -> None:
    """Remove the files of items that neither the result names nor one that was set aside beside it."""
    results = result_file.parent.glob(f"{glob.escape(result_file.name)}*")
    named = "".join(file.read_text(encoding="utf-8", errors="replace") for file in results)
    for _, file in all_item_files(result_file, items_type):
        if file.name.split(".")[-3] not in named:
            file.unlink()


def read_items(result_file: Path, items_type: type[Items], digest: str) -> Items:
    """Read the items of an entry of a result.

    Args:
        result_file: The result file.
        items_type: Type of the task's items.
        digest: The entry's value of one of `DIGESTS`.

    Raises:
        ItemsError: The items are missing, cannot be read, or have another digest; names the file.
    """
    if not re.fullmatch("[0-9a-f]{64}", digest):  # it may be a stranger's, and stands in a path
        raise ItemsError(f"{result_file}: {digest!r} is no digest of items.")
    tables = {}
    for name, path in item_files(result_file, items_type, digest).items():
        if not path.is_file():
            raise ItemsError(f"{path}: the items that {result_file.name} was computed from are missing.")
        try:
            with pyarrow.parquet.ParquetFile(path) as file:  # read_table is four times slower
                table = file.read(use_threads=False)  # the file is small
            tables[name] = items_type.table_types()[name].of(
                {column: _values(values) for column, values in zip(table.column_names, table.columns, strict=True)}
            )
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise ItemsError(f"{path} is not a file of items: {error}") from error
    items = items_type(**tables)
    if items.digest() != digest:
        raise ItemsError(f"{path}: these items were changed after {result_file.name} was computed from them.")
    return items


def _values(column: pyarrow.ChunkedArray) -> Any:
    """The values of a column; by DLPack, since `to_numpy` imports pandas."""
    if column.null_count:
        raise ValueError("a cell is empty")
    if not column.num_chunks:  # of an empty table; to combine no chunks imports pandas too
        is_text = pyarrow.types.is_dictionary(column.type)
        return np.array([], dtype=str if is_text else column.type.to_pandas_dtype())
    values = column.combine_chunks()
    if pyarrow.types.is_boolean(column.type):
        return np.from_dlpack(values.cast(pyarrow.uint8())).astype(bool)
    if not pyarrow.types.is_dictionary(column.type):
        return np.from_dlpack(values)
    words = np.array(values.dictionary.to_pylist(), dtype=str)  # each word a Python string once, not once per row
    return words[np.from_dlpack(values.indices)]
