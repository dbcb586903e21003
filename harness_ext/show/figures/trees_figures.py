"""Figures of tree reconstruction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from harness_ext.fitted.tree_reconstruction_error import ReconstructedTrees
from harness_ext.show.figures.chart import faceted, rho_layer, rho_text
from harness_ext.show.figures.colours import BLUE, VERMILLION
from harness_ext.show.figures.figure import Figure, Panel, figure_of

_BINS = 36
_ENDS = 3
"""The number of trees named at either end."""
_NEAR = 0.25
"""Trees nearer than this share of the width share a label."""


@figure_of("tree_reconstruction")
def figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of a task."""
    yield Figure(
        name="errors",
        title="Tree reconstruction error against node switching",
        caption=(
            "TRE (up) is the distance of a sentence's vector from the best composition of its words; WNS (across) says "
            "how much sentiment switches from node to node of its tree. The stronger the blue, the more sentences. The "
            f"{_ENDS} worst and the {_ENDS} best reconstructed sentences are red dots with their ids. The paper calls "
            "an encoder compositional if Spearman's ρ is negative. Follows the comparison of TRE with WNS in §4 of "
            "Bhathena, Willis, Dass 2020, Evaluating Compositionality of Sentence Representation Models."
        ),
        chart=_chart([row for panel in measured for row in _rows(panel)]),
    )


def _rows(panel: Panel) -> Iterator[dict[str, Any]]:
    trees = panel.items.used()
    trees = trees[~np.isnan(trees.wns + trees.error)]
    text = "exact fit: no ρ" if panel.items.is_exact() else rho_text(trees.error, trees.wns)
    yield {**panel.labels, "rho": text}
    if not len(trees):
        return
    counts, x, y = np.histogram2d(trees.wns, trees.error, bins=_BINS)
    for i, j in np.argwhere(counts).tolist():
        yield {**panel.labels, "x": x[i], "x2": x[i + 1], "y": y[j], "y2": y[j + 1], "n": int(counts[i, j])}
    order = np.argsort(trees.error, kind="stable")
    ends = trees[np.unique(np.concatenate([order[:_ENDS], order[-_ENDS:]]))]
    for wns, error, tree, words in zip(ends.wns, ends.error, ends.row, ends.words, strict=True):
        yield {**panel.labels, "wns": wns, "tre": error, "tree": tree, "words": words}
    yield from ({**panel.labels, **label} for label in _labels(ends, np.ptp(trees.wns), np.ptp(trees.error)))


def _labels(ends: ReconstructedTrees, width: float, height: float) -> list[dict[str, Any]]:
    """Label trees with their ids; neighbours share a label."""
    labels: list[dict[str, Any]] = []
    for wns, error, tree in zip(ends.wns.tolist(), ends.error.tolist(), ends.row.tolist(), strict=True):
        for label in labels:
            if abs(label["wns"] - wns) <= _NEAR * width and abs(label["tre"] - error) <= _NEAR / 5 * height:
                label["label"] += f", {tree}"
                break
        else:
            labels.append({"wns": wns, "tre": error, "label": tree, "left": int(wns > ends.wns.min() + 0.6 * width)})
    return labels


def _chart(rows: list[dict[str, Any]]) -> alt.FacetChart:
    x = alt.X("x:Q", title="weighted node switching (WNS), 0 to 4", scale=alt.Scale(zero=True))
    y = alt.Y("y:Q", title="TRE, cosine distance, 0 to 2", scale=alt.Scale(zero=False))
    most = max((row["n"] for row in rows if "n" in row), default=1)
    legend = alt.Legend(title="sentences", orient="top", values=sorted({1, -(-most // 2), most}), symbolFillColor=BLUE)
    shade = alt.Opacity("n:Q", scale=alt.Scale(type="sqrt", domain=(0, most), range=(0.15, 1)), legend=legend)
    ends = alt.Chart().transform_filter("isValid(datum.tree)")
    tooltip = [alt.Tooltip("tree:N", title="tree"), alt.Tooltip("words:Q", title="words"),
               alt.Tooltip("wns:Q", title="WNS"), alt.Tooltip("tre:Q", title="TRE")]  # fmt: skip
    label = {"x": "wns:Q", "y": "tre:Q", "text": "label:N"}

    def named(left: int) -> alt.Chart:
        return alt.Chart().transform_filter(f"datum.left === {left}")

    layers = [
        alt.Chart()
        .transform_filter("isValid(datum.n)")
        .mark_rect(color=BLUE)
        .encode(x=x, x2="x2:Q", y=y, y2="y2:Q", opacity=shade, tooltip=[alt.Tooltip("n:Q", title="sentences")]),
        ends.mark_circle(size=45, opacity=1, color=VERMILLION).encode(x="wns:Q", y="tre:Q", tooltip=tooltip),
        named(0).mark_text(align="left", dx=6, fontSize=10, color=VERMILLION).encode(**label),
        named(1).mark_text(align="right", dx=-6, fontSize=10, color=VERMILLION).encode(**label),
        rho_layer("top"),
    ]
    return faceted(layers, rows, width=330, height=240, own_scale=True)
