"""The reader of a user's own rows: any table, in which a column is found by its name, whatever its case."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
    """

    name: str
    lines: Sequence[Line]

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return list(dict.fromkeys(str(column) for line in self.lines for column in line.cells))


def read_own_table(files: Sequence[str | Path]) -> OwnTable:
    """Read files, or a dataset of the Hub, as one table.

    Args:
        files: Paths of CSV, TSV, JSON, JSONL, Parquet or Excel files; or the name of a dataset on the Hub.

    Raises:
        OwnDataError: A file is not such a table.
    """
    lines: list[Line] = []
    for file in files:
        is_of_hub = not Path(file).exists() and str(file).count("/") == 1 and Path(file).suffix not in _SUFFIXES
        lines += _of_hub(str(file)) if is_of_hub else _of_file(Path(file))
    for line in lines:
        if all(str(column) == cell for column, cell in line.cells.items()):
            raise OwnDataError(f"{line.place}: the header stands here again. Remove the line.")
    return _table(", ".join(map(str, files)), lines)


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
    return _table("rows", lines)


def _table(name: str, lines: Sequence[Line]) -> OwnTable:
    """The table without its blank rows."""
    filled = [line for line in lines if any(cell is not None and str(cell).strip() for cell in line.cells.values())]
    if not filled:
        raise OwnDataError(
            f"{name}: no row in it. A header with the names of the columns and a line per row are expected."
        )
    return OwnTable(name, filled)


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
    if unknown := [field for field in columns if field not in fields]:
        raise OwnDataError(f"{', '.join(unknown)}: no such field. There are: {', '.join(fields)}.")
    if missing := [column for column in columns.values() if column not in table.columns]:
        there = ", ".join(table.columns)
        raise OwnDataError(f"{table.name}: no column {', '.join(map(repr, missing))}. There are: {there}.")
    named = {column: field for field, column in columns.items()}
    looked_for = {_plain(field): field for field in fields if field not in columns}
    names: dict[str, str] = {}
    for column in table.columns:
        field = named.get(column) or looked_for.get(_plain(column))
        if field is not None and field in names.values():
            first = next(name for name, of in names.items() if of == field)
            raise OwnDataError(
                f"{table.name}: the columns {first!r} and {column!r} are both {field!r}. Rename or remove one, or say "
                f"which: --column {field}={column}"
            )
        names |= {column: field} if field is not None else {}
    return OwnTable(
        table.name,
        [
            Line(line.place, {names.get(str(column), str(column)): cell for column, cell in line.cells.items()})
            for line in table.lines
        ],
    )


def _plain(name: str) -> str:
    return "_".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _of_file(file: Path) -> Sequence[Line]:
    content, suffix = _content(file), file.suffix.lower()
    delimiter, quoted = None, True
    if suffix not in {".parquet", ".xlsx"}:
        text = _text(file, content)
    if suffix in {".csv", ".tsv"}:
        header = text.split("\n", 1)[0]
        delimiter = max(_DELIMITERS[:: 1 if suffix == ".csv" else -1], key=header.count)
        delimiter = delimiter if delimiter in header else None
        quoted = _is_quoted(file, text, delimiter or ",")
    try:
        return read_content(str(file), content, delimiter=delimiter, quoted=quoted)
    except ValueError as error:
        raise OwnDataError(
            f'{error}. Mend the file, with quotes "…" around a text with the delimiter or a line end in it.'
        ) from None


def _is_quoted(file: Path, text: str, delimiter: str) -> bool:
    """Whether quotation marks stand around cells, and are no part of their texts.

    Raises:
        OwnDataError: Both is possible, with other rows; names the line.
    """
    lines = [line for line in re.split("\r\n|\r|\n", text) if line]
    if '"' not in text or any(line.count(delimiter) != lines[0].count(delimiter) for line in lines):
        return True
    reader, end = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 0
    try:
        for cells in reader:
            if reader.line_num > end + 1:
                mark = next(cell for cell in cells if "\n" in cell or "\r" in cell).split()[0]
                raise OwnDataError(
                    f"{file}, line {end + 1}: the quotation mark before {mark!r} joins it with the lines up to "
                    f"{reader.line_num}, each of which is a row without it. If the mark is a part of the text, quote "
                    'that cell and double the mark: """Yes."" he said." If the lines are one cell, join them.'
                )
            end = reader.line_num
    except csv.Error:
        return False
    return True


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


def _text(file: Path, content: bytes) -> str:
    """The text of a file in UTF-8; any other is refused with its line."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content:
        raise OwnDataError(
            f"{file}: its encoding is not UTF-8 (a zero byte or the mark of UTF-16 in it). Save it as UTF-8; Excel "
            "calls that `CSV UTF-8`."
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = content[error.start : error.start + 1].hex()
        raise OwnDataError(
            f"{file}, line {line}: byte 0x{found} is not UTF-8. Save the file as UTF-8; Excel calls that `CSV UTF-8`."
        ) from None


def _of_hub(name: str) -> Iterator[Line]:
    from datasets import DatasetDict, load_dataset

    try:
        data = load_dataset(name)
    except Exception as error:  # of many kinds: the Hub, the network, the dataset's own files
        raise OwnDataError(
            f"{name}: no such file, and no dataset of that name can be loaded from the Hub "
            f"({(str(error) or type(error).__name__).splitlines()[0]})."
        ) from None
    for split, rows in (data if isinstance(data, DatasetDict) else {"": data}).items():
        yield from (Line(f"{name}, {split}, row {number}", row) for number, row in enumerate(rows, start=1))
