"""Curves over the layers of a model: main score, additive baseline, and gain."""

from __future__ import annotations  # which name altair; it is imported on first use

import math
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.results.entry import Entry
from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure
from harness_ext.show.model_labels import shortened
from harness_ext.show.result_tables import profiles

_WIDTH = 300
"""The width of a panel, in pixels."""

_HEIGHT = 200
"""The height of a panel, in pixels."""

_COLORS = (
    parts.BLUE,
    parts.ORANGE,
    parts.GREEN,
    parts.PURPLE,
    parts.VERMILLION,
    parts.SKY,
)
"""The colors of models, in their order; then they begin again."""


_Layers = Mapping[int, Entry]
"""Layer -> its entry, of one model on the data of a task."""


def layer_curves(entries: Sequence[Entry]) -> Figure | None:
    """Draw main score and gain by layer, a row per task and data, a color per model; None without
    layers.
    """
    blocks: dict[tuple[str, str], dict[str, _Layers]] = {}
    models: dict[str, None] = {}
    for place, layers in profiles(entries).items():
        block = blocks.setdefault((place.task, place.data), {})
        is_taken = place.model in block
        label = f"{place.model} @{place.revision}" if is_taken else place.model
        block[label] = layers
    if not blocks:
        return None
    for block in blocks.values():
        models |= dict.fromkeys(block)
    rows = [_block(block, [*models]) for block in blocks.values()]
    return Figure(
        name="layers",
        title="Layer by layer",
        caption=(
            "The main score of each layer, from the embeddings (0) to the output, and its gain "
            "over the same layer's additive baseline. Bands are 95 % intervals, each of a single "
            "layer. Dotted lines are the scores of the additive baselines. The dashed line is "
            "chance, or a gain of 0."
        ),
        chart=alt.vconcat(*rows, spacing=26),
    )


def _block(
    block: Mapping[str, _Layers],
    models: Sequence[str],
) -> alt.HConcatChart:
    """Draw all models in one split and subset of a task: main score, then gain."""
    entries: list[Entry] = []
    for layers in block.values():
        entries += layers.values()
    first = entries[0]
    main = first.measure.main
    chance = first.measure.main_declaration.chance
    charts = [_panel(block, models, main, chance, f"{first.task}, {first.data}")]
    gain = gain_key(main)
    if any(gain in entry.scores for entry in entries):
        charts.append(
            _panel(
                block,
                models,
                gain,
                0.0,
                "gain over the additive baseline",
            )
        )
    return alt.hconcat(*charts)


def _panel(
    block: Mapping[str, _Layers],
    models: Sequence[str],
    key: str,
    reference: float | None,
    title: str,
) -> alt.LayerChart:
    """Draw one score by layer, a line per model.

    Args:
        block: Model -> its layers.
        models: All models of the figure, so that each has the same color in all panels.
        key: The key of the score.
        reference: The value of the dashed line; None for none.
        title: The title of the panel.
    """
    rows: list[dict[str, Any]] = []
    for model, layers in block.items():
        for layer, entry in layers.items():
            low, high = entry.interval(key) or (math.nan, math.nan)
            rows.append(
                {
                    "model": shortened(model),
                    "layer": layer,
                    "value": entry.scores.get(key, math.nan),
                    "low": low,
                    "high": high,
                    "additive": entry.scores.get(additive_key(key), math.nan),
                }
            )
    x = alt.X(
        "layer:Q",
        title="layer",
        axis=alt.Axis(tickMinStep=1, format="d"),
    )
    color = _color(models)
    tooltip = ["model:N", "layer:Q", *parts.tooltips("value", "low", "high", "additive")]

    def y(name: str, **options: Any) -> alt.Y:
        return alt.Y(f"{name}:Q", title=key, **options)

    band = alt.Chart().mark_area(opacity=0.2)
    baseline = parts.where("additive").mark_line(strokeDash=[1, 3])
    curve = alt.Chart().mark_line(point=True)
    curves = [
        *parts.reference_lines(reference, upright=False),
        band.encode(
            x=x,
            y=y("low"),
            y2="high:Q",
            color=color,
        ),
        baseline.encode(
            x=x,
            y=y("additive"),
            color=color,
        ),
        curve.encode(
            x=x,
            y=y("value", scale=alt.Scale(zero=False)),
            color=color,
            tooltip=tooltip,
        ),
    ]
    return alt.LayerChart(
        layer=curves,
        data=parts.data_of(rows),
        width=_WIDTH,
        height=_HEIGHT,
        title=title,
    )


def _color(models: Sequence[str]) -> alt.Color:
    """Give each model a color, with a legend on top."""
    labels = [shortened(model) for model in models]
    colors = [color for _, color in zip(labels, cycle(_COLORS))]
    legend = alt.Legend(
        title=None,
        orient="top",
        labelLimit=0,
        columnPadding=40,
        symbolOpacity=1,
    )
    scale = alt.Scale(domain=labels, range=colors)
    return alt.Color("model:N", scale=scale, legend=legend)
