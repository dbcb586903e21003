"""The papers' tables: `harness-ext show --published`, and published models below the measured
models.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby

from harness_ext.common.errors import unknown_name
from harness_ext.common.names import data_name
from harness_ext.results.entry import Entry
from harness_ext.results.published import (
    TELLING_KEYS,
    Notes,
    PublishedCell,
    ResultKey,
    published_cells,
    published_scores,
    references,
)
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import named
from harness_ext.show.numbers import with_interval
from harness_ext.show.paper import Paper, paper_of
from harness_ext.tasks import TASKS


def select_cells(task: str, models: Sequence[str] = ()) -> tuple[PublishedCell, ...]:
    """Pick the published cells of a task, and of models if some are named.

    Raises:
        UnknownNameError: There are none; lists the tasks or models with cells.
    """
    cells = published_cells(task)
    if not cells:
        raise unknown_name("published task", task, TELLING_KEYS)
    there = list(dict.fromkeys(cell.model for cell in cells))
    for unknown in {*models} - {*there}:
        raise unknown_name("published model", unknown, there)
    return tuple(cell for cell in cells if not models or cell.model in models)


def published_tables(task: str, cells: Sequence[PublishedCell]) -> Iterator[Listing]:
    """Lay out cells of a task as they were printed: a table for each table of the papers, subset
    and split.

    A row is a model, a column a result key; a mean and its standard deviation share the column
    `…_mean±std…`. A record of the data is a cell.
    """

    def printed_in(cell: PublishedCell) -> tuple[str, str, str]:
        return cell.table, cell.subset, cell.split

    paper = paper_of(TASKS[task].measure)
    order = list(dict.fromkeys(map(printed_in, cells)))
    ordered = sorted(cells, key=lambda cell: order.index(printed_in(cell)))
    for (table, subset, split), group in groupby(ordered, printed_in):
        notes, of_table = Notes(), list(group)
        keys = {cell.key for cell in of_table}
        empty = {_heading(cell.key, keys)[0]: "" for cell in of_table}
        rows: dict[str, dict[str, str]] = {}
        of_models: dict[str, dict[str, PublishedCell]] = {}
        for cell in of_table:
            of_models.setdefault(cell.model, {})[cell.key] = cell
        interpretations = {
            name: text for name, of in of_models.items() if (text := _interpreted(paper, of))
        }
        for cell in of_table:
            own = (
                {_interpretation_of(paper): interpretations[cell.model]}
                if cell.model in interpretations
                else {}
            )
            row = rows.setdefault(cell.model, {"model": cell.model, **own, **empty})
            heading, is_std = _heading(cell.key, keys)
            row[heading] = (
                f"{row[heading]} ± {notes.marked(cell)}" if is_std else notes.marked(cell)
            )
        title = f"{table}: {data_name(subset, split)}"
        note = _noted(paper, notes, interpretations.values())
        records = tuple(
            {**asdict(cell), "suspect": cell.suspect, "has_key": cell.has_key} for cell in of_table
        )
        yield Listing.of(
            rows.values(), title=title, note=note, labels=1 + bool(interpretations), data=records
        )


def _interpretation_of(paper: Paper) -> str:
    return f"{paper.name}'s interpretation"


def _interpreted(paper: Paper, published: Mapping[str, PublishedCell]) -> str:
    """Write what a paper's rule calls a published model; a star where the text of the paper says
    another.
    """
    by_rule = paper.interpretation({key: cell.value for key, cell in published.items()})
    return (
        f"{by_rule} *"
        if by_rule and next(iter(published.values())).model in paper.in_text
        else by_rule
    )


def _heading(key: str, keys: Collection[str]) -> tuple[str, bool]:
    """Name the column of a key, and tell whether it is a standard deviation, which shares the
    column of its mean.
    """
    mean, std = key.replace("_std", "_mean"), key.replace("_mean", "_std")
    is_pair = mean != std and mean in keys and std in keys
    return (mean.replace("_mean", "_mean±std"), key == std) if is_pair else (key, False)


def measured_and_published(entries: Sequence[Entry]) -> Listing | None:
    """List the measured models of one task, and the published models below; None if nothing was
    published.
    """
    task = entries[0].task
    others = references(
        task, {ResultKey(entry.model, entry.subset, entry.split) for entry in entries}
    )
    if not others:
        return None
    keys = TELLING_KEYS[task]
    published = published_rows(task, others)
    paper = paper_of(entries[0].measure)
    has_interpretation = _interpretation_of(paper) in published.header
    rows = []
    for entry in entries:
        if any(key in entry.scores for key in keys):
            interpretation = [paper.interpretation(entry.scores)] if has_interpretation else []
            figures = (with_interval(entry.scores.get(key)) for key in keys)
            rows.append((named(entry, entries), entry.data, *interpretation, *figures))
    rows += [
        (model, f"{data} ({sources})", *rest) for model, data, sources, *rest in published.rows
    ]
    title = (
        f"{task}: measured, and published by others (all of it: harness-ext show --published "
        f"{task})"
    )
    header = ("model", "data", *published.header[3:])
    measure = entries[0].measure
    ours = [f"{measure.main} is no measure of the paper."] if measure.main_is_ours else []
    headline = [f"The paper argues for {measure.headline}."] if measure.headline else []
    note = "\n".join(filter(None, (published.note, " ".join(ours + headline))))
    return Listing(header, tuple(rows), title, note, figures=len(keys))


def published_rows(task: str, others: Mapping[ResultKey, Mapping[str, PublishedCell]]) -> Listing:
    """List published models, from what `references` returns: model, data, tables, interpretation,
    figures by key.
    """
    keys, notes, scores = TELLING_KEYS[task], Notes(), published_scores(task)
    paper = paper_of(TASKS[task].measure)
    interpretations = [_interpreted(paper, scores[result_key]) for result_key in others]
    has_interpretation = any(interpretations)
    rows = []
    for (result_key, cells), interpretation in zip(others.items(), interpretations, strict=True):
        sources = ", ".join(dict.fromkeys(cell.table for cell in cells.values()))
        place = result_key.model, data_name(result_key.subset, result_key.split), sources
        figures = (notes.marked(cells[key]) if key in cells else "" for key in keys)
        rows.append((*place, *([interpretation] if has_interpretation else []), *figures))
    header = (
        "model",
        "data",
        "published in",
        *([_interpretation_of(paper)] if has_interpretation else []),
        *keys,
    )
    return Listing(
        header,
        tuple(rows),
        "Published scores",
        _noted(paper, notes, interpretations),
        figures=len(keys),
        labels=3,
    )


def _noted(paper: Paper, notes: Notes, interpretations: Collection[str]) -> str:
    lines = notes.lines()
    if any(interpretations):
        lines.append(paper.caution)
    if any(interpretation.endswith("*") for interpretation in interpretations):
        lines.append(f"* In the paper's text {', '.join(paper.in_text.values())}.")
    return "\n".join(lines)


def published_values(entry: Entry, key: str) -> dict[str, float]:
    """The papers' models on the same subset and split -> their score, unless their papers
    contradict it.
    """
    return {
        result_key.model: cells[key].value
        for result_key, cells in published_scores(entry.task).items()
        if result_key[1:] == (entry.subset, entry.split) and key in cells and not cells[key].suspect
    }
