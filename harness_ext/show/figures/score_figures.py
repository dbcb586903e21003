"""The figure of measures without figures of their own: all scores with the range of the main score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from harness_ext.evaluators.measure import Measure
from harness_ext.show.figures.chart import BLUE, Figure, Panel, faceted, heading, interval_layers, tick, tooltips

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry


def figures(measured: Sequence[Panel], first: Entry) -> Iterator[Figure]:
    """Draw the figure of a task."""
    measure = first.measure
    main, _ = measure.scores.by_key()[measure.main]
    rows = [row for panel in measured for row in _rows(panel, measured, measure)]
    titles = {score.key: score.title for score in measure.scores.declarations() if score.range == main.range}
    shown = "; ".join(f"{key}, {title}" for key, title in titles.items() if any(row["of"] == key for row in rows))
    yield Figure(
        name=f"{first.task}-by-score",
        title="The main score and related scores",
        caption=(
            f"Dots are scores, lines are their 95 % intervals from resampled units ({measure.unit}), grey marks are "
            f"chance. {shown}. Not a paper's figure."
        ),
        chart=_chart(rows, main.range),
    )


def _rows(panel: Panel, measured: Sequence[Panel], measure: Measure[Any]) -> Iterator[dict[str, Any]]:
    scores = measure.score(panel.items).flat()
    main, _ = measure.scores.by_key()[measure.main]
    for key, (score, _) in measure.scores.by_key().items():
        if key in scores and score.resampled and score.range == main.range:
            low, high = measure.interval(panel.items, key)
            yield {
                "model": heading(panel, measured),
                "score": key,
                "of": score.key,
                "value": scores[key],
                "low": low,
                "high": high,
                "chance": math.nan if score.chance is None else score.chance,
            }


def _chart(rows: list[dict[str, Any]], domain: tuple[float, float]) -> alt.FacetChart:
    y = alt.Y("score:N", sort=list(dict.fromkeys(row["score"] for row in rows)), title=None, axis=_AXIS)
    x = alt.X("value:Q", title=f"{domain[0]:g} to {domain[1]:g}".replace("-", "−"), scale=alt.Scale(domain=domain))
    tooltip = ["score:N", *tooltips("value", "low", "high", "chance")]
    layers = interval_layers(x, y, tooltip, tick("chance", 16), colour=alt.value(BLUE))
    return faceted(layers, rows, width=330, height=alt.Step(22), column=None)


_AXIS = alt.Axis(labelLimit=230)
