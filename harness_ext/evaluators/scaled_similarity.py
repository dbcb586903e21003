"""Scaled Similarity of what replaces a noun compound: scores of the items of `similarity`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.axes import CLASS, LEVEL
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.scores import COUNT, Axis, Scores, declared
from harness_ext.evaluators.similarity import (
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
    n_excluded,
    statistic_resamples,
    statistics,
)
from harness_ext.evaluators.statistics.bootstrap import resample
from harness_ext.evaluators.statistics.correlation import known_mean
from harness_ext.evaluators.statistics.distance import NO_DISTANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCALED_SIMILARITIES = Axis(
    "measure",
    {
        "scaled_sim_syn": "Sim_R(syn), of the gold synonym",
        "scaled_sim_words_syn": "Sim_R(words_syn), of the word-by-word synonym",
    },
)
_VALUES = (-math.inf, 1)


@dataclass(frozen=True)
class ScaledSimilarityScores(Scores):
    """The scores of Scaled Similarity; arrays over `LEVEL`, `SCALED_SIMILARITIES`, and classes or correlations."""

    scaled_sim_syn: NDArray[np.float64] = declared(
        "how much of its sentence the gold synonym of a compound keeps",
        "mean over compounds of the mean over their sentences of (Sim(syn) − Sim(rand)) / (1 − Sim(rand))",
        range=_VALUES,
        direction="higher",
        chance=0,
        source="NCIMP, Scaled Similarity; Table 13",
        key="{level}_scaled_sim_syn",
        axes=(LEVEL,),
        interval=True,
    )
    mean: NDArray[np.float64] = declared(
        **MEAN, range=_VALUES, source="NCIMP Table 13", axes=(LEVEL, SCALED_SIMILARITIES)
    )
    std: NDArray[np.float64] = declared(**STD, source="NCIMP Table 13", axes=(LEVEL, SCALED_SIMILARITIES))
    mean_of_class: NDArray[np.float64] = declared(
        **MEAN_OF_CLASS, range=_VALUES, axes=(LEVEL, SCALED_SIMILARITIES, CLASS)
    )
    correlation: NDArray[np.float64] = declared(
        **RANK_CORRELATION, source="NCIMP Tables 6 and 15", axes=(LEVEL, SCALED_SIMILARITIES, CORRELATION)
    )
    spearman_p: NDArray[np.float64] = declared(**SPEARMAN_P, axes=(LEVEL, SCALED_SIMILARITIES))
    spearman_length: NDArray[np.float64] = declared(**SPEARMAN_LENGTH, axes=(LEVEL, SCALED_SIMILARITIES))
    span_level: int = declared(**SPAN_LEVEL)
    n_excluded_zero_vector: NDArray[Any] = declared(**N_ZERO_VECTOR)
    n_excluded_zero_scale: NDArray[Any] = declared(
        "sentences without a scale",
        "sentences that are left out because Sim(rand) = 1: unrelated expressions keep all of the original",
        range=COUNT,
        source="this project",
        key="n_excluded_zero_scale_{level}",
        axes=(LEVEL,),
    )
    n_excluded_unscored: int = declared(**N_UNSCORED)


def scaled_similarity(items: SimilarityItems) -> ScaledSimilarityScores:
    """Similarity to the original on a scale from unrelated expressions, 0, to the original itself, 1.

    Negative for a probe that is less similar than unrelated expressions.
    """
    sims = [items.sim(level) for level in LEVEL.values]
    values = [scaled_similarities(items, level) for level in LEVEL.values]
    return ScaledSimilarityScores(
        scaled_sim_syn=np.array([known_mean(items.per_compound(of_level["scaled_sim_syn"])) for of_level in values]),
        **statistics(items, values),
        span_level=int(items.has("span")),
        n_excluded_zero_vector=n_excluded(items, [np.isnan(sim["syn"]) for sim in sims]),
        n_excluded_zero_scale=n_excluded(items, [1 - sim["rand"] <= NO_DISTANCE for sim in sims]),
        n_excluded_unscored=int((~items.has_scores()).sum()),
    )


def scaled_similarities(items: SimilarityItems, level: str) -> dict[str, NDArray[np.float64]]:
    """Each of `SCALED_SIMILARITIES` in each sentence, shape (m,); NaN for a sentence without a scale."""
    sim = items.sim(level)
    room = np.where(1 - sim["rand"] <= NO_DISTANCE, np.nan, 1 - sim["rand"])
    return {f"scaled_sim_{probe}": (sim[probe] - sim["rand"]) / room for probe in ("syn", "words_syn")}


def scaled_similarity_resamples(items: SimilarityItems, key: str) -> NDArray[np.float64]:
    """A score on resamples of the compounds, shape (`N_RESAMPLES`,); NaN where it is not defined."""
    _, place = ScaledSimilarityScores.by_key()[key]
    values = scaled_similarities(items, place["level"])
    if "measure" in place:
        return statistic_resamples(items, values[place["measure"]], place)
    per_compound = items.per_compound(values["scaled_sim_syn"])
    return resample((per_compound[~np.isnan(per_compound)],), np.mean)


def scaled_similarity_units(items: SimilarityItems) -> NDArray[np.str_]:
    """The compounds that enter the main score, in the order of the dataset."""
    per_compound = items.per_compound(scaled_similarities(items, "sentence")["scaled_sim_syn"])
    units: NDArray[np.str_] = items.compounds.compound[~np.isnan(per_compound)]
    return units


SCALED_SIMILARITY = Measure(
    name="scaled_similarity",
    version=1,
    main="sentence_scaled_sim_syn",
    unit="compound",
    items=SimilarityItems,
    scores=ScaledSimilarityScores,
    score=scaled_similarity,
    resamples=scaled_similarity_resamples,
    units=scaled_similarity_units,
)
