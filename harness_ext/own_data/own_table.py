"""The reader of a user's own rows: any table, in which a column is found by its name, whatever its
case.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from harness_ext.data.tables import Line, read_content

_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")
_DELIMITERS = ",;\t|"
_LINE_END = re.compile("\r\n|\r|\n")
_OTHERS = (
    (
        rb"\x1f\x8b|PK\x03\x04|BZh|\xfd7zXZ|7z\xbc\xaf",
        "is packed. Unpack it, and name the file that is in it.",
    ),
    (
        rb"\xd0\xcf\x11\xe0",
        "is a workbook with a password, or an old one. Save it as .xlsx, without a password.",
    ),
    (rb"PAR1", "is a Parquet file. Rename it: .parquet."),
    (
        rb"version https://git-lfs",
        "is only a pointer of Git LFS. Get the file itself: git lfs pull.",
    ),
    (rb"(?i)<!doctype|<html", "is a web page. Download the file itself."),
)
"""How other files begin; what they are, and what to do."""


class OwnDataError(ValueError):
    """A user's own data cannot be measured; names the file, the line, the column, and what
    to do.
    """


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

    def there(self) -> str:
        """The names of the columns in words, sheet by sheet."""
        sheets: dict[str, dict[str, None]] = {}
        for line in self.lines:
            sheets.setdefault(line.sheet, {}).update(
                dict.fromkeys(filter(None, map(str, line.cells)))
            )
        by_sheet = [
            ", ".join(columns) + f" in sheet {sheet}" * (len(sheets) > 1)
            for sheet, columns in sheets.items()
        ]
        return f"There are: {'; '.join(by_sheet)}."


def read_own_table(files: Sequence[str | Path]) -> OwnTable:
    """Read files, or a dataset of the Hub, as one table.

    Args:
        files: Paths of CSV, TSV, JSON, JSONL, Parquet or Excel files; or the name of a dataset on
            the Hub.

    Raises:
        OwnDataError: A file is not such a table, or its quotation marks can be read in two ways.
    """
    lines: list[Line] = []
    for file in files:
        is_of_hub = (
            not Path(file).exists()
            and str(file).count("/") == 1
            and Path(file).suffix not in _SUFFIXES
        )
        lines += _of_hub(str(file)) if is_of_hub else _of_file(Path(file))
    for line in lines:
        if all(str(column) == cell for column, cell in line.cells.items()):
            raise OwnDataError(f"{line.place}: the header stands here again. Remove the line.")
    return _table(", ".join(map(str, files)), lines)


def any_table(rows: Any) -> OwnTable:
    """The table of the path of a file, or of several, or of rows, as `table_of`."""
    files = rows if isinstance(rows, list | tuple) else [rows]
    are_files = bool(files) and all(isinstance(file, str | Path) for file in files)
    return read_own_table(files) if are_files else table_of(rows)


def table_of(rows: Any) -> OwnTable:
    """The table of a DataFrame of pandas or Polars, a table of Arrow, a `Dataset`, or a list of
    dicts.

    Raises:
        OwnDataError: It is none of them, or two columns have one name.
    """
    columns = [*map(str, getattr(rows, "columns", ()))] if hasattr(rows, "to_dict") else []
    if twice := [column for column, n in Counter(columns).items() if n > 1]:
        raise OwnDataError(f"rows: the column {twice[0]!r} is there twice. Rename or remove one.")
    try:
        if given := next(
            (getattr(rows, name) for name in ("to_dicts", "to_pylist") if hasattr(rows, name)), None
        ):
            records = given()  # of Polars, of Arrow
        else:
            records = (
                rows.to_dict("records") if hasattr(rows, "to_dict") and columns else list(rows)
            )
        lines = [
            Line(f"row {number}", dict(cells)) for number, cells in enumerate(records, start=1)
        ]
    except (TypeError, ValueError):
        raise OwnDataError(
            f"rows is a {type(rows).__name__}: pass a DataFrame, a Dataset or a list of dicts."
        ) from None
    return _table("rows", lines)


def _table(name: str, lines: Sequence[Line]) -> OwnTable:
    """The table without its blank rows."""
    filled = [
        line
        for line in lines
        if any(cell is not None and str(cell).strip() for cell in line.cells.values())
    ]
    if not filled:
        raise OwnDataError(
            f"{name}: no row in it. A header with the names of the columns and a line per row are "
            "expected."
        )
    return OwnTable(name, filled)


def renamed(
    table: OwnTable, fields: Iterable[str], columns: Mapping[str, str]
) -> tuple[OwnTable, list[str]]:
    """The same table with the cells under the names of the fields, and a message per sheet that has
    none of them.

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
        raise OwnDataError(
            f"{table.name}: no column {', '.join(map(repr, missing))}. {table.there()}"
        )
    named = {column: field for field, column in columns.items()}
    looked_for = {_plain(field): field for field in fields if field not in columns}
    names: dict[str, str] = {}
    for column in table.columns:
        field = named.get(column) or looked_for.get(_plain(column))
        if field is not None and field in names.values():
            first = next(name for name, of in names.items() if of == field)
            raise OwnDataError(
                f"{table.name}: the columns {first!r} and {column!r} are both {field!r}. Rename or "
                f"remove one, or say which: --column {field}={column}"
            )
        names |= {column: field} if field is not None else {}
    lines = table.lines
    if any(field != column for column, field in names.items()):
        lines = [
            replace(
                line, cells={names.get(str(name), name): cell for name, cell in line.cells.items()}
            )
            for line in lines
        ]
    alien = [line for line in lines if line.sheet and line.cells.keys().isdisjoint(names.values())]
    of_rows = {line.file for line in lines if line.sheet} - {line.file for line in alien}
    others = dict.fromkeys(line.file for line in alien) if of_rows else {}
    messages = [f"{sheet}: it has none of the columns, and is left out." for sheet in others]
    return OwnTable(
        table.name, [line for line in lines if line.file not in others] if others else lines
    ), messages


