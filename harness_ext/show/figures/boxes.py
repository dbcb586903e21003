"""Boxes: distributions side by side, as medians, quartiles, and the range of nearly all values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from harness_ext.arrays import Floats
from harness_ext.show.figures.chart import faceted, reference_lines
from harness_ext.show.figures.colours import colour

BOXES = "Dashes are medians, bars the middle half of the values, thin lines 99 % of them."
"""Explanation for captions."""

_QUANTILES = {"lowest": 0.5, "low": 25, "median": 50, "high": 75, "highest": 99.5}


def box(values: Floats, group: str, name: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """Describe a distribution.

    Args:
        values: The values, shape (n,); NaN and infinities are left out.
        group: Its place on the horizontal axis.
        name: Its name in the legend.
        labels: The labels of its panel.
    """
    known = values[np.isfinite(values)]
    found = np.percentile(known, [*_QUANTILES.values()]).tolist() if len(known) else [np.nan] * len(_QUANTILES)
    return {**labels, "group": group, "colour": name, "n": len(known), **dict(zip(_QUANTILES, found, strict=True))}


def box_chart(
    boxes: Sequence[Mapping[str, Any]],
    colours: Mapping[str, str],
    value_title: str,
    *,
    reference: float,
    own_scale: bool = False,
    width_per_group: int = 90,
) -> alt.FacetChart:
    """Draw boxes by group, next to each other, in panels by model and data.

    Args:
        boxes: From `box`; each has the labels `model` and `data`.
        colours: Name in the legend -> colour.
        value_title: The title of the vertical axis, with the range of the values.
        reference: A value marked by a line, if any box reaches it.
        own_scale: Whether each panel has an axis of its own; then heights of models cannot be compared.
        width_per_group: The width of a group in pixels.
    """
    groups = list(dict.fromkeys(each["group"] for each in boxes))
    axis = alt.Axis(labelAngle=0, labelLimit=width_per_group + 10, ticks=False, domain=False)
    x = alt.X("group:N", sort=groups, title=None, axis=axis)
    offset, shade = alt.XOffset("colour:N", sort=list(colours)), colour(None, colours)
    quartiles = (("low", "lower quartile"), ("median", "median"), ("high", "upper quartile"))
    tooltip = [
        alt.Tooltip("group:N", title="of"),
        alt.Tooltip("colour:N", title="which"),
        *(alt.Tooltip(f"{name}:Q", title=title, format=".3f") for name, title in quartiles),
        alt.Tooltip("n:Q", title="values"),
    ]
    drawn = alt.Chart().transform_filter("isValid(datum.median)")
    drawn = drawn.encode(x=x, xOffset=offset, color=shade, tooltip=tooltip)

    def y(name: str) -> alt.Y:
        return alt.Y(f"{name}:Q", title=value_title, scale=alt.Scale(zero=False, nice=False, padding=6))

    is_reached = any(each["lowest"] <= reference <= each["highest"] for each in boxes)
    layers = [
        *(reference_lines(reference, upright=False) if is_reached else []),
        drawn.mark_rule(strokeWidth=1.5).encode(y=y("lowest"), y2="highest:Q"),
        drawn.mark_bar(opacity=0.5).encode(y=y("low"), y2="high:Q"),
        drawn.mark_tick(thickness=3, opacity=1).encode(y=y("median")),
    ]
    return faceted(layers, boxes, width=max(160, width_per_group * len(groups)), height=200, own_scale=own_scale)
