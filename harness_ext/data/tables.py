"""The reader of tables: CSV, workbooks, JSON, Parquet, lines of text, also inside of archives.

A cell is read by the column's name, as a text, as a number or as a value of a list, and is refused
if it is not that. Errors name file, line and value. The formats are read here, not by pandas, which
knows no line numbers.
"""

import csv
import io
import json
import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from itertools import zip_longest
from pathlib import Path, PurePath
from typing import Any

from harness_ext.data.sources import Source, fetch

TAB = "\t"
# a file to read: a pinned file, which is fetched, or a file at a path
File = Source | Path | Traversable

_NO_VALUE = re.compile(rb'<c r="(\w+)"[^>]*><f[^<]*(?:</f>)?(?:<v */>|<v></v>)?</c>')
"""A cell of a workbook with a formula, whose value no program has kept."""

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
"""A number as people write it: Python also reads 1_2."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table; `line["column"]` is the text of a cell.

    Attributes:
        place: File and line, for messages.
        cells: By column; texts of JSON are as they are, others without the blanks around them.
        sheet: The sheet of a workbook; empty for other files.
    """

    place: str
    cells: Mapping[str, Any]
    sheet: str = ""

    @property
    def file(self) -> str:
        """The file, with its sheet."""
        return self.place.rpartition(", ")[0]

    def __getitem__(self, column: str) -> str:
        """The text of a cell; a ValueError if it is empty, missing, or neither text nor number."""
        text = self.get(column)
        if text is None:
            raise self.refusal(column, "a text")
        return text

    def get(
        self,
        column: str,
    ) -> str | None:
        """The text of a cell; None if it is empty, missing, or neither text nor number."""
        cell = self.cells.get(column)
        text = str(cell) if isinstance(cell, str | int | float) else ""
        return text if text.strip() else None

    def number(
        self,
        column: str,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> float:
        """The number in a cell; a ValueError if it is no number, or outside of [low, high]."""
        text = (self.get(column) or "").strip()
        number = float(text) if NUMBER.fullmatch(text) else math.nan
        if math.isfinite(number) and low <= number <= high:
            return number
        has_range = math.isfinite(low)
        expected = f"a number from {low:g} to {high:g}" if has_range else "a number"
        raise self.refusal(column, expected)

    def choice(
        self,
        column: str,
        values: Collection[str],
    ) -> str:
        """The text of a cell that must be one of `values`, else a ValueError."""
        text = self.get(column)
        if text not in values:
            raise self.refusal(column, f"one of {', '.join(values)}")
        return str(text)

    def refusal(
        self,
        column: str,
        expected: str,
    ) -> ValueError:
        """An error that names the place, what was expected there, and what was found."""
        return ValueError(
            f"{self.place}, column {column!r}: {expected} expected, found "
            f"{self.cells.get(column)!r}"
        )


def read_table(
    file: File,
    columns: Sequence[str] = (),
    *,
    delimiter: str | None = None,
    header: bool = True,
    unique: Sequence[str] = (),
) -> list[Line]:
    """Read a table. Its suffix says what it is: a workbook, JSON (a list, or an object a line),
    else text.

    Args:
        file: The file; a pinned file must have as many lines as the published file.
        columns: The columns it must have. Without a header the names of its first columns.
        delimiter: Between the cells of a line of text; for a table with a header by default TAB in
            `.tsv`, else a comma. Without a header and a delimiter a line is a cell.
        header: Whether the first line of a text has the columns' names; without them, quotation
            marks mean nothing.
        unique: Columns whose cells together occur once, whatever their case.

    Raises:
        SourceError: A pinned file cannot be had, or has another number of lines than the published
            file.
        ValueError: The file is not such a table; names file and line.
    """
    place, data = read_bytes(file)
    lines = read_content(place, data, columns, delimiter=delimiter, header=header)
    if isinstance(file, Source):
        file.check_rows(place, len(lines))
    seen: dict[tuple[str, ...], str] = {}
    for line in lines if unique else ():
        texts = [line[column].casefold() for column in unique]
        key = (line.sheet, *texts)
        if key in seen:
            raise line.refusal(unique[0], f"another value than in {seen[key]}")
        seen[key] = line.place
    return lines


def read_content(
    place: str,
    data: bytes,
    columns: Sequence[str] = (),
    *,
    delimiter: str | None = None,
    header: bool = True,
    quoted: bool = True,
) -> list[Line]:
    """Read a table from the content of a file, as `read_table`; `place` is its name, for messages.

    Cells of a text with a header may stand in quotation marks if `quoted`.
    """
    suffix = PurePath(place).suffix.lower()
    if suffix == ".xlsx":
        return list(_sheets(place, data, columns))
    if suffix in {".json", ".jsonl"}:
        return list(_entries(place, data))
    if suffix == ".parquet":
        return list(_parquet(place, data))
    if not header:
        return list(_plain(place, data, columns, delimiter))
    usual_delimiter = TAB if suffix == ".tsv" else ","
    return list(_cells(place, data, columns, delimiter or usual_delimiter, quoted))


def read_text(file: File) -> tuple[str, str]:
    """The place of a text, for messages, and the text. Raises what `read_bytes` does; ValueError if
    it is not UTF-8.
    """
    place, data = read_bytes(file)
    return place, _decoded(place, data)


def read_bytes(file: File) -> tuple[str, bytes]:
    """The place of a file, for messages, and its content.

    Raises:
        SourceError: As `read_table`.
        ValueError: It is not in its archive, or the archive is damaged.
    """
    if not isinstance(file, Source):
        return str(file), file.read_bytes()
    path = fetch(file)
    if not file.member:
        return str(path), path.read_bytes()
    place = f"{path}, {file.member}"
    try:
        with zipfile.ZipFile(path) as content:
            return place, content.read(file.member)
    except KeyError:
        raise ValueError(f"{place}: no such file in the archive") from None
    # a damaged header may say that a file is encrypted, or packed in a way that nobody knows: a
    # RuntimeError
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise ValueError(f"{place}: {error}") from None


def _decoded(
    place: str,
    data: bytes,
    kind: str = "text",
) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{place} is not a UTF-8 {kind} file: {error}") from None


def _require(
    place: str,
    header: Sequence[str],
    columns: Sequence[str],
) -> None:
    counts = Counter(column for column in header if column)
    twice = sorted(column for column, count in counts.items() if count > 1)
    if twice:
        raise ValueError(f"{place}: column {', '.join(map(repr, twice))} occurs twice")
    missing = [column for column in columns if column not in header]
    if missing:
        raise ValueError(f"{place}: no column {', '.join(map(repr, missing))}")


def _cells(
    place: str,
    data: bytes,
    columns: Sequence[str],
    delimiter: str,
    quoted: bool,
) -> Iterator[Line]:
    text = io.StringIO(_decoded(place, data, "CSV"), newline="")
    quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(
        text,
        delimiter=delimiter,
        quoting=quoting,
        strict=True,
    )
    limit = csv.field_size_limit(2**31 - 1)  # a cell may be a whole article
    try:
        filled_lines = filter(_has_text, reader)
        header = [column.strip() for column in next(filled_lines, [])]
        _require(place, header, columns)
        for cells in reader:
            if len(cells) == len(header) or _has_text(cells):  # else it is blank
                line = f"{place}, line {reader.line_num}"
                if len(cells) != len(header):
                    raise ValueError(
                        f"{line}: not as many cells as the {len(header)} columns of the header"
                    )
                texts = map(str.strip, cells)
                yield Line(line, dict(zip(header, texts, strict=True)))
    except csv.Error as error:
        raise ValueError(f"{place}, line {reader.line_num}: {error}") from error
    finally:
        csv.field_size_limit(limit)


def _has_text(cells: Iterable[str]) -> bool:
    return any(map(str.strip, cells))


def _plain(
    place: str,
    data: bytes,
    columns: Sequence[str],
    delimiter: str | None,
) -> Iterator[Line]:
    n_cells = 0
    texts_of_lines = _decoded(place, data).removesuffix("\n").split("\n")
    for number, text in enumerate(texts_of_lines, start=1):
        cells = text.split(delimiter) if delimiter else [text]
        n_cells = n_cells or len(cells)
        if not len(columns) <= len(cells) == n_cells:
            shown_delimiter = "TAB" if delimiter == TAB else delimiter
            layout = f" {shown_delimiter} ".join(columns)
            raise ValueError(f"{place}, line {number}: {layout} expected, found {text!r}")
        texts = map(str.strip, cells)
        yield Line(f"{place}, line {number}", dict(zip(columns, texts, strict=False)))


def _sheets(
    place: str,
    data: bytes,
    columns: Sequence[str],
) -> Iterator[Line]:
    import openpyxl  # takes a third of a second, and few files are workbooks

    try:
        book = openpyxl.load_workbook(
            io.BytesIO(data),
            read_only=True,
            data_only=True,
        )
        sheets = book.worksheets
        for sheet in sheets:
            sheet.reset_dimensions()  # some programs write a size that is too small
        tables = {sheet.title: [*sheet.iter_rows(values_only=True)] for sheet in sheets}
        formula = _formula_without_value(data)
    except Exception as error:  # readers of zip, XML and workbooks raise errors of many types
        raise ValueError(f"{place} is not an Excel workbook: {error!r}") from error
    if not sheets:
        raise ValueError(f"{place} has chart sheets alone. Give the rows a sheet with cells")
    if formula:
        raise ValueError(
            f"{place}, cell {formula}: a formula without its value. Open the workbook in Excel, "
            "and save it"
        )
    for title, table in tables.items():
        place_of_sheet = f"{place}, sheet {title}" if len(tables) > 1 else place
        header = [""]
        for number, cells in enumerate(table, start=1):
            texts = [*map(_text_of_cell, cells)]
            if not any(header):
                header = texts
                continue
            texts = texts[: len(header)]
            cells_of_row = dict(zip_longest(header, texts, fillvalue=""))
            yield Line(f"{place_of_sheet}, row {number}", cells_of_row, title)
        _require(place_of_sheet, header, columns)


def _text_of_cell(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _formula_without_value(workbook: bytes) -> str:
    """The first cell with a formula whose value no program has kept, such as B2; empty if there is
    none.
    """
    with zipfile.ZipFile(io.BytesIO(workbook)) as files:
        for name in files.namelist():
            formula = _NO_VALUE.search(files.read(name)) if "worksheets/" in name else None
            if formula:
                return formula.group(1).decode()
    return ""


def _parquet(
    place: str,
    data: bytes,
) -> Iterator[Line]:
    import pyarrow.parquet

    try:
        rows = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise ValueError(
            f"{place} is not a whole Parquet file: {str(error).splitlines()[0]}"
        ) from None
    for number, cells in enumerate(rows, start=1):
        yield Line(f"{place}, row {number}", cells)


def _entries(
    place: str,
    data: bytes,
) -> Iterator[Line]:
    """The objects of a JSON list, or of JSON lines."""
    text = _decoded(place, data, "JSON")
    entries: list[tuple[str, Any]] = []
    if text.lstrip().startswith("["):
        for number, entry in enumerate(_parsed(place, text)):
            entries.append((f"{place}, entry {number} (from 0)", entry))
    else:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                place_of_line = f"{place}, line {number}"
                entries.append((place_of_line, _parsed(place_of_line, line)))
    for place_of_entry, entry in entries:
        if not isinstance(entry, dict):
            raise ValueError(f"{place_of_entry}: an object expected, found {entry!r}")
        yield Line(place_of_entry, entry)


def _parsed(
    place: str,
    text: str,
) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{place} is not a UTF-8 JSON file: {error}") from error
    except _DoubledKeyError as error:
        raise ValueError(f"{place}: the key {str(error)!r} occurs twice") from None


class _DoubledKeyError(ValueError):
    """An object of JSON has a key twice: programs read the one or the other."""


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    counts = Counter(key for key, _ in pairs)
    for key, count in counts.items():
        if count > 1:
            raise _DoubledKeyError(key)
    return dict(pairs)
