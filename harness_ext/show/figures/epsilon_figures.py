"""The figure of ε-compositionality."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

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
