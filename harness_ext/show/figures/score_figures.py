"""Dots over intervals: the figure of every measure without figures of its own, and parts of those with some."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel


def score_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw all resampled scores with the range of the main score."""
    measure = measured[0].entry.measure
    by_key = measure.scores.by_key()
    main, _ = by_key[measure.main]
    keys = [key for key, (score, _) in by_key.items() if score.resampled and score.range == main.range]
    rows = [{**row, "score": key} for panel in measured for key in keys for row in score_rows(panel, key, measured)]
    titles = {score.key: score.title for score, _ in (by_key[row["score"]] for row in rows)}
    low, high = (f"{end:g}".replace("-", "−") for end in main.range)
    chance = ", gray marks are chance" if any(math.isfinite(row["chance"]) for row in rows) else ""
    yield Figure(
        name="by-score",
        title="The main score and related scores",
        caption=(
            f"Dots are scores, lines are their 95 % intervals from resampled units ({measure.unit}){chance}. "
            f"{'; '.join(f'{key}, {title}' for key, title in titles.items())}. Not a paper's figure."
        ),
        chart=parts.faceted(
            parts.interval_layers(
                alt.X("value:Q", title=f"possible: {low} to {high}", scale=alt.Scale(zero=False, padding=8)),
                alt.Y("score:N", sort=keys, title=None, axis=alt.Axis(labelLimit=230)),
                ["score:N", *parts.tooltips("value", "low", "high", "chance")],
                parts.tick("chance", 16),
                colour=alt.value(parts.BLUE),
            ),
            rows,
            width=330,
            height=alt.Step(22),
            column=None,
        ),
    )


def score_rows(panel: Panel, key: str, among: Sequence[Panel]) -> Iterator[dict[str, Any]]:
    """Yield a score of a panel with its 95 % interval and value of chance, if it is defined."""
    measure, scores = panel.entry.measure, panel.entry.scores
    if key in scores:
        score, _ = measure.scores.by_key()[key]
        low, high = measure.interval(panel.items, key) if score.resampled else (math.nan, math.nan)
        chance = math.nan if score.chance is None else score.chance
        yield {"model": panel.heading(among), "value": scores[key], "low": low, "high": high, "chance": chance}
