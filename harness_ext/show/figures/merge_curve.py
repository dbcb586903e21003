"""The figure of a merge check: hit rates against false merges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure
from harness_ext.show.numbers import formatted


def curve_figure(rows: Sequence[Mapping[str, Any]], name: str) -> Figure:
    """Draw hit rates against false merges, a line per model; rows as of `MergeVerdict.curve`."""
    thresholds = {row["model"]: formatted(row["threshold"]) for row in rows if row["deployed"]}
    rows = [{**row, "model": f"{row['model']}, cos ≥ {thresholds[row['model']]}"} for row in rows]
    percent = alt.Axis(format=".0%")
    channels: dict[str, Any] = {
        "x": alt.X("false_merges:Q", title="opposites merged (false merges)", axis=percent),
        "y": alt.Y("hit_rate:Q", title="paraphrases merged (hit rate)", axis=percent),
        "color": alt.Color("model:N", title=None, legend=alt.Legend(orient="top", columns=1, labelLimit=400)),
    }
    drawn = alt.Chart(parts.data_of(rows)).encode(**channels, order="threshold:Q", tooltip=parts.tooltips("threshold"))
    marked = drawn.transform_filter("datum.deployed").mark_point(filled=True, size=90, opacity=1)
    caption = (
        "From the upper right to the lower left the threshold rises. The point is the threshold that is deployed, or "
        "that keeps 90 % of the paraphrases together. An encoder that tells paraphrases from opposites is above the "
        "diagonal. This project's own figure."
    )
    chart = (drawn.mark_line() + marked).properties(width=330, height=330)
    return Figure(name=name, title="Hit rate and false merges", caption=caption, chart=chart)
