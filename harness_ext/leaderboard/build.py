"""Builds a board from folders of results: a folder of files that any web server, or a browser
alone, can show.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from harness_ext.common.files import write_file
from harness_ext.common.model_name import LOCAL
from harness_ext.leaderboard.board import (
    FEWEST_WITH_NOISE,
    Average,
    Board,
    RankedScore,
    make_board,
)
from harness_ext.leaderboard.category_plot import category_plot
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.declared import NOT_RERUN
from harness_ext.leaderboard.checks.records import load_reruns
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.costs import Costs
from harness_ext.measures.core.baseline_keys import NOISE, additive_key, gain_key
from harness_ext.results.entry import Entry, of_other_definitions
from harness_ext.results.overall import lacking, lists_of
from harness_ext.results.published import references
from harness_ext.results.ranking_columns import Column, Row
from harness_ext.results.reference_scores import reference_scores
from harness_ext.show.beside_references import Axis, ScoreRow, drawn
from harness_ext.show.interpretation import CELLS, cells, outcomes
from harness_ext.show.listing import Listing, record_text
from harness_ext.show.model_labels import listed, revision_label
from harness_ext.show.numbers import between, formatted
from harness_ext.show.published_tables import published_rows
from harness_ext.show.result_tables import closer_look
from harness_ext.show.static_site import Site, check_is_ours, cut, slugs
from harness_ext.show.terms import TERMS
from harness_ext.tasks import DEMO_TASKS, ENCODER_TASKS, TASKS
from harness_ext.tasks.overall import LISTS

QUESTION = (
    "Does an encoder compose meanings where language does, and take them as wholes where language "
    "does not?"
)
"""What a board asks that says nothing else about itself."""

RANKING = "The ranking"
"""The title of the table of places by score."""

OVER_NOISE = "The ranking, over matched noise"
"""The title of the table of places by the score over noise, which then is the first."""

IN_NO_CATEGORY = "In no category"
"""The title of what belongs to no category."""

_SAMPLED = {
    "group": "groups of rows that belong together",
    "source": "source sentences",
}
"""Unit of resampling -> the same as a noun that needs no context."""

_TRUST_SIGN = {
    Trust.SELF_REPORTED: "○",
    Trust.FOLLOWING: "◔",
    Trust.RECOMPUTED: "◐",
    Trust.RERUN: "●",
}
"""Rung of trust -> its sign beside a rank."""

_DIGITS = 3
"""Digits of the scores on the page; the tables beside it have all digits."""

MOST_COLUMNS = 8
"""The most columns of scores that fit beside the names of models on a screen of 1280 pixels."""

_LAST = -1e9
"""The order of a cell without a score."""


class BoardModel(NamedTuple):
    """A model on the pages of a board; its name has revision or precision if it has several, None
    is unknown.
    """

    name: str
    page: str
    costs: Costs


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
    read = read_cells(folders, load_reruns(folders[0]))
    if not read.cells and not read.problems:
        names = ", ".join(map(str, folders))
        raise FileNotFoundError(
            f"{names}: no result of this project's tasks in it. "
            f"Make one with: mteb run -m MODEL -t {DEMO_TASKS[0]} --output-folder {folders[0]}"
        )
    board, doubled = make_board(read.cells, folders[0])
    left_out = {"Damaged or refused results": read.problems, "Results found twice": doubled}
    _write_site(board, left_out, output, title, about)
    messages = []
    for problem in (*read.problems, *doubled):
        messages.append(f"{problem} It is not on the board.")
    for cell in read.cells:
        if strict and cell.trust is Trust.FOLLOWING:
            place = f"{cell.entry.file}: {cell.entry.data}"
            messages.append(f"{place}: its rows could not be compared with the pinned ones.")
    return messages


def _write_site(
    board: Board,
    left_out: Mapping[str, Sequence[str]],
    folder: Path,
    title: str,
    about: str,
) -> None:
    """Write the pages and tables; `left_out` has sentences by heading."""
    more = files("harness_ext.leaderboard")
    site = Site(folder, kind=title, more=more, charts=False)
    n_left_out = sum(map(len, left_out.values()))
    models = board_models(board)
    columns = (*board.columns, *board.others)
    tasks = _task_pages(columns)
    site.share(navigation=_navigation(n_left_out), menus=_menus(tasks), about=about)
    _write_data(board, models, site.folder / "data")
    site.write(
        "index.html",
        "board.html",
        title=title,
        problems=n_left_out,
        **_first_page(board, models, tasks),
    )
    for task, page in tasks.items():
        columns_of_task = [column for column in columns if column.task == task]
        site.write(page, "board_task.html", **_task_page(columns_of_task, board, models))
    if n_left_out:
        site.write("problems.html", "problems.html", problems=left_out)
    for row, model in tqdm(models.items(), desc="Model pages", unit="page", disable=None):
        content = _model_page(row, model, columns, board, tasks)
        site.write(model.page, "model.html", **content)
    site.write("glossary.html", "glossary.html", terms=TERMS)


def _task_pages(columns: Iterable[Column]) -> dict[str, str]:
    """Task -> its page."""
    names = slugs(column.task for column in columns)
    return {task: f"tasks/{name}.html" for task, name in names.items()}


def _navigation(n_left_out: int) -> dict[str, dict[str, str]]:
    """Label -> page -> its title."""
    pages = {"index.html": "Ranking", "glossary.html": "Glossary"}
    if n_left_out:
        pages["problems.html"] = "Left out"
    return {"Pages": pages}


def _menus(tasks: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Category -> the page of each of its tasks -> the task; tasks without a category last."""
    menus: dict[str, dict[str, str]] = {}
    without: dict[str, str] = {}
    for task, page in tasks.items():
        category = TASKS[task].category if task in TASKS else ""
        menu = menus.setdefault(category.capitalize(), {}) if category else without
        menu[page] = task
    return {**menus, IN_NO_CATEGORY: without} if without else menus


