"""Parts of charts: colors, data, facets, layers and axes."""

from __future__ import annotations  # which name altair; it is imported on first use

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.measures.core.scores import Score
from harness_ext.show.extra import altair as alt

# Okabe and Ito's colors, which suit all kinds of color vision, without black and yellow, which do
# not show on every background.
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"

RULE = "#888888"
"""The color of lines that mark a value, such as chance; it shows on light and dark."""

CLASS_LABELS = {"C": "compositional", "PC": "partly", "NC": "idiomatic"}
"""Class of compounds -> its name in pictures."""

CLASS_COLORS = {"compositional": SKY, "partly": GREEN, "idiomatic": VERMILLION}
"""Name of a class in pictures -> its color."""

BOXES = "Dashes are medians, bars the middle half of the values, thin lines 99 % of them."
"""Explains `box_chart`, for captions."""

_FIRST_HUE = 205
"""The hue of the first model, in degrees."""

_GOLDEN_ANGLE = 137.5
"""Between the hues of two models, in degrees: far apart, however many there are."""

_QUANTILES = {"lowest": 0.5, "low": 25, "median": 50, "high": 75, "highest": 99.5}
"""What a box shows -> the percentile of its values."""

_LABEL_WIDTH = 140
"""The width of the labels of rows, in pixels."""

_TITLE_WIDTH = 42
"""The most characters of a line of a title."""

_BETTER = {"higher": ", higher is better", "lower": ", lower is better", "neither": ""}
"""Better direction -> what a title says about it."""

_DIGITS = 4
"""The significant digits of numbers in a chart's data."""


def model_colors(models: Sequence[str]) -> alt.Color:
    """Give each model a color, without a legend: rows name the models.

    Args:
        models: All labels of a page, in its order, so that each model has the same color in every
            figure.
    """
    shades: list[str] = []
    for number in range(len(models)):
        hue = (_FIRST_HUE + _GOLDEN_ANGLE * number) % 360
        shades.append(f"hsl({hue:g}, 65%, 50%)")
    scale = alt.Scale(domain=list(models), range=shades)
    return alt.Color("model:N", scale=scale, legend=None)


def color(colors: Mapping[str, str]) -> alt.Color:
    """Color the values of the field `color`, with a legend on top."""
    scale = alt.Scale(domain=list(colors), range=list(colors.values()))
    legend = alt.Legend(
        title=None,
        orient="top",
        labelLimit=300,
    )
    return alt.Color("color:N", scale=scale, legend=legend)


def where(*fields: str) -> alt.Chart:
    """A layer of the rows in which these fields have a value."""
    conditions = [f"isValid(datum.{field})" for field in fields]
    return alt.Chart().transform_filter(" && ".join(conditions))


