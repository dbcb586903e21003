"""Builds a board from folders of results: a folder of files that any web server, or a browser
alone, can show.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from harness_ext.common.files import write_file
from harness_ext.leaderboard.board import Average, Board, RankedScore, make_board
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.records import load_reruns
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.costs import Costs
from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.results.columns import Column, Row
from harness_ext.results.entry import Entry, of_other_definitions
from harness_ext.results.overall import lacking, lists_of
from harness_ext.results.published import references
from harness_ext.results.reference_scores import reference_scores
from harness_ext.show.beside_references import Axis, ScoreRow, drawn
from harness_ext.show.interpretation import CELLS, TERMS, cells, outcomes
from harness_ext.show.listing import Listing, csv_text
from harness_ext.show.model_labels import listed, revision_label
from harness_ext.show.numbers import between, formatted
from harness_ext.show.published_tables import published_rows
from harness_ext.show.result_tables import closer_look
from harness_ext.show.static_site import Site, check_is_ours, cut, slugs
from harness_ext.tasks import DEMO_TASKS, ENCODER_TASKS
from harness_ext.tasks.overall import LISTS


def build(
    folders: Sequence[Path],
    output: Path,
    *,
    title: str = "Compositionality leaderboard",
    about: str = "",
    force: bool = False,
    strict: bool = False,
) -> list[str]:
    """Build a board from results.

    Args:
        folders: Each the `--output-folder` of `mteb run`, or the `--output_path` of `lm-eval run`.
            The first may have the maintainers' records.
        output: The folder of the site; made if missing.
        title: The board's title.
        about: A sentence or two about the board.
        force: Whether to write into `output` even if it has files of others.
        strict: Whether to name results too whose rows could not be compared with the pinned ones.

    Returns:
        Sentences for each result that is not on the board, or not trusted so far.

    Raises:
        FileNotFoundError: A folder is missing, or no folder has a result; names them.
        DamagedFileError: A record is damaged; names it.
        MissingExtraError: A package is missing.
        ReportError: The folder cannot be written to or has files of others.
    """
    if not force:
        check_is_ours(output)
    cells, unread = read_cells(folders, load_reruns(folders[0]))
    if not cells and not unread:
        raise FileNotFoundError(
            f"{', '.join(map(str, folders))}: no result of this project's tasks in it. "
            f"Make one with: mteb run -m MODEL -t {DEMO_TASKS[0]} --output-folder {folders[0]}"
        )
    board, doubled = make_board(cells)
    left_out = {"Damaged or refused results": unread, "Results found twice": doubled}
    _write_site(board, left_out, output, title, about)
    uncompared = [
        f"{cell.entry.file}: {cell.entry.data}: its rows could not be compared with the pinned "
        "ones."
        for cell in cells
        if strict and cell.trust is Trust.FOLLOWING
    ]
    return [*(f"{problem} It is not on the board." for problem in (*unread, *doubled)), *uncompared]


def _write_site(
    board: Board, left_out: Mapping[str, Sequence[str]], folder: Path, title: str, about: str
) -> None:
    """Write the pages and tables; `left_out` has sentences by heading."""
    site = Site(folder, kind=title, more=files("harness_ext.leaderboard"), charts=False)
    n_left_out = sum(map(len, left_out.values()))
    models = board_models(board)
    columns = (*board.columns, *board.others)
    tasks = {
        task: f"tasks/{name}.html"
        for task, name in slugs(column.task for column in columns).items()
    }
    first_pages = {"index.html": "Ranking", **({"problems.html": "Left out"} if n_left_out else {})}
    pages = {"Pages": first_pages, "Tasks": {page: task for task, page in tasks.items()}}
    site.share(
        navigation={label: links for label, links in pages.items() if links}, board_title=title
    )
    _write_data(board, models, site.folder / "data")
    controls = control_rows(board)
    site.write(
        "index.html",
        "board.html",
        title=title,
        about=about,
        problems=n_left_out,
        tables=[
            table_of(name, columns, board, models, controls, tasks)
            for name, columns in page_tables(board)
        ],
        to_run=[task for task in tasks if task in ENCODER_TASKS],
        overall=[
            (name, len(LISTS[name]), len(average.ranked_scores))
            for name, average in board.overall.items()
        ],
        n_models=len({row for row in board.rows if row.model not in controls}),
        earlier=of_other_definitions(
            cell.entry for of_column in board.cells.values() for cell in of_column.values()
        ),
    )
    for task, page in tasks.items():
        of_task = [column for column in columns if column.task == task]
        site.write(page, "board_task.html", **_task_page(of_task, board, models))
    if n_left_out:
        site.write("problems.html", "problems.html", problems=left_out)
    for row, model in tqdm(models.items(), desc="Model pages", unit="page", disable=None):
        site.write(
            model.page, "model.html", **_model_page(row, model, columns, board, tasks), terms=TERMS
        )


def _write_data(board: Board, models: Mapping[Row, BoardModel], folder: Path) -> None:
    """Write `board.csv` and `board.json`, with a row per cell, into a folder."""
    records = [
        _record(board, column, row, models[row])
        for column in (*board.columns, *board.others)
        for row in board.cells[column]
    ]
    write_file(folder / "board.csv", csv_text(records, list(records[0]) if records else []))
    write_file(folder / "board.json", json.dumps(records, ensure_ascii=True, allow_nan=False))


def _record(board: Board, column: Column, row: Row, model: BoardModel) -> dict[str, Any]:
    entry, place = board.cells[column][row].entry, board.ranked_scores[column][row]
    main, gain = entry.measure.main, gain_key(entry.measure.main)
    ends = zip(("ci_low", "ci_high"), entry.interval() or (None, None), strict=True)
    gain_ends = zip(
        ("gain_ci_low", "gain_ci_high"), entry.interval(gain) or (None, None), strict=True
    )
    best, worst = place.rank or (None, None)
    return {
        **row._asdict(),
        **column._asdict(),
        "main_score": entry.main_score,
        **dict(ends),
        "additive": entry.scores.get(additive_key(main)),
        "gain": entry.scores.get(gain),
        **dict(gain_ends),
        **dict(zip(CELLS, cells(entry), strict=True)),
        "best_rank": best,
        "worst_rank": worst,
        "rank_basis": None if place.rank is None else place.basis.value,
        "trust": place.trust.value,
        "overall_lists": " ".join(lists_of(column)),
        **_overall_record(row, board),
        **model.costs._asdict(),
        "signature": str(entry.signature) if entry.signature else None,
        "items": entry.digest,
    }


def _overall_record(row: Row, board: Board) -> dict[str, Any]:
    """Make the part of a record about the place of a model on each list."""
    record: dict[str, Any] = {}
    for name, average in board.overall.items():
        place = average.ranked_scores.get(row)
        low, high = (place and place.interval) or (None, None)
        best, worst = (place and place.rank) or (None, None)
        figures = {"": place and place.value, "_ci_low": low, "_ci_high": high}
        figures |= {"_best_rank": best, "_worst_rank": worst}
        record |= {f"overall_{name}{what}": figure for what, figure in figures.items()}
    return record


def table_of(
    name: str,
    columns: Sequence[Average | Column],
    board: Board,
    models: Mapping[Row, BoardModel],
    controls: Mapping[str, Mapping[Average | Column, float]],
    tasks: Mapping[str, str],
) -> dict[str, Any]:
    """Describe a table of the first page. The ranking has all models, others those measured; the
    best stand first.
    """
    is_ranking = name == RANKING
    headings = [
        (one.title, one.averaged, True)
        if isinstance(one, Average)
        else (one.task, one.data, bool(lists_of(one)))
        for one in columns
    ]
    places = [
        one.ranked_scores if isinstance(one, Average) else board.ranked_scores[one]
        for one in columns
    ]
    rows = [
        (models[row], [_cell(of_column.get(row), of_column) for of_column in places])
        for row in board.rows
        if row.model not in controls
        and (is_ranking or any(row in of_column for of_column in places))
    ]
    of_controls = [
        (name, [formatted(scores[one]) if one in scores else "–" for one in columns])
        for name, scores in controls.items()
        if not is_ranking and any(one in scores for one in columns)
    ]
    return {
        "name": name,
        "is_ranking": is_ranking,
        "columns": headings,
        "rows": sorted(rows, key=lambda row: [-cell["order"] for cell in row[1]]),
        "controls": of_controls,
        "tasks": {
            column.task: tasks[column.task] for column in columns if isinstance(column, Column)
        },
    }


def _cell(place: RankedScore | None, of_column: Mapping[Row, RankedScore]) -> dict[str, Any]:
    """Describe a cell of the first page; the greater its order, the better, and self-reported
    scores stand last.
    """
    if place is None:
        return {"order": _LAST, "score": "–", "interval": "", "rank": "", "is_first": False}
    order = place.value + _LAST / 2 * (place.trust is Trust.SELF_REPORTED)
    rank, is_first = _rank(place, of_column)
    return {
        "order": round(order, _DIGITS),
        "score": formatted(place.value),
        "interval": between(place.interval),
        "rank": f"{rank} {TRUST_SIGNS[place.trust]}".strip(),
        "is_first": is_first,
    }


def _rank(place: RankedScore, of_column: Mapping[Row, RankedScore]) -> tuple[str, bool]:
    """Write the ranks that a model may have, and say whether it is the first, alone, of several."""
    others = (other for other in of_column.values() if other is not place)
    return str(place.rank or ""), place.rank == (1, 1) and any(other.rank for other in others)


def _task_page(
    columns: Sequence[Column], board: Board, models: Mapping[Row, BoardModel]
) -> dict[str, Any]:
    """Describe a task by its columns."""
    task = columns[0].task
    return {
        "task": task,
        "question": columns[0].declared_task.description,
        "columns": [_column(column, board, models) for column in columns],
        "terms": TERMS,
        "closer_look": columns[0].definition.closer_look(),
        "closer": [
            _closer(column, board, models) for column in columns if column.definition.closer_look()
        ],
        "published": [published_rows(task, others)] if (others := references(task, set())) else [],
    }


def _column(column: Column, board: Board, models: Mapping[Row, BoardModel]) -> dict[str, Any]:
    """Describe a column with its models, the best first."""
    places, measure = board.ranked_scores[column], column.definition
    score = measure.main_declaration
    order = sorted(
        places, key=lambda row: (places[row].rank is None, places[row].rank, -places[row].value)
    )
    rows = {row: ScoreRow.of(board.cells[column][row].entry) for row in order}
    return {
        **column._asdict(),
        "data": column.data,
        "score": score,
        "chance": "" if score.chance is None else formatted(score.chance),
        "ceiling": "" if score.ceiling is None else formatted(score.ceiling),
        "unit": measure.unit,
        "is_other": column in board.others,
        "lists": lists_of(column),
        "axis": Axis.of(rows.values()),
        "drawn": drawn(rows.values()),
        "rows": [
            (models[row], of_row, *_rank(places[row], places), _trust(places[row].trust))
            for row, of_row in rows.items()
        ],
    }


def _trust(trust: Trust) -> str:
    return f"{TRUST_SIGNS[trust]} {trust.value}"


def _closer(column: Column, board: Board, models: Mapping[Row, BoardModel]) -> Listing:
    entries = [cell.entry for cell in board.cells[column].values()]
    return closer_look(
        entries, {entry: models[Row.of(entry)].name for entry in entries}, column.data
    )


def _model_page(
    row: Row, model: BoardModel, columns: Sequence[Column], board: Board, tasks: Mapping[str, str]
) -> dict[str, Any]:
    """Describe a model: two sentences, and a row for each of its scores."""
    measured = {
        column: board.cells[column][row] for column in columns if row in board.cells[column]
    }
    lacks = {name: lacking(listed, board.cells, row) for name, listed in LISTS.items()}
    return {
        "model": model,
        "row": row,
        "opening": (
            f"{_above(cell.entry for cell in measured.values())} {_overall(row, board, lacks)}"
        ),
        "lacks": lacks,
        "rows": [
            {
                "task": column.task,
                "page": tasks[column.task],
                "data": column.data,
                "score": ScoreRow.of(cell.entry),
                "rank": _rank(board.ranked_scores[column][row], board.ranked_scores[column]),
                "trust": _trust(cell.trust),
                "findings": list(dict.fromkeys(finding.message for finding in cell.findings)),
                "signature": str(cell.entry.signature or "none: another program made it"),
            }
            for column, cell in measured.items()
        ],
    }


def _above(entries: Iterable[Entry]) -> str:
    """Count the scores of a model that are above each reference, in a sentence."""
    known = [outcomes(entry) for entry in entries]
    counts = []
    for column, reference in CELLS.items():
        if found := [of_entry[column] for of_entry in known if column in of_entry]:
            counts.append(
                f"{sum(one.is_above for one in found)} of {len(found)} are above {reference}"
            )
    return f"Of its scores, {listed(counts)}." if counts else "None of its scores has an interval."


def _overall(row: Row, board: Board, lacks: Mapping[str, Sequence[str]]) -> str:
    """Say which overall places a model has, in a sentence."""
    ranks = [
        f"{average.ranked_scores[row].rank} of {len(average.ranked_scores)} on the list {name}"
        for name, average in board.overall.items()
        if row in average.ranked_scores
    ]
    lack = [
        f"{len(lacks[name])} of the {len(listed)} scores of the list {name}"
        for name, listed in LISTS.items()
    ]
    return (
        f"Its overall place is {listed(ranks)}."
        if ranks
        else f"It has no overall place: it lacks {listed(lack)}."
    )


_DIGITS = 3
"""Digits of the scores on the page; the tables beside it have all digits."""

_LAST = -1e9
"""The order of a cell without a score."""

TRUST_SIGNS = dict(zip(Trust, "○◔◐●", strict=True))

RANKING = "The ranking"
"""The title of the first table."""


class BoardModel(NamedTuple):
    """A model on the pages of a board; its name has revision or precision if it has several, None
    is unknown.
    """

    name: str
    page: str
    costs: Costs


def board_models(board: Board) -> dict[Row, BoardModel]:
    """Name the models of a board and their pages, and read their costs from their results."""
    names: dict[Row, str] = {}
    for model, group in groupby(sorted(board.rows), key=lambda row: row.model):
        same = list(group)
        revisions, precisions = {row.revision for row in same}, {row.precision for row in same}
        for row in same:
            precision = f" {row.precision or 'unknown precision'}" if len(precisions) > 1 else ""
            names[row] = f"{cut(model)}{revision_label(row.revision, revisions)}{precision}"
    pages = slugs(
        "\n".join((row.model, row.revision, row.precision)) for row in board.rows
    ).values()
    models: dict[Row, BoardModel] = {}
    for row, page in zip(board.rows, pages, strict=True):
        files = dict.fromkeys(
            of_column[row].entry.file for of_column in board.cells.values() if row in of_column
        )
        models[row] = BoardModel(names[row], f"models/{page}.html", Costs.of(files))
    return models


def page_tables(board: Board) -> list[tuple[str, list[Average | Column]]]:
    """List title and columns of the ranking, which has overall places and categories, and of each
    category's table.
    """
    ranking = [
        one for one in (*board.overall.values(), *board.categories.values()) if one.ranked_scores
    ]
    tables: dict[str, list[Average | Column]] = {RANKING: [*ranking]}
    for column in sorted(board.columns, key=lambda column: not _category(column)):
        tables.setdefault(_category(column).capitalize() or "In no category", []).append(column)
    return [*tables.items()]


def _category(column: Column) -> str:
    return column.declared_task.category if column.measure else ""


def control_rows(board: Board) -> dict[str, dict[Average | Column, float]]:
    """Find the scores of control encoders, shipped or else on the board: model -> column ->
    score.
    """
    rows: dict[str, dict[Average | Column, float]] = {}
    for column in board.columns:
        entries = [cell.entry for cell in board.cells[column].values()]
        for reference in reference_scores(entries[0], entries):
            rows.setdefault(reference.model, {})[column] = round(reference.value, _DIGITS)
    return rows
