"""Figures of ε-compositionality."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from harness_ext.show.figures.boxes import BOXES, box, box_chart
from harness_ext.show.figures.chart import faceted, reference_lines
from harness_ext.show.figures.colours import BLUE, CLASS_COLOURS, CLASS_LABELS, ORANGE, RULE, colour
from harness_ext.show.figures.figure import Figure, Panel, figure_of

_EPSILONS = {"idiomaticity-ε": BLUE, "baseline-ε": ORANGE}


@figure_of("epsilon")
def figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of a task."""
    yield Figure(
        name="epsilons",
        title="Idiomaticity-ε and baseline-ε by class",
        caption=(
            "The change of a sentence when a word of its compound is replaced, relative to the change of the word "
            "itself. Blue: a synonym replaces the compound's own word, idiomaticity-ε. Orange: one synonym replaces "
            "another, baseline-ε. For literal compounds both should be alike; for idiomatic compounds the blue box "
            f"should lie higher. Every panel has its own axis. {BOXES} Follows Fig. 2 of Wold et al., Measuring "
            "Idiomaticity in Text Embedding Models with ε-compositionality."
        ),
        chart=box_chart(
            [one for panel in measured for one in _epsilons(panel)],
            _EPSILONS,
            "ε = d(in sentence) / d(alone) − 1, from −1",
            reference=0,
            own_scale=True,
            width_per_group=130,
        ),
    )
    yield Figure(
        name="rank-shares",
        title="Rank share of each compound",
        caption=(
            "Each dot is a compound: how often, by rank, its idiomaticity-ε exceeds its baseline-ε. Idioms "
            "should lie on the right; at ½ (dashed) neither ε wins. The main score is the share of pairs, an idiomatic "
            "and a compositional compound each, in which the idiomatic compound lies farther right. Grey lines are "
            "medians. This project's own figure."
        ),
        chart=_rank_shares(measured),
    )


def _epsilons(panel: Panel) -> Iterator[dict[str, Any]]:
    samples = panel.items.usable
    classes = panel.items.classes_of_samples(samples)
    for name, label in CLASS_LABELS.items():
        inside = classes == name
        for which, values in (("idiomaticity-ε", samples.idiomaticity), ("baseline-ε", samples.baseline)):
            yield box(values[inside], f"{label} ({name})", which, panel.labels)


def _rank_shares(measured: Sequence[Panel]) -> alt.FacetChart:
    rows = []
    for panel in measured:
        shares, compounds = panel.items.rank_shares, panel.items.compounds
        for name, label in CLASS_LABELS.items():
            here = np.flatnonzero((compounds.class_ == name) & ~np.isnan(shares))
            # spread dots with like shares; the height of a dot has no meaning
            height = np.argsort(np.argsort(shares[here], kind="stable")) * 0.618034 % 1
            rows += [
                {**panel.labels, "colour": label, "share": shares[i], "compound": compounds.compound[i], "height": h}
                for i, h in zip(here.tolist(), height.tolist(), strict=True)
            ]
    order = list(CLASS_COLOURS)
    dots = alt.Chart().transform_filter("isValid(datum.share)")
    y = alt.Y("colour:N", sort=order, title=None)
    x = alt.X("share:Q", title="rank share, 0 to 1", scale=alt.Scale(domain=(0, 1)))
    offset = alt.YOffset("height:Q", scale=alt.Scale(domain=(-0.15, 1.15)))
    tooltip = ["compound:N", alt.Tooltip("share:Q", title="rank share", format=".3f"), "colour:N"]
    layers = [
        *reference_lines(0.5),
        dots.mark_circle(size=22, opacity=0.85).encode(
            x=x, y=y, yOffset=offset, color=colour(None, CLASS_COLOURS).legend(None), tooltip=tooltip
        ),
        dots.mark_tick(thickness=3, height=44, color=RULE).encode(
            x=alt.X("median(share):Q"), y=y, yOffset=alt.YOffsetDatum(0.5)
        ),
    ]
    return faceted(layers, rows, width=380, height=alt.Step(56))
