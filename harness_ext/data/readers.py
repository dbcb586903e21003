"""Readers of lines, cells, workbooks and numbers for all datasets. Errors name the file and the place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

_SEPARATOR_NAMES = {"\t": "TAB"}


def read_lines(file: Path | Traversable) -> Iterator[tuple[str, str]]:
    """Yield the place (for messages) and the text of each line of a UTF-8 file.

    Raises:
        ValueError: The file is not UTF-8.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not a UTF-8 text file: {error}") from error
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        yield f"{file}, line {number}", line


def read_cells(
    file: Path | Traversable, columns: tuple[str, ...], separator: str = "\t"
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the place (for messages) and the cells of each line of a file without a header.

    Raises:
        ValueError: A line has another number of cells, or an empty cell; names file and line.
    """
    for place, line in read_lines(file):
        cells = tuple(cell.strip() for cell in line.split(separator))
        if len(cells) != len(columns) or not all(cells):
            layout = f" {_SEPARATOR_NAMES.get(separator, separator)} ".join(columns)
            raise ValueError(f"{place}: {layout} expected, found {line!r}")
        yield place, cells


def read_workbook(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Read an Excel workbook: name of a sheet -> its rows.

    Raises:
        ValueError: It is no workbook.
    """
    import openpyxl  # not above: `import mteb` imports the datasets' modules

    try:
        sheets = openpyxl.load_workbook(path, read_only=True, data_only=True).worksheets
        return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in sheets}
    except Exception as error:  # readers of zip, XML and workbooks raise errors of many types
        raise ValueError(f"{path} is not an Excel workbook: {error!r}") from error


def number_in(cell: str, place: str, low: float = -math.inf, high: float = math.inf) -> float:
    """Read the number in a cell.

    Raises:
        ValueError: It is no number, or outside of [low, high]; names the place.
    """
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError(f"{place}: a number from {low:g} to {high:g} expected, found {cell!r}")
    return number
