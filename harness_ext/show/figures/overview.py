"""Dots, intervals and arrows: scores of models, additive baselines, chance and the papers' models, on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.measures.core.scores import Score
from harness_ext.results.entry import Entry
from harness_ext.results.published import ResultKey, published_of
from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure
from harness_ext.show.interpretation import has_gained
from harness_ext.show.model_labels import model_labels
from harness_ext.show.published_tables import published_values

_WIDTH = 330
_PUBLISHED = "published models"


def main_scores(entries: Sequence[Entry]) -> Figure:
    """Draw the main scores of all tasks, of at least one entry in the order of `load_results`."""
    labels = model_labels(entries)
    colour = parts.model_colours([*labels.values()])
    return Figure(
        name="main-scores",
        title="Main scores",
        caption="The main score of each task. Dots are measured scores, lines their 95 % intervals. Grey ticks are "
        "chance, purple triangles the agreement of people with each other. Green ticks are published scores of other "
        "models, green diamonds those of the same model.",
        chart=alt.vconcat(*(_dots(same, labels, colour) for same in parts.by_task_and_data(entries)), spacing=26),
        small_multiples=True,
    )


def _dots(entries: Sequence[Entry], labels: Mapping[tuple[str, str], str], colour: alt.Color) -> alt.LayerChart:
    """Draw a row for each model of one split and subset: its main score, and what it stands beside."""
    first, main = entries[0], entries[0].measure.main
    score, _ = first.measure.declarations()[main]
    rows = [{**row, "chance": score.chance, "people": score.ceiling} for row in _rows(entries, labels)]
    y = parts.row_axis(list(dict.fromkeys(row["model"] for row in rows)))
    numbers = parts.tooltips("value", "low", "high", "chance", "people", "published", same="published")
    tooltip: list[Any] = ["model:N", alt.Tooltip("of:N", title="published of"), *numbers]
    scale = alt.Scale(domain=_domain(score, rows), nice=False)

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
        parts.where("value").mark_circle(size=80, opacity=1).encode(x="value:Q", y=y, color=colour, tooltip=tooltip),
        point("same", "diamond", parts.GREEN),
    ]  # fmt: skip
    title = parts.score_title(first.task, first.data, score, main)
    return alt.LayerChart(layer=layers, data=parts.data_of(rows), width=_WIDTH, height=alt.Step(22), title=title)


def _rows(entries: Sequence[Entry], labels: Mapping[tuple[str, str], str]) -> Iterator[dict[str, Any]]:
    """Yield the models, best first, then the published models."""
    of_measured, main = set(), entries[0].measure.main
    score, _ = entries[0].measure.declarations()[main]
    for entry in sorted(entries, key=lambda entry: entry.main_score, reverse=score.direction != "lower"):
        low, high = entry.interval() or (math.nan, math.nan)
        label = labels[entry.model, entry.revision]
        row: dict[str, Any] = {"model": label, "value": entry.main_score, "low": low, "high": high}
        same = published_of(entry.task, ResultKey(entry.model, entry.subset, entry.split)).get(main)
        if same and not same.suspect:
            of_measured.add(same.model)
            row |= {"same": same.value, "of": same.model}
        yield row
    for model, value in published_values(entries[0], main).items():
        if model not in of_measured:
            yield {"model": _PUBLISHED, "published": value, "of": model}


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
