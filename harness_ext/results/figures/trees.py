"""Figures of tree reconstruction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from harness_ext.evaluators.correlation import spearman
from harness_ext.results.figures.chart import BLUE, RULE, VERMILLION, Figure, faceted, panels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness_ext.results.figures.chart import Panel
    from harness_ext.results.load import Entry

_BINS = 36
_ENDS = 3
"""So many trees are named at either end."""


def figures(entries: Sequence[Entry]) -> Iterator[Figure]:
    """The figures of the entries of one task.

    Raises:
        ItemsError: Items are missing or damaged; names the file.
    """
    measured = panels(entries)
    yield Figure(
        name=f"{entries[0].task}-errors",
        title="Tree reconstruction error against node switching",
        caption=(
            "How far a sentence's vector is from what its words can be composed to (TRE, up) against how much its "
            "sentiment switches from node to node of its tree (WNS, across). The darker a square, the more sentences; "
            f"the {_ENDS} worst and the {_ENDS} best reconstructed are orange dots with their ids. An encoder that is "
            "compositional where sentiment is, in the sense of the paper, fails less on trees that switch less; its ρ, "
            "Spearman's, is negative. Follows the comparison of TRE with WNS in §4 of Bhathena, Willis, Dass 2020, "
            "Evaluating Compositionality of Sentence Representation Models."
        ),
        chart=_chart([row for panel in measured for row in _rows(panel)]),
    )


def _rows(panel: Panel) -> Iterator[dict[str, Any]]:
    trees = panel.items.used()
    trees = trees[~np.isnan(trees.wns + trees.error)]
    rho = "" if panel.items.is_exact() else spearman(trees.error, trees.wns)[0]
    text = "exact fit: no ρ" if rho == "" else "" if np.isnan(rho) else f"ρ = {rho:.2f}"
    yield {**panel.labels, "rho": text}
    if not len(trees):
        return
    counts, x, y = np.histogram2d(trees.wns, trees.error, bins=_BINS)
    for i, j in np.argwhere(counts).tolist():
        yield {**panel.labels, "x": x[i], "x2": x[i + 1], "y": y[j], "y2": y[j + 1], "n": int(counts[i, j])}
    order = np.argsort(trees.error, kind="stable")
    for n in dict.fromkeys([*order[:_ENDS].tolist(), *order[-_ENDS:].tolist()]):
        yield {
            **panel.labels,
            "wns": trees.wns[n],
            "tre": trees.error[n],
            "tree": trees.row[n],
            "words": trees.words[n],
        }


def _chart(rows: list[dict[str, Any]]) -> alt.FacetChart:
    x = alt.X("x:Q", title="weighted node switching (WNS), 0 to 4", scale=alt.Scale(zero=True))
    y = alt.Y("y:Q", title="TRE, cosine distance, 0 to 2", scale=alt.Scale(zero=False))
    most = max((row["n"] for row in rows if "n" in row), default=1)
    legend = alt.Legend(title="sentences", orient="top", tickMinStep=1, symbolFillColor=BLUE)
    shade = alt.Opacity("n:Q", scale=alt.Scale(type="sqrt", domain=(0, most), range=(0.15, 1)), legend=legend)
    ends = alt.Chart().transform_filter("isValid(datum.tree)")
    tooltip = [alt.Tooltip("tree:N", title="tree"), alt.Tooltip("words:Q", title="words"),
               alt.Tooltip("wns:Q", title="WNS"), alt.Tooltip("tre:Q", title="TRE")]  # fmt: skip
    chart = alt.layer(
        alt.Chart()
        .transform_filter("isValid(datum.n)")
        .mark_rect(color=BLUE)
        .encode(x=x, x2="x2:Q", y=y, y2="y2:Q", opacity=shade, tooltip=[alt.Tooltip("n:Q", title="sentences")]),
        ends.mark_circle(size=45, opacity=1, color=VERMILLION).encode(x="wns:Q", y="tre:Q", tooltip=tooltip),
        ends.mark_text(align="left", dx=6, fontSize=10, color=VERMILLION).encode(x="wns:Q", y="tre:Q", text="tree:N"),
        alt.Chart()
        .transform_filter("isValid(datum.rho)")
        .mark_text(align="right", baseline="top", fontSize=13, fontWeight="bold", dx=-4, dy=4, color=RULE)
        .encode(x=alt.value("width"), y=alt.value(0), text="rho:N"),
    ).properties(width=330, height=240)
    return faceted(chart, rows).resolve_scale(y="independent")
