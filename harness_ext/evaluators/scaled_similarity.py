"""Scaled Similarity of what replaces a noun compound: scores of the items of `similarity`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from harness_ext.arrays import Array, Floats
from harness_ext.data.compounds import CompoundRow
from harness_ext.data.rows import part_of
from harness_ext.evaluators.similarity import (
    N_UNSCORED,
    N_ZERO_VECTOR,
    SPAN_LEVEL,
    SentenceScores,
    SimilarityItems,
    controlled,
    excluded_sentences,
    similarity_plan,
)
from harness_ext.framework.measure import Measure
from harness_ext.framework.scores import LEVEL, Axis, Place, Scores, declared
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.statistic import Statistic, average, of_units

SCALED_SIMILARITIES = Axis(
    "measure",
    {
        "scaled_sim_syn": "Sim_R(syn), of the gold synonym",
        "scaled_sim_words_syn": "Sim_R(words_syn), of the word-by-word synonym",
    },
)


def scaled_similarities(items: SimilarityItems, level: str) -> dict[str, Floats]:
    """Each of `SCALED_SIMILARITIES` in each sentence, shape (m,); NaN for a sentence without a scale."""
    sim = items.sim[level]
    room = np.where(1 - sim["rand"] <= NO_DISTANCE, np.nan, 1 - sim["rand"])
    return {f"scaled_sim_{probe}": (sim[probe] - sim["rand"]) / room for probe in ("syn", "words_syn")}


def _per_compound(items: SimilarityItems, place: Place) -> Statistic:
    means = items.per_compound(scaled_similarities(items, place["level"])["scaled_sim_syn"])
    return of_units(average, items.compounds.compound, means)


_OF_SENTENCES = SentenceScores(SCALED_SIMILARITIES, scaled_similarities, range=(-math.inf, 1))


@dataclass(frozen=True)
class ScaledSimilarityScores(Scores):
    """The scores of Scaled Similarity; arrays over `LEVEL`, `SCALED_SIMILARITIES`, and classes or correlations."""

    scaled_sim_syn: Floats = declared(
        "how much of its sentence the gold synonym of a compound keeps",
        "mean over compounds of the mean over their sentences of (Sim(syn) − Sim(rand)) / (1 − Sim(rand))",
        range=_OF_SENTENCES.range,
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
    scaled_sim_syn_controlled: Floats = controlled(scaled_sim_syn, "the mean over compounds")
    mean: Floats = _OF_SENTENCES.mean("NCIMP Table 13")
    std: Floats = _OF_SENTENCES.std("NCIMP Table 13")
    mean_of_class: Floats = _OF_SENTENCES.mean_of_class()
    correlation: Floats = _OF_SENTENCES.correlation("NCIMP Tables 6 and 15")
    spearman_p: Floats = _OF_SENTENCES.spearman_p()
    spearman_length: Floats = _OF_SENTENCES.spearman_length()
    span_level: int = SPAN_LEVEL
    n_excluded_zero_vector: Array = N_ZERO_VECTOR
    n_excluded_zero_scale: Array = excluded_sentences(
        "sentences without a scale",
        "sentences that are left out because Sim(rand) = 1: unrelated expressions keep all of the original",
        "zero_scale",
        lambda sim: 1 - sim["rand"] <= NO_DISTANCE,
    )
    n_excluded_unscored: int = N_UNSCORED


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
    right="Every compound should be near 1: its synonym keeps the sentence. Unrelated expressions have 0.",
)

SCALED_SIMILARITY = Measure(
    name="scaled_similarity",
    version=6,
    needs=part_of(
        CompoundRow,
        *("id", "compound", "surface", "expert_class", "comp", "type_score", "sentence", "span"),
        *("syn", "words_syn", "rand"),
    ),
    plan=similarity_plan,
    main="sentence_scaled_sim_syn",
    controlled="sentence_scaled_sim_syn_controlled",
    unit="compound",
    items=SimilarityItems,
    scores=ScaledSimilarityScores,
    wording=_WORDING,
)
