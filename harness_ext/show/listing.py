"""A table of texts for a terminal, Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from rich import box
from rich.cells import cell_len
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

Format = Literal["table", "markdown", "latex", "csv", "json"]

_GAP = 3
"""Characters between the columns of a terminal's table."""

_PROSE = 30
"""The narrowest width of a column of sentences."""


@dataclass
class Listing:
    """A table of texts. Control characters are replaced.

    Attributes:
        header: The names of the columns.
        rows: A text per column each.
        title: The text above it; empty for none.
        note: The text below it; empty for none.
        figures: The number of last columns with figures, aligned to the right.
        labels: The number of first columns that label a row.
        prose: The number of last columns with sentences or lists, which a terminal may fold.
        narrow: The same in fewer columns, for a terminal that is too narrow.
        data: The same with numbers, for CSV and JSON; by default the texts under the names of the
            columns.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""
    figures: int = 0
    labels: int = 1
    prose: int = 0
    narrow: Listing | None = None
    data: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        self.rows = tuple(tuple(map(_printable, row)) for row in self.rows)
        self.title = _printable(self.title)

    @classmethod
    def of(cls, records: Iterable[Mapping[str, str]], *, labels: int = 1, **options: Any) -> Self:
        """List records, name of the column -> text: a column for each name in any of them, empty in
        records without it.

        The first columns, as many as `labels`, label a row. All others have figures.
        """
        rows = list(records)
        header = tuple(dict.fromkeys(name for row in rows for name in row))
        texts = tuple(tuple(row.get(name, "") for name in header) for row in rows)
        return cls(header, texts, labels=labels, figures=len(header) - labels, **options)

    def rich(self, width: int) -> Iterator[Table | Text]:
        """Lay it out for a terminal, without empty columns. Names and figures are never folded.

        A table wider than `width` characters comes in parts that fit, each with the labels. If not
        even one column fits beside the labels, it comes in lines under each other.
        """
        columns = self._used()
        if self._fits(width):
            yield self._table(self.header, columns)
            return
        header, widths = self._narrowest()
        labels, columns = columns[: self.labels], columns[self.labels :]
        left = width - sum(widths[n] for n in labels)
        if left < max((widths[n] for n in columns), default=0):
            for row in self.rows:
                lines = (f"    {self.header[n]}: {row[n]}" for n in columns if row[n])
                yield Text("\n".join(["  ".join(row[n] for n in labels), *lines]))
            return
        while columns:
            n = len(columns)
            while n > 1 and sum(widths[n] for n in columns[:n]) > left:
                n -= 1
            yield self._table(header, labels + columns[:n])
            columns = columns[n:]

    def _narrowest(self) -> tuple[tuple[str, ...], list[int]]:
        """The names of the columns in short lines, and the least widths of the columns."""
        first_figure, first_prose = (len(self.header) - n for n in (self.figures, self.prose))
        header = tuple(
            _short_lines(name) if n >= first_figure else name for n, name in enumerate(self.header)
        )
        widths = self._widths(header)
        return header, [
            min(width, _GAP + _PROSE) if n >= first_prose else width
            for n, width in enumerate(widths)
        ]

    def fitting(self, width: int) -> Listing:
        """The listing, or its `narrow` where it is wider than so many characters."""
        return self if self.narrow is None or self._fits(width) else self.narrow

    def _fits(self, width: int) -> bool:
        widths = self._widths(self.header)
        return sum(widths[n] for n in self._used()) <= width

    def _used(self) -> list[int]:
        """List the columns that are not empty."""
        return [
            n
            for n in range(len(self.header))
            if n < self.labels or any(row[n] for row in self.rows)
        ]

    def _widths(self, header: tuple[str, ...]) -> list[int]:
        return [
            _GAP
            + max(cell_len(line) for line in (*name.split("\n"), *(row[n] for row in self.rows)))
            for n, name in enumerate(header)
        ]

    def _table(self, header: tuple[str, ...], columns: list[int]) -> Table:
        table, widths = Table(box=box.SIMPLE_HEAD, pad_edge=False), self._widths(header)
        first_figure, first_prose = (len(header) - n for n in (self.figures, self.prose))
        for n in columns:
            justify: JustifyMethod = "right" if n >= first_figure else "left"
            least = None if n >= first_prose else widths[n] - _GAP  # else rich would cut names
            table.add_column(
                Text(header[n]), justify=justify, no_wrap=n < first_prose, min_width=least
            )
        for row in self.rows:
            table.add_row(*(Text(row[n]) for n in columns))
        return table

    def latex(self) -> str:
        """Write it for LaTeX with the package booktabs, without empty columns. Title and note are
        its caption.
        """
        # not above: it takes a twentieth of a second
        from tabulate import LATEX_ESCAPE_RULES, tabulate

        columns = self._used()
        places = ["right" if n >= len(self.header) - self.figures else "left" for n in columns]
        header, *rows = ([texts[n] for n in columns] for texts in (self.header, *self.rows))
        table = tabulate(
            rows, header, tablefmt="latex_booktabs", disable_numparse=True, colalign=places
        )
        caption = " ".join(". ".join(filter(None, (self.title, self.note))).split())
        caption = "".join(LATEX_ESCAPE_RULES.get(letter, letter) for letter in caption)
        captions = [f"\\caption{{{caption}}}"] if caption else []
        text = "\n".join(["\\begin{table}", "\\centering", *captions, table, "\\end{table}"])
        return re.sub(r"(?<![\w.}\])-])-(?=\.?\d)", "$-$", text).translate(_LATEX_SYMBOLS)

    def markdown(self) -> str:
        """Write it for Markdown."""
        lines = [[*map(_markdown, line)] for line in (self.header, *self.rows)]
        lines.insert(1, ["---"] * len(self.header))
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        title = self.title and f"**{_markdown(self.title)}**"
        return "\n\n".join(filter(None, (title, table, _markdown(self.note))))


_LATEX_SYMBOLS = str.maketrans(
    {
        "−": "$-$",
        "≥": "$\\geq$",
        "↑": "$\\uparrow$",
        "↓": "$\\downarrow$",
        "·": "$\\cdot$",
        "≈": "$\\approx$",
        "α": "$\\alpha$",
        "ε": "$\\varepsilon$",
        "ρ": "$\\rho$",
        "†": "\\dag{}",
        "½": "$1/2$",
        "⅓": "$1/3$",
        "¼": "$1/4$",
    }
)
"""Symbols of our tables that pdflatex has no letter for."""


def _printable(text: str) -> str:
    """Replace letters that move the cursor or cannot be printed."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def _short_lines(key: str) -> str:
    """Break a result key after underscores."""
    lines = textwrap.wrap(
        key.replace("_", "_ "), 10, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines).replace("_ ", "_")


