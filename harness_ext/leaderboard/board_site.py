"""Writes the pages of a board: a folder of files that any web server, or a browser alone, can show."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from harness_ext.files import whole_file
from harness_ext.leaderboard.board import MOST_COMPARED, Board, beside
from harness_ext.leaderboard.board_cache import BoardCache
from harness_ext.leaderboard.cell import Cell, RankedCell
from harness_ext.leaderboard.cells import read_entries
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import Construct
from harness_ext.leaderboard.data_files import write_tables
from harness_ext.leaderboard.every_eval_ever import every_eval_ever
from harness_ext.leaderboard.model_facts import ModelFacts, model_facts, model_metadata
from harness_ext.leaderboard.model_sentences import model_sentences, not_measured
from harness_ext.leaderboard.page_data import (
    BASIS_MEANS,
    TRUST_SIGNS,
    columns_said,
    construct_title,
    difference_data,
    page_data,
    shown_columns,
)
from harness_ext.results.columns import Column, Row, Shown
from harness_ext.results.entry import Entry, Results
from harness_ext.results.load import order
from harness_ext.results.published import TELLING_KEYS, Notes, references
from harness_ext.results.ranks import Basis
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import revision_label
from harness_ext.show.numbers import DIRECTIONS, between, number
from harness_ext.show.published_tables import reference_rows
from harness_ext.show.report.write import Link, write_report
from harness_ext.show.result_tables import own_words
from harness_ext.show.static_site import Site, cut, plain, slug
from harness_ext.show.verdict import outcome, verdict

TRUST_MEANS = {
    Trust.SELF_REPORTED: "the submitter states the scores; nothing shows that they follow from the pinned data",
    Trust.RECOMPUTED: "the scores follow from the items that were submitted with them",
    Trust.RERUN: "a maintainer of this board ran the same revision of the model and got the same scores",
    Trust.DECLINED: "the model's maker declines a rank here, because the model has seen the data; this costs no rank",
}
_TRUST_LEGEND = [(TRUST_SIGNS[one], one.value, text) for one, text in TRUST_MEANS.items()]

EVERY_EVAL_EVER = "data/every_eval_ever"
"""The folder of the results in that schema, a file per model."""


class _Models(NamedTuple):
    """Names, pages and facts of the models."""

    names: Mapping[Row, str]
    pages: Mapping[Row, str]
    facts: Mapping[Row, ModelFacts]
    metadata: Mapping[Row, Mapping[str, Any]]


def write_site(
    boards: Mapping[Shown, Board],
    problems: Mapping[str, Sequence[str]],
    folder: Path,
    cache: BoardCache,
    *,
    title: str,
    about: str = "",
    reports: bool = False,
) -> None:
    """Write the pages and tables of a board.

    Args:
        boards: The boards of the same cells, of gains over own words and of scores.
        problems: Heading -> a sentence for each result that is left out.
        folder: The folder to write; made if missing. Pages of an earlier board are replaced.
        cache: The cache, which knows the pages already written.
        title: The board's title.
        about: A sentence or two below the title.
        reports: Whether to write a report of each model too.

    Raises:
        ReportError: A package is missing, or the folder cannot be written to.
    """
    site = Site(folder, kind=title, more=files("harness_ext.leaderboard"), charts=False)
    board = boards["gain"]
    n_problems = sum(map(len, problems.values()))
    references_there = list(_references(board))
    pages = {
        "index.html": "Gains",
        "scores.html": "Scores",
        "compare.html": "Two models",
        "columns.html": "Columns",
        **({"versions.html": "Other versions"} if board.others else {}),
        **({"published.html": "Published"} if references_there else {}),
        **({"problems.html": "Left out"} if n_problems else {}),
    }
    site.share(navigation={"Pages": [Link(page, text) for page, text in pages.items()]}, board_title=title)
    names = row_names(board.rows)
    page_of = _pages(board.rows)
    tasks = frozenset(column.task for column in board.columns if not column.is_of_language_models)
    metadata = {row: model_metadata(_any_place(board, row).cell.file.parent) for row in board.rows}
    facts = {row: model_facts(metadata[row], tasks) for row in board.rows}

    for one, page, compare, tables in (
        (board, "index.html", "compare.html", "board"),
        (boards["score"], "scores.html", "compare-scores.html", "scores"),
    ):
        write_tables(one, facts, folder / "data", tables)
        data, differences = page_data(one, names, page_of, facts), difference_data(one)
        script, of_differences = f"{tables}-data.js", f"{tables}-differences.js"
        _write_data(site, script, "board", data)
        _write_data(site, of_differences, "differences", differences)
        shared = {"shown": one.shown, "script": script, "tables": tables}
        site.write(
            page,
            "board.html",
            title=title,
            about=about,
            columns=[_heading(each, one) for each in shown_columns(one)],
            tasks=[_heading(column, one) for column in one.columns],
            constructs=len(one.constructs),
            comparison=compare,
            overall=len(one.overall),
            n_models=len(one.rows),
            n_ranked=len(one.overall_ranks),
            problems=n_problems,
            others=len(one.others),
            has_data_languages=len({language for column in data["columns"] for language in column["languages"]}) > 1,
            trust=_TRUST_LEGEND,
            **shared,
        )
        site.write(
            compare,
            "board_comparison.html",
            differences=of_differences,
            has_differences=bool(one.standings),
            most=MOST_COMPARED,
            **shared,
        )
    site.write("columns.html", "columns.html", columns=[_heading(column, board) for column in board.columns])
    if board.others:
        site.write("versions.html", "versions.html", versions=[_version(board, one, names) for one in board.others])
    if references_there:
        site.write("published.html", "published.html", listings=references_there)
    if n_problems:
        site.write("problems.html", "problems.html", problems=problems)
    models = _Models(names, page_of, facts, metadata)
    _model_pages(site, board, models, cache, made_of=repr((title, pages)), reports=reports)


def _write_data(site: Site, file: str, name: str, data: Any) -> None:
    """Write data as a script, because a page opened from the disk cannot read JSON."""
    site.asset(file, f"window.{name} = {json.dumps(plain(data), allow_nan=False, separators=(',', ':'))};\n")


def row_names(rows: Sequence[Row]) -> dict[Row, str]:
    """Name each row on the pages: the model, with its revision or precision if it has several."""
    found: dict[Row, str] = {}
    for model, same in groupby(sorted(rows), key=lambda row: row.model):
        several = list(same)
        for row in several:
            revision = revision_label(row.revision, {one.revision for one in several})
            precision = (
                f" {row.precision or 'unknown precision'}" if len({one.precision for one in several}) > 1 else ""
            )
            found[row] = f"{cut(model)}{revision}{precision}"
    return found


def _pages(rows: Sequence[Row]) -> dict[Row, str]:
    """Name the page of each model. Other models do not change the name, unless their names are alike."""
    taken: set[str] = set()
    found = {}
    for row in rows:
        name = slug(f"{row.model} {row.revision[:12]} {row.precision}", taken)
        taken.add(name)
        found[row] = f"models/{name}.html"
    return found


def _any_place(board: Board, row: Row) -> RankedCell:
    return next(places[row] for places in board.places.values() if row in places)


def _references(board: Board) -> Iterator[Listing]:
    """List the papers' models with their telling keys, for the board's tasks, or for all tasks if these have none."""
    tasks = [task for task in TELLING_KEYS if any(column.task == task for column in board.columns)] or [*TELLING_KEYS]
    for task in tasks:
        notes, keys = Notes(), TELLING_KEYS[task]
        rows = tuple(reference_rows(references(task, set()), keys, notes))
        yield Listing(("model", "data", "published in", *keys), rows, task, notes.text(), figures=len(keys), labels=3)


def _heading(column: Construct | Column, board: Board) -> dict[str, Any]:
    """Describe a column, or a construct, for the pages."""
    if isinstance(column, Construct):
        return {
            "construct": True,
            "parts": [construct_title(column)],
            "data": columns_said(column),
            "better": DIRECTIONS["higher"],
            "in_overall": any(one in board.overall for one in column.columns),
            "unverified": any(one.is_unverified for one in column.columns),
        }
    measure, score = column.definition, board.score(column)
    bases = board.bases(column)
    return {
        **column._asdict(),
        "construct": False,
        "parts": re.findall(r"[A-Z]?[^A-Z_]*_?", column.task),
        "data": column.data,
        "key": score.key,
        "score": score,
        "better": DIRECTIONS[score.direction],
        "chance": "" if score.chance is None else number(score.chance),
        "ceiling": "" if score.ceiling is None else number(score.ceiling),
        "question": column.description,
        "unit": measure.unit,
        "in_overall": column in board.overall,
        "unverified": column.is_unverified,
        "models": len(board.places[column]),
        "bases": ", ".join(f"{bases[one]} {BASIS_MEANS[one]}" for one in Basis if bases[one]),
    }


def _version(board: Board, column: Column, names: Mapping[Row, str]) -> dict[str, Any]:
    current = board.current(column)
    rows = sorted(
        board.places[column].items(), key=lambda one: (one[1].rank is None, one[1].rank, -(one[1].value or 0.0))
    )
    return {
        **_heading(column, board),
        "differs": "; ".join(beside(current, column)) if current else "",
        "rows": [(names[row], *_place_texts(place)) for row, place in rows],
    }


def _place_texts(place: RankedCell) -> tuple[str, str, str, str]:
    """Write score or gain, interval, rank and trust for the pages."""
    return (
        "" if place.value is None else number(place.value),
        between(place.interval),
        str(place.rank or ""),
        f"{TRUST_SIGNS[place.trust]} {place.trust.value}",
    )


def _model_pages(site: Site, board: Board, models: _Models, cache: BoardCache, *, made_of: str, reports: bool) -> None:
    """Write each model's page, its scores in the schema of Every Eval Ever, and its report if asked for.

    A page is written only when its model, its rank or the columns have changed; the other files when the model has.
    """
    found: dict[Row, list[tuple[Column, RankedCell]]] = {row: [] for row in board.rows}
    for column in (*board.columns, *board.others):
        for row, place in board.places[column].items():
            found[row].append((column, place))
    folder = site.folder / EVERY_EVAL_EVER
    folder.mkdir(parents=True, exist_ok=True)
    for row in tqdm(board.rows, desc="Model pages", unit="page", disable=None):
        states = [
            (one, sorted(cell.scores.items()), cell.digest, cell.words_digest, place.trust, cell.findings)
            for one, place in found[row]
            for cell in [place.cell]
        ]
        name, page, facts = models.names[row], models.pages[row], models.facts[row]
        report = f"{Path(page).stem}/index.html" if reports else ""
        state = repr((name, facts, states, made_of, report))
        among = repr((state, board.overall_ranks.get(row), len(board.overall_ranks), not_measured(board, row)))
        if not cache.is_written(site.folder / page, among):
            site.write(
                page,
                "model.html",
                name=name,
                row=row,
                sentences=model_sentences(board, row),
                facts=_fact_texts(facts),
                reference=facts.reference,
                report=report,
                places=[_on_model_page(column, place) for column, place in found[row]],
                trust=_TRUST_LEGEND,
            )
            cache.written(site.folder / page, among)
        record = folder / f"{Path(page).stem}.json"
        if not cache.is_written(record, state):
            trust: dict[Entry, Trust] = {place.cell: place.trust for _, place in found[row]}
            about = {(row.model, row.revision): models.metadata[row]}
            records = every_eval_ever(trust, retrieved=time.time(), source=site.kind, organization=site.kind,
                                      metadata=about, trust=trust)  # fmt: skip
            with whole_file(record) as partial:
                partial.write_text(json.dumps(next(records), ensure_ascii=True, default=str), encoding="utf-8")
            if report:
                write_report(_full_results(place.cell for _, place in found[row]), (site.folder / page).with_suffix(""),
                             sentences=False)  # fmt: skip
            cache.written(record, state)
    cache.commit()


def _full_results(cells: Iterable[Cell]) -> Results:
    """Read all scores of these cells from their files."""
    wanted: dict[Path, set[tuple[str, str, str]]] = {}
    for cell in cells:
        wanted.setdefault(cell.file, set()).add((cell.task, cell.subset, cell.split))
    entries = [
        entry
        for file, places in wanted.items()
        for entry in read_entries(file).entries
        if (entry.task, entry.subset, entry.split) in places
    ]
    return Results(tuple(sorted(entries, key=order)), ())


def _fact_texts(facts: ModelFacts) -> list[tuple[str, str]]:
    said = {True: "yes", False: "no", None: "not known"}
    about = asdict(facts)
    return [
        ("Parameters", "not known" if facts.parameters is None else f"{facts.parameters:,}"),
        *((label, said[about[key]]) for label, key in (("Open weights", "open_weights"),
          ("Instruction-tuned", "instructed"), ("Zero-shot on these tasks", "zero_shot"))),
        ("Languages", ", ".join(facts.languages) or "not known"),
        ("Dimensions", str(facts.dimensions or "not known")),
        ("Longest input, tokens", str(facts.max_tokens or "not known")),
        ("Licence", facts.licence or "not known"),
    ]  # fmt: skip


def _on_model_page(column: Column, place: RankedCell) -> dict[str, Any]:
    *_, trust = _place_texts(place)
    words, gain = own_words(place.cell)
    return {
        "task": column.task,
        "data": column.data,
        "score": number(place.cell.main_score),
        "interval": between(place.cell.interval()),
        "words": words,
        "gain": gain,
        "outcome": outcome(place.cell),
        "verdict": verdict(place.cell),
        "trust": trust,
        "findings": place.cell.findings,
        "signature": str(place.cell.signature or "none: another program made it"),
    }
