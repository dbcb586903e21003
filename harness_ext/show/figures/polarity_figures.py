"""Figures of polarity sensitivity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from harness_ext.evaluators.measure import Measure
from harness_ext.show.figures.chart import (
    BLUE,
    ORANGE,
    Figure,
    Panel,
    colour,
    faceted,
    heading,
    interval_layers,
    tick,
    tooltips,
)

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

_MODES = {"fb": "frozen encoder", "ft": "fine-tuned encoder"}
_COLOURS = dict(zip(_MODES.values(), (BLUE, ORANGE), strict=True))
_CLASSIFIERS = {"linear": "logistic regression", "dnn": "network (500 and 100 units)"}
_SCORES = {
    "accuracy": "accuracy, single sentences",
    "pss": "PSS, all pairs",
    "pss_neg_to_pos": "PSS, negative to positive",
    "pss_pos_to_neg": "PSS, positive to negative",
}


def figures(measured: Sequence[Panel], first: Entry) -> Iterator[Figure]:
    """Draw the figures of a task."""
    measure = first.measure
    yield Figure(
        name=f"{first.task}-frozen-and-fine-tuned",
        title="Frozen against fine-tuned encoders, by direction",
        caption=(
            "PSS is the share of pairs, a sentence and its rewrite of opposite polarity, that a classifier labels both "
            "correctly: of all pairs and by the polarity of the original, with 95 % intervals. Accuracy is on single "
            "held-out sentences. Blue: only the classifier is trained. Orange: the encoder is trained too, by "
            "`harness-ext finetune-pss`. Grey marks are chance, ½ for accuracy and ¼ for pairs. "
            "Shows Table 1 of Bhathena, Willis, Dass 2020, Evaluating Compositionality of "
            "Sentence Representation Models, and its directions."
        ),
        chart=_chart([row for panel in measured for row in _rows(panel, measured, measure)]),
    )


def _rows(panel: Panel, measured: Sequence[Panel], measure: Measure[Any]) -> Iterator[dict[str, Any]]:
    scores = measure.score(panel.items).flat()
    declarations = measure.declarations()
    for classifier, classifier_label in _CLASSIFIERS.items():
        for name, label in _SCORES.items():
            for mode, mode_label in _MODES.items():
                key = f"{mode}_{classifier}_{name}"
                if key not in scores:
                    continue
                score, _ = declarations[key]
                low, high = math.nan, math.nan
                if score.resampled:
                    low, high = measure.interval(panel.items, key)
                yield {"model": heading(panel, measured), "classifier": classifier_label, "score": label,
                       "colour": mode_label, "value": scores[key], "low": low, "high": high,
                       "chance": score.chance}  # fmt: skip


def _chart(rows: list[dict[str, Any]]) -> alt.FacetChart:
    y = alt.Y("score:N", sort=list(_SCORES.values()), title=None, axis=alt.Axis(labelLimit=200))
    x = alt.X("value:Q", title="share, 0 to 1", scale=alt.Scale(domain=(0, 1)))
    mode = colour(None, {label: _COLOURS[label] for label in _COLOURS if any(row["colour"] == label for row in rows)})
    tooltip = ["score:N", "colour:N", *tooltips("value", "low", "high")]
    offset = alt.YOffset("colour:N", sort=list(_COLOURS))
    layers = interval_layers(x, y, tooltip, tick("chance", 26), colour=mode, offset=offset)
    return faceted(layers, rows, width=260, height=alt.Step(30, **{"for": "position"}), column="classifier")