def _markdown(text: str) -> str:
    """Escape a text so that Markdown shows it unchanged: no format, tag or hidden link. Code stays
    code.
    """
    if re.fullmatch(r"`[^`\n]*`", text):
        return text.replace("|", "\\|")
    escaped = re.sub(r"[\\`*~|]|(?<![^\W_])_|_(?![^\W_])|(?<=\])(?=[(\[:])", r"\\\g<0>", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;")


def render(listings: Sequence[Listing], form: Format) -> str:
    """Write listings as text. In CSV and JSON, listings with titles get a first column `table`."""
    if form == "latex":
        return "\n\n".join(listing.latex() for listing in listings)
    if form == "markdown":
        return "\n\n".join(listing.markdown() for listing in listings)
    records = [
        {**({"table": listing.title} if listing.title else {}), **record}
        for listing in listings
        for record in listing.data
        or [dict(zip(listing.header, row, strict=True)) for row in listing.rows]
    ]
    return record_text(records, form)


def record_text(records: Sequence[Mapping[str, Any]], form: Format) -> str:
    """Write records as JSON or CSV: numbers with all digits; None, NaN and missing values are null,
    or empty in CSV.
    """
    rows = [{name: _recorded(value) for name, value in record.items()} for record in records]
    if form == "json":
        return json.dumps(rows, ensure_ascii=False, indent=2)
    return csv_text(rows, list(dict.fromkeys(name for row in rows for name in row))).rstrip("\n")


def _recorded(value: Any) -> Any:
    if isinstance(value, str):
        return _printable(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def csv_text(records: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Write records as CSV; missing values and None are empty. Formulas of spreadsheets get an
    apostrophe in front.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(record.get(name)) for name in columns] for record in records)
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    is_formula = (
        isinstance(value, str)
        and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        and not re.fullmatch(r"[+-]?\.?\d[\d.,e+-]*", value)
    )
    return f"'{value}" if is_formula else value
