"""Figures of polarity sensitivity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from harness_ext.show.figures.chart import faceted, interval_layers, tick, tooltips
from harness_ext.show.figures.colours import BLUE, ORANGE, colour
from harness_ext.show.figures.figure import Figure, Panel, figure_of
from harness_ext.show.figures.score_figures import score_rows

_MODES = {"fb": "frozen encoder", "ft": "fine-tuned encoder"}
_COLOURS = dict(zip(_MODES.values(), (BLUE, ORANGE), strict=True))
_CLASSIFIERS = {"linear": "logistic regression", "dnn": "network (500 and 100 units)"}
_SCORES = {
    "accuracy": "accuracy, single sentences",
    "pss": "PSS, all pairs",
    "pss_neg_to_pos": "PSS, negative to positive",
    "pss_pos_to_neg": "PSS, positive to negative",
}


@figure_of("polarity")
def figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of a task."""
    rows = [
        {**row, "classifier": classifier_label, "score": label, "colour": mode_label}
        for panel in measured
        for classifier, classifier_label in _CLASSIFIERS.items()
        for name, label in _SCORES.items()
        for mode, mode_label in _MODES.items()
        for row in score_rows(panel, f"{mode}_{classifier}_{name}", measured)
    ]
    modes = {label: _COLOURS[label] for label in _COLOURS if any(row["colour"] == label for row in rows)}
    yield Figure(
        name="frozen-and-fine-tuned",
        title="Frozen against fine-tuned encoders, by direction",
        caption=(
            "PSS is the share of pairs, a sentence and its rewrite of opposite polarity, that a classifier labels both "
            "correctly: of all pairs and by the polarity of the original, with 95 % intervals. Accuracy is on single "
            "held-out sentences. Blue: only the classifier is trained. Orange: the encoder is trained too, by "
            "`harness-ext finetune-pss`. Grey marks are chance, ½ for accuracy and ¼ for pairs. "
            "Shows Table 1 of Bhathena, Willis, Dass 2020, Evaluating Compositionality of "
            "Sentence Representation Models, and its directions."
        ),
        chart=faceted(
            interval_layers(
                alt.X("value:Q", title="share, 0 to 1", scale=alt.Scale(domain=(0, 1))),
                alt.Y("score:N", sort=list(_SCORES.values()), title=None, axis=alt.Axis(labelLimit=200)),
                ["score:N", "colour:N", *tooltips("value", "low", "high")],
                tick("chance", 26),
                colour=colour(None, modes),
                offset=alt.YOffset("colour:N", sort=list(_COLOURS)),
            ),
            rows,
            width=260,
            height=alt.Step(30, **{"for": "position"}),
            column="classifier",
        ),
    )
