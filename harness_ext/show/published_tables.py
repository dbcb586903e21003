"""`harness-ext published`: the papers' tables by themselves."""

from __future__ import annotations

import csv
import io
import json
import textwrap
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import rich.box
from rich.table import Table

from harness_ext.names import data_name
from harness_ext.results.published import COLUMNS, TELLING_KEYS, Notes, PublishedCell, published_cells
from harness_ext.show.listing import latex_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MODEL_WIDTH = 30
"""At most so many characters of a model's name stand in a line of a table in a terminal."""

_GAP = 3  # between columns


@dataclass(frozen=True)
class PublishedTable:
    """One printed table, or its part about one subset and split: a row per model, a column per quantity.

    Attributes:
        title: Paper, table, subset and split.
        header: Result keys; a mean and its standard deviation share a column, `…_mean±std…`.
        rows: Model, then its figures with the marks of their notes; empty where the paper has none.
        notes: What the marks mean.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]

    def rich(self, width: int) -> Iterator[Table]:
        """The table for a terminal of `width` characters, in as many parts as it takes."""
        columns = [(wrapped(heading), index) for index, heading in enumerate(self.header[1:], start=1)]
        widths = [
            _GAP + max(len(line) for line in (*heading.split("\n"), *(row[index] for row in self.rows)))
            for heading, index in columns
        ]
        fit = max(1, (width - MODEL_WIDTH - _GAP) // max(widths))
        parts = -(-len(columns) // fit)
        size = -(-len(columns) // parts)
        for start in range(0, len(columns), size):
            part = columns[start : start + size]
            rows = [row for row in self.rows if any(row[index] for _, index in part)]
            table = figures_table("model", *(heading for heading, _ in part))
            table.columns[0].max_width = MODEL_WIDTH
            for row in rows:
                table.add_row(row[0], *(row[index] for _, index in part))
            if start + size >= len(columns):
                add_notes(table, self.notes)
            yield table

    def latex(self) -> str:
        """The whole table for a LaTeX document."""
        return latex_table(self.header, self.rows, self.title, "\n".join(self.notes), figures=len(self.header) - 1)

    def markdown(self) -> str:
        """The whole table for a Markdown file."""
        lines = (self.header, ("---", *["---:"] * (len(self.header) - 1)), *self.rows)
        escaped = [[cell.replace("*", r"\*") for cell in line] for line in lines]
        notes = "".join(f"\n{note.replace('*', chr(92) + '*')}\n" for note in self.notes)
        return f"**{self.title}**\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in escaped) + notes


def figures_table(first: str, *columns: str) -> Table:
    """An empty table for a terminal: one column of names, the others of figures."""
    table = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def add_notes(table: Table, notes: Sequence[str]) -> None:
    """Put what the marks mean below a table."""
    if notes:
        table.caption, table.caption_justify = "\n".join(notes), "left"


def wrapped(key: str) -> str:
    """A result key in short lines, broken after underscores."""
    return "\n".join(textwrap.wrap(key.replace("_", "_ "), 14, break_long_words=False, break_on_hyphens=False)).replace(
        "_ ", "_"
    )


def select_cells(task: str, model: str | None = None, subset: str | None = None) -> tuple[PublishedCell, ...]:
    """The published cells of a task, of one model or one subset if they are named.

    Raises:
        LookupError: There are none; says what there is.
    """
    cells = published_cells(task)
    if not cells:
        raise LookupError(f"{task}: nothing was published for such a task. There is for: {', '.join(TELLING_KEYS)}.")
    for name, wanted in (("model", model), ("subset", subset)):
        if wanted is not None:
            there = list(dict.fromkeys(getattr(cell, name) for cell in cells))
            cells = tuple(cell for cell in cells if getattr(cell, name) == wanted)
            if not cells:
                raise LookupError(f"{wanted}: nothing was published for such a {name}. There is: {', '.join(there)}.")
    return cells


def published_tables(cells: Sequence[PublishedCell]) -> Iterator[PublishedTable]:
    """Published cells as they were printed: a table for each table of the papers, subset and split."""

    def printed_in(cell: PublishedCell) -> tuple[str, str, str]:
        return cell.table, cell.subset, cell.split

    order = list(dict.fromkeys(map(printed_in, cells)))
    ordered = sorted(cells, key=lambda cell: order.index(printed_in(cell)))
    for (table, subset, split), group in groupby(ordered, printed_in):
        found = {(cell.model, cell.key): cell for cell in group}
        columns = _columns(list(dict.fromkeys(key for _, key in found)))
        notes = Notes()
        figures = {at: notes.marked(cell) for at, cell in found.items()}
        rows = tuple(
            (model, *(_figure([figures.get((model, key), "") for key in keys]) for keys in columns.values()))
            for model in dict.fromkeys(model for model, _ in found)
        )
        title = f"{table}: {data_name(subset, split)}"
        yield PublishedTable(title, ("model", *columns), rows, tuple(notes.lines()))


def _figure(figures: list[str]) -> str:
    """A figure, or a mean and its standard deviation, of which either may be missing."""
    return figures[0] + "".join(f" ± {std}" for std in figures[1:] if std)


def _columns(keys: list[str]) -> dict[str, tuple[str, ...]]:
    """Heading -> the keys of the column: a mean and its standard deviation stand together."""
    pairs = {key: key.replace("_mean", "_std") for key in keys if "_mean" in key}
    pairs = {mean: std for mean, std in pairs.items() if std in keys}
    headings = {mean: mean.replace("_mean", "_mean±std") for mean in pairs}
    return {
        headings.get(key, key): (key, pairs[key]) if key in pairs else (key,)
        for key in keys
        if key not in pairs.values()
    }


def cells_as_csv(cells: Sequence[PublishedCell]) -> str:
    """The cells in the format of the data files, with the digits that were printed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cell in cells:
        writer.writerow((*cell.place, cell.key, cell.printed, cell.table, cell.note))
    return text.getvalue()


def cells_as_json(cells: Sequence[PublishedCell]) -> str:
    """The cells as a list of objects."""
    rows = [{**asdict(cell), "suspect": cell.suspect, "has_key": cell.has_key} for cell in cells]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
