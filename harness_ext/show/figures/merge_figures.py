"""The figure of merged opposites: two histograms of cosines and the threshold between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel
from harness_ext.show.figures.score_figures import score_figures
from harness_ext.show.numbers import number

_SAME, _MERGED, _APART = "same meaning", "merged opposites", "opposites kept apart"
_COLOURS = {_SAME: parts.BLUE, _MERGED: parts.VERMILLION, _APART: parts.GREEN}
_WIDTH = 0.025
_TIE = 1e-9


def merge_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of a task."""
    rows = [{**panel.labels, **row} for panel in measured for row in _bars(panel)]
    low = alt.X("low:Q", title="cosine, −1 to 1", scale=alt.Scale(nice=False), axis=alt.Axis(format=".1f"))
    percent = alt.Axis(labelExpr="format(abs(datum.value), '.0%')", tickCount=5)
    share = alt.Y("share:Q", title="share of pairs, same meaning upwards", axis=percent)
    tooltip = ["colour:N", *parts.tooltips("low", "high", "share")]
    line = parts.where("threshold").encode(x="threshold:Q")
    bars = {"x": low, "x2": "high:Q", "y": share, "y2": alt.datum(0), "color": parts.colour(_COLOURS)}
    label: dict[str, Any] = {"align": "right", "dx": -5, "fontWeight": "bold", "color": parts.RULE}
    layers = [
        parts.where("share").mark_rect().encode(**bars, tooltip=tooltip),
        line.mark_rule(color=parts.RULE, strokeWidth=2, strokeDash=[4, 4]),
        line.mark_text(**label).encode(y=alt.value(8), text="label:N"),
    ]
    yield Figure(
        name="cosines",
        title="Cosines of pairs that mean the same, and of opposites",
        caption=(
            "Upwards, the pairs that mean the same; downwards, the opposites, as shares of either; every panel has its "
            "own axis. The dashed line is the threshold that keeps 90 % of the pairs that mean the same together: "
            "opposites to the right of it (red) are merged too. This project's own figure."
        ),
        chart=parts.faceted(layers, rows, width=330, height=190, own_scale=True),
    )
    yield from score_figures(measured)


def curve_figure(rows: Sequence[Mapping[str, Any]], name: str) -> Figure:
    """Draw hit rates against false merges, a line per model; rows as of `MergeVerdict.curve`."""
    thresholds = {row["model"]: number(row["threshold"]) for row in rows if row["deployed"]}
    rows = [{**row, "model": f"{row['model']}, cos ≥ {thresholds[row['model']]}"} for row in rows]
    percent = alt.Axis(format=".0%")
    places: dict[str, Any] = {
        "x": alt.X("false_merges:Q", title="opposites merged (false merges)", axis=percent),
        "y": alt.Y("hit_rate:Q", title="paraphrases merged (hit rate)", axis=percent),
        "color": alt.Color("model:N", title=None, legend=alt.Legend(orient="top", columns=1, labelLimit=400)),
    }
    drawn = alt.Chart(parts.data_of(rows)).encode(**places, order="threshold:Q", tooltip=parts.tooltips("threshold"))
    marked = drawn.transform_filter("datum.deployed").mark_point(filled=True, size=90, opacity=1)
    caption = (
        "From the upper right to the lower left the threshold rises. The point is the threshold that is deployed, or "
        "that keeps 90 % of the paraphrases together. An encoder that tells paraphrases from opposites is above the "
        "diagonal. This project's own figure."
    )
    chart = (drawn.mark_line() + marked).properties(width=330, height=330)
    return Figure(name=name, title="Hit rate and false merges", caption=caption, chart=chart)


def _bars(panel: Panel) -> Iterator[dict[str, Any]]:
    """Yield the bars of both histograms, with an edge at the threshold, and the threshold."""
    pairs = panel.items.pairs[~np.isnan(panel.items.pairs.similarity)]
    threshold = panel.entry.scores.get("threshold_90")
    if threshold is None:
        return
    place = np.floor((pairs.similarity - threshold) / _WIDTH + _TIE)
    for is_same in (True, False):
        here = place[pairs.is_same == is_same]
        for bin_, n in zip(*np.unique(here, return_counts=True), strict=True):
            low = threshold + bin_ * _WIDTH
            yield {
                "colour": _SAME if is_same else _MERGED if bin_ >= 0 else _APART,
                "low": low,
                "high": min(low + _WIDTH, 1.0),
                "share": n / len(here) * (1 if is_same else -1),
            }
    yield {"threshold": threshold, "label": f"{threshold:.2f}".replace("0.", ".")}
