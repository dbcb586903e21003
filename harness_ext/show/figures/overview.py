"""Dots and intervals: scores of models, chance, and scores of the papers' models, on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from harness_ext.framework.gain_keys import words_key
from harness_ext.framework.scores import Score
from harness_ext.names import file_name
from harness_ext.results.entry import Entry
from harness_ext.results.published import TELLING_KEYS, Place, published_of
from harness_ext.show.figures.chart import (
    by_task_and_data,
    data_of,
    reference_lines,
    row_axis,
    score_title,
    tick,
    tooltips,
)
from harness_ext.show.figures.colours import BLUE, ORANGE, PURPLE, model_colours
from harness_ext.show.figures.figure import Figure
from harness_ext.show.model_labels import model_labels
from harness_ext.show.published_tables import published_values

_WIDTH = 330
_MANY_CHARTS = 3
"""One model with more results has one chart, a row for each."""
_PUBLISHED = "published models"
_SAME = "published, same model"
_MEASURED = "measured"
_READ = (
    "Dots are measured scores, a colour per model; lines are their 95 % intervals. The dashed line is chance, a dotted "
    "line is the agreement of people with each other. Orange marks are published scores of other models, purple "
    "diamonds are published scores of the same model."
)


def main_scores(entries: Sequence[Entry]) -> Figure:
    """Draw the main scores of all tasks, of at least one entry in the order of `load_results`."""
    if is_forest(entries):
        return _forest(entries)
    blocks = [(same, same[0].measure.main) for same in by_task_and_data(entries)]
    return Figure(
        name="main-scores",
        title="Main scores",
        caption=f"The main score of each task. {_READ}",
        chart=_blocks(blocks, entries),
        small_multiples=True,
    )


def is_forest(entries: Sequence[Entry]) -> bool:
    """Whether one model has so many results that a chart for each would be a dot in a chart."""
    return len(entries) > _MANY_CHARTS and len(model_labels(entries)) == 1


def _forest(entries: Sequence[Entry]) -> Figure:
    """Draw the main scores of one model, a row for each task, subset and split."""
    rows: list[dict[str, Any]] = []
    for entry in entries:
        score, _ = entry.measure.declarations()[entry.measure.main]
        low, high = entry.interval() or (math.nan, math.nan)
        marks = {
            "chance": score.chance,
            "words": entry.scores.get(words_key(entry.measure.main)),
            "people": score.ceiling,
        }
        label = f"{entry.task} ({entry.data})"
        rows.append({"model": label, "value": entry.main_score, "low": low, "high": high, **marks})
    y = row_axis([row["model"] for row in rows])
    tooltip = [alt.Tooltip("model:N", title="task"), *tooltips("value", "low", "high", "chance", "words", "people")]

    def mark(name: str, shape: str, colour: str) -> alt.Chart:
        marks = alt.Chart().transform_filter(f"isValid(datum.{name})")
        point: alt.Chart = marks.mark_point(size=70, opacity=1, shape=shape, strokeWidth=2, color=colour)
        return point.encode(x=f"{name}:Q", y=y, tooltip=tooltip)

    layers = [
        alt.Chart().transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.5, color=BLUE).encode(
            x=alt.X("low:Q", title=None, scale=alt.Scale(nice=False, padding=8)), x2="high:Q", y=y
        ),
        tick("chance", 16).encode(y=y),
        mark("people", "triangle-up", PURPLE),
        mark("words", "diamond", ORANGE),
        alt.Chart().mark_circle(size=80, opacity=1, color=BLUE).encode(x="value:Q", y=y, tooltip=tooltip),
    ]  # fmt: skip
    return Figure(
        name="main-scores",
        title="Main scores",
        caption="A row for each task. Dots are main scores, lines their 95 % intervals. Grey ticks are chance, orange "
        "diamonds the encoder's own words, added up, purple triangles the agreement of people with each other, where "
        "these are known. Scores of two tasks cannot be compared with each other.",
        chart=alt.LayerChart(layer=layers, data=data_of(rows), width=_WIDTH, height=alt.Step(22)),
    )


def task_scores(entries: Sequence[Entry]) -> Figure:
    """Draw the scores of one task, by `telling_keys`, of at least one entry."""
    task = entries[0].task
    blocks = [(same, key) for same in by_task_and_data(entries) for key in telling_keys(same)]
    return Figure(
        name=f"{file_name(task)}-scores",
        title=f"{task}: measured and published",
        caption=f"{_READ} Below the main score stand scores that a paper has too.",
        chart=_blocks(blocks, entries),
        small_multiples=True,
    )


def telling_keys(entries: Sequence[Entry]) -> list[str]:
    """List the main score of a task, of entries in one split and subset.

    If no paper has it, telling keys that were measured and published follow.
    """
    first = entries[0]
    main = first.measure.main
    if published_values(first, main):
        return [main]
    telling = [key for key in TELLING_KEYS.get(first.task, ()) if key != main and published_values(first, key)]
    return [main, *(key for key in telling if any(key in entry.scores for entry in entries))]


def _rows(entries: Sequence[Entry], key: str, labels: Mapping[tuple[str, str], str]) -> Iterator[dict[str, Any]]:
    """Yield the models, best first, then the published models."""
    of_measured = set()
    score, _ = entries[0].measure.declarations()[key]
    there = [entry for entry in entries if key in entry.scores]
    for entry in sorted(there, key=lambda entry: entry.scores[key], reverse=score.direction != "lower"):
        label = labels[entry.model, entry.revision]
        low, high = entry.interval(key) or (math.nan, math.nan)
        yield {"model": label, "kind": _MEASURED, "value": entry.scores[key], "low": low, "high": high}
        same = published_of(entry.task, Place(entry.model, entry.subset, entry.split)).get(key)
        if same and not same.suspect:
            of_measured.add(same.model)
            yield {"model": label, "kind": _SAME, "value": same.value, "of": same.model, "table": same.table}
    for model, value in published_values(entries[0], key).items():
        if model not in of_measured:
            yield {"model": _PUBLISHED, "kind": _PUBLISHED, "value": value, "of": model}


def _blocks(blocks: Sequence[tuple[Sequence[Entry], str]], entries: Sequence[Entry]) -> alt.VConcatChart:
    """Stack blocks, each the entries of a split and subset with a score; all entries share names and colours."""
    labels = model_labels(entries)
    colour = model_colours([*labels.values()])
    charts = (_block(same[0], key, list(_rows(same, key, labels)), colour) for same, key in blocks)
    return alt.vconcat(*charts, spacing=26)


def _block(first: Entry, key: str, rows: Sequence[dict[str, Any]], colour: alt.Color) -> alt.LayerChart:
    """Draw a score of all models in one split and subset: a row for each, and a row for the papers' models."""
    score, _ = first.measure.declarations()[key]
    y = row_axis(list(dict.fromkeys(row["model"] for row in rows)))
    x = alt.X("value:Q", title=None, scale=alt.Scale(domain=_domain(score, rows), nice=False))
    tooltip = [alt.Tooltip("model:N"), alt.Tooltip("of:N", title="published of"), *tooltips("value", "low", "high")]

    def of(kind: str) -> alt.Chart:
        return alt.Chart().transform_filter(f"datum.kind == '{kind}'")

    layers = [
        *reference_lines(score.ceiling, (1, 3)),
        *reference_lines(score.chance),
        of(_PUBLISHED).mark_tick(thickness=2, height=14, opacity=0.9, color=ORANGE).encode(x=x, y=y, tooltip=tooltip),
        of(_MEASURED).transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.5).encode(
            x="low:Q", x2="high:Q", y=y, color=colour
        ),
        of(_MEASURED).mark_circle(size=80, opacity=1).encode(x=x, y=y, color=colour, tooltip=tooltip),
        of(_SAME).mark_point(size=110, opacity=1, shape="diamond", strokeWidth=2.5, color=PURPLE).encode(
            x=x, y=y, tooltip=tooltip
        ),
    ]  # fmt: skip
    title = score_title(first.task, first.data, score, key)
    return alt.LayerChart(layer=layers, data=data_of(rows), width=_WIDTH, height=alt.Step(22), title=title)


def _domain(score: Score, rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Find the ends of the axis: the score's range, or the values shown if the range is infinite."""
    drawn = [row[name] for row in rows for name in ("value", "low", "high") if math.isfinite(row.get(name, math.nan))]
    ends = [*drawn, *([] if score.chance is None else [score.chance])] or [0.0]
    low, high = score.range
    return (low if math.isfinite(low) else min(ends) - 0.1, high if math.isfinite(high) else max(ends) + 0.1)
