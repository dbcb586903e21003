"""The reader of a user's own rows: any table, in which a column is found by its name, whatever its case."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness_ext.data.tables import Line, read_content

_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")
_DELIMITERS = ",;\t|"


class OwnDataError(ValueError):
    """A user's own data cannot be measured; names the file, the line, the column, and what to do."""


@dataclass(frozen=True)
class OwnTable:
    """The lines of a user's own data.

    Attributes:
        name: Of the files, or of the dataset, for messages.
        lines: Their cells by column, and where they stand.
        revision: The hash of the content.
    """

    name: str
    lines: Sequence[Line]
    revision: str


def read_own_table(files: Sequence[str | Path]) -> OwnTable:
    """Read files, or a dataset of the Hub, as one table.

    Args:
        files: Paths of CSV, TSV, JSON, JSONL, Parquet or Excel files; or the name of a dataset on the Hub.

    Raises:
        OwnDataError: A file is not such a table.
    """
    digest = hashlib.sha256()
    lines: list[Any] = []
    for file in files:
        if not Path(file).exists() and str(file).count("/") == 1 and Path(file).suffix not in _SUFFIXES:
            table = _of_hub(str(file))
            digest.update(table.revision.encode())
        else:
            content = _content(Path(file))
            digest.update(content)
            table = OwnTable(str(file), _lines(Path(file), content), "")
        lines += table.lines
    for line in lines:
        if all(str(column) == cell for column, cell in line.cells.items()):
            raise OwnDataError(f"{line.place}: the header stands here again. Remove the line.")
    named = ", ".join(map(str, files))
    if not lines:
        raise OwnDataError(f"{named}: no row in it. A header with the names of the columns and a line per row are "
                           "expected.")  # fmt: skip
    return OwnTable(named, lines, digest.hexdigest()[:12])


def table_of(rows: Any) -> OwnTable:
    """The table of a DataFrame, a `Dataset`, or a list of dicts.

    Raises:
        OwnDataError: It is none of them.
    """
    try:
        records = rows.to_dict("records") if hasattr(rows, "to_dict") and hasattr(rows, "columns") else list(rows)
        lines = [Line(f"row {number}", dict(cells)) for number, cells in enumerate(records, start=1)]
    except (TypeError, ValueError):
        raise OwnDataError(
            f"rows is a {type(rows).__name__}: pass a DataFrame, a Dataset or a list of dicts."
        ) from None
    if not lines:
        raise OwnDataError("rows: there is no row.")
    content = repr([sorted(line.cells.items()) for line in lines]).encode()
    return OwnTable("rows", lines, hashlib.sha256(content).hexdigest()[:12])


def renamed(table: OwnTable, fields: Iterable[str], columns: Mapping[str, str]) -> OwnTable:
    """The same table with the cells under the names of the fields.

    Args:
        table: The table.
        fields: The fields that are looked for.
        columns: Field -> its column, where that has another name.

    Raises:
        OwnDataError: There is no such field or column, or two columns are of one field.
    """
    fields = list(fields)
    there = dict.fromkeys(str(column) for line in table.lines for column in line.cells)
    if unknown := [field for field in columns if field not in fields]:
        raise OwnDataError(f"{', '.join(unknown)}: no such field. There are: {', '.join(fields)}.")
    if missing := [column for column in columns.values() if column not in there]:
        raise OwnDataError(f"{table.name}: no column {', '.join(map(repr, missing))}. There are: {', '.join(there)}.")
    names: dict[str, str] = {}
    for column in there:
        field = next((field for field, named in columns.items() if named == column), None)
        if field is None:
            field = next((field for field in fields if _plain(field) == _plain(column) and field not in columns), None)
        if field is not None and field in names.values():
            first = next(name for name, of in names.items() if of == field)
            raise OwnDataError(
                f"{table.name}: the columns {first!r} and {column!r} are both {field!r}. Rename or remove one, or say "
                f"which: --column {field}={column}"
            )
        if field is not None:
            names[column] = field
    lines = [
        Line(line.place, {names.get(str(column), str(column)): cell for column, cell in line.cells.items()})
        for line in table.lines
    ]
    return OwnTable(table.name, lines, table.revision)


def _plain(name: str) -> str:
    return "_".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _content(file: Path) -> bytes:
    """The bytes of a file that is whole and stays as it is."""
    if not file.exists():
        raise OwnDataError(f"{file}: no such file.")
    if not file.is_file():
        kind = "a folder" if file.is_dir() else "no regular file"
        raise OwnDataError(f"{file} is {kind}. Name the file itself: {', '.join(_SUFFIXES)}.")
    if file.suffix.lower() not in _SUFFIXES:
        raise OwnDataError(f"{file}: rename it by what it is: {', '.join(_SUFFIXES)}.")
    before = file.stat()
    content = file.read_bytes()
    after = file.stat()
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size) or len(content) != after.st_size:
        raise OwnDataError(f"{file} changed while it was read. Run the command again when nothing writes to it.")
    return content


def _lines(file: Path, content: bytes) -> Sequence[Line]:
    suffix = file.suffix.lower()
    if suffix == ".parquet":
        return _of_parquet(file, content)
    if suffix != ".xlsx":
        _check_text(file, content)
    delimiter = None
    if suffix in {".csv", ".tsv"}:
        header = content.decode("utf-8-sig").split("\n", 1)[0]
        delimiter = max(_DELIMITERS[:: 1 if suffix == ".csv" else -1], key=header.count)
        if header.count(delimiter) == 0:
            delimiter = None
    try:
        return read_content(str(file), content, delimiter=delimiter)
    except ValueError as error:
        raise OwnDataError(f"{error}. Mend the file, with quotes \"…\" around a text with the delimiter or a line end "
                           "in it.")  from None  # fmt: skip


def _check_text(file: Path, content: bytes) -> None:
    """Refuse what is no text in UTF-8, with its line."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content:
        raise OwnDataError(f"{file}: its encoding is not UTF-8 (a zero byte or the mark of UTF-16 in it). Save it as "
                           "UTF-8; Excel calls that `CSV UTF-8`.")  # fmt: skip
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = content[error.start : error.start + 1].hex()
        raise OwnDataError(
            f"{file}, line {line}: byte 0x{found} is not UTF-8. Save the file as UTF-8; Excel calls that `CSV UTF-8`."
        ) from None


def _of_parquet(file: Path, content: bytes) -> Sequence[Line]:
    import pyarrow
    import pyarrow.parquet

    try:
        rows = pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise OwnDataError(f"{file} is not a whole Parquet file: {str(error).splitlines()[0]}") from None
    return [Line(f"{file}, row {number}", cells) for number, cells in enumerate(rows, start=1)]


def _of_hub(name: str) -> OwnTable:
    from datasets import DatasetDict, load_dataset

    try:
        data = load_dataset(name)
    except Exception as error:  # of many kinds: the Hub, the network, the dataset's own files
        raise OwnDataError(
            f"{name}: no such file, and no dataset of that name can be loaded from the Hub "
            f"({(str(error) or type(error).__name__).splitlines()[0]})."
        ) from None
    splits = data if isinstance(data, DatasetDict) else {"": data}
    lines = [
        Line(f"{name}, {split}, row {number}", row)
        for split, rows in splits.items()
        for number, row in enumerate(rows, start=1)
    ]
    return OwnTable(name, lines, "".join(rows._fingerprint for rows in splits.values()))
