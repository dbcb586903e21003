"""Dots, intervals and arrows: scores of models, additive baselines, chance and the papers' models, on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness_ext.common.names import file_name
from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.measures.core.scores import Score
from harness_ext.results.entry import Entry
from harness_ext.results.published import TELLING_KEYS, ResultKey, published_of
from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure
from harness_ext.show.interpretation import has_gained
from harness_ext.show.model_labels import model_labels
from harness_ext.show.published_tables import published_values

_WIDTH = 330
_MANY_CHARTS = 3
"""One model with more results has one chart, a row for each."""
_PUBLISHED = "published models"
_READ = (
    "Dots are measured scores, lines their 95 % intervals. Grey ticks are chance, purple triangles the agreement of "
    "people with each other."
)
_READ_PUBLISHED = "Green ticks are published scores of other models, green diamonds those of the same model."


def main_scores(entries: Sequence[Entry]) -> Figure:
    """Draw the main scores of all tasks, of at least one entry in the order of `load_results`."""
    if len(entries) <= _MANY_CHARTS or len(model_labels(entries)) > 1:
        blocks = [(same, same[0].measure.main) for same in parts.by_task_and_data(entries)]
        caption = f"The main score of each task. {_READ} {_READ_PUBLISHED}"
        return Figure("main-scores", "Main scores", caption, _blocks(blocks, entries), small_multiples=True)
    rows = []
    for entry in entries:
        main = entry.measure.main
        score, _ = entry.measure.declarations()[main]
        additive = {"additive": entry.scores.get(additive_key(main))}
        references = {"chance": score.chance, "people": score.ceiling}
        rows.append({**_row(f"{entry.task} ({entry.data})", entry, main), **references, **additive})
    caption = (
        f"A row for each task. {_READ} Orange diamonds are the encoder's additive baseline. Scores of two tasks "
        "cannot be compared with each other."
    )
    return Figure(
        "main-scores", "Main scores", caption, _panel(rows, alt.value(parts.BLUE), alt.Scale(nice=False, padding=8))
    )


def task_scores(entries: Sequence[Entry]) -> Figure:
    """Draw the scores of one task, by `telling_keys`, of at least one entry."""
    task = entries[0].task
    return Figure(
        name=f"{file_name(task)}-scores",
        title=f"{task}: measured and published",
        caption=f"{_READ} {_READ_PUBLISHED} Below the main score stand scores that a paper has too.",
        chart=_blocks([(same, key) for same in parts.by_task_and_data(entries) for key in telling_keys(same)], entries),
        small_multiples=True,
    )


def telling_keys(entries: Sequence[Entry]) -> list[str]:
    """List the main score of a task, of entries in one split and subset.

    If no paper has it, telling keys that were measured and published follow, but for p-values and the like.
    """
    first = entries[0]
    main, declared = first.measure.main, first.measure.declarations()
    if published_values(first, main):
        return [main]
    telling = [key for key in TELLING_KEYS.get(first.task, ()) if key != main and published_values(first, key)]
    telling = [key for key in telling if declared[key][0].compute]
    return [main, *(key for key in telling if any(key in entry.scores for entry in entries))]


def _row(label: str, entry: Entry, key: str) -> dict[str, Any]:
    low, high = entry.interval(key) or (math.nan, math.nan)
    return {"model": label, "value": entry.scores.get(key, entry.main_score), "low": low, "high": high}


def _blocks(blocks: Sequence[tuple[Sequence[Entry], str]], entries: Sequence[Entry]) -> alt.VConcatChart:
    """Stack blocks, each the entries of a split and subset with a score; all entries share names and colours."""
    labels = model_labels(entries)
    colour = parts.model_colours([*labels.values()])
    charts = []
    for same, key in blocks:
        score, _ = same[0].measure.declarations()[key]
        rows = [{**row, "chance": score.chance, "people": score.ceiling} for row in _rows(same, key, labels)]
        title = parts.score_title(same[0].task, same[0].data, score, key)
        charts.append(_panel(rows, colour, alt.Scale(domain=_domain(score, rows), nice=False)).properties(title=title))
    return alt.vconcat(*charts, spacing=26)


def _rows(entries: Sequence[Entry], key: str, labels: Mapping[tuple[str, str], str]) -> Iterator[dict[str, Any]]:
    """Yield the models, best first, then the published models."""
    of_measured = set()
    score, _ = entries[0].measure.declarations()[key]
    there = [entry for entry in entries if key in entry.scores]
    for entry in sorted(there, key=lambda entry: entry.scores[key], reverse=score.direction != "lower"):
        row = _row(labels[entry.model, entry.revision], entry, key)
        same = published_of(entry.task, ResultKey(entry.model, entry.subset, entry.split)).get(key)
        if same and not same.suspect:
            of_measured.add(same.model)
            row |= {"same": same.value, "of": same.model}
        yield row
    for model, value in published_values(entries[0], key).items():
        if model not in of_measured:
            yield {"model": _PUBLISHED, "published": value, "of": model}


def _panel(rows: Sequence[dict[str, Any]], colour: Any, scale: alt.Scale) -> alt.LayerChart:
    """Draw a row for each `model`: its score, and what it stands beside."""
    y = parts.row_axis(list(dict.fromkeys(row["model"] for row in rows)))
    numbers = parts.tooltips("value", "low", "high", "chance", "people", "additive", "published", same="published")
    tooltip: list[Any] = ["model:N", alt.Tooltip("of:N", title="published of"), *numbers]

    def point(field: str, shape: str, shade: str) -> alt.Chart:
        marks = parts.where(field).mark_point(size=80, opacity=1, shape=shape, strokeWidth=2, color=shade)
        return marks.encode(x=f"{field}:Q", y=y, tooltip=tooltip)

    layers = [
        parts.tick("chance", 16).encode(y=y),
        parts.tick("published", 14, color=parts.GREEN).encode(y=y, tooltip=tooltip),
        parts.where("low").mark_rule(strokeWidth=2.5).encode(
            x=alt.X("low:Q", title=None, scale=scale, axis=alt.Axis(grid=False)), x2="high:Q", y=y, color=colour
        ),
        point("people", "triangle-up", parts.PURPLE),
        point("additive", "diamond", parts.ORANGE),
        parts.where("value").mark_circle(size=80, opacity=1).encode(x="value:Q", y=y, color=colour, tooltip=tooltip),
        point("same", "diamond", parts.GREEN),
    ]  # fmt: skip
    return alt.LayerChart(layer=layers, data=parts.data_of(rows), width=_WIDTH, height=alt.Step(22))


def _domain(score: Score, rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Find the ends of the axis: the score's range, or the values shown if the range is infinite."""
    drawn = [row.get(name) for row in rows for name in ("value", "low", "high", "chance", "published")]
    ends = [value for value in drawn if value is not None and math.isfinite(value)] or [0.0]
    low, high = score.range
    return (low if math.isfinite(low) else min(ends) - 0.1, high if math.isfinite(high) else max(ends) + 0.1)


