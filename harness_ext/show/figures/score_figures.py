"""Dots over intervals: the figure of every measure whose paper has none."""

from __future__ import annotations  # which name altair; it is imported on first use

import math
from collections.abc import Iterator, Sequence
from typing import Any

from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel


def score_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw all resampled scores with the range of the main score."""
    measure = measured[0].entry.measure
    by_key = measure.by_key
    main, _ = by_key[measure.main]
    keys = [
        key for key, (score, _) in by_key.items() if score.resampled and score.range == main.range
    ]
    rows = [row for panel in measured for row in _rows(panel, keys)]
    titles = {score.key: score.title for score, _ in (by_key[row["score"]] for row in rows)}
    low, high = (f"{end:g}".replace("-", "−") for end in main.range)
    chance = ", gray marks are chance" if any(math.isfinite(row["chance"]) for row in rows) else ""
    x = alt.X("value:Q", title=f"possible: {low} to {high}", scale=alt.Scale(zero=False, padding=8))
    y = alt.Y("score:N", sort=keys, title=None, axis=alt.Axis(labelLimit=230))
    tooltip = ["score:N", *parts.tooltips("value", "low", "high", "chance")]
    layers = [
        parts.tick("chance", 16).encode(y=y),
        parts.where("low")
        .mark_rule(strokeWidth=2.5, color=parts.BLUE)
        .encode(x="low:Q", x2="high:Q", y=y),
        parts.where("value")
        .mark_circle(size=80, opacity=1, color=parts.BLUE)
        .encode(x=x, y=y, tooltip=tooltip),
    ]
    yield Figure(
        name="by-score",
        title="The main score and related scores",
        caption=(
            "Dots are scores, lines are their 95 % intervals from resampled units "
            f"({measure.unit}){chance}. "
            f"{'; '.join(f'{key}, {title}' for key, title in titles.items())}. Not a paper's "
            "figure."
        ),
        chart=parts.faceted(layers, rows, width=330, height=alt.Step(22)),
    )


def _rows(panel: Panel, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the scores of a panel that are defined, with their 95 % intervals and values of
    chance.
    """
    measure, scores = panel.entry.measure, panel.entry.scores
    by_key = measure.by_key
    for key in (key for key in keys if key in scores):
        low, high = measure.interval(panel.items, key)
        chance = math.nan if by_key[key][0].chance is None else by_key[key][0].chance
        numbers = {"value": scores[key], "low": low, "high": high, "chance": chance}
        yield {**panel.labels, "score": key, **numbers}
