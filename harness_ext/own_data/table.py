"""The reader of a user's own rows: any table, in which a column is found by its name, whatever its
case.
"""

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple

from harness_ext.common.errors import did_you_mean
from harness_ext.data.tables import Line, read_content
from harness_ext.own_data.cells import shown_by_number, visible

_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")
_OTHER_WORKBOOKS = {".xls", ".xlsb", ".xlsm", ".ods", ".numbers"}
_DELIMITERS = ",;\t|"
_HIDDEN_ROW = re.compile(rb'<row [^>]*hidden="(?:1|true)"')
_N_FIRST_LINES = 10
"""In so many lines the names of columns are looked for, where the first has none."""

_DOS_END = "\x1a"
"""What DOS wrote at the end of a text."""

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
        messages: What is perhaps a mistake in a file.
    """

    name: str
    lines: Sequence[Line]
    messages: Sequence[str] = ()

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        names: dict[str, None] = {}
        for line in self.lines:
            names |= dict.fromkeys(map(str, line.cells))
        return list(names)

    def columns_in_words(self) -> str:
        """The names of the columns in words, sheet by sheet."""
        columns_of_sheets: dict[str, dict[str, None]] = {}
        for line in self.lines:
            columns = columns_of_sheets.setdefault(line.sheet, {})
            names = map(shown_by_number, map(str, line.cells))
            columns |= dict.fromkeys(filter(None, names))
        parts: list[str] = []
        for sheet, columns in columns_of_sheets.items():
            listed = ", ".join(columns)
            parts.append(listed if len(columns_of_sheets) == 1 else f"{listed} in sheet {sheet}")
        return f"There are: {'; '.join(parts)}."


def table_of_files(files: Sequence[str | Path]) -> OwnTable:
    """Read files, or a dataset of the Hub, as one table.

    Args:
        files: Paths of CSV, TSV, JSON, JSONL, Parquet or Excel files; or the name of a dataset on
            the Hub.

    Raises:
        OwnDataError: A file is not such a table, or its quotation marks can be read in two ways.
    """
    lines: list[Line] = []
    messages: list[str] = []
    for file in files:
        name = str(file)
        lines += _of_hub(name) if _is_of_hub(name) else _of_file(Path(file))
        if Path(name).suffix.lower() == ".xlsx":
            messages += _hidden_rows(Path(file))
    for line in lines:
        names = [str(column) for column in line.cells]
        if names == [*line.cells.values()]:
            raise OwnDataError(f"{line.place}: the header stands here again. Remove the line.")
    table = _table(", ".join(map(str, files)), lines)
    return replace(table, messages=messages)


def _hidden_rows(file: Path) -> Iterator[str]:
    """Say how many rows of a workbook a filter hides, sheet by sheet: they are read too."""
    with zipfile.ZipFile(file) as parts:
        sheets = [name for name in parts.namelist() if "worksheets/sheet" in name]
        n_hidden = sum(len(_HIDDEN_ROW.findall(parts.read(name))) for name in sheets)
    if n_hidden:
        yield (
            f"{file}: {n_hidden} rows are hidden, as by a filter, and are read as the others. To "
            "leave them out, copy the rows that you see into a new file."
        )


def _is_of_hub(name: str) -> bool:
    """Whether a name is no file, and may be one of a dataset on the Hub."""
    has_two_parts = name.count("/") == 1
    path = Path(name)
    return has_two_parts and path.suffix not in _SUFFIXES and not path.exists()


def any_table(rows: Any) -> OwnTable:
    """The table of the path of a file, or of several, or of rows, as `table_of`."""
    files = rows if isinstance(rows, list | tuple) else [rows]
    are_files = all(isinstance(file, str | Path) for file in files)
    return table_of_files(files) if files and are_files else table_of(rows)


def table_of(rows: Any) -> OwnTable:
    """The table of a DataFrame of pandas or Polars, a table of Arrow, a `Dataset`, or a list of
    dicts.

    Raises:
        OwnDataError: It is none of them, or two columns have one name.
    """
    counts = Counter(_columns_of_frame(rows))
    twice = [column for column, count in counts.items() if count > 1]
    if twice:
        raise OwnDataError(f"rows: the column {twice[0]!r} is there twice. Rename or remove one.")
    try:
        records = _records(rows)
    except (TypeError, ValueError):
        raise OwnDataError(
            f"rows is a {type(rows).__name__}: pass a DataFrame, a Dataset or a list of dicts."
        ) from None
    lines: list[Line] = []
    for number, cells in enumerate(records, start=1):
        lines.append(Line(f"row {number}", cells))
    return _table("rows", lines)


def _records(rows: Any) -> list[dict[str, Any]]:
    """The rows of an object as dicts; a TypeError or a ValueError if it has none."""
    for method in ("to_dicts", "to_pylist"):  # of Polars, of Arrow
        if hasattr(rows, method):
            return [dict(cells) for cells in getattr(rows, method)()]
    if _columns_of_frame(rows):
        records: list[dict[str, Any]] = rows.to_dict("records")
        return records
    return [dict(cells) for cells in rows]


def _columns_of_frame(rows: Any) -> list[str]:
    """The columns of a DataFrame; empty if the object is none."""
    if not hasattr(rows, "to_dict"):
        return []
    return [str(column) for column in getattr(rows, "columns", ())]


def _table(
    name: str,
    lines: Sequence[Line],
) -> OwnTable:
    """The table without its blank rows."""
    filled = [line for line in lines if any(map(_has_text, line.cells.values()))]
    if not filled:
        raise OwnDataError(
            f"{name}: no row in it. A header with the names of the columns and a line per row are "
            "expected."
        )
    return OwnTable(name, filled)


def _has_text(cell: Any) -> bool:
    return cell is not None and bool(str(cell).strip())


def renamed(
    table: OwnTable,
    fields: Iterable[str],
    columns: Mapping[str, str],
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
    unknown = [field for field in columns if field not in fields]
    if unknown:
        raise OwnDataError(f"{', '.join(unknown)}: no such field. There are: {', '.join(fields)}.")
    missing = [column for column in columns.values() if column not in table.columns]
    if missing:
        near = did_you_mean(missing[0], table.columns)
        raise OwnDataError(
            f"{table.name}: no column {', '.join(map(repr, missing))}. {near} "
            f"{table.columns_in_words()}".replace(".  ", ". ")
        )
    fields_of_columns = _fields_of_columns(table, fields, columns)
    lines = list(table.lines)
    if any(column != field for column, field in fields_of_columns.items()):
        lines = [_renamed_line(line, fields_of_columns) for line in lines]
    other_sheets = _sheets_without(lines, {*fields_of_columns.values()})
    messages = [f"{sheet}: it has none of the columns, and is left out." for sheet in other_sheets]
    lines = [line for line in lines if line.file not in other_sheets]
    return replace(table, lines=lines), messages


def _fields_of_columns(
    table: OwnTable,
    fields: Iterable[str],
    columns: Mapping[str, str],
) -> dict[str, str]:
    """Column -> its field, of those that have one."""
    named = {column: field for field, column in columns.items()}
    looked_for = {_plain(field): field for field in fields if field not in columns}
    columns_of_fields: dict[str, str] = {}
    for column in table.columns:
        field = named.get(column) or looked_for.get(_plain(column))
        if field is None:
            continue
        first = columns_of_fields.setdefault(field, column)
        if first != column:
            raise OwnDataError(
                f"{table.name}: the columns {first!r} and {column!r} are both {field!r}. Rename or "
                f"remove one, or say which: --column {field}={column}"
            )
    return {column: field for field, column in columns_of_fields.items()}


def _renamed_line(
    line: Line,
    names: Mapping[str, str],
) -> Line:
    """A line with its cells under the names of their fields."""
    cells: dict[str, Any] = {}
    for column, cell in line.cells.items():
        cells[names.get(str(column), column)] = cell
    return replace(line, cells=cells)


def _sheets_without(
    lines: Iterable[Line],
    fields: Set[str],
) -> list[str]:
    """The sheets that have none of the fields, where another has one."""
    of_sheets = [line for line in lines if line.sheet]
    others = [line.file for line in of_sheets if fields.isdisjoint(line.cells)]
    has_fields = {line.file for line in of_sheets}.difference(others)
    return list(dict.fromkeys(others)) if has_fields else []


def column_advice(
    table: OwnTable,
    missing: Sequence[str],
) -> str:
    """Why columns seem to be missing that a user sees; empty if nothing tells."""
    fields = {_plain(field) for field in missing}
    for column in table.columns:
        if visible(column) != column and _plain(visible(column)) in fields:
            return (
                f"The name of the column {shown_by_number(column)} has a letter that nobody sees, "
                "shown by its number. Remove it. "
            )
    for line in table.lines[:_N_FIRST_LINES]:
        cells = [_plain(str(cell)) for cell in line.cells.values()]
        if not fields.isdisjoint(cells):
            return f"{line.place}: the names of columns stand here. Remove the lines above it. "
    return ""


def _plain(name: str) -> str:
    words = re.split(r"[\s_-]+", name.casefold())
    return "_".join(filter(None, words))


def _of_file(file: Path) -> Sequence[Line]:
    content = _content(file)
    suffix = file.suffix.lower()
    layout = _Layout()
    if suffix not in {".parquet", ".xlsx"}:
        text = _text(file, content)
        if suffix in {".csv", ".tsv"}:
            layout = _layout(file, text)
            content = layout.text.encode()
    try:
        return read_content(
            str(file), content, delimiter=layout.delimiter, quoted=layout.are_quoted
        )
    except ValueError as error:
        raise OwnDataError(f"{error}.{_cure(suffix, str(error))}") from None


def _cure(
    suffix: str,
    error: str,
) -> str:
    """What to do about a table that cannot be read; empty if the error says it."""
    if error.endswith("occurs twice"):
        return " Rename or remove one."
    if suffix in {".csv", ".tsv"}:
        return (
            ' Mend the file, with quotes "…" around a text with the delimiter or a line end in it.'
        )
    return ""


class _Layout(NamedTuple):
    """How the cells of a text stand beside each other.

    Attributes:
        text: The text, without Excel's line that names the delimiter.
        delimiter: Between the cells; None for a file that is no text of cells.
        are_quoted: Whether quotation marks may stand around a cell.
    """

    text: str = ""
    delimiter: str | None = None
    are_quoted: bool = True


def _layout(
    file: Path,
    text: str,
) -> _Layout:
    """The layout of a CSV or TSV file."""
    hint = re.match(r"sep=([^\w\"\r\n])(?=[\r\n])", text, re.IGNORECASE)  # of Excel
    text = text[hint.end() :] if hint else text
    filled_lines = filter(str.strip, _LINE_END.split(text))
    header = next(filled_lines, "")
    second_line = next(filled_lines, "")
    _check_header(file, header, second_line)
    delimiters = _DELIMITERS if file.suffix.lower() == ".csv" else _DELIMITERS[::-1]
    if hint:
        delimiters = hint.group(1)
    n_cells = {delimiter: _n_cells(header, delimiter) for delimiter in delimiters}
    delimiter = max(n_cells, key=n_cells.__getitem__)
    if delimiter not in header:
        delimiter = ","
    return _Layout(text, delimiter, _is_quoted(file, text, header, delimiter))


def _check_header(
    file: Path,
    header: str,
    second_line: str,
) -> None:
    """Refuse a first line that is no header, as a note above the table."""
    has_delimiter = any(delimiter in header for delimiter in _DELIMITERS)
    is_table = any(_n_cells(second_line, delimiter) > 2 for delimiter in _DELIMITERS)
    if is_table and not has_delimiter:
        raise OwnDataError(
            f"{file}: {header.strip()!r} stands above the names of the columns. Remove that line."
        )


def _n_cells(
    line: str,
    delimiter: str,
) -> int:
    """How many cells a line has."""
    reader = csv.reader([line], delimiter=delimiter)
    return sum(map(len, reader))


def _is_quoted(
    file: Path,
    text: str,
    header: str,
    delimiter: str,
) -> bool:
    """Whether quotation marks stand around cells, as RFC 4180 has it, and are no part of their
    texts.

    Raises:
        OwnDataError: Both is possible, with other rows; names the line.
    """
    if '"' not in text:
        return True
    lines = _LINE_END.split(text)
    n_delimiters = header.count(delimiter)
    is_row = [line.count(delimiter) == n_delimiters for line in lines]  # without quoting
    is_blank = [not line for line in lines]
    could_be_plain = all(map(or_, is_row, is_blank))
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        strict=True,
    )
    end = 0
    joined = None
    try:
        for cells in reader:
            if could_be_plain and cells and len(cells) != n_delimiters + 1:
                return False
            has_several_lines = reader.line_num > end + 1
            if not joined and has_several_lines and all(is_row[end : reader.line_num]):
                broken = [cell for cell in cells if _LINE_END.search(cell)]
                joined = _Joined(end + 1, reader.line_num, broken[0])
            end = reader.line_num
    except csv.Error:
        return not could_be_plain
    if joined:
        words = joined.cell.split()
        raise OwnDataError(
            f"{file}, line {joined.first}: the quotation mark before "
            f"{words[0] if words else repr(joined.cell)} joins it with the lines up to "
            f"{joined.last}, each of which is a row without it. Save the file with quotes around "
            "each text that has a quotation mark or a line end in it, and with the text's own "
            "marks doubled."
        )
    return True


class _Joined(NamedTuple):
    """Lines that a cell joins, and the cell."""

    first: int
    last: int
    cell: str


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
    is_unchanged = before.st_mtime_ns == after.st_mtime_ns and before.st_size == after.st_size
    if not is_unchanged or len(content) != after.st_size:
        raise OwnDataError(
            f"{file} changed while it was read. Run the command again when nothing writes to it."
        )
    kind = _other_kind(file, content)
    if kind:
        raise OwnDataError(f"{file} {kind}")
    if file.suffix.lower() not in _SUFFIXES:
        raise OwnDataError(f"{file}: rename it by what it is: {', '.join(_SUFFIXES)}.")
    return content


def _other_kind(
    file: Path,
    content: bytes,
) -> str:
    """What a file is that its name does not say, and what to do; empty if it may be read."""
    suffix = file.suffix.lower()
    is_workbook = content.startswith(b"PK") and b"xl/workbook" in content
    if suffix in _OTHER_WORKBOOKS:
        return "is a workbook of another kind than .xlsx. Save it so, or as CSV."
    if is_workbook:
        is_named = suffix in {".xlsx", ".parquet"}
        return "" if is_named else "is an Excel workbook. Rename it: .xlsx."
    if suffix == ".parquet" and content.startswith(b"PAR1"):
        return ""
    for beginning, says in _OTHERS:
        if re.match(beginning, content):
            return says
    if suffix == ".xlsx":
        return "is no Excel workbook. Rename it by what it is, such as .csv."
    return ""


def _text(
    file: Path,
    content: bytes,
) -> str:
    """The text of a file in UTF-8; any other is refused with its line."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content:
        raise OwnDataError(
            f"{file}: its encoding is not UTF-8 (a zero byte or the mark of UTF-16 in it). Save it "
            "as UTF-8; Excel calls that `CSV UTF-8`."
        )
    try:
        text = content.decode().lstrip("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start : error.start + 1].hex()
        raise OwnDataError(
            f"{file}, line {line}: byte 0x{byte} is not UTF-8. Save the file as UTF-8; Excel calls "
            "that `CSV UTF-8`."
        ) from None
    if text.rstrip().endswith(_DOS_END):
        raise OwnDataError(
            f"{file}: it ends with the mark of the end that DOS wrote, byte 0x1a. Save the file "
            "again in another program, or remove its last letter."
        )
    return text


def _of_hub(name: str) -> Iterator[Line]:
    from datasets import DatasetDict, load_dataset

    try:
        data = load_dataset(name)
    except Exception as error:  # of many kinds: the Hub, the network, the dataset's own files
        message = str(error) or type(error).__name__
        reason = message.splitlines()[0]
        raise OwnDataError(
            f"{name}: no such file, and no dataset of that name can be loaded from the Hub "
            f"({reason})."
        ) from None
    splits = data if isinstance(data, DatasetDict) else {"": data}
    for split, rows in splits.items():
        for number, row in enumerate(rows, start=1):
            yield Line(f"{name}, {split}, row {number}", row)


def with_one_column_of_each(
    table: OwnTable,
    columns: Mapping[str, str | Sequence[str]],
) -> tuple[OwnTable, dict[str, str]]:
    """The table with a line for each of the columns that are named for one field, such as two
    sentences; and the columns, one of each field.

    A line without anything in such a column is left out.

    Raises:
        OwnDataError: Two fields have several columns, and not as many; or there is no such column.
    """
    one_of_each: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    for field, names in columns.items():
        listed = [names] if isinstance(names, str) else list(names)
        one_of_each[field] = listed[0]
        if len(listed) > 1:
            several[field] = listed
    if not several:
        return table, one_of_each
    if len({len(names) for names in several.values()}) > 1:
        counts = [f"{len(names)} of {field}" for field, names in several.items()]
        raise OwnDataError(f"{table.name}: as many columns expected, found {', '.join(counts)}.")
    missing = set(chain.from_iterable(several.values())).difference(table.columns)
    if missing:
        raise OwnDataError(
            f"{table.name}: no column {', '.join(map(repr, sorted(missing)))}. "
            f"{table.columns_in_words()}"
        )
    lines: list[Line] = []
    for line in table.lines:
        lines += _lines_of_columns(line, several, one_of_each.get("id", "id"))
    return replace(table, lines=lines), one_of_each


def _lines_of_columns(
    line: Line,
    columns: Mapping[str, Sequence[str]],
    id_: str,
) -> list[Line]:
    """A line for each of the columns of a field, under the name of the first of them."""
    every_column = {*chain.from_iterable(columns.values())}
    others = {name: cell for name, cell in line.cells.items() if name not in every_column}
    lines: list[Line] = []
    for number, names in enumerate(zip(*columns.values(), strict=True), start=1):
        cells = [line.cells.get(name) for name in names]
        if not any(map(_has_text, cells)):
            continue
        first_names = [listed[0] for listed in columns.values()]
        named = dict(zip(first_names, cells, strict=True))
        if _has_text(others.get(id_)):
            named[id_] = f"{others[id_]}-{number}"
        place = f"{line.place} ({' and '.join(names)})"
        lines.append(
            replace(
                line,
                place=place,
                cells={**others, **named},
            )
        )
    return lines