def _first_page(
    board: Board,
    models: Mapping[Row, BoardModel],
    tasks: Mapping[str, str],
) -> dict[str, Any]:
    """Describe the tables of the first page and what stands around them."""
    controls = control_rows(board)
    tables = []
    for name, columns in page_tables(board):
        for part in parts_of_table(columns):
            tables.append(table_of(name, part, board, models, controls, tasks))
    overall = []
    for name, average in board.overall.items():
        overall.append((name, len(LISTS[name]), len(average.ranked_scores)))
    entries = []
    for cells_of_column in board.cells.values():
        entries += [cell.entry for cell in cells_of_column.values()]
    return {
        "tables": tables,
        "question": QUESTION,
        "plot": category_plot(board, controls),
        "models": models,
        "to_run": [task for task in tasks if task in ENCODER_TASKS],
        "overall": overall,
        "n_models": len({row for row in board.rows if row.model not in controls}),
        "earlier": of_other_definitions(entries),
    }


def _write_data(
    board: Board,
    models: Mapping[Row, BoardModel],
    folder: Path,
) -> None:
    """Write `board.csv` and `board.json`, with a row per cell, into a folder."""
    records = []
    for column in (*board.columns, *board.others):
        for row in board.cells[column]:
            records.append(_record(board, column, row, models[row]))
    write_file(folder / "board.csv", f"{record_text(records, 'csv')}\n")
    as_json = json.dumps(records, ensure_ascii=True, allow_nan=False)
    write_file(folder / "board.json", as_json)


