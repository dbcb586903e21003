"""`harness-ext published`: the papers' tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby

from harness_ext.names import data_name
from harness_ext.results.published import COLUMNS, TELLING_KEYS, Notes, PublishedCell, published_cells
from harness_ext.show.listing import Listing


def select_cells(task: str, model: str | None = None, subset: str | None = None) -> tuple[PublishedCell, ...]:
    """Pick the published cells of a task, and of a model or subset if named.

    Raises:
        LookupError: There are none; lists the tasks, models or subsets with cells.
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


def published_tables(cells: Sequence[PublishedCell]) -> Iterator[Listing]:
    """Lay out cells as they were printed: a table for each table of the papers, subset and split.

    A row is a model, a column a result key; a mean and its standard deviation share the column `…_mean±std…`.
    """

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
        yield Listing(("model", *columns), rows, title, notes.text(), figures=len(columns))


def _figure(figures: list[str]) -> str:
    """Join a mean and its standard deviation; either may be missing."""
    return figures[0] + "".join(f" ± {std}" for std in figures[1:] if std)


def _columns(keys: list[str]) -> dict[str, tuple[str, ...]]:
    """Heading -> keys of the column: a mean and its standard deviation share a column."""
    pairs = {key: key.replace("_mean", "_std") for key in keys if "_mean" in key}
    pairs = {mean: std for mean, std in pairs.items() if std in keys}
    headings = {mean: mean.replace("_mean", "_mean±std") for mean in pairs}
    return {
        headings.get(key, key): (key, pairs[key]) if key in pairs else (key,)
        for key in keys
        if key not in pairs.values()
    }


def cells_as_csv(cells: Sequence[PublishedCell]) -> str:
    """Write cells in the format of the data files, with the printed digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cell in cells:
        writer.writerow((*cell.place, cell.key, cell.printed, cell.table, cell.note))
    return text.getvalue()


def cells_as_json(cells: Sequence[PublishedCell]) -> str:
    """Write cells as a list of objects."""
    rows = [{**asdict(cell), "suspect": cell.suspect, "has_key": cell.has_key} for cell in cells]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
