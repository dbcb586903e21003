"""ε-compositionality as its paper shows it (Wold et al.): the name that it has for a model, and its
Fig. 2.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from harness_ext.measures.core.scores import CLASS
from harness_ext.measures.epsilon.compositionality import (
    baseline_epsilon,
    idiomaticity_epsilon,
    rank_shares,
)
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel
from harness_ext.show.model_labels import listed
from harness_ext.show.paper import Paper

_SIGNIFICANT = 0.05
_NAMES = {
    (): "compositionally-inclined",
    ("PC", "NC"): "human-aligned",
    ("C", "PC", "NC"): "anti-compositional",
}
"""Classes treated as whole -> the name that the paper has for it."""


def interpretation(scores: Mapping[str, float]) -> str:
    """Write the paper's interpretation on a model (Section 5), from the classes whose p-values are
    below .05.

    Such a class is treated as a whole, not word by word. Empty without the p-values of all three
    classes.
    """
    wholes = []
    for name in CLASS.values:
        p_value = scores.get(f"p_value_{name}")
        if p_value is None:
            return ""
        if p_value < _SIGNIFICANT:
            wholes.append(name)
    if tuple(wholes) in _NAMES:
        return _NAMES[tuple(wholes)]
    alone = " alone" if len(wholes) == 1 else ""
    return f"{listed(wholes)}{alone} treated as whole"


_EPSILONS = {"idiomaticity-ε": parts.BLUE, "baseline-ε": parts.ORANGE}


def _figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    yield _rank_share_figure(measured)
    boxes = chain.from_iterable(map(_boxes, measured))
    yield Figure(
        name="epsilons",
        title="Idiomaticity-ε and baseline-ε by class",
        caption=(
            "The change of a sentence when a word of its compound is replaced, relative to the "
            "change of the word itself. Blue: a synonym replaces the compound's own word, "
            "idiomaticity-ε. Orange: one synonym replaces another, baseline-ε. For literal "
            "compounds both should be alike; for idiomatic compounds the blue box should lie "
            f"higher. Every panel has its own axis. {parts.BOXES} Follows Fig. 2 of Wold et al., "
            "Measuring Idiomaticity in Text Embedding Models with ε-compositionality."
        ),
        chart=parts.box_chart(
            list(boxes),
            _EPSILONS,
            "ε = d(in sentence) / d(alone) − 1, from −1",
            width_per_group=130,
            own_scale=True,
        ),
    )


def _rank_share_figure(measured: Sequence[Panel]) -> Figure:
    """Draw what the main score compares: a value per compound."""
    boxes: list[dict[str, Any]] = []
    for panel in measured:
        shares = rank_shares(panel.items)
        classes = panel.items.compounds.class_
        for name, label in parts.CLASS_LABELS.items():
            group = f"{label} ({name})"
            boxes.append(parts.box(shares[classes == name], group, "rank share", panel.labels))
    return Figure(
        name="rank-shares",
        title="How much more than words each compound changes its sentences, by class",
        caption=(
            "A value is the rank share of a compound: above .5, its sentences change more often, "
            "and by more, when a synonym replaces the compound's own word than when one synonym "
            "replaces another. The main score is the share of pairs of an idiomatic and a literal "
            f"compound in which the idiomatic one has the higher rank share. {parts.BOXES} Not a "
            "paper's figure."
        ),
        chart=parts.box_chart(
            boxes,
            {"rank share": parts.BLUE},
            "rank share, 0 to 1",
            width_per_group=130,
        ),
    )


def _boxes(panel: Panel) -> Iterator[dict[str, Any]]:
    samples = panel.items.usable
    classes = panel.items.classes_of_usable
    epsilons = {
        "idiomaticity-ε": idiomaticity_epsilon(samples),
        "baseline-ε": baseline_epsilon(samples),
    }
    for name, label in parts.CLASS_LABELS.items():
        is_of_class = classes == name
        for which, values in epsilons.items():
            yield parts.box(values[is_of_class], f"{label} ({name})", which, panel.labels)


PAPER = Paper(
    figures={"epsilon": _figures},
    name="EPS",
    interpretation=interpretation,
    caution=(
        "EPS (Wold et al.) names a model by its p-values, such as compositionally-inclined. With "
        "many pairs a small effect is significant too. The size of the effect is the rank share of "
        "each class, where .5 means none."
    ),
    in_text={
        "Muennighoff/SGPT-125M-weightedmean-nli-bitfit": "anti-compositional",
        "google-bert/bert-base-uncased (pooling=cls+sep)": "to a lesser extent human-aligned",
    },
)
