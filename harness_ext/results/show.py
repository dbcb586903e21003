"""`harness-ext show`: results as tables, measured next to published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import mteb
import rich.box
from rich.table import Table

from harness_ext.results.published import published_scores
from harness_ext.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLASSES = ("C", "PC", "NC")
_CLASS_KEY = re.compile(rf"(?P<stem>.+)_(?P<klass>{'|'.join(CLASSES)})")
_NOT_SCORES = {"main_score", "hf_subset", "languages", "mteb_version"}


def result_tables(folder: Path, tasks: list[str] | None = None, models: list[str] | None = None) -> Iterator[Table]:
    """The tables of a results folder: for each task one line per model, then a table per model.

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
            yield _summary(name, rows)
            for row in rows:
                yield from _details(name, *row)


def _table(title: str, first: str, *columns: str) -> Table:
    """An empty table: one column of names, the others of figures."""
    table = Table(title=title, title_justify="left", title_style="bold", box=rich.box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _place(revision: str, split: str, scores: dict[str, Any]) -> str:
    """Which rows were used; says so if they did not come from the pinned files."""
    subset = "" if scores["hf_subset"] == "default" else f"{scores['hf_subset']} "
    return f"{subset}{split}{' +unverified' if revision.endswith('+unverified') else ''}"


def _number(value: float) -> str:
    """Three digits after the point, none before it where there are none."""
    return str(value) if isinstance(value, int) else re.sub(r"^(-?)0(?=\.)", r"\1", f"{value:.3f}")


def _summary(task: str, rows: list[tuple[str, str, str, dict[str, Any]]]) -> Table:
    main = next(each.metadata.main_score for each in TASKS if each.metadata.name == task)
    table = _table(task, "model", "data", main, "95 % interval")
    for model, revision, split, scores in sorted(rows, key=lambda row: (row[2], -row[3]["main_score"])):
        low, high = scores.get(f"{main}_ci_low"), scores.get(f"{main}_ci_high")
        interval = "" if low is None or high is None else f"{_number(low)} to {_number(high)}"
        table.add_row(model, _place(revision, split, scores), _number(scores["main_score"]), interval)
    return table


def _details(task: str, model: str, revision: str, split: str, scores: dict[str, Any]) -> Iterator[Table]:
    """The scores of one model: those of the whole, then those of the classes of compounds."""
    published = published_scores(task).get(model, {})
    overall = _table(f"{task}, {_place(revision, split, scores)}\n{model}", "score", "measured")
    by_class = _table("by class of compounds", "score", *CLASSES)
    if published:
        overall.add_column("published", justify="right", style="dim")
        by_class.title = "by class of compounds, measured (published)"
    classes: dict[str, dict[str, str]] = {}
    for key, value in scores.items():
        if key in _NOT_SCORES or not isinstance(value, int | float):
            continue
        known = _number(published[key]) if key in published else ""
        if match := _CLASS_KEY.fullmatch(key):
            cell = f"{_number(value)} [dim]({known})[/dim]" if known else _number(value)
            classes.setdefault(match["stem"], {})[match["klass"]] = cell
        else:
            overall.add_row(key, _number(value), known)
    for stem, cells in classes.items():
        by_class.add_row(stem, *(cells.get(klass, "") for klass in CLASSES))
    yield overall
    if classes:
        yield by_class
