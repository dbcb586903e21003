"""Scaled Similarity of what replaces a noun compound: scores of the items of `similarity`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness_ext.arrays import Array, Floats
from harness_ext.data.compounds import CompoundWithProbes
from harness_ext.evaluators.axes import CLASS, LEVEL
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.scores import Axis, Scores, count, declared
from harness_ext.evaluators.similarity import (
    CONTROL,
    CORRELATION,
    MEAN,
    MEAN_OF_CLASS,
    N_UNSCORED,
    N_ZERO_VECTOR,
    RANK_CORRELATION,
    SPAN_LEVEL,
    SPEARMAN_LENGTH,
    SPEARMAN_P,
    STD,
    SimilarityItems,
    descriptives,
    length_statistic,
    n_excluded,
    sentence_statistic,
    similarity_plan,
)
from harness_ext.evaluators.wording import Consequences, Wording
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.statistic import Statistic, average, of_units

SCALED_SIMILARITIES = Axis(
    "measure",
    {
        "scaled_sim_syn": "Sim_R(syn), of the gold synonym",
        "scaled_sim_words_syn": "Sim_R(words_syn), of the word-by-word synonym",
    },
)
_VALUES = (-math.inf, 1)


def scaled_similarities(items: SimilarityItems, level: str) -> dict[str, Floats]:
    """Each of `SCALED_SIMILARITIES` in each sentence, shape (m,); NaN for a sentence without a scale."""
    sim = items.sim(level)
    room = np.where(1 - sim["rand"] <= NO_DISTANCE, np.nan, 1 - sim["rand"])
    return {f"scaled_sim_{probe}": (sim[probe] - sim["rand"]) / room for probe in ("syn", "words_syn")}


def _per_compound(items: SimilarityItems, place: Mapping[str, str]) -> Statistic:
    means = items.per_compound(scaled_similarities(items, place["level"])["scaled_sim_syn"])
    return of_units(average, items.compounds.compound, means)


def _per_controlled_compound(items: SimilarityItems, place: Mapping[str, str]) -> Statistic:
    return _per_compound(items, place).restrict(items.compounds.compound[items.controlled()])


def _of_sentences(items: SimilarityItems, place: Mapping[str, str]) -> Statistic:
    return sentence_statistic(items, scaled_similarities(items, place["level"])[place["measure"]], place)


def _of_length(items: SimilarityItems, place: Mapping[str, str]) -> Statistic:
    return length_statistic(items, scaled_similarities(items, place["level"])[place["measure"]])


@dataclass(frozen=True)
class ScaledSimilarityScores(Scores):
    """The scores of Scaled Similarity; arrays over `LEVEL`, `SCALED_SIMILARITIES`, and classes or correlations."""

    scaled_sim_syn: Floats = declared(
        "how much of its sentence the gold synonym of a compound keeps",
        "mean over compounds of the mean over their sentences of (Sim(syn) − Sim(rand)) / (1 − Sim(rand))",
        range=_VALUES,
        direction="higher",
        chance=0,
        source="NCIMP, Scaled Similarity; Table 13",
        key="{level}_scaled_sim_syn",
        axes=(LEVEL,),
        interval=True,
        statistic=_per_compound,
        smallest_effect=0.05,
        not_in_interval="the sentences and the synonyms that were chosen for each compound, and the prompt",
    )
    scaled_sim_syn_controlled: Floats = declared(
        "the same where counting words tells nothing",
        f"the mean over compounds, {CONTROL}",
        range=_VALUES,
        direction="higher",
        chance=0,
        source="this project; NCIMP Tables 14 and 15 leave out shared words",
        key="{level}_scaled_sim_syn_controlled",
        axes=(LEVEL,),
        interval=True,
        statistic=_per_controlled_compound,
        smallest_effect=0.05,
    )
    mean: Floats = declared(
        **MEAN,
        statistic=_of_sentences,
        range=_VALUES,
        source="NCIMP Table 13",
        axes=(LEVEL, SCALED_SIMILARITIES),
    )
    std: Floats = declared(**STD, source="NCIMP Table 13", axes=(LEVEL, SCALED_SIMILARITIES))
    mean_of_class: Floats = declared(
        **MEAN_OF_CLASS, statistic=_of_sentences, range=_VALUES, axes=(LEVEL, SCALED_SIMILARITIES, CLASS)
    )
    correlation: Floats = declared(
        **RANK_CORRELATION,
        statistic=_of_sentences,
        source="NCIMP Tables 6 and 15",
        axes=(LEVEL, SCALED_SIMILARITIES, CORRELATION),
    )
    spearman_p: Floats = declared(**SPEARMAN_P, axes=(LEVEL, SCALED_SIMILARITIES))
    spearman_length: Floats = declared(**SPEARMAN_LENGTH, statistic=_of_length, axes=(LEVEL, SCALED_SIMILARITIES))
    span_level: int = declared(**SPAN_LEVEL)
    n_excluded_zero_vector: Array = declared(**N_ZERO_VECTOR)
    n_excluded_zero_scale: Array = count(
        "sentences without a scale",
        "sentences that are left out because Sim(rand) = 1: unrelated expressions keep all of the original",
        key="n_excluded_zero_scale_{level}",
        axes=(LEVEL,),
    )
    n_excluded_unscored: int = declared(**N_UNSCORED)


def _descriptives(items: SimilarityItems) -> dict[str, Any]:
    no_room = [1 - items.sim(level)["rand"] <= NO_DISTANCE for level in LEVEL.values]
    return {
        **descriptives(items, [scaled_similarities(items, level) for level in LEVEL.values]),
        "n_excluded_zero_scale": n_excluded(items, no_room),
    }


_WORDING = Wording(
    question="How much of its sentence does a compound's synonym keep?",
    score="On a scale from unrelated expressions (0) to the original (1), a compound's own synonym gets {value}.",
    chance=Consequences(
        "An unrelated expression",
        above=(
            "A good paraphrase keeps a sentence nearer to the original than a random expression does. The figure says "
            "how much nearer."
        ),
        below="A good paraphrase moves a sentence farther than a random expression does.",
    ),
    right=(
        "Sim_R(syn) should be near 1 for every compound: its synonym keeps the sentence. Unrelated expressions have 0."
    ),
)

SCALED_SIMILARITY = Measure(
    name="scaled_similarity",
    version=3,
    question="How near do synonyms keep a sentence to itself, on the scale from unrelated expressions?",
    needs=CompoundWithProbes,
    plan=similarity_plan,
    main="sentence_scaled_sim_syn",
    controlled="sentence_scaled_sim_syn_controlled",
    unit="compound",
    items=SimilarityItems,
    scores=ScaledSimilarityScores,
    descriptives=_descriptives,
    wording=_WORDING,
)
