"""Figures of Similarity, Affinity and Scaled Similarity, as He et al. 2025 (NCIMP) draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from harness_ext.arrays import Floats
from harness_ext.evaluators.affinity import affinities
from harness_ext.evaluators.scaled_similarity import scaled_similarities
from harness_ext.evaluators.similarity import SimilarityItems
from harness_ext.framework.scores import LEVEL
from harness_ext.show.figures.boxes import BOXES, box, box_chart
from harness_ext.show.figures.chart import faceted, heat_map
from harness_ext.show.figures.colours import BLUE, CLASS_COLOURS, CLASS_LABELS, ORANGE, RULE, colour
from harness_ext.show.figures.figure import Figure, Panel, figure_of
from harness_ext.statistics.correlation import spearman

_PAPER = "He et al. 2025, Investigating Idiomaticity in Word Representations"
_IDEAL_TOO = {"measured": BLUE, "ideal model": ORANGE}
_IDEAL = (
    "For the ideal model, a gold synonym keeps all of the meaning and an unrelated expression keeps none. The "
    "compound's words, or synonyms of them, keep as much as people find the compound compositional (its mean score in "
    "its sentences, from 0 to 5, divided by 5)."
)
_VECTORS = {"sentence": "the sentences' vectors", "span": "the vectors of the compound's words in their sentence"}
_MOST_RATIO = 2.0


@dataclass(frozen=True)
class _Distributions:
    """The content of two figures, of all compounds and by class.

    Attributes:
        name: The name for files.
        title: The title of the figures.
        axis: The title of the axis, with the range of the values.
        groups: Score -> the label of its boxes.
        values: Items and level -> score -> its value in each sentence.
        paper: The paper's figures, of all compounds and by class.
        by_class: What the figure by class should look like.
        width: The width of a group in pixels.
    """

    name: str
    title: str
    axis: str
    groups: Mapping[str, str]
    values: Callable[[SimilarityItems, str], dict[str, Floats]]
    paper: tuple[str, str]
    by_class: str
    width: int

    def draw(self, level: str, measured: Sequence[Panel]) -> Iterator[Figure]:
        """Draw all compounds beside an ideal model, and the compounds by class."""
        whole: list[dict[str, Any]] = []
        of_class: list[dict[str, Any]] = []
        for panel in measured:
            values, ideal, classes = self.values(panel.items, level), _ideal(panel.items), panel.items.classes()
            for score, label in self.groups.items():
                for name, of_model in (("measured", values), ("ideal model", ideal)):
                    whole.append(box(of_model[score], label, name, panel.labels))
                for class_, name in CLASS_LABELS.items():
                    of_class.append(box(values[score][classes == class_], label, name, panel.labels))
        name = f"{level}-{self.name}"
        yield Figure(
            name=name,
            title=f"{self.title}, by {_VECTORS[level]}",
            caption=(
                "Distributions over all sentences, by the replacement of the compound. Blue is measured, orange is an "
                f"ideal model. {_IDEAL} {BOXES} Follows {self.paper[0]} of {_PAPER}."
            ),
            chart=box_chart(whole, _IDEAL_TOO, self.axis, reference=0, width_per_group=self.width),
        )
        yield Figure(
            name=f"{name}-by-class",
            title=f"{self.title}, by class and {_VECTORS[level]}",
            caption=(
                f"The same by the experts' classes of compounds. {self.by_class} {BOXES} Follows {self.paper[1]} of "
                f"{_PAPER}."
            ),
            chart=box_chart(of_class, CLASS_COLOURS, self.axis, reference=0, width_per_group=self.width),
        )


_SIMILARITY = _Distributions(
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
    "The gold synonym should be equally near in all classes, and the words' synonyms should be far only for idiomatic "
    "compounds.",
    100,
)
_AFFINITY = _Distributions(
    "affinity",
    "Affinity: which of two probes is nearer to the original",
    "difference of two Sim, −2 to 2",
    {"affinity_syn_words_syn": "gold over words' synonyms", "affinity_syn_rand": "gold over unrelated"},
    affinities,
    ("Fig. 5", "Fig. 6"),
    "Above 0 (dashed) the gold synonym is nearer to the original. The main score is the share of idiomatic compounds "
    "above 0, on average over their sentences; it should be high.",
    160,
)
_SCALED = _Distributions(
    "scaled",
    "Scaled Similarity",
    "Sim_R: 0 as unrelated, 1 as the original",
    {"scaled_sim_syn": "gold synonym", "scaled_sim_words_syn": "words' synonyms"},
    scaled_similarities,
    ("Figs. 1 to 3, on the scale of Sim_R", "Fig. 7"),
    "An ideal model has 1 for the gold synonym in all classes, and less for the words' synonyms of idioms.",
    120,
)


@figure_of("affinity")
def affinity_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of Similarity and Affinity of a task."""
    for level, inside in _levels(measured):
        yield from _SIMILARITY.draw(level, inside)
        yield from _AFFINITY.draw(level, inside)
        yield from _correlograms(level, inside)


