"""The papers' tables: `harness-ext show --published`, and published models below the measured
models.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, NamedTuple, Self

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
from harness_ext.show.numbers import PREDICTIONS, with_interval
from harness_ext.show.paper import Paper, paper_of
from harness_ext.tasks import TASKS


def select_cells(
    task: str,
    models: Sequence[str] = (),
) -> tuple[PublishedCell, ...]:
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


class _PrintedIn(NamedTuple):
    """A table of a paper, and the subset and split of its cells."""

    table: str
    subset: str
    split: str

    @classmethod
    def of(cls, cell: PublishedCell) -> Self:
        """Tell where a cell is printed."""
        return cls(cell.table, cell.subset, cell.split)


def published_tables(
    task: str,
    cells: Sequence[PublishedCell],
) -> Iterator[Listing]:
    """Lay out cells of a task as they were printed: a table for each table of the papers, subset
    and split, and one for the splits that a paper leaves open.

    A row is a model, a column a result key; a mean and its standard deviation share the column
    `…_mean±std…`. A record of the data is a cell.

    Args:
        task: Its name.
        cells: In the order of the papers' tables.
    """
    for printed in _printed_tables(cells):
        yield _laid_out(task, printed)


@dataclass(frozen=True)
class _PrintedTable:
    """The cells of a table of a paper, of one subset, and the splits in which they stand."""

    table: str
    subset: str
    splits: list[str]
    cells: list[PublishedCell]


def _printed_tables(cells: Sequence[PublishedCell]) -> list[_PrintedTable]:
    """Each printed table once: the copies of its cells in further splits are no other table."""
    by_place: dict[_PrintedIn, list[PublishedCell]] = {}
    for cell in cells:
        by_place.setdefault(_PrintedIn.of(cell), []).append(cell)
    tables: list[_PrintedTable] = []
    for place, cells_of_split in by_place.items():
        copies = [replace(cell, split="") for cell in cells_of_split]
        for table in tables:
            first = [replace(cell, split="") for cell in table.cells]
            if copies == first:
                table.splits.append(place.split)
                break
        else:
            splits = [place.split]
            tables.append(_PrintedTable(place.table, place.subset, splits, cells_of_split))
    return tables


def _interpretation_of(paper: Paper) -> str:
    return f"{paper.name}'s interpretation"


def _laid_out(task: str, printed: _PrintedTable) -> Listing:
    """Lay out the cells of a printed table."""
    cells = printed.cells
    paper = paper_of(TASKS[task].measure)
    notes = Notes()
    keys = {cell.key for cell in cells}
    by_model: dict[str, dict[str, PublishedCell]] = {}
    for cell in cells:
        by_model.setdefault(cell.model, {})[cell.key] = cell
    interpretations: dict[str, str] = {}
    rows: dict[str, dict[str, str]] = {}
    headings = [_heading(cell.key, keys).column for cell in cells]
    for model, cells_of_model in by_model.items():
        rows[model] = {"model": model}
        interpretation = _interpreted(paper, cells_of_model)
        if interpretation:
            interpretations[model] = interpretation
            rows[model][_interpretation_of(paper)] = interpretation
        rows[model] |= dict.fromkeys(headings, "")
    for cell in cells:
        heading = _heading(cell.key, keys)
        row = rows[cell.model]
        figure = notes.marked(cell)
        if heading.is_deviation:
            figure = f"{row[heading.column]} ± {figure}"
        row[heading.column] = figure
    records: list[dict[str, Any]] = []
    for split in printed.splits:
        for cell in cells:
            further = {"split": split, "suspect": cell.suspect, "has_key": cell.has_key}
            records.append(asdict(cell) | further)
    data = [data_name(printed.subset, split) for split in printed.splits]
    return Listing.of(
        rows.values(),
        title=f"{printed.table}: {', '.join(data)}",
        note=_notes_below(
            _noted(paper, notes, interpretations),
            _predicted(task, by_model),
        ),
        labels=1 + bool(interpretations),
        data=tuple(records),
    )


def _interpreted(
    paper: Paper,
    published: Mapping[str, PublishedCell],
) -> str:
    """Write what a paper's rule calls a published model; a star where the text of the paper says
    another.
    """
    by_rule = paper.interpretation({key: cell.value for key, cell in published.items()})
    if not by_rule:
        return ""
    model = next(iter(published.values())).model
    return f"{by_rule} *" if model in paper.in_text else by_rule


class _Heading(NamedTuple):
    """The column of a key, and whether its figure is the deviation of the mean in that column."""

    column: str
    is_deviation: bool


def _heading(
    key: str,
    keys: Collection[str],
) -> _Heading:
    """Name the column of a key: a standard deviation shares the column of its mean.

    Args:
        key: The key.
        keys: All keys of the table.
    """
    mean = key.replace("_std", "_mean")
    deviation = key.replace("_mean", "_std")
    is_pair = mean != deviation and mean in keys and deviation in keys
    if not is_pair:
        return _Heading(key, is_deviation=False)
    return _Heading(mean.replace("_mean", "_mean±std"), key == deviation)


def measured_and_published(entries: Sequence[Entry]) -> Listing | None:
    """List the measured models of one task, and the published models below; None if nothing was
    published.
    """
    task = entries[0].task
    measure = entries[0].measure
    measured = {ResultKey(entry.model, entry.subset, entry.split) for entry in entries}
    others = references(task, measured)
    if not others:
        return None
    keys = TELLING_KEYS[task]
    published = published_rows(task, others)
    paper = paper_of(measure)
    has_interpretation = _interpretation_of(paper) in published.header
    rows: list[tuple[str, ...]] = []
    for entry in entries:
        if not any(key in entry.scores for key in keys):
            continue
        row = [named(entry, entries), entry.data]
        if has_interpretation:
            row.append(paper.interpretation(entry.scores))
        row += [with_interval(entry.scores.get(key)) for key in keys]
        rows.append(tuple(row))
    for model, data, sources, *rest in published.rows:
        rows.append((model, f"{data} ({sources})", *rest))
    remarks: list[str] = []
    if measure.main_is_ours:
        remarks.append(f"{measure.main} is no measure of the paper.")
    if measure.headline:
        remarks.append(f"The paper argues for {measure.headline}.")
    lines = [published.note, " ".join(remarks)]
    command = f"harness-ext show --published {task}"
    return Listing(
        ("model", "data", *published.header[3:]),
        tuple(rows),
        f"{task}: measured, and published by others (all of it: {command})",
        "\n".join(line for line in lines if line),
        figures=len(keys),
    )


def published_rows(
    task: str,
    others: Mapping[ResultKey, Mapping[str, PublishedCell]],
) -> Listing:
    """List published models: model, data, tables, interpretation, figures by key.

    Args:
        task: Its name.
        others: What `harness_ext.results.published.references` returns.
    """
    keys = TELLING_KEYS[task]
    notes = Notes()
    scores = published_scores(task)
    paper = paper_of(TASKS[task].measure)
    texts = [_interpreted(paper, scores[result_key]) for result_key in others]
    interpretations: dict[str, str] = {}
    for result_key, text in zip(others, texts, strict=True):
        if text:
            interpretations[result_key.model] = text
    header = ["model", "data", "published in"]
    if interpretations:
        header.append(_interpretation_of(paper))
    rows: list[tuple[str, ...]] = []
    for (result_key, cells), interpretation in zip(others.items(), texts, strict=True):
        sources = ", ".join(dict.fromkeys(cell.table for cell in cells.values()))
        row = [result_key.model, data_name(*result_key.data), sources]
        if interpretations:
            row.append(interpretation)
        row += [notes.marked(cells[key]) if key in cells else "" for key in keys]
        rows.append(tuple(row))
    return Listing(
        (*header, *keys),
        tuple(rows),
        "Published scores",
        _notes_below(
            _noted(paper, notes, interpretations),
            _predicted(task, others),
        ),
        figures=len(keys),
        labels=3,
    )


def _noted(
    paper: Paper,
    notes: Notes,
    interpretations: Mapping[str, str],
) -> str:
    """The notes below a table, from the interpretation of each model that has one."""
    lines = notes.lines()
    if interpretations:
        lines.append(paper.caution)
    for model, name in paper.in_text.items():
        if model in interpretations:
            lines.append(f"* In the paper's text {model} is {name}.")
    return "\n".join(lines)


def _notes_below(*notes: str) -> str:
    """Notes below a table, a paragraph each."""
    return "\n".join(note for note in notes if note)


def _predicted(task: str, published: Mapping[Any, Mapping[str, PublishedCell]]) -> str:
    """Say what the paper predicts of the scores of published models, and how many models meet it;
    empty if it predicts nothing of any.

    An empty cell of a table is a correlation without significance.
    """
    declared = TASKS[task].measure.by_key
    sentences = []
    keys = dict.fromkeys(chain.from_iterable(published.values()))
    for key in keys:
        prediction = declared[key][0].prediction(key) if key in declared else ""
        if not prediction:
            continue
        n_met = sum(_meets(prediction, cells.get(key)) for cells in published.values())
        sentences.append(
            f"The paper predicts of {key}: {PREDICTIONS[prediction]}; true of {n_met} of the "
            f"{len(published)} published."
        )
    return "\n".join(sentences)


def _meets(prediction: str, cell: PublishedCell | None) -> bool:
    if prediction == "none":
        return cell is None
    if cell is None:
        return False
    return cell.value > 0 if prediction == "positive" else cell.value < 0


def published_values(
    entry: Entry,
    key: str,
) -> dict[str, float]:
    """The papers' models on the same subset and split -> their score, unless their papers
    contradict it.
    """
    values: dict[str, float] = {}
    for result_key, cells in published_scores(entry.task).items():
        if result_key.data != (entry.subset, entry.split) or key not in cells:
            continue
        if not cells[key].suspect:
            values[result_key.model] = cells[key].value
    return values
