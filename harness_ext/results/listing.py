"""A table of texts, for a terminal, for Markdown, as CSV or as JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import rich.box
import rich.table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

Format = Literal["table", "markdown", "csv", "json"]
FORMATS: tuple[str, ...] = get_args(Format)


@dataclass(frozen=True)
class Listing:
    """A table: its columns and its rows, all of them texts that are shown as they are.

    Attributes:
        header: The columns.
        rows: A text per column each.
        title: Stands above it; empty for none.
        note: Stands below it; empty for none.
        figures: How many of the last columns hold figures, which a terminal shows at the right.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""
    figures: int = 0

    def rich(self) -> rich.table.Table:
        """For a terminal; no text is folded, so that a name can be copied."""
        table = rich.table.Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
        for number, name in enumerate(self.header):
            right = number >= len(self.header) - self.figures
            table.add_column(Text(name), justify="right" if right else "left", no_wrap=True)
        for row in self.rows:
            table.add_row(*map(Text, row))
        return table

    def markdown(self) -> str:
        """For a Markdown file."""
        lines = (self.header, ("---",) * len(self.header), *self.rows)
        table = "\n".join(f"| {' | '.join(map(_markdown_cell, line))} |" for line in lines)
        return "\n\n".join(filter(None, (self.title and f"**{self.title}**", table, self.note)))


def _markdown_cell(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text).replace("|", "\\|")


def render(listings: Sequence[Listing], form: Format) -> str:
    """Listings as text; as CSV or JSON, those with titles get a first column `table`.

    A CSV cell that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    if form == "markdown":
        return "\n\n".join(listing.markdown() for listing in listings)
    records = [
        {**({"table": listing.title} if listing.title else {}), **dict(zip(listing.header, row, strict=True))}
        for listing in listings
        for row in listing.rows
    ]
    if form == "json":
        return json.dumps(records, ensure_ascii=False, indent=2)
    columns = dict.fromkeys(name for record in records for name in record)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), restval="", lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: _csv_cell(value) for name, value in record.items()})
    return text.getvalue().rstrip("\n")


def _csv_cell(text: str) -> str:
    formula = text[:1] in set("=+-@\t\r") and not re.fullmatch(r"[+-]?\.?\d[\d.,e+-]*", text)
    return f"'{text}" if formula else text
