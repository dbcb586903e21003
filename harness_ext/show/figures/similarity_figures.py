"""Figures of Similarity, Affinity and Scaled Similarity, as He et al. 2025 (NCIMP) draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from harness_ext.arrays import Floats
from harness_ext.evaluators.affinity import affinities
from harness_ext.evaluators.axes import LEVEL
from harness_ext.evaluators.scaled_similarity import scaled_similarities
from harness_ext.evaluators.similarity import SimilarityItems
from harness_ext.show.figures.chart import (
    BLUE,
    CLASS_COLOURS,
    CLASS_LABELS,
    ORANGE,
    RULE,
    Figure,
    Panel,
    colour,
    faceted,
)
from harness_ext.show.figures.heat import heat_map
from harness_ext.show.figures.violins import VIOLINS, Violin, axis_range, beside, beyond, halves, violin_chart
from harness_ext.statistics.correlation import spearman

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

_PAPER = "He et al. 2025, Investigating Idiomaticity in Word Representations"
_HALVES = {"measured": BLUE, "ideal model": ORANGE}
_IDEAL = (
    "For the ideal model, a gold synonym keeps all of the meaning and an unrelated expression keeps none. The "
    "compound's words, or synonyms of them, keep as much as people find the compound compositional (its mean score in "
    "its sentences, from 0 to 5, divided by 5)."
)
_VECTORS = {"sentence": "the sentences' vectors", "span": "the vectors of the compound's words in their sentence"}
_MOST_RATIO = 2.0


@dataclass(frozen=True)
class _Kind:
    """The content of two figures, of all compounds and by class.

    Attributes:
        name: The name for files.
        title: The title of the figures.
        axis: The title of the axis, with the range of the values.
        groups: Measure -> the label of its violins.
        values: Items and level -> measure -> its value in each sentence.
        paper: The paper's figures, of all compounds and by class.
        width: The width of a group in pixels.
    """

    name: str
    title: str
    axis: str
    groups: Mapping[str, str]
    values: Callable[[SimilarityItems, str], dict[str, Floats]]
    paper: tuple[str, str]
    width: int


_SIMILARITIES = _Kind(
    "similarity",
    "Similarity of the original to the sentence with a probe in the compound's place",
    "Sim = cosine, −1 to 1",
    {
        "sim_syn": "gold synonym",
        "sim_comp": "nearer word",
        "sim_words_syn": "words' synonyms",
        "sim_rand": "unrelated",
    },
    affinities,
    ("Figs. 1 to 3", "Fig. 4"),
    100,
)
_AFFINITIES = _Kind(
    "affinity",
    "Affinity: which of two probes is nearer to the original",
    "difference of two Sim, −2 to 2",
    {"affinity_syn_words_syn": "gold over words' synonyms", "affinity_syn_rand": "gold over unrelated"},
    affinities,
    ("Fig. 5", "Fig. 6"),
    160,
)
_SCALED = _Kind(
    "scaled",
    "Scaled Similarity",
    "Sim_R: 0 as unrelated, 1 as the original",
    {"scaled_sim_syn": "gold synonym", "scaled_sim_words_syn": "words' synonyms"},
    scaled_similarities,
    ("Figs. 1 to 3, on the scale of Sim_R", "Fig. 7"),
    120,
)


def affinity_figures(measured: Sequence[Panel], first: Entry) -> Iterator[Figure]:
    """Draw the figures of Similarity and Affinity of a task."""
    for level, inside in _levels(measured):
        for kind in (_SIMILARITIES, _AFFINITIES):
            yield from _distributions(kind, first.task, level, inside)
        yield from _correlograms(first.task, level, inside)


def scaled_similarity_figures(measured: Sequence[Panel], first: Entry) -> Iterator[Figure]:
    """Draw the figures of Scaled Similarity of a task."""
    for level, inside in _levels(measured):
        yield from _distributions(_SCALED, first.task, level, inside)
        yield from _ratios(first.task, level, inside)


def _levels(measured: Sequence[Panel]) -> Iterator[tuple[str, list[Panel]]]:
    """Yield each level with the panels that have vectors of it."""
    for level in LEVEL.values:
        if inside := [panel for panel in measured if panel.items.has(level)]:
            yield level, inside


def _ideal(items: SimilarityItems) -> dict[str, Floats]:
    """Compute every measure of the ideal model in each sentence, shape (m,); NaN without a human score."""
    human = items.compounds.comp[items.of_compound()] / 5
    one = np.ones(len(human))
    return {
        "sim_syn": one,
        "sim_comp": human,
        "sim_words_syn": human,
        "sim_rand": np.zeros(len(human)),
        "affinity_syn_words_syn": one - human,
        "affinity_syn_rand": one,
        "scaled_sim_syn": one,
        "scaled_sim_words_syn": human,
    }


def _distributions(kind: _Kind, task: str, level: str, measured: Sequence[Panel]) -> Iterator[Figure]:
    whole: list[Violin] = []
    of_class: list[Violin] = []
    for panel in measured:
        values, ideal, classes = kind.values(panel.items, level), _ideal(panel.items), panel.items.classes()
        for measure, label in kind.groups.items():
            shared = {"group": label, "labels": panel.labels}
            whole += halves(
                {"values": values[measure], "colour": "measured"},
                {"values": ideal[measure], "colour": "ideal model"},
                **shared,
            )
            of_class += beside(
                {CLASS_LABELS[name]: values[measure][classes == name] for name in CLASS_LABELS}, **shared
            )
    yield Figure(
        name=f"{task}-{level}-{kind.name}",
        title=f"{kind.title}, by {_VECTORS[level]}",
        caption=(
            f"Distributions over all sentences, by the replacement of the compound. Left halves (blue) are measured, "
            f"right halves (orange) are an ideal model's. {_IDEAL} {VIOLINS}{beyond(whole)} Follows {kind.paper[0]} of "
            f"{_PAPER}."
        ),
        chart=violin_chart(whole, _HALVES, kind.axis, reference=0, width_per_group=kind.width),
    )
    yield Figure(
        name=f"{task}-{level}-{kind.name}-by-class",
        title=f"{kind.title}, by class and {_VECTORS[level]}",
        caption=(
            f"The same by the experts' classes of compounds. {_BY_CLASS[kind.name]} {VIOLINS}{beyond(of_class)} "
            f"Follows {kind.paper[1]} of {_PAPER}."
        ),
        chart=violin_chart(of_class, CLASS_COLOURS, kind.axis, reference=0, width_per_group=kind.width),
    )


_BY_CLASS = {
    "similarity": (
        "The gold synonym should be equally near in all classes, and the words' synonyms should be far only for "
        "idiomatic compounds."
    ),
    "affinity": (
        "Above 0 (dashed) the gold synonym is nearer to the original. The main score is the share of idiomatic "
        "compounds above 0, on average over their sentences; it should be high."
    ),
    "scaled": "An ideal model has 1 for the gold synonym in all classes, and less for the words' synonyms of idioms.",
}


def _ratios(task: str, level: str, measured: Sequence[Panel]) -> Iterator[Figure]:
    rows: list[dict[str, Any]] = []
    violins: list[Violin] = []
    n_left_out = 0
    for panel in measured:
        compounds = panel.items.compounds
        syn, words = (
            panel.items.per_compound(scaled_similarities(panel.items, level)[f"scaled_sim_{probe}"])
            for probe in ("syn", "words_syn")
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(syn > 0, words / syn, np.nan)
        n_left_out += int((syn <= 0).sum())
        ratio = np.where(np.abs(ratio) > _MOST_RATIO, np.nan, ratio)
        for name, label in CLASS_LABELS.items():
            inside = compounds.class_ == name
            violins += halves(
                {"values": ratio[inside], "colour": "measured"},
                {"values": compounds.comp[inside] / 5, "colour": "ideal model"},
                group=f"{label} ({name})",
                labels=panel.labels,
            )
            rows += [
                {**panel.labels, "colour": label, "x": words[i], "y": syn[i], "compound": compounds.compound[i]}
                for i in np.flatnonzero(inside & ~np.isnan(words + syn)).tolist()
            ]
    yield Figure(
        name=f"{task}-{level}-scaled-ratio",
        title=f"Ratio of two Scaled Similarities, by {_VECTORS[level]}",
        caption=(
            "Sim_R of the words' synonyms divided by Sim_R of the gold synonym, from each compound's means over its "
            f"sentences. At 1 (dashed) both keep the same. {_IDEAL} So its ratio (orange) is the human score. "
            f"{n_left_out} compounds whose gold synonym keeps nothing, Sim_R ≤ 0, and ratios beyond ±{_MOST_RATIO:g} "
            f"are left out. {VIOLINS} Follows Figs. 8 and 9 of {_PAPER}."
        ),
        chart=violin_chart(violins, _HALVES, "ratio of Sim_R, 1: equal", reference=1, width_per_group=110),
    )
    yield Figure(
        name=f"{task}-{level}-scaled-scatter",
        title=f"Scaled Similarity of two probes, by {_VECTORS[level]}",
        caption=(
            "Each dot is a compound. Above the dashed line its gold synonym keeps more of the original than synonyms "
            "of its words do; idioms should lie there. An ideal model has all compounds at the height 1, idiomatic "
            f"compounds on the left. Axes show at least 99 % of the values. Follows Figs. 8 and 9 of {_PAPER}."
        ),
        chart=_scatter(rows),
    )


def _scatter(rows: list[dict[str, Any]]) -> alt.FacetChart:
    values = np.array([[row["x"], row["y"]] for row in rows], dtype=np.float64).reshape(-1, 2)
    ends = axis_range([Violin(values[:, 0], "", ""), Violin(values[:, 1], "", "")])
    scale = alt.Scale(domain=ends, nice=False)
    x = alt.X("x:Q", title="Sim_R of the words' synonyms, up to 1", scale=scale)
    y = alt.Y("y:Q", title="Sim_R of the gold synonym, up to 1", scale=scale)
    line: dict[str, Any] = {"strokeDash": [4, 4], "color": RULE, "clip": True}
    tooltip = ["compound:N", alt.Tooltip("colour:N", title="class"), alt.Tooltip("x:Q", title="words' synonyms"),
               alt.Tooltip("y:Q", title="gold synonym")]  # fmt: skip
    layers = [
        alt.Chart()
        .mark_rule(**line)
        .encode(x=alt.XDatum(ends[0]), y=alt.YDatum(ends[0]), x2=alt.X2Datum(ends[1]), y2=alt.Y2Datum(ends[1])),
        alt.Chart().mark_circle(size=24, opacity=0.85, clip=True).encode(
            x=x, y=y, color=colour(None, CLASS_COLOURS), tooltip=tooltip
        ),
    ]  # fmt: skip
    return faceted(layers, rows, width=260, height=260)


_PEOPLE = "people: idiomatic"


def _correlograms(task: str, level: str, measured: Sequence[Panel]) -> Iterator[Figure]:
    data = list(dict.fromkeys(panel.data for panel in measured))
    rows: list[dict[str, Any]] = []
    for place in data:
        values = [_per_compound(panel, level) for panel in measured if panel.data == place]
        names = [panel.model for panel in measured if panel.data == place]
        people = next(panel.items.compounds for panel in measured if panel.data == place)
        if not np.isnan(people.comp).all():
            values.append(dict(zip(people.compound.tolist(), (5 - people.comp).tolist(), strict=True)))
            names.append(_PEOPLE)
        rows += [
            {"data": place, "row": one, "column": other, "value": _correlation(first, second)}
            for one, first in zip(names, values, strict=True)
            for other, second in zip(names, values, strict=True)
        ]
    if len({row["row"] for row in rows}) > 1:
        yield Figure(
            name=f"{task}-{level}-correlogram",
            title=f"Agreement of models on compounds, by {_VECTORS[level]}",
            caption=(
                "Spearman's ρ between every two models, of each compound's mean Affinity of the gold synonym over the "
                "words' synonyms: 1 if two models order the compounds alike. The row of people, if there are human "
                "scores, orders compounds by how idiomatic people find them, as an ideal model would. "
                f"Follows Fig. 10 of {_PAPER}."
            ),
            chart=heat_map(rows, ("", ""), (-1, 1), "Spearman's ρ, −1 to 1", row="data", column=None, cell=44),
        )


def _per_compound(panel: Panel, level: str) -> dict[str, float]:
    values = panel.items.per_compound(affinities(panel.items, level)["affinity_syn_words_syn"])
    return dict(zip(panel.items.compounds.compound.tolist(), values.tolist(), strict=True))


def _correlation(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Compute ρ over common compounds."""
    both = [name for name in one if name in other]
    return spearman(np.array([one[name] for name in both]), np.array([other[name] for name in both]))[0]
