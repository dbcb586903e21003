"""Figures of ε-compositionality, of types and tokens, and of sentiment trees, as their papers draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from harness_ext.common.arrays import Floats, Names
from harness_ext.measures.core.items import positions
from harness_ext.measures.noun_compounds.type_token_items import ALONE, TypeTokenItems
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel

_EPSILONS = {"idiomaticity-ε": parts.BLUE, "baseline-ε": parts.ORANGE}


def epsilon_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figure of a task."""
    yield Figure(
        name="epsilons",
        title="Idiomaticity-ε and baseline-ε by class",
        caption=(
            "The change of a sentence when a word of its compound is replaced, relative to the change of the word "
            "itself. Blue: a synonym replaces the compound's own word, idiomaticity-ε. Orange: one synonym replaces "
            "another, baseline-ε. For literal compounds both should be alike; for idiomatic compounds the blue box "
            f"should lie higher. Every panel has its own axis. {parts.BOXES} Follows Fig. 2 of Wold et al., Measuring "
            "Idiomaticity in Text Embedding Models with ε-compositionality."
        ),
        chart=parts.box_chart(
            [one for panel in measured for one in _epsilons(panel)],
            _EPSILONS,
            "ε = d(in sentence) / d(alone) − 1, from −1",
            reference=0,
            own_scale=True,
            width_per_group=130,
        ),
    )


def _epsilons(panel: Panel) -> Iterator[dict[str, Any]]:
    samples = panel.items.usable
    classes = panel.items.classes_of_samples(samples)
    for name, label in parts.CLASS_LABELS.items():
        inside = classes == name
        for which, values in (("idiomaticity-ε", samples.idiomaticity), ("baseline-ε", samples.baseline)):
            yield parts.box(values[inside], f"{label} ({name})", which, panel.labels)


_PAPER = (
    "Garcia et al. 2021, Assessing the Representations of Idiomaticity in Vector Models with a Noun Compound Dataset "
    "Labeled at Type and Token Levels"
)
_COMPARISONS = {
    "phrase_additivity": "alone, with the sum of its words",
    "nc_out": "in sentences, with itself alone",
    "nc_out_comp": "in sentences, with the sum of its words",
}
_OTHER = "no class"

Points = tuple["Floats", "Floats", "Names"]
"""Human score, cosine, and compound of each point, shapes (n,)."""


def type_token_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of a task."""
    dots = (
        ". The more compositional people find it, the greater the cosine should be, so dots should rise to the right. "
        "ρ is Spearman's, as in the result file. A panel is empty if an encoder has no vectors of words in a sentence."
    )
    yield Figure(
        name="types",
        title="Compounds: human scores against cosines",
        caption=(
            f"Each dot is a compound: its human score as a type against the cosine named above the panel, averaged "
            f"over its sentences if it is in sentences{dots} Shows the data of Table 5, type level, of {_PAPER}."
        ),
        chart=_scatter(list(_rows(measured, _COMPARISONS, _types)), "human score of the compound"),
    )
    tokens = list(_rows(measured, {name: _COMPARISONS[name] for name in ALONE.values}, _tokens))
    if tokens:
        yield Figure(
            name="tokens",
            title="Compounds in sentences: human scores against cosines",
            caption=(
                f"Each dot is a compound in a sentence: its human score there against the cosine named above the "
                f"panel{dots} Shows the data of Table 5, token level, of {_PAPER}."
            ),
            chart=_scatter(tokens, "human score in the sentence"),
        )


def _types(items: TypeTokenItems, comparison: str) -> Points:
    return items.compounds.type_score, items.per_compound(comparison), items.compounds.compound


def _tokens(items: TypeTokenItems, comparison: str) -> Points:
    compared = items.compared(comparison)
    scores = items.sentences.score[positions(compared.row, items.sentences.row)]
    return scores, compared.similarity, compared.compound


def _rows(
    measured: Sequence[Panel], comparisons: dict[str, str], points: Callable[[TypeTokenItems, str], Points]
) -> Iterator[dict[str, Any]]:
    for panel in measured:
        table = panel.items.compounds
        class_of = dict(zip(table.compound.tolist(), table.class_.tolist(), strict=True))
        for comparison, label in comparisons.items():
            human, cosine, compounds = points(panel.items, comparison)
            known = ~np.isnan(human + cosine)
            if known.any():
                shared = {"model": panel.heading(measured), "comparison": label}
                yield {**shared, "rho": parts.rho_text(human, cosine)}
                for x, y, name in zip(*(values[known].tolist() for values in (human, cosine, compounds)), strict=True):
                    class_ = parts.CLASS_LABELS.get(class_of[name], _OTHER)
                    yield {**shared, "x": x, "y": y, "compound": name, "colour": class_}


def _scatter(rows: Sequence[dict[str, Any]], human: str) -> alt.FacetChart:
    others = {_OTHER: parts.RULE} if any(row.get("colour") == _OTHER for row in rows) else {}
    place = {
        "x": alt.X("x:Q", title=f"{human}, 0 idiomatic to 5", scale=alt.Scale(domain=(0, 5))),
        "y": alt.Y("y:Q", title="cosine, −1 to 1", scale=alt.Scale(zero=False)),
        "color": parts.colour({**parts.CLASS_COLOURS, **others}),
    }
    tooltip = ["compound:N", "colour:N", *parts.tooltips(x="human score", y="cosine")]
    dots = parts.where("x").mark_circle(size=18, opacity=0.75).encode(**place, tooltip=tooltip)
    layers = [dots, parts.rho_layer("bottom")]
    return parts.faceted(layers, rows, width=230, height=200, column="comparison", own_scale=True)


def trees_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figure of a task."""
    yield Figure(
        name="errors",
        title="Tree reconstruction error against node switching",
        caption=(
            "TRE (up) is the distance of a sentence's vector from the best composition of its words; WNS (across) says "
            "how much sentiment switches from node to node of its tree. The stronger the blue, the more sentences. The "
            "paper calls an encoder compositional if Spearman's ρ is negative. Follows the comparison of TRE with WNS "
            "in §4 of Bhathena, Willis, Dass 2020, Evaluating Compositionality of Sentence Representation Models."
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
