"""The figure of sentiment trees, as Bhathena et al. 2020 compare TRE with WNS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel
from harness_ext.show.paper import Paper


def _figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figure of a task."""
    yield Figure(
        name="errors",
        title="Tree reconstruction error against node switching",
        caption=(
            "TRE (up) is the distance of a sentence's vector from the best composition of word vectors; WNS (across) "
            "says how much sentiment switches from node to node of the tree. Stronger blue: more sentences. "
            "The paper calls an encoder compositional if Spearman's ρ is negative. Follows the comparison of TRE with "
            "WNS in §4 of Bhathena, Willis, Dass 2020, Evaluating Compositionality of Sentence Representation Models."
        ),
        chart=_chart([row for panel in measured for row in _trees(panel)]),
    )


def _trees(panel: Panel) -> Iterator[dict[str, Any]]:
    trees = panel.items.used()
    text = "exact fit: no ρ" if panel.items.is_exact() else parts.rho_text(trees.error, trees.wns)
    yield {**panel.labels, "rho": text}
    for wns, error in zip(trees.wns.tolist(), trees.error.tolist(), strict=True):
        yield {**panel.labels, "wns": wns, "tre": error}


def _chart(rows: Sequence[dict[str, Any]]) -> alt.FacetChart:
    bins, axis = alt.Bin(maxbins=36), alt.Axis(labelOverlap="greedy", labelSeparation=12, ticks=False)
    x = alt.X("wns:Q", bin=bins, title="weighted node switching (WNS), 0 to 4", axis=axis)
    y = alt.Y("tre:Q", bin=bins, title="TRE, cosine distance, 0 to 2", axis=axis)
    legend = alt.Legend(title="sentences", orient="top", symbolFillColor=parts.BLUE)
    shade = alt.Opacity("count()", scale=alt.Scale(type="sqrt", range=(0.15, 1)), legend=legend)
    cells = parts.where("wns", "tre").mark_rect(color=parts.BLUE)
    tooltip = alt.Tooltip("count()", title="sentences")
    layers = [cells.encode(x=x, y=y, opacity=shade, tooltip=tooltip), parts.rho_layer("top")]
    return parts.faceted(layers, rows, width=330, height=240)


PAPER = Paper(figures={"tree_reconstruction": _figures})