def _record(
    board: Board,
    column: Column,
    row: Row,
    model: BoardModel,
) -> dict[str, Any]:
    """Describe a cell in the tables beside the pages."""
    entry = board.cells[column][row].entry
    place = board.ranked_scores[column][row]
    main = entry.measure.main
    gain = gain_key(main)
    ci_low, ci_high = entry.interval() or (None, None)
    gain_ci_low, gain_ci_high = entry.interval(gain) or (None, None)
    best, worst = place.rank or (None, None)
    return {
        **row._asdict(),
        **column._asdict(),
        "main_score": entry.main_score,
        "ci_low": ci_low,
        "ci_high": ci_high,
        "additive": entry.scores.get(additive_key(main)),
        "gain": entry.scores.get(gain),
        "gain_ci_low": gain_ci_low,
        "gain_ci_high": gain_ci_high,
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


def _overall_record(
    row: Row,
    board: Board,
) -> dict[str, Any]:
    """Make the part of a record about the place of a model on each list."""
    record: dict[str, Any] = {}
    for name, average in board.overall.items():
        place = average.ranked_scores.get(row)
        low, high = (place and place.interval) or (None, None)
        best, worst = (place and place.rank) or (None, None)
        record[f"overall_{name}"] = place and place.value
        record[f"overall_{name}_ci_low"] = low
        record[f"overall_{name}_ci_high"] = high
        record[f"overall_{name}_best_rank"] = best
        record[f"overall_{name}_worst_rank"] = worst
    return record


def parts_of_table(
    columns: Sequence[Average | Column],
) -> list[Sequence[Average | Column]]:
    """Divide the columns of a table into tables that fit a screen; a task is divided only if it has
    more than `MOST_COLUMNS`. A ranking stays whole.
    """
    parts: list[list[Average | Column]] = [[]]
    for task, group in groupby(columns, key=_task_of):
        columns_of_task = list(group)
        if not task:
            return [columns]
        if len(parts[-1]) + len(columns_of_task) > MOST_COLUMNS:
            parts.append([])
        for column in columns_of_task:
            if len(parts[-1]) == MOST_COLUMNS:
                parts.append([])
            parts[-1].append(column)
    return [part for part in parts if part]


def _task_of(column: Average | Column) -> str:
    """The task of a column; empty for an average."""
    return column.task if isinstance(column, Column) else ""


def table_of(
    name: str,
    columns: Sequence[Average | Column],
    board: Board,
    models: Mapping[Row, BoardModel],
    controls: Mapping[str, Mapping[Average | Column, float]],
    tasks: Mapping[str, str],
) -> dict[str, Any]:
    """Describe a table of the first page. The ranking has all models, others those measured.

    The best in the first column stands first; where categories alone are ranked, the best on their
    mean.
    """
    is_ranking = name in {RANKING, OVER_NOISE}
    scores_by_column = [_ranked_scores(column, board) for column in columns]
    rows = []
    for row in board.rows:
        is_measured = any(row in scores for scores in scores_by_column)
        if row.model not in controls and (is_ranking or is_measured):
            cells_of_row = []
            for column, scores in zip(columns, scores_by_column, strict=True):
                note = _note(row, column, board, is_over_noise=name == OVER_NOISE)
                cells_of_row.append(_cell(scores.get(row), scores, note))
            rows.append((models[row], cells_of_row))
    headings = [_heading(column) for column in columns]
    overall = {average.title for average in board.overall.values()}
    are_categories = is_ranking and overall.isdisjoint(title for title, _, _ in headings)
    rows.sort(key=_order_by_mean if are_categories else _order)
    rows_of_controls = []
    for control, scores_of_control in controls.items():
        is_measured = any(column in scores_of_control for column in columns)
        if is_measured and not is_ranking:
            texts = [_control_score(scores_of_control.get(column)) for column in columns]
            rows_of_controls.append((control, texts))
    groups = []
    for task, columns_of_task in groupby(columns, key=_task_of):
        if task:
            groups.append((task, tasks[task], len(list(columns_of_task))))
    return {
        "name": name,
        "is_ranking": is_ranking,
        "is_over_noise": name == OVER_NOISE,
        "columns": headings,
        "rows": rows,
        "controls": rows_of_controls,
        "groups": groups,
    }


def _heading(column: Average | Column) -> tuple[str, str, bool]:
    """The heading of a column, what it is of, and whether it counts overall."""
    if isinstance(column, Average):
        return column.title, column.averaged, True
    return column.task, column.data, bool(lists_of(column))


def _ranked_scores(
    column: Average | Column,
    board: Board,
) -> Mapping[Row, RankedScore]:
    if isinstance(column, Average):
        return column.ranked_scores
    return board.ranked_scores[column]


def _order(row: tuple[BoardModel, Sequence[Mapping[str, Any]]]) -> list[float]:
    """Where a row of a table stands: the best first."""
    _, cells_of_row = row
    return [-cell["order"] for cell in cells_of_row]


def _order_by_mean(row: tuple[BoardModel, Sequence[Mapping[str, Any]]]) -> float:
    """Where a row stands: those without an empty cell first, the best mean first."""
    return sum(_order(row))


def _control_score(score: float | None) -> str:
    return "–" if score is None else formatted(score)


def _note(
    row: Row,
    column: Average | Column,
    board: Board,
    *,
    is_over_noise: bool,
) -> str:
    """Say below a cell of the first page why it is empty, or what the mean is by score."""
    if not isinstance(column, Average):
        return ""
    if row not in column.ranked_scores:
        measured: Mapping[Column, Collection[Row]] = board.cells
        if is_over_noise:
            measured = _with_noise(board)
        n_lacking = len(lacking(column.listed, measured, row))
        return f"lacks {n_lacking} of {len(column.listed)}" if n_lacking else ""
    by_score = _by_score(column.title, board).get(row)
    if is_over_noise and by_score is not None:
        return f"score {formatted(by_score.value)}"
    return ""


def _with_noise(board: Board) -> dict[Column, list[Row]]:
    """Column -> the models of which it is known how far they lie above matched noise."""
    known = {}
    for column, cells_of_column in board.cells.items():
        known[column] = [row for row, cell in cells_of_column.items() if NOISE in cell.over]
    return known


def _by_score(title: str, board: Board) -> Mapping[Row, RankedScore]:
    """The places by score in the average with a title."""
    for average in (*board.overall.values(), *board.categories.values()):
        if average.title == title:
            return average.ranked_scores
    return {}


def _cell(
    place: RankedScore | None,
    column: Mapping[Row, RankedScore],
    note: str,
) -> dict[str, Any]:
    """Describe a cell of the first page; the greater its order, the better, and self-reported
    scores stand last.
    """
    if place is None:
        return {
            "order": _LAST,
            "score": "–",
            "interval": "",
            "rank": "",
            "is_first": False,
            "note": note,
        }
    order = place.value
    if place.trust is Trust.SELF_REPORTED:
        order += _LAST / 2
    rank, is_first = _rank(place, column)
    return {
        "order": round(order, _DIGITS),
        "score": formatted(place.value),
        "interval": between(place.interval),
        "rank": f"{rank} {_TRUST_SIGN[place.trust]}".strip(),
        "is_first": is_first,
        "note": note,
    }


def _rank(
    place: RankedScore,
    column: Mapping[Row, RankedScore],
) -> tuple[str, bool]:
    """Write the ranks that a model may have, and say whether it is the first, alone, of several,
    and above noise, where there is noise.
    """
    others = [other for other in column.values() if other is not place]
    has_rivals = any(other.rank for other in others)
    is_first = place.rank == (1, 1) and has_rivals and place.is_above_noise is not False
    return str(place.rank or ""), is_first


def _task_page(
    columns: Sequence[Column],
    board: Board,
    models: Mapping[Row, BoardModel],
) -> dict[str, Any]:
    """Describe a task by its columns."""
    task = columns[0].task
    closer = []
    for column in columns:
        if column.definition.closer_look():
            closer.append(_closer(column, board, models))
    published = []
    others = references(task, set())
    if others:
        published.append(published_rows(task, others))
    return {
        "task": task,
        "question": columns[0].declared_task.description,
        "columns": [_column(column, board, models) for column in columns],
        "closer_look": columns[0].definition.closer_look(),
        "closer": closer,
        "published": published,
    }


def _column(
    column: Column,
    board: Board,
    models: Mapping[Row, BoardModel],
) -> dict[str, Any]:
    """Describe a column with its models, the best first."""
    places = board.ranked_scores[column]
    measure = column.definition
    score = measure.main_declaration

    def standing(row: Row) -> tuple[Any, ...]:
        place = places[row]
        return place.rank is None, place.rank, -place.value

    score_rows = {}
    for row in sorted(places, key=standing):
        score_rows[row] = ScoreRow.of(board.cells[column][row].entry)
    rows = []
    for row, score_row in score_rows.items():
        place = places[row]
        rank, is_first = _rank(place, places)
        rows.append((models[row], score_row, rank, is_first, _trust(place)))
    return {
        **column._asdict(),
        "data": column.data,
        "score": score,
        "chance": "" if score.chance is None else formatted(score.chance),
        "ceiling": "" if score.ceiling is None else formatted(score.ceiling),
        "sampled": _SAMPLED.get(measure.unit, f"{measure.unit}s"),
        "is_other": column in board.others,
        "lists": lists_of(column),
        "axis": Axis.of(score_rows.values()),
        "drawn": drawn(score_rows.values()),
        "rows": rows,
    }


def _trust(place: RankedScore) -> str:
    """Write the mark of trust of a score, and whose items it has if not its own."""
    mark = f"{_TRUST_SIGN[place.trust]} {place.trust.value}"
    if place.original:
        return f"{mark}; the items are those of {place.original}"
    return mark


def _closer(
    column: Column,
    board: Board,
    models: Mapping[Row, BoardModel],
) -> Listing:
    names = {}
    for cell in board.cells[column].values():
        names[cell.entry] = models[Row.of(cell.entry)].name
    return closer_look(list(names), names, column.data)


def _model_page(
    row: Row,
    model: BoardModel,
    columns: Sequence[Column],
    board: Board,
    tasks: Mapping[str, str],
) -> dict[str, Any]:
    """Describe a model: two sentences, and a row for each of its scores, by category."""
    entries = []
    groups: dict[str, list[dict[str, Any]]] = {}
    without: list[dict[str, Any]] = []
    for column in columns:
        if row in board.cells[column]:
            entries.append(board.cells[column][row].entry)
            category = _category(column).capitalize()
            rows = groups.setdefault(category, []) if category else without
            rows.append(_score_of_model(row, column, board, tasks[column.task]))
    if without:
        groups[IN_NO_CATEGORY] = without
    lacks = {}
    for name, listed_columns in LISTS.items():
        lacks[name] = lacking(listed_columns, board.cells, row)
    return {
        "model": model,
        "row": row,
        "opening": f"{_above(entries)} {_overall(row, board, lacks)}",
        "lacks": lacks,
        "not_rerun": NOT_RERUN if row.model.startswith(LOCAL) else "",
        "groups": groups,
        "rows": [score for scores in groups.values() for score in scores],
    }


def _score_of_model(
    row: Row,
    column: Column,
    board: Board,
    page: str,
) -> dict[str, Any]:
    """Describe a score on the page of its model."""
    cell = board.cells[column][row]
    ranked_scores = board.ranked_scores[column]
    messages = [finding.message for finding in cell.findings]
    return {
        "task": column.task,
        "page": page,
        "data": column.data,
        "score": ScoreRow.of(cell.entry),
        "rank": _rank(ranked_scores[row], ranked_scores),
        "trust": _trust(ranked_scores[row]),
        "findings": list(dict.fromkeys(messages)),
        "signature": str(cell.entry.signature or "none: another program made it"),
    }


def _above(entries: Iterable[Entry]) -> str:
    """Count the scores of a model that are above each reference, in a sentence."""
    outcomes_of_entries = [outcomes(entry) for entry in entries]
    counts = []
    for column, reference in CELLS.items():
        compared = [known[column] for known in outcomes_of_entries if column in known]
        if compared:
            n_above = sum(outcome.is_above for outcome in compared)
            counts.append(f"{n_above} of {len(compared)} are above {reference}")
    if not counts:
        return "None of its scores has an interval."
    return f"Of its scores, {listed(counts)}."


def _overall(
    row: Row,
    board: Board,
    lacks: Mapping[str, Sequence[str]],
) -> str:
    """Say which overall places a model has, in a sentence."""
    ranks = []
    for name, average in board.overall.items():
        place = average.ranked_scores.get(row)
        if place is not None:
            ranks.append(f"{place.rank} of {len(average.ranked_scores)} on the list {name}")
    if ranks:
        return f"Its overall place is {listed(ranks)}."
    lack = []
    for name, listed_columns in LISTS.items():
        lack.append(f"{len(lacks[name])} of the {len(listed_columns)} scores of the list {name}")
    return f"It has no overall place: it lacks {listed(lack)}."


def board_models(board: Board) -> dict[Row, BoardModel]:
    """Name the models of a board and their pages, and read their costs from their results."""
    names: dict[Row, str] = {}
    for model, group in groupby(sorted(board.rows), key=attrgetter("model")):
        rows = list(group)
        revisions = {row.revision for row in rows}
        precisions = {row.precision for row in rows}
        for row in rows:
            precision = ""
            if len(precisions) > 1:
                precision = f" {row.precision or 'unknown precision'}"
            names[row] = f"{cut(model)}{revision_label(row.revision, revisions)}{precision}"
    pages = slugs("\n".join(row) for row in board.rows).values()
    models: dict[Row, BoardModel] = {}
    for row, page in zip(board.rows, pages, strict=True):
        costs = Costs.of(_result_files(row, board))
        models[row] = BoardModel(names[row], f"models/{page}.html", costs)
    return models


def _result_files(row: Row, board: Board) -> list[Path]:
    """List the result files of a model, each once."""
    cells_of_model = [cells[row] for cells in board.cells.values() if row in cells]
    return list(dict.fromkeys(cell.entry.file for cell in cells_of_model))


def page_tables(board: Board) -> list[tuple[str, list[Average | Column]]]:
    """List title and columns of the ranking over noise, if enough models have noise, of the
    ranking by score, which has overall places and categories if any model has one, and of each
    category's table.
    """
    tables: dict[str, list[Average | Column]] = {}
    for average in board.over[NOISE].values():
        if len(average.ranked_scores) >= FEWEST_WITH_NOISE:
            tables.setdefault(OVER_NOISE, []).append(average)
    for average in (*board.overall.values(), *board.categories.values()):
        if average.ranked_scores:
            tables.setdefault(RANKING, []).append(average)
    in_category = [column for column in board.columns if _category(column)]
    in_none = [column for column in board.columns if not _category(column)]
    for column in (*in_category, *in_none):
        title = _category(column).capitalize() or IN_NO_CATEGORY
        tables.setdefault(title, []).append(column)
    return list(tables.items())


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
            scores = rows.setdefault(reference.model, {})
            scores[column] = round(reference.value, _DIGITS)
    return rows
