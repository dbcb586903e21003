"""The figure of measures without one of their own: every score with the main one's range, and its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from harness_ext.show.figures.chart import BLUE, Figure, faceted, heading, interval_layers, panels, tick

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness_ext.evaluators.measure import Measure
    from harness_ext.results.entry import Entry
    from harness_ext.show.figures.chart import Panel


def figures(entries: Sequence[Entry]) -> Iterator[Figure]:
    """The figure of the entries of one task.

    Raises:
        ItemsError: Items are missing or damaged; names the file.
    """
    measured = panels(entries)
    measure = entries[0].measure
    main, _ = measure.scores.by_key()[measure.main]
    rows = [row for panel in measured for row in _rows(panel, measured, measure)]
    titles = {score.key: score.title for score in measure.scores.declarations() if score.range == main.range}
    shown = "; ".join(f"{key}, {title}" for key, title in titles.items() if any(row["of"] == key for row in rows))
    yield Figure(
        name=f"{entries[0].task}-by-score",
        title="The main score and those beside it",
        caption=(
            f"Dots are scores, lines their 95 % intervals from drawing the units ({measure.unit}) anew, grey marks are "
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
    tooltip = ["score:N", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("value", "low", "high", "chance"))]
    layers = interval_layers(x, y, tooltip, tick("chance", 16), colour=alt.value(BLUE))
    return faceted(layers, rows, width=330, height=alt.Step(22), column=None)


_AXIS = alt.Axis(labelLimit=230)
