"""What a task measures of an encoder's baselines, beside its texts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from harness_ext.common.arrays import Vectors
from harness_ext.data.words import words_of
from harness_ext.encoders.additive_baseline import AdditiveBaseline
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.matched_noise import KINDS, matched_noise
from harness_ext.measures.core.baseline_keys import (
    ADDITIVE,
    ADDITIVE_FIT,
    NOISE,
    Baseline,
    additive_error_key,
    noise_kind_key,
)
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import EncoderMeasure


class MeasuredBaselines(NamedTuple):
    """The baselines of an encoder on a plan.

    Attributes:
        items: Baseline -> its items.
        fit: As `harness_ext.encoders.additive_baseline.Bags.fit`.
        errors: Key of each score that is compared -> the standard error of the additive baseline's
            score over its probes.
        noise_scores: Key of a kind of noise -> its score; none without noise.
    """

    items: dict[Baseline, Items]
    fit: float
    errors: Mapping[str, float]
    noise_scores: Mapping[str, float] = {}

    def scores(
        self,
        measure: EncoderMeasure[Any],
        items: Items,
    ) -> dict[str, float]:
        """The scores of the baselines, and how far the encoder, with these items, lies above them,
        by their keys.
        """
        scores = {ADDITIVE_FIT: self.fit}
        for key, error in self.errors.items():
            scores[additive_error_key(key, measure.main)] = error
            for baseline, baseline_items in self.items.items():
                scores |= measure.baseline_scores(baseline, items, baseline_items, error, key)
        scores |= self.noise_scores
        return {key: value for key, value in scores.items() if not math.isnan(value)}


class _ScoredItems(NamedTuple):
    """Items, and their main score."""

    score: float
    items: Items


class _Comparison:
    """How the texts of a plan are compared, whatever their vectors."""

    def __init__(self, measure: EncoderMeasure[Any], plan: Items) -> None:
        self._measure = measure
        self._plan = plan
        self.texts = plan.texts()
        self._places = {text: place for place, text in enumerate(self.texts)}

    def items(self, vectors: Vectors) -> Items:
        """The plan, filled with vectors of its texts, shape (n, d)."""

        def encode(texts: list[str]) -> Vectors:
            return vectors[[self._places[text] for text in texts]]

        # the plan has no words inside a sentence, so that a function will do
        items: Items = self._measure.fill(self._plan, encode)  # type: ignore[arg-type]
        return items

    def main_score(self, items: Items) -> float:
        """The main score of items."""
        return self.score(items, self._measure.main)

    def score(self, items: Items, key: str) -> float:
        """A score of items."""
        return self._measure.statistic(items, key).value()

    def median(self, draws: Iterable[Vectors]) -> _ScoredItems:
        """The draw with the median main score, of vectors of each draw."""
        scored = []
        for vectors in draws:
            items = self.items(vectors)
            scored.append(_ScoredItems(self.main_score(items), items))
        scored.sort(key=attrgetter("score"))
        return scored[len(scored) // 2]


def measure_baselines(
    measure: EncoderMeasure[Any],
    plan: Items,
    encode: TaskEncoder,
    items: Items,
    *,
    with_noise: bool = True,
) -> MeasuredBaselines:
    """Compare the baselines of an encoder as its texts are compared.

    A model that is its additive baseline has the same items, and no noise. There is no noise
    either if all texts have one word. A draw of noise stands for its kind by the main score alone.

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
        errors = dict.fromkeys(measure.compared_keys, 0.0)
        return MeasuredBaselines({ADDITIVE: items.of_baselines()}, 1.0, errors)
    comparison = _Comparison(measure, plan.of_baselines())
    baseline = encode.additive_baseline(comparison.texts)
    bags, fit = baseline.bags()
    by_baseline = {ADDITIVE: comparison.items(bags)}
    noise_scores: dict[str, float] = {}
    if with_noise and not math.isnan(fit):
        texts = _keyed(comparison.texts, encode.word_keys(baseline))
        medians = []
        for kind in KINDS:
            median = comparison.median(matched_noise(kind, texts, bags, fit))
            for key in measure.compared_keys:
                noise_scores[noise_kind_key(kind, key)] = comparison.score(median.items, key)
            medians.append(median)
        strongest = max(medians, key=attrgetter("score"))
        by_baseline[NOISE] = strongest.items
    errors = _errors(comparison, baseline, measure.compared_keys)
    return MeasuredBaselines(by_baseline, fit, errors, noise_scores)


def _keyed(
    texts: Sequence[str],
    keys: Mapping[str, str],
) -> list[list[str]]:
    """The keys of the words of each text, without words that have none."""
    keyed = []
    for text in texts:
        known = [keys[word] for word in words_of(text) if word in keys]
        keyed.append(known)
    return keyed


def _errors(
    comparison: _Comparison,
    baseline: AdditiveBaseline,
    keys: Iterable[str],
) -> dict[str, float]:
    """The standard error of each score of the additive baseline over its probes, from halves of
    them.
    """
    halves: list[tuple[Items, Items]] = []
    for first, second in baseline.halves():
        halves.append((comparison.items(first.vectors), comparison.items(second.vectors)))
    errors: dict[str, float] = {}
    for key in keys:
        distances = [
            comparison.score(first, key) - comparison.score(second, key) for first, second in halves
        ]
        # two halves of equal size lie apart by twice the error of the whole
        errors[key] = math.sqrt(np.square(distances).mean()) / 2
    return errors
