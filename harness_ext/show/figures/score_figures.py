"""Dots over intervals: the figure of every measure whose paper has none."""

from __future__ import annotations  # which name altair; it is imported on first use

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel

_PLACEHOLDER = re.compile(r"\{\w+\}")
"""What stands in the key of a score for the values of an axis."""


def score_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw all resampled scores with the range of the main score."""
    measure = measured[0].entry.measure
    main = measure.main_declaration
    titles_by_key: dict[str, str] = {}
    keys: list[str] = []
    for key, (score, _) in measure.by_key.items():
        if score.resampled and score.range == main.range:
            keys.append(key)
    rows: list[dict[str, Any]] = []
    for panel in measured:
        rows += _rows(panel, keys)
    for row in rows:
        score, _ = measure.by_key[row["score"]]
        titles_by_key[score.key] = score.title
    low, high = main.range
    possible = f"{low:g} to {high:g}".replace("-", "−")
    scale = alt.Scale(zero=False, padding=8)
    x = alt.X("value:Q", title=f"possible: {possible}", scale=scale)
    y = alt.Y(
        "score:N",
        sort=keys,
        title=None,
        axis=alt.Axis(labelLimit=0),  # cut, two keys may look the same
    )
    tooltip = ["score:N", *parts.tooltips("value", "low", "high", "chance")]
    interval = parts.where("low").mark_rule(strokeWidth=2.5, color=parts.BLUE)
    dot = parts.where("value").mark_circle(
        size=80,
        opacity=1,
        color=parts.BLUE,
    )
    layers = [
        parts.tick("chance", 16).encode(y=y),
        interval.encode(x="low:Q", x2="high:Q", y=y),
        dot.encode(
            x=x,
            y=y,
            tooltip=tooltip,
        ),
    ]
    has_chance = any(math.isfinite(row["chance"]) for row in rows)
    chance = ", gray marks are chance" if has_chance else ""
    titles = [f"{_PLACEHOLDER.sub('…', key)}, {title}" for key, title in titles_by_key.items()]
    yield Figure(
        name="by-score",
        title="The main score and related scores",
        caption=(
            "Dots are scores, lines are their 95 % intervals from resampled units "
            f"({measure.unit}){chance}. {'; '.join(titles)}. Not a paper's figure."
        ),
        chart=parts.faceted(
            layers,
            rows,
            width=330,
            height=alt.Step(22),
        ),
    )


def _rows(
    panel: Panel,
    keys: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Yield the scores of a panel that are defined, with their 95 % intervals and values of
    chance.
    """
    measure = panel.entry.measure
    scores = panel.entry.scores
    for key in keys:
        if key not in scores:
            continue
        score, _ = measure.by_key[key]
        low, high = measure.interval(panel.items, key)
        yield {
            **panel.labels,
            "score": key,
            "value": scores[key],
            "low": low,
            "high": high,
            "chance": math.nan if score.chance is None else score.chance,
        }
