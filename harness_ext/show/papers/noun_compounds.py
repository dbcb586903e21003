"""The figures of noun compounds: Similarity, Affinity and Scaled Similarity as He et al. 2025
(NCIMP) draw them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.measures.core.scores import LEVEL
from harness_ext.measures.noun_compounds.affinity import affinities
from harness_ext.measures.noun_compounds.scaled_similarity import scaled_similarities
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel
from harness_ext.show.paper import Paper

_NCIMP = "He et al. 2025, Investigating Idiomaticity in Word Representations"
_IDEAL_TOO = {"measured": parts.BLUE, "ideal model": parts.ORANGE}
_IDEAL = (
    "For the ideal model, a gold synonym keeps all of the meaning and an unrelated expression "
    "keeps none. The compound's words, or synonyms of them, keep as much as people find the "
    "compound compositional (its mean score in its sentences, from 0 to 5, divided by 5)."
)
_VECTORS = {
    "sentence": "the sentences' vectors",
    "span": "the vectors of the compound's words in their sentence",
}
_OF_SENTENCES = "Fig. 1"
"""The paper's only figure of sentences; its others are of the compound."""

_SIMILARITIES = {
    "sim_syn": "gold synonym",
    "sim_comp": "nearer word",
    "sim_words_syn": "words' synonyms",
    "sim_rand": "unrelated",
}
_AFFINITIES = {
    "affinity_syn_words_syn": "gold over words' synonyms",
    "affinity_syn_rand": "gold over unrelated",
}
_SCALED = {
    "scaled_sim_syn": "gold synonym",
    "scaled_sim_words_syn": "words' synonyms",
}


def _affinity_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    for level, inside in _levels(measured):
        values = [affinities(panel.items, level) for panel in inside]
        yield from _distributions(
            (
                f"{level}-similarity",
                "Similarity of the original to the sentence with a probe in the compound's place",
            ),
            _SIMILARITIES,
            zip(inside, values, strict=True),
            "Sim = cosine, −1 to 1",
            ({"sentence": _OF_SENTENCES, "span": "Fig. 2"}[level], ""),
        )
        yield from _distributions(
            (f"{level}-affinity", "Affinity: which of two probes is nearer to the original"),
            _AFFINITIES,
            zip(inside, values, strict=True),
            "difference of two Sim, −2 to 2",
            ("Fig. 3", "Fig. 4"),
            "Above 0 (dashed) the gold synonym is nearer to the original. The main score is the "
            "share of idiomatic compounds above 0, on average over their sentences; it should be "
            "high.",
        )


def _scaled_similarity_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    for level, inside in _levels(measured):
        values = [scaled_similarities(panel.items, level) for panel in inside]
        yield from _distributions(
            (f"{level}-scaled", "Scaled Similarity"),
            _SCALED,
            zip(inside, values, strict=True),
            "Sim_R: 0 as unrelated, 1 as the original",
            ("Fig. 5", "Figs. 6 and 7"),
            "An ideal model has 1 for the gold synonym in all classes, and less for the words' "
            "synonyms of idioms.",
        )


def _follows(figures: str, level: str) -> str:
    """Say which figures of the paper a figure follows, and at which level they are."""
    is_other = level == "sentence" and figures != _OF_SENTENCES
    here = " The paper's are of the compound, this one is of sentences." if is_other else ""
    return f"Follows {figures} of {_NCIMP}.{here}"


def _levels(measured: Sequence[Panel]) -> Iterator[tuple[str, list[Panel]]]:
    """Yield each level with the panels that have vectors of it."""
    for level in LEVEL.values:
        panels = [panel for panel in measured if panel.items.has(level)]
        if panels:
            yield level, panels


def _ideal(items: Any) -> dict[str, Floats]:
    """Compute every score of the ideal model in each sentence, shape (m,); NaN without a human
    score.
    """
    compounds = items.of_compound()
    human = items.compounds.comp[compounds] / 5
    ones = np.ones(len(human))
    return {
        "sim_syn": ones,
        "affinity_syn_rand": ones,
        "scaled_sim_syn": ones,
        "sim_comp": human,
        "sim_words_syn": human,
        "scaled_sim_words_syn": human,
        "sim_rand": np.zeros(len(human)),
        "affinity_syn_words_syn": ones - human,
    }


def _distributions(
    name_and_title: tuple[str, str],
    groups: Mapping[str, str],
    measured: Any,
    axis: str,
    papers: tuple[str, str],
    by_class: str = "",
) -> Iterator[Figure]:
    """Draw all compounds beside an ideal model, and the compounds by class where the paper does.

    Args:
        name_and_title: The name for files, which begins with the level, and the title.
        groups: Score -> the label of its boxes.
        measured: Panels, each with score -> its value in each sentence.
        axis: The title of the axis, with the range of the values.
        papers: The paper's figures, of all compounds and by class; empty for none.
        by_class: What the figure by class should look like.
    """
    whole: list[dict[str, Any]] = []
    of_class: list[dict[str, Any]] = []
    for panel, values in measured:
        ideal = _ideal(panel.items)
        classes = panel.items.classes()
        for score, label in groups.items():
            whole.append(parts.box(values[score], label, "measured", panel.labels))
            whole.append(parts.box(ideal[score], label, "ideal model", panel.labels))
            for class_, class_label in parts.CLASS_LABELS.items():
                values_of_class = values[score][classes == class_]
                of_class.append(parts.box(values_of_class, label, class_label, panel.labels))
    name, title = name_and_title
    level = name.partition("-")[0]
    vectors = _VECTORS[level]
    yield Figure(
        name=name,
        title=f"{title}, by {vectors}",
        caption=(
            "Distributions over all sentences, by the replacement of the compound. Blue is "
            f"measured, orange is an ideal model. {_IDEAL} {parts.BOXES} "
            f"{_follows(papers[0], level)}"
        ),
        chart=parts.box_chart(whole, _IDEAL_TOO, axis, width_per_group=120),
    )
    if papers[1]:
        yield Figure(
            name=f"{name}-by-class",
            title=f"{title}, by class and {vectors}",
            caption=(
                f"The same by the experts' classes. {by_class} {parts.BOXES} "
                f"{_follows(papers[1], level)}"
            ),
            chart=parts.box_chart(of_class, parts.CLASS_COLORS, axis, width_per_group=120),
        )


PAPER = Paper(
    figures={"affinity": _affinity_figures, "scaled_similarity": _scaled_similarity_figures}
)
