"""Colours of classes, models and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt

# Okabe and Ito's colours, which suit all kinds of colour vision, without black and yellow, which do not show on every
# background.
ORANGE, SKY, GREEN, BLUE, VERMILLION, PURPLE = "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7"
RULE = "#888888"
"""The colour of lines that mark a value, such as chance; it shows on light and dark."""
CLASS_LABELS = {"C": "compositional", "PC": "partly", "NC": "idiomatic"}
CLASS_COLOURS = dict(zip(CLASS_LABELS.values(), (SKY, GREEN, VERMILLION), strict=True))


def model_colours(models: Sequence[str]) -> alt.Color:
    """Give each model a colour, without a legend: rows name the models.

    Args:
        models: All labels of a page, in its order, so that each model has the same colour in every figure.
    """
    shades = [f"hsl({(205 + 137.5 * n) % 360:g}, 65%, 50%)" for n in range(len(models))]  # far apart, however many
    return alt.Color("model:N", scale=alt.Scale(domain=list(models), range=shades), legend=None)


def colour(title: str | None, colours: Mapping[str, str], field: str = "colour") -> alt.Color:
    """Colour a field's values, with a legend on top."""
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color(f"{field}:N", scale=scale, legend=alt.Legend(title=title, orient="top", labelLimit=300))