def has_gain(entry: Entry) -> bool:
    """Whether the entry has a gain over the encoder's additive baseline."""
    return gain_key(entry.measure.main) in entry.scores


def gains(entries: Sequence[Entry]) -> Figure:
    """Draw additive baseline and main score of each model, by task, subset and split. At least one entry `has_gain`."""
    labels = model_labels(entries)
    blocks = parts.by_task_and_data([entry for entry in entries if has_gain(entry)])
    return Figure(
        name="gains",
        title="Above the additive baseline",
        caption="Each arrow leads from the main score of the encoder's additive baseline to its own. Heads are filled "
        "if the 95 % interval of the gain is above 0. The dashed line is chance.",
        chart=alt.vconcat(*(_arrows(same, labels) for same in blocks), spacing=26),
        small_multiples=True,
    )


def _arrows(entries: Sequence[Entry], labels: Mapping[tuple[str, str], str]) -> alt.LayerChart:
    """Draw the models of one split and subset, the greatest gain first."""
    first, main = entries[0], entries[0].measure.main
    score, _ = first.measure.declarations()[main]
    rows = []
    for entry in entries:
        additive, gain = entry.scores[additive_key(main)], entry.scores[gain_key(main)]
        row: dict[str, Any] = {
            "model": labels[entry.model, entry.revision],
            "additive": additive,
            "value": additive + gain,
            "gain": gain,
        }
        rows.append({**row, "gained": int(has_gained(entry)), "angle": 90 if gain >= 0 else 270})
    rows.sort(key=lambda row: -row["gain"])
    ends = [row[name] for row in rows for name in ("additive", "value")] + [score.chance or 0.0]
    margin = 0.08 * (max(ends) - min(ends) or 1.0)
    y, colour = parts.row_axis([row["model"] for row in rows]), parts.model_colours([*labels.values()])
    scale = alt.Scale(domain=(min(ends) - margin, max(ends) + margin), nice=False)
    tooltip = ["model:N", *parts.tooltips("additive", "value", "gain")]
    layers = [
        *parts.reference_lines(score.chance),
        alt.Chart().mark_rule(strokeWidth=2.5).encode(
            x=alt.X("additive:Q", scale=scale, title=None), x2="value:Q", y=y, color=colour
        ),
        alt.Chart().mark_point(size=45, filled=False).encode(x="additive:Q", y=y, color=colour, tooltip=tooltip),
        alt.Chart().mark_point(size=90, opacity=1, shape="triangle").encode(
            x="value:Q", y=y, stroke=colour, fill=colour, tooltip=tooltip, angle=alt.Angle("angle:Q", scale=None),
            fillOpacity=alt.FillOpacity("gained:Q", scale=None, legend=None),
        ),
    ]  # fmt: skip
    title = parts.score_title(first.task, first.data, score, main)
    return alt.LayerChart(layer=layers, data=parts.data_of(rows), width=_WIDTH, height=alt.Step(22), title=title)
