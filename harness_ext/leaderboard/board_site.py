"""Writes the pages of a board: a folder of files that any web server, or a browser alone, can show."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from harness_ext.evaluators.merge_opposites import MERGE_OPPOSITES
from harness_ext.leaderboard.board import MOST_COMPARED, Board, version_differences
from harness_ext.leaderboard.board_models import BoardModel, board_models
from harness_ext.leaderboard.data_files import write_tables
from harness_ext.leaderboard.model_differences import difference_data
from harness_ext.leaderboard.model_pages import all_scores, write_model_pages
from harness_ext.leaderboard.page_data import page_data
from harness_ext.leaderboard.page_texts import (
    TRUST_LEGEND,
    heading,
    is_on_first_page,
    page_columns,
    place_texts,
    weights_text,
)
from harness_ext.results.columns import Column, Row, Shown
from harness_ext.results.published import TELLING_KEYS, Notes, references
from harness_ext.show.listing import Listing
from harness_ext.show.merging import kept_apart
from harness_ext.show.published_tables import reference_rows
from harness_ext.show.static_site import Site, plain
from harness_ext.tasks import ENCODER_TASKS

_FILES = {"gain": ("index.html", "compare.html", "board"), "score": ("scores.html", "compare-scores.html", "scores")}
"""Gains or scores -> their page, the page that compares two models, and the name of the tables."""


def write_site(
    boards: Mapping[Shown, Board],
    problems: Mapping[str, Sequence[str]],
    folder: Path,
    *,
    title: str,
    about: str = "",
    reports: bool = False,
) -> None:
    """Write the pages and tables of a board from its board of gains and its board of scores.

    The problems are sentences on results that are left out, by heading; other arguments and errors are as of `build`.
    """
    site = Site(folder, kind=title, more=files("harness_ext.leaderboard"), charts=False)
    board = boards["gain"]
    n_problems = sum(map(len, problems.values()))
    models = board_models(board)
    opposites, published = list(_opposites(board, models)), list(_published(board))
    pages = {
        "index.html": "Gains",
        "scores.html": "Scores",
        "compare.html": "Two models",
        **({"opposites.html": "Opposites"} if opposites else {}),
        "columns.html": "Columns",
        **({"versions.html": "Other versions"} if board.others else {}),
        **({"published.html": "Published"} if published else {}),
        **({"problems.html": "Left out"} if n_problems else {}),
    }
    site.share(navigation={"Pages": pages}, board_title=title)
    for each in boards.values():
        _write_board(site, each, models, title=title, about=about, problems=n_problems)
    site.write("columns.html", "columns.html", columns=[heading(column, board) for column in board.columns])
    if board.others:
        versions = [_version(board, column, models) for column in board.others]
        site.write("versions.html", "versions.html", versions=versions)
    for page, listings in (("opposites.html", opposites), ("published.html", published)):
        if listings:
            site.write(page, page, listings=listings)
    if n_problems:
        site.write("problems.html", "problems.html", problems=problems)
    write_model_pages(site, board, models, reports=reports)


def _write_board(site: Site, board: Board, models: Mapping[Row, BoardModel], **about: Any) -> None:
    """Write the table of models × columns, the page that compares two models, and the data of both."""
    page, comparison, tables = _FILES[board.shown]
    write_tables(board, models, site.folder / "data", tables)
    data, differences = page_data(board, models), difference_data(board)
    script, of_differences = f"{tables}-data.js", f"{tables}-differences.js"
    _write_script(site, script, "board", data)
    _write_script(site, of_differences, "differences", differences)
    shared = {"shown": board.shown, "script": script, "tables": tables}
    site.write(
        page,
        "board.html",
        columns=[heading(column, board) for column in page_columns(board)],
        tasks=[heading(column, board) for column in board.columns],
        to_run=list(dict.fromkeys(column.task for column in board.columns if column.task in ENCODER_TASKS)),
        constructs=sum(map(is_on_first_page, (*board.constructs, *board.languages))),
        comparison=comparison,
        overall=len(board.overall),
        n_models=len(board.rows),
        n_ranked=len(board.overall_ranks),
        weights=weights_text(board),
        others=len(board.others),
        has_data_languages=len({language for column in data["columns"] for language in column["languages"]}) > 1,
        trust=TRUST_LEGEND,
        **shared,
        **about,
    )
    site.write(
        comparison,
        "board_comparison.html",
        differences=of_differences,
        has_differences=bool(board.standings),
        most=MOST_COMPARED,
        **shared,
    )


def _write_script(site: Site, file: str, name: str, data: Any) -> None:
    """Write data as a script, because a page opened from the disk cannot read JSON."""
    site.asset(file, f"window.{name} = {json.dumps(plain(data), allow_nan=False, separators=(',', ':'))};\n")


def _opposites(board: Board, models: Mapping[Row, BoardModel]) -> Iterator[Listing]:
    """List the shares of opposites that models keep apart, for each column of this measure."""
    for column in board.columns:
        if column.definition is MERGE_OPPOSITES:
            entries = all_scores([place.entry for place in board.places[column].values()]).entries
            names = {entry: models[Row.of(entry)].name for entry in entries}
            yield kept_apart(entries, names, f"{column.task}, {column.data}")


def _published(board: Board) -> Iterator[Listing]:
    """List the papers' models with their telling keys, for the board's tasks, or for all tasks if these have none."""
    tasks = [task for task in TELLING_KEYS if any(column.task == task for column in board.columns)] or [*TELLING_KEYS]
    for task in tasks:
        notes, keys = Notes(), TELLING_KEYS[task]
        rows = tuple(reference_rows(references(task, set()), keys, notes))
        yield Listing(("model", "data", "published in", *keys), rows, task, notes.text(), figures=len(keys), labels=3)


def _version(board: Board, column: Column, models: Mapping[Row, BoardModel]) -> dict[str, Any]:
    current = board.current(column)
    places = board.places[column]
    order = sorted(places, key=lambda row: (places[row].rank is None, places[row].rank, -(places[row].value or 0.0)))
    return {
        **heading(column, board),
        "differs": "; ".join(version_differences(column, current)) if current else "",
        "rows": [(models[row].name, *place_texts(places[row])) for row in order],
    }
