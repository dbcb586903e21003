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

_WIDTH, _HEIGHT = 300, 200
_COLORS = (parts.BLUE, parts.ORANGE, parts.GREEN, parts.PURPLE, parts.VERMILLION, parts.SKY)


def layer_curves(entries: Sequence[Entry]) -> Figure | None:
    """Draw main score and gain by layer, a row per task and data, a color per model; None without
    layers.
    """
    blocks: dict[tuple[str, str], dict[str, Mapping[int, Entry]]] = {}
    for (model, revision, task, data), layers in profiles(entries).items():
        of_block = blocks.setdefault((task, data), {})
        of_block[model if model not in of_block else f"{model} @{revision}"] = layers
    if not blocks:
        return None
    models = list(dict.fromkeys(model for of_block in blocks.values() for model in of_block))
    return Figure(
        name="layers",
        title="Layer by layer",
        caption=(
            "The main score of each layer, from the embeddings (0) to the output, and its gain "
            "over the same layer's additive baseline. Bands are 95 % intervals, each of a single "
            "layer. Dotted lines are the scores of the additive baselines. The dashed line is "
            "chance, or a gain of 0."
        ),
        chart=alt.vconcat(*(_block(of_block, models) for of_block in blocks.values()), spacing=26),
    )


def _block(of_block: Mapping[str, Mapping[int, Entry]], models: Sequence[str]) -> alt.HConcatChart:
    """Draw all models in one split and subset of a task: main score, then gain."""
    first = next(iter(next(iter(of_block.values())).values()))
    main, chance = first.measure.main, first.measure.main_declaration.chance
    charts = [_panel(of_block, models, main, chance, f"{first.task}, {first.data}")]
    if any(
        gain_key(main) in entry.scores for layers in of_block.values() for entry in layers.values()
    ):
        charts.append(
            _panel(of_block, models, gain_key(main), 0.0, "gain over the additive baseline")
        )
    return alt.hconcat(*charts)


def _panel(
    of_block: Mapping[str, Mapping[int, Entry]],
    models: Sequence[str],
    key: str,
    reference: float | None,
    title: str,
) -> alt.LayerChart:
    rows = []
    for model, layers in of_block.items():
        for layer, entry in layers.items():
            low, high = entry.interval(key) or (math.nan, math.nan)
            value, additive = (
                entry.scores.get(name, math.nan) for name in (key, additive_key(key))
            )
            numbers = {
                "layer": layer,
                "value": value,
                "low": low,
                "high": high,
                "additive": additive,
            }
            rows.append({"model": shortened(model), **numbers})
    labels = [shortened(model) for model in models]
    ranged = [color for _, color in zip(labels, cycle(_COLORS))]
    legend = alt.Legend(title=None, orient="top", labelLimit=0, columnPadding=40, symbolOpacity=1)
    color = alt.Color("model:N", scale=alt.Scale(domain=labels, range=ranged), legend=legend)
    x = alt.X("layer:Q", title="layer", axis=alt.Axis(tickMinStep=1, format="d"))
    tooltip = ["model:N", "layer:Q", *parts.tooltips("value", "low", "high", "additive")]

    def y(name: str, **options: Any) -> alt.Y:
        return alt.Y(f"{name}:Q", title=key, **options)

    curves = [
        *parts.reference_lines(reference, upright=False),
        alt.Chart().mark_area(opacity=0.2).encode(x=x, y=y("low"), y2="high:Q", color=color),
        parts.where("additive")
        .mark_line(strokeDash=[1, 3])
        .encode(x=x, y=y("additive"), color=color),
        alt.Chart()
        .mark_line(point=True)
        .encode(x=x, y=y("value", scale=alt.Scale(zero=False)), color=color, tooltip=tooltip),
    ]
    return alt.LayerChart(
        layer=curves, data=parts.data_of(rows), width=_WIDTH, height=_HEIGHT, title=title
    )