def data_of(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Prepare rows for a chart: numbers with four digits, None for NaN and infinities.

    Returns:
        A dictionary, not Altair's class: checking each value of that against a schema takes
        seconds.
    """
    values: list[dict[str, Any]] = []
    for row in rows:
        values.append({name: _rounded(value) for name, value in row.items()})
    return {"values": values}


def _rounded(value: Any) -> Any:
    if isinstance(value, float | np.floating):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def faceted(
    layers: Sequence[alt.Chart],
    rows: Sequence[Mapping[str, Any]],
    *,
    width: int | alt.Step,
    height: int | alt.Step,
    own_scale: bool = False,
) -> alt.FacetChart:
    """Repeat layers for each model, in rows of panels, and each data, in columns, in the order of
    the rows.

    Args:
        layers: Charts on top of each other, without data.
        rows: Their data, with `model` and `data`. An empty panel gets a row without values, which
            the layers must filter out.
        width: The width of a panel in pixels, or of a step in it.
        height: The height of a panel in pixels, or of a step in it.
        own_scale: Whether each panel has a vertical axis of its own.
    """
    models = list(dict.fromkeys(row["model"] for row in rows))
    data = list(dict.fromkeys(row["data"] for row in rows))
    shared: dict[str, Any] = {
        "title": None,
        "labelLimit": 400,
        "labelFontWeight": "bold",
        "labelPadding": 4,
    }
    above = alt.Header(
        labelOrient="top",
        labelAnchor="start",
        labelAngle=0,
        **shared,
    )
    facets: dict[str, Any] = {
        "row": alt.Row(
            "model:N",
            sort=models,
            header=above,
        )
    }
    if len(data) > 1:
        facets["column"] = alt.Column(
            "data:N",
            sort=data,
            header=alt.Header(**shared),
        )
        # Vega-Lite puts a panel without rows first
        with_rows = {(row["model"], row["data"]) for row in rows}
        rows = list(rows)
        for model, place in product(models, data):
            if (model, place) not in with_rows:
                rows.append({"model": model, "data": place})
    if own_scale:
        facets["resolve"] = alt.Resolve(scale=alt.ScaleResolveMap(y="independent"))
    chart = alt.LayerChart(
        layer=list(layers),
        width=width,
        height=height,
    )
    return chart.facet(
        data=data_of(rows),
        spacing=16,
        **facets,
    )


def box(
    values: Floats,
    group: str,
    name: str,
    labels: Mapping[str, str],
) -> dict[str, Any]:
    """Describe a distribution.

    Args:
        values: The values, shape (n,); NaN and infinities are left out.
        group: Its place on the horizontal axis.
        name: Its name in the legend.
        labels: The labels of its panel.
    """
    finite = values[np.isfinite(values)]
    quantiles = [np.nan] * len(_QUANTILES)
    if len(finite):
        quantiles = np.percentile(finite, [*_QUANTILES.values()]).tolist()
    return {
        **labels,
        "group": group,
        "color": name,
        "n": len(finite),
        **dict(zip(_QUANTILES, quantiles, strict=True)),
    }


def box_chart(
    boxes: Sequence[Mapping[str, Any]],
    colors: Mapping[str, str],
    value_title: str,
    *,
    width_per_group: int,
    own_scale: bool = False,
) -> alt.FacetChart:
    """Draw boxes by group, next to each other, in panels by model and data; a line marks 0, if any
    box reaches it.

    Args:
        boxes: From `box`; each has the labels `model` and `data`.
        colors: Name in the legend -> color.
        value_title: The title of the vertical axis, with the range of the values.
        width_per_group: The width of a group in pixels.
        own_scale: Whether each panel has an axis of its own; then heights of models cannot be
            compared.
    """
    groups = list(dict.fromkeys(drawn_box["group"] for drawn_box in boxes))
    axis = alt.Axis(
        labelAngle=0,
        labelLimit=width_per_group + 10,
        ticks=False,
        domain=False,
    )
    quartiles = tooltips(low="lower quartile", median="median", high="upper quartile")
    drawn = where("median").encode(
        x=alt.X(
            "group:N",
            sort=groups,
            title=None,
            axis=axis,
        ),
        xOffset=alt.XOffset("color:N", sort=list(colors)),
        color=color(colors),
        tooltip=["group:N", "color:N", *quartiles, alt.Tooltip("n:Q", title="values")],
    )

    def y(name: str) -> alt.Y:
        scale = alt.Scale(
            zero=False,
            nice=False,
            padding=6,
        )
        return alt.Y(f"{name}:Q", title=value_title, scale=scale)

    is_reached = any(drawn_box["lowest"] <= 0 <= drawn_box["highest"] for drawn_box in boxes)
    zero = 0 if is_reached else None
    layers = [
        *reference_lines(zero, upright=False),
        drawn.mark_rule(strokeWidth=1.5).encode(y=y("lowest"), y2="highest:Q"),
        drawn.mark_bar(opacity=0.5).encode(y=y("low"), y2="high:Q"),
        drawn.mark_tick(thickness=3, opacity=1).encode(y=y("median")),
    ]
    return faceted(
        layers,
        boxes,
        width=max(160, width_per_group * len(groups)),
        height=200,
        own_scale=own_scale,
    )


def reference_lines(
    value: float | None,
    *,
    upright: bool = True,
) -> list[alt.Chart]:
    """Draw a dashed line at a value such as chance; none without a value."""
    if value is None:
        return []
    place = {"x" if upright else "y": alt.datum(value)}
    return [alt.Chart().mark_rule(strokeDash=[4, 4], color=RULE).encode(**place)]


def tick(field: str, height: int, **mark: Any) -> alt.Chart:
    """Draw a tick at the field's value, if known."""
    mark = {"thickness": 2, "color": RULE, **mark}
    return where(field).mark_tick(height=height, **mark).encode(x=f"{field}:Q")


def tooltips(*fields: str, **titled: str) -> list[alt.Tooltip]:
    """Show the numbers of fields with three digits, under their names or these titles."""
    titles = {field: field for field in fields} | titled
    shown: list[alt.Tooltip] = []
    for field, title in titles.items():
        shown.append(
            alt.Tooltip(
                f"{field}:Q",
                title=title,
                format=".3f",
            )
        )
    return shown


def score_title(
    task: str,
    data: str,
    score: Score,
    key: str,
) -> alt.TitleParams:
    """Title a chart: the task, then its data and score, in lines of the width of a chart."""
    low, high = score.range
    range_text = f"{low:g} to {high:g}".replace("-", "−").replace("inf", "∞")
    lines: list[str] = []
    for text in (data, score.title, f"{key}, {range_text}{_BETTER[score.better]}"):
        lines += textwrap.wrap(text, _TITLE_WIDTH)
    return alt.TitleParams(
        task,
        subtitle=lines,
        anchor="start",
        frame="bounds",
        fontSize=13,
    )


def row_axis(models: Sequence[str]) -> alt.Y:
    """Make a row for each model, in this order."""
    axis = alt.Axis(
        labelLimit=_LABEL_WIDTH,
        minExtent=_LABEL_WIDTH,
        ticks=False,
    )
    return alt.Y(
        "model:N",
        sort=list(models),
        title=None,
        axis=axis,
    )