@figure_of("scaled_similarity")
def scaled_similarity_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of Scaled Similarity of a task."""
    for level, inside in _levels(measured):
        yield from _SCALED.draw(level, inside)
        yield from _ratios(level, inside)


def _levels(measured: Sequence[Panel]) -> Iterator[tuple[str, list[Panel]]]:
    """Yield each level with the panels that have vectors of it."""
    for level in LEVEL.values:
        if inside := [panel for panel in measured if panel.items.has(level)]:
            yield level, inside


def _ideal(items: SimilarityItems) -> dict[str, Floats]:
    """Compute every score of the ideal model in each sentence, shape (m,); NaN without a human score."""
    human = items.compounds.comp[items.of_compound()] / 5
    ones = np.ones(len(human))
    return {
        "sim_syn": ones,
        "sim_comp": human,
        "sim_words_syn": human,
        "sim_rand": np.zeros(len(human)),
        "affinity_syn_words_syn": ones - human,
        "affinity_syn_rand": ones,
        "scaled_sim_syn": ones,
        "scaled_sim_words_syn": human,
    }


def _ratios(level: str, measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the ratio of two Scaled Similarities by class, and each compound's two Scaled Similarities."""
    rows: list[dict[str, Any]] = []
    ratios: list[dict[str, Any]] = []
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
            for which, values in (("measured", ratio), ("ideal model", compounds.comp / 5)):
                ratios.append(box(values[inside], f"{label} ({name})", which, panel.labels))
            rows += [
                {**panel.labels, "colour": label, "x": words[i], "y": syn[i], "compound": compounds.compound[i]}
                for i in np.flatnonzero(inside & ~np.isnan(words + syn)).tolist()
            ]
    yield Figure(
        name=f"{level}-scaled-ratio",
        title=f"Ratio of two Scaled Similarities, by {_VECTORS[level]}",
        caption=(
            "Sim_R of the words' synonyms divided by Sim_R of the gold synonym, from each compound's means over its "
            f"sentences. At 1 (dashed) both keep the same. {_IDEAL} So its ratio (orange) is the human score. "
            f"{n_left_out} compounds whose gold synonym keeps nothing, Sim_R ≤ 0, and ratios beyond ±{_MOST_RATIO:g} "
            f"are left out. {BOXES} Follows Figs. 8 and 9 of {_PAPER}."
        ),
        chart=box_chart(ratios, _IDEAL_TOO, "ratio of Sim_R, 1: equal", reference=1, width_per_group=110),
    )
    yield Figure(
        name=f"{level}-scaled-scatter",
        title=f"Scaled Similarity of two probes, by {_VECTORS[level]}",
        caption=(
            "Each dot is a compound. Above the dashed line its gold synonym keeps more of the original than synonyms "
            "of its words do; idioms should lie there. An ideal model has all compounds at the height 1, idiomatic "
            f"compounds on the left. Axes show at least 99 % of the values. Follows Figs. 8 and 9 of {_PAPER}."
        ),
        chart=_scatter(rows),
    )


def _scatter(rows: list[dict[str, Any]]) -> alt.FacetChart:
    values = np.array([[row["x"], row["y"]] for row in rows] or [[0.0, 1.0]])
    low, high = np.percentile(values, 0.5, axis=0).min(), np.percentile(values, 99.5, axis=0).max()
    margin = 0.03 * (high - low) or 0.5
    ends = float(low - margin), float(high + margin)
    scale = alt.Scale(domain=ends, nice=False)
    x = alt.X("x:Q", title="Sim_R of the words' synonyms, up to 1", scale=scale)
    y = alt.Y("y:Q", title="Sim_R of the gold synonym, up to 1", scale=scale)
    tooltip = ["compound:N", alt.Tooltip("colour:N", title="class"), alt.Tooltip("x:Q", title="words' synonyms"),
               alt.Tooltip("y:Q", title="gold synonym")]  # fmt: skip
    diagonal = {
        "x": alt.XDatum(ends[0]),
        "y": alt.YDatum(ends[0]),
        "x2": alt.X2Datum(ends[1]),
        "y2": alt.Y2Datum(ends[1]),
    }
    layers = [
        alt.Chart().mark_rule(strokeDash=[4, 4], color=RULE, clip=True).encode(**diagonal),
        alt.Chart()
        .mark_circle(size=24, opacity=0.85, clip=True)
        .encode(x=x, y=y, color=colour(None, CLASS_COLOURS), tooltip=tooltip),
    ]
    return faceted(layers, rows, width=260, height=260)


_PEOPLE = "people: idiomatic"


def _correlograms(level: str, measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw how alike every two models, and people, order the compounds; nothing for a single model without people."""
    rows: list[dict[str, Any]] = []
    for data in dict.fromkeys(panel.data for panel in measured):
        here = [panel for panel in measured if panel.data == data]
        orders = {panel.model: _affinity_of_compounds(panel, level) for panel in here}
        people = here[0].items.compounds
        if not np.isnan(people.comp).all():
            orders[_PEOPLE] = dict(zip(people.compound.tolist(), (5 - people.comp).tolist(), strict=True))
        rows += [
            {"data": data, "row": row, "column": column, "value": _correlation(first, second)}
            for row, first in orders.items()
            for column, second in orders.items()
        ]
    if len({row["row"] for row in rows}) > 1:
        yield Figure(
            name=f"{level}-correlogram",
            title=f"Agreement of models on compounds, by {_VECTORS[level]}",
            caption=(
                "Spearman's ρ between every two models, of each compound's mean Affinity of the gold synonym over the "
                "words' synonyms: 1 if two models order the compounds alike. The row of people, if there are human "
                "scores, orders compounds by how idiomatic people find them, as an ideal model would. "
                f"Follows Fig. 10 of {_PAPER}."
            ),
            chart=heat_map(rows, ("", ""), (-1, 1), "Spearman's ρ, −1 to 1", row="data", column=None),
        )


def _affinity_of_compounds(panel: Panel, level: str) -> dict[str, float]:
    values = panel.items.per_compound(affinities(panel.items, level)["affinity_syn_words_syn"])
    return dict(zip(panel.items.compounds.compound.tolist(), values.tolist(), strict=True))


def _correlation(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Compute ρ over common compounds."""
    both = [name for name in first if name in second]
    return spearman(np.array([first[name] for name in both]), np.array([second[name] for name in both]))[0]
