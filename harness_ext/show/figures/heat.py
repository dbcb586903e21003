"""Heat maps with values in the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from harness_ext.show.figures.chart import faceted


def heat_map(
    rows: Sequence[Mapping[str, Any]],
    titles: tuple[str, str],
    ends: tuple[float, float],
    value_title: str,
    *,
    row: str = "model",
    column: str | None = "data",
    cell: int = 40,
) -> alt.FacetChart:
    """Draw heat maps in panels, from blue over white to orange.

    Args:
        rows: A cell each: its `row`, `column` and `value` (NaN for none), and the fields of its panel.
        titles: The titles of the vertical and the horizontal axis.
        ends: The values of the two ends of the colours; white is in the middle.
        value_title: The title of the legend, with the range.
        row: The field that splits rows of panels.
        column: The field that splits columns of panels.
        cell: The size of a cell in pixels.
    """
    order, columns = (list(dict.fromkeys(each[name] for each in rows)) for name in ("row", "column"))
    middle, eighth = sum(ends) / 2, (ends[1] - ends[0]) / 8
    y = alt.Y("row:N", sort=order, title=titles[0] or None, axis=alt.Axis(labelLimit=220))
    x = alt.X("column:N", sort=columns, title=titles[1] or None,
              axis=alt.Axis(labelLimit=220, labelAngle=-40, orient="bottom"))  # fmt: skip
    scale = alt.Scale(domain=[ends[0], middle, ends[1]], range=["#0072B2", "#f4f4f4", "#E69F00"])
    value = alt.Color(
        "value:Q", scale=scale, legend=alt.Legend(title=value_title, orient="top", gradientLength=180, titleLimit=300)
    )
    is_dark = f"datum.value !== null && datum.value < {middle - 2 * eighth}"
    tooltip = [alt.Tooltip("row:N", title=titles[0] or "of"), alt.Tooltip("column:N", title=titles[1] or "with"),
               alt.Tooltip("value:Q", format=".3f")]  # fmt: skip
    layers = [
        alt.Chart()
        .transform_filter("isValid(datum.row)")
        .mark_rect(stroke="#88888855")
        .encode(x=x, y=y, color=value, tooltip=tooltip),
        alt.Chart()
        .transform_filter("isValid(datum.value)")
        .mark_text(fontSize=max(9, cell // 4))
        .encode(x=x, y=y, text=alt.Text("value:Q", format=".2f"),
                color=alt.condition(is_dark, alt.value("white"), alt.value("black"))),
    ]  # fmt: skip
    height = max(20, cell * 2 // 3)
    return faceted(layers, rows, width=alt.Step(cell), height=alt.Step(height), row=row, column=column)