def _plain(name: str) -> str:
    return "_".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _of_file(file: Path) -> Sequence[Line]:
    content, suffix = _content(file), file.suffix.lower()
    delimiter, quoted = None, True
    if suffix not in {".parquet", ".xlsx"}:
        text = _text(file, content)
    if suffix in {".csv", ".tsv"}:
        hint = re.match(r"sep=([^\w\"\r\n])(?=[\r\n])", text, re.IGNORECASE)  # of Excel
        text = text[hint.end() :] if hint else text
        header = next((line for line in _LINE_END.split(text) if line.strip()), "")
        delimiters = hint.group(1) if hint else _DELIMITERS[:: 1 if suffix == ".csv" else -1]
        delimiter = max(
            delimiters,
            key=lambda candidate: len(next(csv.reader([header], delimiter=candidate), "")),
        )
        delimiter = delimiter if delimiter in header else ","
        quoted = _is_quoted(file, text, header, delimiter)
        content = text.encode()
    try:
        return read_content(str(file), content, delimiter=delimiter, quoted=quoted)
    except ValueError as error:
        cure = (
            ' Mend the file, with quotes "…" around a text with the delimiter or a line end in it.'
        )
        raise OwnDataError(f"{error}.{cure if suffix in {'.csv', '.tsv'} else ''}") from None


def _is_quoted(file: Path, text: str, header: str, delimiter: str) -> bool:
    """Whether quotation marks stand around cells, as RFC 4180 has it, and are no part of their
    texts.

    Raises:
        OwnDataError: Both is possible, with other rows; names the line.
    """
    if '"' not in text:
        return True
    lines = _LINE_END.split(text)
    is_row = [line.count(delimiter) == header.count(delimiter) for line in lines]  # without quoting
    could_be_plain = all(row or not line for row, line in zip(is_row, lines, strict=True))
    reader, end, joined = (
        csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True),
        0,
        None,
    )
    try:
        for cells in reader:
            if could_be_plain and cells and len(cells) != header.count(delimiter) + 1:
                return False
            if not joined and reader.line_num > end + 1 and all(is_row[end : reader.line_num]):
                joined = (
                    end + 1,
                    reader.line_num,
                    next(cell for cell in cells if _LINE_END.search(cell)),
                )
            end = reader.line_num
    except csv.Error:
        return not could_be_plain
    if joined:
        first, last, cell = joined
        raise OwnDataError(
            f"{file}, line {first}: the quotation mark before "
            f"{cell.split()[0] if cell.split() else cell!r} joins it with the lines up to {last}, "
            "each of which is a row without it. Save the file with quotes around each text that "
            "has a quotation mark or a line end in it, and with the text's own marks doubled."
        )
    return True


def _content(file: Path) -> bytes:
    """The bytes of a file that is whole and stays as it is."""
    if not file.exists():
        raise OwnDataError(f"{file}: no such file.")
    if not file.is_file():
        kind = "a folder" if file.is_dir() else "no regular file"
        raise OwnDataError(f"{file} is {kind}. Name the file itself: {', '.join(_SUFFIXES)}.")
    if file.name.startswith(("~$", ".~lock.")):
        raise OwnDataError(
            f"{file} is a lock of the program in which a file is open. Name that file."
        )
    before = file.stat()
    content = file.read_bytes()
    after = file.stat()
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size) or len(
        content
    ) != after.st_size:
        raise OwnDataError(
            f"{file} changed while it was read. Run the command again when nothing writes to it."
        )
    suffix, is_workbook = (
        file.suffix.lower(),
        content.startswith(b"PK") and b"xl/workbook" in content,
    )
    other = next((says for begin, says in _OTHERS if re.match(begin, content)), "")
    if suffix in {".xls", ".xlsb", ".xlsm", ".ods", ".numbers"}:
        other = "is a workbook of another kind than .xlsx. Save it so, or as CSV."
    elif is_workbook or (suffix == ".parquet" and content.startswith(b"PAR1")):
        other = "" if suffix in {".xlsx", ".parquet"} else "is an Excel workbook. Rename it: .xlsx."
    elif suffix == ".xlsx" and not other:
        other = "is no Excel workbook. Rename it by what it is, such as .csv."
    if other:
        raise OwnDataError(f"{file} {other}")
    if suffix not in _SUFFIXES:
        raise OwnDataError(f"{file}: rename it by what it is: {', '.join(_SUFFIXES)}.")
    return content


def _text(file: Path, content: bytes) -> str:
    """The text of a file in UTF-8; any other is refused with its line."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content:
        raise OwnDataError(
            f"{file}: its encoding is not UTF-8 (a zero byte or the mark of UTF-16 in it). Save it "
            "as UTF-8; Excel calls that `CSV UTF-8`."
        )
    try:
        return content.decode().lstrip("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start : error.start + 1].hex()
        raise OwnDataError(
            f"{file}, line {line}: byte 0x{byte} is not UTF-8. Save the file as UTF-8; Excel calls "
            "that `CSV UTF-8`."
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
        yield from (
            Line(f"{name}, {split}, row {number}", row) for number, row in enumerate(rows, start=1)
        )
