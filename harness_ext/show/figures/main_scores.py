"""Main scores of models with their intervals, beside chance, people and the papers' models."""

from __future__ import annotations  # which name altair; it is imported on first use

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness_ext.measures.core.scores import Score
from harness_ext.results.entry import Entry, by_data
from harness_ext.results.published import ResultKey, published_of
from harness_ext.show.extra import altair as alt
from harness_ext.show.extra import check_extra
from harness_ext.show.figures import parts
from harness_ext.show.model_labels import model_labels
from harness_ext.show.published_tables import published_values

_WIDTH = 330
"""The width of a chart, in pixels."""

_MARGIN = 0.1
"""Between a value and the end of an axis, where the range of a score is infinite."""

_PUBLISHED = "published models"
"""The label of the row of published models."""


def plot(entries: Iterable[Entry]) -> alt.TopLevelMixin:
    """Draw main scores, a chart for each task and data, the best model first.

    Dots are scores, lines their 95 % intervals. Gray ticks are chance, purple triangles the
    agreement of people with each other. Green ticks are published scores of other models, green
    diamonds those of the same model.

    Args:
        entries: Entries in the order of `load_results`. Items are not needed.

    Raises:
        MissingExtraError: The extra `report` is not installed; says how to install it.
        ValueError: There is no entry.
    """
    check_extra()
    entries = list(entries)
    if not entries:
        raise ValueError("There is no entry to draw.")
    labels = model_labels(entries)
    color = parts.model_colors([*labels.values()])
    charts = [_dots(same, labels, color) for same in by_data(entries)]
    return alt.vconcat(*charts, spacing=26, background="transparent")


def _dots(
    entries: Sequence[Entry], labels: Mapping[tuple[str, str], str], color: alt.Color
) -> alt.LayerChart:
    """Draw a row for each model of one split and subset: its main score, and what it stands
    beside.

    Args:
        entries: The entries.
        labels: Model and revision -> label.
        color: The colors of the models.
    """
    first = entries[0]
    main = first.measure.main
    score = first.measure.main_declaration
    references = {"chance": score.chance, "people": score.ceiling}
    rows = [{**row, **references} for row in _rows(entries, labels)]
    y = parts.row_axis(list(dict.fromkeys(row["model"] for row in rows)))
    numbers = parts.tooltips(
        "value",
        "low",
        "high",
        "chance",
        "people",
        "published",
        same="published",
    )
    tooltip: list[Any] = ["model:N", alt.Tooltip("of:N", title="published of"), *numbers]
    scale = alt.Scale(domain=_domain(score, rows), nice=False)
    x = alt.X(
        "low:Q",
        title=None,
        scale=scale,
        axis=alt.Axis(grid=False),
    )

    def point(
        field: str,
        shape: str,
        shade: str,
    ) -> alt.Chart:
        marks = parts.where(field).mark_point(
            size=80,
            opacity=1,
            shape=shape,
            strokeWidth=2,
            color=shade,
        )
        return marks.encode(
            x=f"{field}:Q",
            y=y,
            tooltip=tooltip,
        )

    chance = parts.tick("chance", 16)
    published = parts.tick("published", 14, color=parts.GREEN)
    interval = parts.where("low").mark_rule(strokeWidth=2.5)
    dot = parts.where("value").mark_circle(size=80, opacity=1)
    layers = [
        chance.encode(y=y),
        published.encode(y=y, tooltip=tooltip),
        interval.encode(
            x=x,
            x2="high:Q",
            y=y,
            color=color,
        ),
        point("people", "triangle-up", parts.PURPLE),
        dot.encode(
            x="value:Q",
            y=y,
            color=color,
            tooltip=tooltip,
        ),
        point("same", "diamond", parts.GREEN),
    ]
    return alt.LayerChart(
        layer=layers,
        data=parts.data_of(rows),
        width=_WIDTH,
        height=alt.Step(22),
        title=parts.score_title(
            first.task,
            first.data,
            score,
            main,
        ),
    )


def _rows(
    entries: Sequence[Entry], labels: Mapping[tuple[str, str], str]
) -> Iterator[dict[str, Any]]:
    """Yield the models, best first, then the published models."""
    published_and_measured: set[str] = set()
    main = entries[0].measure.main
    for entry in sorted(entries, key=lambda entry: entry.main_score, reverse=True):
        low, high = entry.interval() or (math.nan, math.nan)
        label = labels[entry.model, entry.revision]
        row: dict[str, Any] = {"model": label, "value": entry.main_score, "low": low, "high": high}
        result_key = ResultKey(entry.model, entry.subset, entry.split)
        cell = published_of(entry.task, result_key).get(main)
        if cell and not cell.suspect:
            published_and_measured.add(cell.model)
            row |= {"same": cell.value, "of": cell.model}
        yield row
    for model, value in published_values(entries[0], main).items():
        if model not in published_and_measured:
            yield {"model": _PUBLISHED, "published": value, "of": model}


def _domain(
    score: Score,
    rows: Sequence[dict[str, Any]],
) -> tuple[float, float]:
    """Find the ends of the axis: the score's range, or the values shown if the range is
    infinite.
    """
    values: list[float] = []
    for row in rows:
        for name in ("value", "low", "high", "chance", "published"):
            value = row.get(name)
            if value is not None and math.isfinite(value):
                values.append(value)
    if not values:
        values = [0.0]
    low, high = score.range
    return (
        low if math.isfinite(low) else min(values) - _MARGIN,
        high if math.isfinite(high) else max(values) + _MARGIN,
    )
