"""`harness-ext show`: results as tables, measured next to published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import mteb

from harness_ext.results.published import TELLING_KEYS, Notes, Place, published_scores, references, without_zero
from harness_ext.results.published_tables import add_notes, figures_table, wrapped
from harness_ext.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rich.table import Table

BREAKDOWNS = {
    "by class of compounds": ("C", "PC", "NC"),
    "by type of the (second) adjective": ("S-I", "S-NI", "NS-Pl", "NS-Pr", "A"),
}
"""Result keys that end in one of these, variants aside, become the columns of a table of their own."""

_VARIANTS = r"(?P<variant>(_micro)?(_synonym)?)"
_NOT_SCORES = {"main_score", "hf_subset", "languages", "mteb_version"}


def result_tables(
    folder: Path, tasks: list[str] | None = None, models: list[str] | None = None
) -> Iterator[tuple[str, Table]]:
    """The tables of a results folder with their titles: for each task one line per model, then tables per model.

    Args:
        folder: What was given to `mteb run --output-folder`.
        tasks: Names of the tasks to show; all of this project's if None.
        models: Names of the models to show; all if None.

    Raises:
        FileNotFoundError: There is no such folder, or no result of these tasks and models in it; says what there is.
    """
    ours = [task.metadata.name for task in TASKS]
    if unknown := set(tasks or ()) - set(ours):
        raise FileNotFoundError(f"{', '.join(sorted(unknown))}: no such task. There are: {', '.join(ours)}.")
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder. Name the --output-folder of `mteb run`.")
    found = mteb.ResultCache(folder).load_results(
        tasks=tasks or ours, include_remote=False, require_model_meta=False, load_experiments="match_name"
    )
    results = [
        (result, model.model_name)
        for model in found.model_results
        for result in model.task_results
        if models is None or model.model_name in models
    ]
    if not results:
        wanted = f"{', '.join(tasks or ours)}, {', '.join(models) if models else 'any model'}"
        raise FileNotFoundError(
            f"{folder}: no result in it ({wanted}). "
            f"Make one with: mteb run -m MODEL -t {(tasks or ours)[0]} --output-folder {folder}"
        )
    for name in ours:
        rows = [
            (model, result.dataset_revision, split, scores)
            for result, model in results
            if result.task_name == name
            for split, subsets in result.scores.items()
            for scores in subsets
        ]
        if rows:
            rows.sort(key=lambda row: (row[2], -row[3]["main_score"]))
            yield name, _summary(name, rows)
            if (beside := _beside_published(name, rows)) is not None:
                yield f"{name}, measured and published (all of it: harness-ext published {name})", beside
            for row in rows:
                yield from _details(name, *row)


def _place(revision: str, split: str, scores: Mapping[str, Any]) -> str:
    """Which rows were used; says so if they did not come from the pinned files."""
    subset = "" if scores["hf_subset"] == "default" else f"{scores['hf_subset']} "
    return f"{subset}{split}{' +unverified' if revision.endswith('+unverified') else ''}"


def _number(value: float) -> str:
    """Three digits after the point, none before it where there are none."""
    return str(value) if isinstance(value, int) else without_zero(f"{value:.3f}")


def _summary(task: str, rows: list[tuple[str, str, str, Mapping[str, Any]]]) -> Table:
    main = next(each.metadata.main_score for each in TASKS if each.metadata.name == task)
    table = figures_table("model", "data", main, "95 % interval")
    for model, revision, split, scores in rows:
        # the main score may be another where a model has no span level
        key = next((key for key in scores if f"{key}_ci_low" in scores and scores[key] == scores["main_score"]), main)
        low, high = scores.get(f"{key}_ci_low"), scores.get(f"{key}_ci_high")
        interval = "" if low is None or high is None else f"{_number(low)} to {_number(high)}"
        table.add_row(model, _place(revision, split, scores), _number(scores["main_score"]), interval)
    return table


def _beside_published(task: str, rows: list[tuple[str, str, str, Mapping[str, Any]]]) -> Table | None:
    """One line per measured model, and below them one per published model that is not among them, if there are any."""
    others = references(task, {Place(model, scores["hf_subset"], split) for model, _, split, scores in rows})
    if not others:
        return None
    keys = TELLING_KEYS[task]
    table = figures_table("model", "data", *map(wrapped, keys))
    table.columns[1].justify, table.columns[1].no_wrap = "left", False
    for model, revision, split, scores in rows:
        values = (scores.get(key) for key in keys)
        data = f"{_place(revision, split, scores)}\nmeasured"
        table.add_row(model, data, *("" if value is None else _number(value) for value in values))
    table.add_section()
    notes = Notes()
    for place, cells in others.items():
        subset = "" if place.subset == "default" else f"{place.subset} "
        sources = ", ".join(dict.fromkeys(cell.table for cell in cells.values()))
        figures = (notes.marked(cells[key]) if key in cells else "" for key in keys)
        table.add_row(place.model, f"{subset}{place.split}\npublished, {sources}", *figures, style="dim")
    add_notes(table, notes.lines())
    return table


def _details(
    task: str, model: str, revision: str, split: str, scores: Mapping[str, Any]
) -> Iterator[tuple[str, Table]]:
    """The scores of one model: those of the whole, then those of each breakdown."""
    published = published_scores(task).get(Place(model, scores["hf_subset"], split), {})
    notes = Notes()
    overall = figures_table("score", "measured", *(["published"] if published else []))
    rest = {key: value for key, value in scores.items() if key not in _NOT_SCORES and isinstance(value, int | float)}
    breakdowns = []
    for title, columns in BREAKDOWNS.items():
        cells: dict[str, dict[str, str]] = {}
        pattern = re.compile(rf"(?P<stem>.+)_(?P<column>{'|'.join(columns)}){_VARIANTS}")
        for match in list(filter(None, map(pattern.fullmatch, rest))):
            key = match.string
            cell = _number(rest.pop(key))
            if key in published:
                cell += f" [dim]({notes.marked(published[key])})[/dim]"
            cells.setdefault(match["stem"] + match["variant"], {})[match["column"]] = cell
        if cells:
            table = figures_table("score", *columns)
            for stem, row in cells.items():
                table.add_row(stem, *(row.get(column, "") for column in columns))
            breakdowns.append((f"{title}{', measured (published)' if published else ''}", table))
    for key, value in rest.items():
        known = [notes.marked(published[key]) if key in published else ""] if published else []
        overall.add_row(key, _number(value), *known)
    add_notes(breakdowns[-1][1] if breakdowns else overall, notes.lines())
    level = (
        ""
        if scores.get("span_level", 1)
        else "\nSentence level only: the model gives no vectors of words in a sentence."
    )
    yield f"{task}, {_place(revision, split, scores)}: {model}{level}", overall
    yield from breakdowns
