"""`harness-ext show`: a summary of a results folder, or everything that is known of each model in it."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from harness_ext.results.listing import Listing
from harness_ext.results.load import TASK_BY_NAME
from harness_ext.results.published import published_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness_ext.evaluators.scores import Score
    from harness_ext.results.load import Entry
    from harness_ext.results.published import PublishedCell

DIRECTIONS = {"higher": "↑", "lower": "↓", "neither": ""}
"""How tables say which direction is better."""

SUSPECT = "†"
"""Marks a published figure that contradicts others of its paper."""

_MANY_PLACES = 3
"""The summary of more tasks and splits than these leaves out the intervals."""


def number(value: float) -> str:
    """Three digits after the point, none before it where there are none."""
    return str(value) if isinstance(value, int) else re.sub(r"^(-?)0(?=\.)", r"\1", f"{value:.3f}")


def summary(entries: Sequence[Entry]) -> list[Listing]:
    """What was measured (a line per task, subset and split), then models × what was measured.

    Args:
        entries: In the order of `load_results`.
    """
    places = [(place, list(found)) for place, found in groupby(entries, key=_place)]
    lines, columns = [], []
    for n, ((task, data), found) in enumerate(places, start=1):
        score, _ = TASK_BY_NAME[task].measure.declarations()[TASK_BY_NAME[task].measure.main]
        published = [cell.value for cell in _published_mains(found[0])]
        lines.append(
            (
                str(n),
                task,
                data,
                TASK_BY_NAME[task].measure.main,
                DIRECTIONS[score.direction],
                "" if score.chance is None else number(score.chance),
                f"{number(min(published))} to {number(max(published))}" if published else "",
                verdict(score, found[0]) if len({entry.model for entry in entries}) == 1 else "",
            )
        )
        columns.append({_name(entry, entries): entry for entry in found})
    header = ("", "task", "data", "main score", "better", "chance", "published", "")
    models = list(dict.fromkeys(_name(entry, entries) for entry in entries))
    with_interval = len(places) <= _MANY_PLACES or len(models) == 1
    if len(models) == 1:  # one table will do
        of_one = [column[models[0]] for column in columns]
        rows = [(*line[1:4], _cell(entry, True), *line[4:]) for line, entry in zip(lines, of_one, strict=True)]
        return [Listing((*header[1:4], "value [95 % interval]", *header[4:]), tuple(rows), title=models[0])]
    order = sorted(models, key=lambda model: -max((column[model].main_score for column in columns[:1] if model in column), default=-9))
    rows = [(model, *(_cell(column.get(model), with_interval) for column in columns)) for model in order]
    return [
        Listing(header[:-1], tuple(line[:-1] for line in lines), title="what was measured"),
        Listing(("model", *(line[0] for line in lines)), tuple(rows), title="main scores", figures=len(columns)),
    ]


def verdict(score: Score, entry: Entry) -> str:
    """Where a main score lies, in words: by its interval, against chance."""
    interval = entry.interval()
    if score.chance is None or interval is None:
        return ""
    low, high = interval
    if low > score.chance:
        return "above chance"
    return "below chance" if high < score.chance else "not told from chance"


def details(entry: Entry) -> Iterator[Listing]:
    """All scores of an entry, beside what was published of the same model: those of the whole, then by axis.

    The last axis of a score makes the columns; scores that have the same one share a table.
    """
    published = {cell.key: cell for cell in published_cells(entry.task) if _same(cell, entry)}

    def cell(key: str) -> str:
        known = published.get(key)
        mark = SUSPECT if known and known.suspect else ""
        value = number(entry.scores[key]) if key in entry.scores else ""
        return f"{value} ({number(known.value)}{mark})" if known and value else value

    overall, by_axis = [], {}
    for score in entry.task_class.measure.scores.declarations():
        if not score.axes:
            if score.key in entry.scores:
                overall.append((score.key, cell(score.key), _interval(entry, score.key), DIRECTIONS[score.direction]))
            continue
        *outer, last = score.axes
        rows: dict[str, dict[str, str]] = by_axis.setdefault(last, {})
        for key, place in score.keys().items():
            if key in entry.scores:
                label = score.key.format_map({**place, last.name: "·"})
                rows.setdefault(label, {})[place[last.name]] = cell(key)
    title = f"{entry.task}, {entry.data}: {entry.model}"
    measured = "measured (published)" if published else "measured"
    yield Listing(("score", measured, "95 % interval", "better"), tuple(overall), title=title, figures=3)
    for axis, rows in by_axis.items():
        if rows:
            cells = tuple((label, *(row.get(value, "") for value in axis.values)) for label, row in rows.items())
            yield Listing(("score", *axis.values), cells, title=f"by {axis.name.replace('_', ' ')}", figures=len(axis.values))


def reference_rows(task: str) -> Listing | None:
    """The published models of a task with its main score, or with what the papers have most of; None without any."""
    cells = [cell for cell in published_cells(task) if cell.has_key]
    keys = list(dict.fromkeys(cell.key for cell in cells))
    main = TASK_BY_NAME[task].measure.main
    shown = [main] if main in keys else sorted(keys, key=lambda key: -sum(cell.key == key for cell in cells))[:3]
    rows = [
        (cell.model, f"{'' if cell.subset == 'default' else f'{cell.subset} '}{cell.split}", cell.key,
         f"{number(cell.value)}{SUSPECT if cell.suspect else ''}", cell.table)
        for cell in cells
        if cell.key in shown
    ]  # fmt: skip
    if not rows:
        return None
    return Listing(
        ("published model", "data", "score", "value", "table"), tuple(rows), title=f"{task}: published, for reference"
    )


def _place(entry: Entry) -> tuple[str, str]:
    return entry.task, entry.data


def _name(entry: Entry, entries: Sequence[Entry]) -> str:
    """The model's name, with its revision where there are several."""
    revisions = {other.revision for other in entries if other.model == entry.model}
    return f"{entry.model} @{entry.revision}" if len(revisions) > 1 else entry.model


def _cell(entry: Entry | None, with_interval: bool) -> str:
    if entry is None:
        return ""
    interval = entry.interval() if with_interval else None
    return f"{number(entry.main_score)}{f' [{number(interval[0])}, {number(interval[1])}]' if interval else ''}"


def _interval(entry: Entry, key: str) -> str:
    low, high = (entry.scores.get(f"{key}_ci_{end}") for end in ("low", "high"))
    return "" if low is None or high is None else f"{number(low)} to {number(high)}"


def _published_mains(entry: Entry) -> list[PublishedCell]:
    main = entry.task_class.measure.main
    return [
        cell
        for cell in published_cells(entry.task)
        if (cell.key, cell.subset, cell.split) == (main, entry.subset, entry.split) and not cell.suspect
    ]


def _same(cell: PublishedCell, entry: Entry) -> bool:
    return (cell.model, cell.subset, cell.split) == (entry.model, entry.subset, entry.split)
