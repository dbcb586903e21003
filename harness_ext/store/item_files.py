"""Files of items: `<Task>.items.parquet` beside `<Task>.json`, or one `<Task>.<table>.items.parquet` per table.

A result may have a second set of items, of the encoder's own words: `….words.items.parquet`, with the same columns.

A file has the rows of all splits and subsets, with the columns `split` and `subset`. An entry of the result file names
its items by their digest. A program may be killed at any moment. So the files get the new items beside those that they
supersede, then the result file is replaced, and then the superseded items go.
"""

from __future__ import annotations

import functools
import json
import logging
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet

from harness_ext.files import whole_file
from harness_ext.framework.items import Items

logger = logging.getLogger(__name__)

MAX_ITEMS = 2_000_000
"""Above this many rows only scores are saved."""

DIGEST = "items"
"""Key of the digest of the items, in an entry of a result."""

WORDS_DIGEST = "words_items"
"""Key of the digest of the items of the encoder's own words."""

ENDINGS = {DIGEST: "items.parquet", WORDS_DIGEST: "words.items.parquet"}
"""Sets of items that a result may have: key of the digest -> ending of the file names."""

Place = tuple[str, str]
"""Split and subset."""

_PLACES = b"harness_ext.places"


class ItemsError(ValueError):
    """A file of items is missing, damaged, or does not belong to its result; names the file."""


_KEPT: weakref.WeakValueDictionary[str, Items] = weakref.WeakValueDictionary()


def keep(items: Items) -> str:
    """Remember items as long as their task does. Returns their digest, with which `write_items` finds them."""
    digest = items.digest()
    _KEPT[digest] = items
    return digest


def is_kept(digest: str) -> bool:
    """Whether these items are in memory."""
    return digest in _KEPT


def item_files(result_file: Path, items_type: type[Items], key: str = DIGEST) -> dict[str, Path]:
    """Table -> its file, beside the result file; `key` is one of `ENDINGS`."""
    names = list(items_type.table_types())
    return {
        name: result_file.with_name(f"{result_file.stem}{f'.{name}' if len(names) > 1 else ''}.{ENDINGS[key]}")
        for name in names
    }


def all_item_files(result_file: Path, items_type: type[Items]) -> list[tuple[str, Path]]:
    """List table and path of every file of items that a result may have."""
    return [file for key in ENDINGS for file in item_files(result_file, items_type, key).items()]


def write_items(
    result_file: Path,
    items_type: type[Items],
    digests: Mapping[Place, str],
    key: str = DIGEST,
    superseded: Mapping[Place, str] | None = None,
) -> None:
    """Write the files of items of a result, from memory and from the files themselves.

    Args:
        result_file: Path of the result.
        items_type: Type of the task's items.
        digests: Place -> digest of its items. Items that are neither in memory nor on disk are left out.
        key: The set of items, of `ENDINGS`.
        superseded: The same of the result on disk while it is not yet replaced. The rows of its own that differ have
            their digest in the column `split`.
    """
    named = [(place, digest, place[0]) for place, digest in digests.items()]
    earlier = (superseded or {}).items() - digests.items()
    named += [(place, digest, digest) for place, digest in sorted(earlier)]
    parts: dict[str, list[pyarrow.Table]] = {name: [] for name in items_type.table_types()}
    written = []
    for place, digest, split in named:
        try:
            tables = _kept_or_stored(result_file, items_type, place, digest, key)
        except ItemsError as error:
            logger.warning("%s; its items of %s are lost.", error, " ".join(place))
            continue
        if tables.keys() == parts.keys():
            written.append([*place, digest, *([split] if split == digest else [])])
            for name, table in tables.items():
                parts[name].append(_with_place(table, (split, place[1])))
    for name, path in item_files(result_file, items_type, key).items() if written else ():
        table = pyarrow.concat_tables(parts[name], promote_options="permissive").unify_dictionaries()
        table = table.replace_schema_metadata({_PLACES: json.dumps(written).encode()})
        with whole_file(path) as partial:
            pyarrow.parquet.write_table(table, partial, compression="zstd")


