"""Figures of ε-compositionality."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness_ext.show.figures.boxes import BOXES, box, box_chart
from harness_ext.show.figures.colours import BLUE, CLASS_COLOURS, CLASS_LABELS, ORANGE
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
        title="Rank shares by class",
        caption=(
            "How often, by rank, the idiomaticity-ε of a compound exceeds its baseline-ε. Idioms should lie high; at ½ "
            "(dashed) neither ε wins. The main score is the share of pairs, an idiomatic and a compositional compound "
            f"each, in which the idiomatic compound lies higher. {BOXES} This project's own figure."
        ),
        chart=box_chart(
            [one for panel in measured for one in _rank_shares(panel)],
            CLASS_COLOURS,
            "rank share, 0 to 1",
            reference=0.5,
            width_per_group=280,
        ),
    )


def _epsilons(panel: Panel) -> Iterator[dict[str, Any]]:
    samples = panel.items.usable
    classes = panel.items.classes_of_samples(samples)
    for name, label in CLASS_LABELS.items():
        inside = classes == name
        for which, values in (("idiomaticity-ε", samples.idiomaticity), ("baseline-ε", samples.baseline)):
            yield box(values[inside], f"{label} ({name})", which, panel.labels)


def _rank_shares(panel: Panel) -> Iterator[dict[str, Any]]:
    shares, classes = panel.items.rank_shares, panel.items.compounds.class_
    for name, label in CLASS_LABELS.items():
        yield box(shares[classes == name], "compounds", label, panel.labels)
