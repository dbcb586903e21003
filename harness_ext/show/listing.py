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

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""A cell that starts so is a formula for a spreadsheet, unless it is a number; the last four are
wide letters, for one in Chinese or Japanese.
"""

_NUMBER = re.compile(r"[+-]?\.?\d[\d.,e+-]*")


@dataclass
class Listing:
    """A table of texts. Control characters are replaced.

    Attributes:
        header: The names of the columns.
        rows: A text per column each.
        title: The text above it; empty for none.
        note: The text below it; empty for none.
        caption: What a caption for a paper says beside the title, in place of the note; the note if
            empty.
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
    caption: str = ""

    def __post_init__(self) -> None:
        self.rows = tuple(tuple(map(printable, row)) for row in self.rows)
        self.title = printable(self.title)

    @classmethod
    def of(cls, records: Iterable[Mapping[str, str]], *, labels: int = 1, **options: Any) -> Self:
        """List records: a column for each name in any of them, empty in records without it.

        Args:
            records: Name of the column -> text.
            labels: The number of first columns, which label a row. All others have figures.
            options: Further attributes.
        """
        rows = list(records)
        header: dict[str, None] = {}
        for row in rows:
            header |= dict.fromkeys(row)
        texts = [tuple(row.get(name, "") for name in header) for row in rows]
        n_figures = len(header) - labels
        return cls(
            tuple(header),
            tuple(texts),
            labels=labels,
            figures=n_figures,
            **options,
        )

    def rich(self, width: int) -> Iterator[Table | Text]:
        """Lay it out for a terminal, without empty columns. Names and figures are never folded.

        A table wider than `width` characters comes in parts that fit, each with the labels. If not
        even one column fits beside the labels, it comes in lines under each other.
        """
        used = self._used()
        if self._fits(width):
            yield self._table(self.header, used)
            return
        header, widths = self._narrowest()
        labels = used[: self.labels]
        columns = used[self.labels :]
        left = width - sum(widths[n] for n in labels)
        widest = max((widths[n] for n in columns), default=0)
        if left < widest:
            for row in self.rows:
                label = "  ".join(row[n] for n in labels)
                cells = [f"    {self.header[n]}: {row[n]}" for n in columns if row[n]]
                yield Text("\n".join([label, *cells]))
            return
        while columns:
            n_fitting = len(columns)
            while n_fitting > 1 and sum(widths[n] for n in columns[:n_fitting]) > left:
                n_fitting -= 1
            yield self._table(header, labels + columns[:n_fitting])
            columns = columns[n_fitting:]

    def _narrowest(self) -> tuple[tuple[str, ...], list[int]]:
        """The names of the columns in short lines, and the least widths of the columns."""
        header = list(self.header)
        for n in range(self._first_figure, len(header)):
            header[n] = _short_lines(header[n])
        widths = self._widths(tuple(header))
        for n in range(self._first_prose, len(header)):
            widths[n] = min(widths[n], _GAP + _PROSE)
        return tuple(header), widths

    def fitting(self, width: int) -> Listing:
        """The listing, or its `narrow` where it is wider than so many characters."""
        return self if self.narrow is None or self._fits(width) else self.narrow

    def _fits(self, width: int) -> bool:
        widths = self._widths(self.header)
        return sum(widths[n] for n in self._used()) <= width

    @property
    def _first_figure(self) -> int:
        """The number of the first column with figures."""
        return len(self.header) - self.figures

    @property
    def _first_prose(self) -> int:
        """The number of the first column with sentences."""
        return len(self.header) - self.prose

    def _used(self) -> list[int]:
        """List the columns that are labels or not empty."""
        columns = list(range(min(self.labels, len(self.header))))
        for n in range(self.labels, len(self.header)):
            if any(row[n] for row in self.rows):
                columns.append(n)
        return columns

    def _widths(self, header: tuple[str, ...]) -> list[int]:
        """The widths of the columns under these names, with the gap beside them."""
        widths: list[int] = []
        for n, name in enumerate(header):
            lines = [*name.split("\n"), *(row[n] for row in self.rows)]
            widths.append(_GAP + max(map(cell_len, lines)))
        return widths

    def _table(
        self,
        header: tuple[str, ...],
        columns: list[int],
    ) -> Table:
        """Lay out these columns."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        widths = self._widths(header)
        for n in columns:
            justify: JustifyMethod = "right" if n >= self._first_figure else "left"
            is_prose = n >= self._first_prose
            table.add_column(
                Text(header[n]),
                justify=justify,
                no_wrap=not is_prose,
                min_width=None if is_prose else widths[n] - _GAP,  # else rich would cut names
            )
        for row in self.rows:
            table.add_row(*(Text(row[n]) for n in columns))
        return table

    def latex(self) -> str:
        """Write it for LaTeX with the package booktabs, without empty columns. Its caption is the
        title with `caption`, or with the note.
        """
        # not above: it takes a twentieth of a second
        from tabulate import LATEX_ESCAPE_RULES, tabulate

        columns = self._used()
        places = ["right" if n >= self._first_figure else "left" for n in columns]
        table = tabulate(
            [[row[n] for n in columns] for row in self.rows],
            [self.header[n] for n in columns],
            tablefmt="latex_booktabs",
            disable_numparse=True,
            colalign=places,
        )
        # what names a command is for a terminal
        said = self.caption or self.note
        notes = [line for line in said.splitlines() if "harness-ext " not in line]
        sentences = [text for text in (self.title, " ".join(notes)) if text]
        caption = " ".join(". ".join(sentences).split())
        caption = "".join(LATEX_ESCAPE_RULES.get(letter, letter) for letter in caption)
        captions = [f"\\caption{{{caption}}}"] if caption else []
        lines = ["\\begin{table}", "\\centering", *captions, table, "\\end{table}"]
        text = "\n".join(lines)
        with_minus = re.sub(r"(?<![\w.}\])-])-(?=\.?\d)", "$-$", text)
        return with_minus.translate(_LATEX_SYMBOLS)

    def records(self) -> list[dict[str, str]]:
        """Each row as name of the column -> text."""
        return [dict(zip(self.header, row, strict=True)) for row in self.rows]

    def markdown(self) -> str:
        """Write it for Markdown."""
        lines = [[*map(_markdown, cells)] for cells in (self.header, *self.rows)]
        lines.insert(1, ["---"] * len(self.header))
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        title = f"**{_markdown(self.title)}**" if self.title else ""
        parts = [title, table, _markdown(self.note)]
        return "\n\n".join(part for part in parts if part)


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


def printable(text: str) -> str:
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


def render(
    listings: Sequence[Listing],
    form: Format,
) -> str:
    """Write listings as text. In CSV and JSON, listings with titles get a first column `table`."""
    if form == "latex":
        return "\n\n".join(listing.latex() for listing in listings)
    if form == "markdown":
        return "\n\n".join(listing.markdown() for listing in listings)
    records: list[dict[str, Any]] = []
    for listing in listings:
        table = {"table": listing.title} if listing.title else {}
        rows = listing.data or listing.records()
        records += [{**table, **row} for row in rows]
    return record_text(records, form)


def record_text(
    records: Sequence[Mapping[str, Any]],
    form: Format,
) -> str:
    """Write records as JSON or CSV: numbers with all digits; None, NaN and missing values are null,
    or empty in CSV.
    """
    rows: list[dict[str, Any]] = []
    columns: dict[str, None] = {}
    for record in records:
        rows.append({name: _recorded(value) for name, value in record.items()})
        columns |= dict.fromkeys(record)
    if form == "json":
        return json.dumps(rows, ensure_ascii=False, indent=2)
    return csv_text(rows, [*columns]).rstrip("\n")


def _recorded(value: Any) -> Any:
    """A value as programs read it."""
    if isinstance(value, str):
        return printable(value)
    is_nan = isinstance(value, float) and math.isnan(value)
    return None if is_nan else value


def csv_text(
    records: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
) -> str:
    """Write records as CSV; missing values and None are empty. Formulas of spreadsheets get an
    apostrophe in front.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for record in records:
        writer.writerow([_csv_cell(record.get(name)) for name in columns])
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    if not isinstance(value, str) or not value.startswith(_FORMULA_STARTS):
        return value
    return value if _NUMBER.fullmatch(value) else f"'{value}"