def read_items(result_file: Path, items_type: type[Items], place: Place, digest: str, key: str = DIGEST) -> Items:
    """Read the items of an entry of a result.

    Args:
        result_file: The result file.
        items_type: Type of the task's items.
        place: Split and subset of the entry.
        digest: The entry's value of `key`.
        key: The set of items, of `ENDINGS`.

    Raises:
        ItemsError: The items are missing, cannot be read, or have another digest; names the file.
    """
    stored = _stored(result_file, items_type, place, digest, key)
    tables = {}
    for name, path in item_files(result_file, items_type, key).items():
        if name not in stored:
            raise ItemsError(
                f"{path}: the items of {' '.join(place)} that {result_file.name} was computed from are missing."
            )
        try:
            tables[name] = items_type.table_types()[name].of(_columns(stored[name]))
        except ValueError as error:
            raise ItemsError(f"{path}: {error}") from error
    items = items_type(**tables)
    if items.digest() != digest:
        names = ", ".join(path.name for path in item_files(result_file, items_type, key).values())
        raise ItemsError(
            f"{names} in {result_file.parent}: the items of {' '.join(place)} were changed after "
            f"{result_file.name} was computed from them."
        )
    return items


def _with_place(table: pyarrow.Table, place: Place) -> pyarrow.Table:
    for name, value in zip(("subset", "split"), reversed(place), strict=True):
        values = pyarrow.repeat(value, len(table)).dictionary_encode()
        described = pyarrow.field(name, values.type, metadata={"description": f"The dataset's {name}."})
        table = table.add_column(0, described, values)
    return table


def _kept_or_stored(
    result_file: Path, items_type: type[Items], place: Place, digest: str, key: str
) -> dict[str, pyarrow.Table]:
    kept = _KEPT.get(digest)
    if kept is None:  # items without rows are false
        return _stored(result_file, items_type, place, digest, key)
    return {name: table.to_arrow() for name, table in kept.tables().items()}


def _stored(
    result_file: Path, items_type: type[Items], place: Place, digest: str, key: str
) -> dict[str, pyarrow.Table]:
    """Read the rows of a place by table; a table is left out if its file is missing or has other items."""
    tables = {}
    for name, path in item_files(result_file, items_type, key).items():
        for split, subset, of_items, *stored_as in _places(path) if path.is_file() else ():
            if (split, subset, of_items) == (*place, digest):
                tables[name] = _rows(path, ((stored_as or [split])[0], subset))
    return tables


def _places(path: Path) -> list[list[str]]:
    try:
        metadata = pyarrow.parquet.read_schema(path).metadata or {}
        places: list[list[str]] = json.loads(metadata.get(_PLACES, b"[]"))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise ItemsError(f"{path} is not a file of items: {error}") from error
    return places


def _rows(path: Path, place: Place) -> pyarrow.Table:
    try:
        about = path.stat()
        table = _table(path, about.st_mtime_ns, about.st_size, about.st_ino)
        split, subset = (
            pyarrow.compute.equal(table[name], value) for name, value in zip(("split", "subset"), place, strict=True)
        )
        rows = table.filter(pyarrow.compute.and_(split, subset))
    except (pyarrow.ArrowException, OSError, KeyError) as error:
        raise ItemsError(f"{path} is not a file of items: {error}") from error
    return rows.drop_columns(["split", "subset"]).replace_schema_metadata(None)


@functools.lru_cache(maxsize=8)  # the splits and subsets of a result are read one after the other
def _table(path: Path, *_state: int) -> pyarrow.Table:
    with pyarrow.parquet.ParquetFile(path) as file:  # read_table and filters by expression are four times slower
        return file.read(use_threads=False)  # the file is small


def _columns(table: pyarrow.Table) -> dict[str, Any]:
    return {name: _values(column) for name, column in zip(table.column_names, table.columns, strict=True)}


def _values(column: pyarrow.ChunkedArray) -> Any:
    if not pyarrow.types.is_dictionary(column.type):
        return column.to_numpy()
    words = column.combine_chunks()  # makes each word a Python string once, not once per row
    return np.array(["", *words.dictionary.to_pylist()], dtype=str)[words.indices.fill_null(-1).to_numpy() + 1]
