"""Writes the pages of a board: a folder of files that any web server, or a browser alone, can show."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from harness_ext.evaluators.merge_opposites import MERGE_OPPOSITES
from harness_ext.leaderboard.board import Board
from harness_ext.leaderboard.board_models import BoardModel, board_models
from harness_ext.leaderboard.data_files import write_tables
from harness_ext.leaderboard.model_pages import write_model_pages
from harness_ext.leaderboard.page_data import page_data, page_tables
from harness_ext.leaderboard.page_texts import TRUST_LEGEND, heading, place_texts
from harness_ext.results.columns import Column, Row
from harness_ext.results.published import TELLING_KEYS, Notes, references
from harness_ext.show.listing import Listing
from harness_ext.show.merging import kept_apart
from harness_ext.show.published_tables import reference_rows
from harness_ext.show.static_site import Site, plain, slugs
from harness_ext.tasks import ENCODER_TASKS


def write_site(
    board: Board,
    problems: Mapping[str, Sequence[str]],
    folder: Path,
    *,
    title: str,
    about: str = "",
) -> None:
    """Write the pages and tables of a board.

    The problems are sentences on results that are left out, by heading; other arguments and errors are as of `build`.
    """
    site = Site(folder, kind=title, more=files("harness_ext.leaderboard"), charts=False)
    n_problems = sum(map(len, problems.values()))
    models = board_models(board)
    tasks = {
        task: f"tasks/{name}.html"
        for task, name in slugs(column.task for column in (*board.columns, *board.others)).items()
    }
    left_out = {"problems.html": "Left out"} if n_problems else {}
    pages = {"Pages": {"index.html": "Ranking", **left_out}, "Tasks": {page: task for task, page in tasks.items()}}
    site.share(navigation={label: links for label, links in pages.items() if links}, board_title=title)
    write_tables(board, models, site.folder / "data")
    data = json.dumps(plain(page_data(board, models)), allow_nan=False, separators=(",", ":"))
    site.asset("board-data.js", f"window.board = {data};\n")  # a page opened from the disk cannot read JSON
    site.write(
        "index.html",
        "board.html",
        title=title,
        about=about,
        problems=n_problems,
        tables=[_table(name, columns, board, tasks) for name, columns in page_tables(board)],
        to_run=[task for task in tasks if task in ENCODER_TASKS],
        overall=len(board.overall),
        n_models=len(board.rows),
        n_ranked=len(board.overall_ranks),
        trust=TRUST_LEGEND,
    )
    for task, page in tasks.items():
        _write_task_page(site, page, [column for column in (*board.columns, *board.others) if column.task == task],
                         board, models)  # fmt: skip
    if n_problems:
        site.write("problems.html", "problems.html", problems=problems)
    write_model_pages(site, board, models)


def _table(name: str, columns: Sequence[Any], board: Board, tasks: Mapping[str, str]) -> dict[str, Any]:
    """Describe a table of the first page, with links to the pages of its tasks."""
    of_tasks = dict.fromkeys(column.task for column in columns if isinstance(column, Column))
    return {
        "name": name,
        "columns": [heading(column, board) for column in columns],
        "tasks": {task: tasks[task] for task in of_tasks},
    }


def _write_task_page(
    site: Site, page: str, columns: Sequence[Column], board: Board, models: Mapping[Row, BoardModel]
) -> None:
    task = columns[0].task
    opposites = [_opposites(column, board, models) for column in columns if column.definition is MERGE_OPPOSITES]
    site.write(
        page,
        "board_task.html",
        task=task,
        question=columns[0].description,
        columns=[_column(column, board, models) for column in columns],
        opposites=opposites,
        published=list(_published(task)),
    )


def _column(column: Column, board: Board, models: Mapping[Row, BoardModel]) -> dict[str, Any]:
    """Describe a column with its models, the best first."""
    places = board.places[column]
    order = sorted(places, key=lambda row: (places[row].rank is None, places[row].rank, -(places[row].value or 0.0)))
    return {
        **heading(column, board),
        "is_other": column in board.others,
        "rows": [(models[row].page, models[row].name, *place_texts(places[row])) for row in order],
    }


def _opposites(column: Column, board: Board, models: Mapping[Row, BoardModel]) -> Listing:
    """List the shares of opposites that models keep apart."""
    entries = [place.entry for place in board.places[column].values()]
    return kept_apart(entries, {entry: models[Row.of(entry)].name for entry in entries}, column.data)


def _published(task: str) -> Iterator[Listing]:
    """List the papers' models with the telling keys of a task, if it has any."""
    if keys := TELLING_KEYS.get(task):
        notes = Notes()
        rows = tuple(reference_rows(references(task, set()), keys, notes))
        header = ("model", "data", "published in", *keys)
        yield Listing(header, rows, "Published scores", notes.text(), figures=len(keys), labels=3)
