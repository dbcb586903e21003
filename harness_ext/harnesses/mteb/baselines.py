"""What a task measures of an encoder's baselines, beside its texts."""

import math
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from harness_ext.common.arrays import Vectors
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.matched_noise import matched_noise
from harness_ext.measures.core.baseline_keys import (
    ADDITIVE,
    ADDITIVE_ERROR,
    ADDITIVE_FIT,
    NOISE,
    Baseline,
)
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import EncoderMeasure


class MeasuredBaselines(NamedTuple):
    """The baselines of an encoder on a plan.

    Attributes:
        items: Baseline -> its items.
        fit: As `harness_ext.encoders.additive_baseline.Bags.fit`.
        error: The standard error of the additive baseline's main score over its probes.
    """

    items: dict[Baseline, Items]
    fit: float
    error: float

    def scores(
        self,
        measure: EncoderMeasure[Any],
        items: Items,
    ) -> dict[str, float]:
        """The scores of the baselines, and how far the encoder, with these items, lies above them,
        by their keys.
        """
        scores = {ADDITIVE_FIT: self.fit, ADDITIVE_ERROR: self.error}
        for baseline, baseline_items in self.items.items():
            scores |= measure.baseline_scores(baseline, items, baseline_items, self.error)
        return {key: value for key, value in scores.items() if not math.isnan(value)}


def measure_baselines(
    measure: EncoderMeasure[Any],
    plan: Items,
    encode: TaskEncoder,
    items: Items,
    *,
    with_noise: bool = True,
) -> MeasuredBaselines:
    """Compare the baselines of an encoder as its texts are compared.

    A model that is its additive baseline has the same items, and no noise. Nor have texts of one
    word.

    Args:
        measure: The measure.
        plan: Of the texts.
        encode: The encoder, whose vectors of the texts are in memory.
        items: The plan, filled by the encoder.
        with_noise: Whether matched noise is among them.

    Raises:
        Exception: The encoder takes no single words, or its texts have no additive baseline.
    """
    if encode.is_additive:
        return MeasuredBaselines({ADDITIVE: items.of_baselines()}, 1.0, 0.0)
    plan = plan.of_baselines()
    texts = plan.texts()
    places = {text: place for place, text in enumerate(texts)}

    def compared(vectors: Vectors) -> Items:
        def encode_again(some: list[str]) -> Vectors:
            return vectors[[places[text] for text in some]]

        # the plan has no words inside a sentence, so that a function will do
        items: Items = measure.fill(plan, encode_again)  # type: ignore[arg-type]
        return items

    def main_score(items: Items) -> float:
        return measure.statistic(items, measure.main).value()

    baseline = encode.additive_baseline(texts)
    bags, fit = baseline.bags()
    by_baseline = {ADDITIVE: compared(bags)}
    if with_noise and not math.isnan(fit):
        medians = []
        for draws in matched_noise(texts, bags, fit, baseline.words):
            scored = []
            for noisy in map(compared, draws):
                scored.append(_Scored(main_score(noisy), noisy))
            medians.append(_median(scored))
        strongest = max(medians, key=attrgetter("score"))
        by_baseline[NOISE] = strongest.items
    distances = []
    for first, second in baseline.halves():
        by_first = main_score(compared(first.vectors))
        by_second = main_score(compared(second.vectors))
        distances.append(by_first - by_second)
    # two halves lie apart by twice the error of the whole
    error = math.sqrt(np.square(distances).mean()) / 2
    return MeasuredBaselines(by_baseline, fit, error)


class _Scored(NamedTuple):
    """Items, and their main score."""

    score: float
    items: Items


def _median(draws: list[_Scored]) -> _Scored:
    """The draw with the median score."""
    in_order = sorted(draws, key=attrgetter("score"))
    return in_order[len(draws) // 2]
