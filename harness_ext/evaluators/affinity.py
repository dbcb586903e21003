"""Similarity and Affinity of what replaces a noun compound: scores of the items of `similarity`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.axes import CLASS, LEVEL
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.scores import Axis, Scores, declared
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
from harness_ext.evaluators.statistics.correlation import known_mean, spearman
from harness_ext.evaluators.statistics.distance import NO_DISTANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

AFFINITIES = Axis(
    "measure",
    {
        "sim_syn": "Sim(syn), of the gold synonym",
        "sim_comp": "Sim(comp), of the one word of the compound that is nearer to the original",
        "sim_words_syn": "Sim(words_syn), of the word-by-word synonym",
        "sim_rand": "Sim(rand), mean of the unrelated expressions",
        "affinity_syn_words_syn": "Sim(syn) − Sim(words_syn)",
        "affinity_syn_rand": "Sim(syn) − Sim(rand)",
    },
)


@dataclass(frozen=True)
class AffinityScores(Scores):
    """The scores of Similarity and Affinity; arrays over `LEVEL`, `AFFINITIES`, and classes or correlations."""

    forced_choice_nc: NDArray[np.float64] = declared(
        "how often the synonym of an idiom wins over the synonyms of its words",
        "share of the experts' NC compounds with mean Sim(syn) − Sim(words_syn) > 0, ½ for 0",
        range=(0, 1),
        direction="higher",
        chance=0.5,
        source="this project, from NCIMP's Affinity",
        key="{level}_forced_choice_nc",
        axes=(LEVEL,),
        interval=True,
    )
    mean: NDArray[np.float64] = declared(
        **MEAN, range=(-2, 2), source="NCIMP Tables 10, 11 and, over both levels, 12", axes=(LEVEL, AFFINITIES)
    )
    std: NDArray[np.float64] = declared(
        **STD, source="NCIMP Tables 10, 11 and, over both levels, 12", axes=(LEVEL, AFFINITIES)
    )
    mean_of_class: NDArray[np.float64] = declared(**MEAN_OF_CLASS, range=(-2, 2), axes=(LEVEL, AFFINITIES, CLASS))
    correlation: NDArray[np.float64] = declared(
        **RANK_CORRELATION, source="NCIMP Tables 2, 3, 5 and 14", axes=(LEVEL, AFFINITIES, CORRELATION)
    )
    spearman_p: NDArray[np.float64] = declared(**SPEARMAN_P, axes=(LEVEL, AFFINITIES))
    spearman_length: NDArray[np.float64] = declared(**SPEARMAN_LENGTH, axes=(LEVEL, AFFINITIES))
    spearman_standardised: NDArray[np.float64] = declared(
        "whether few dimensions rule the similarities",
        "Spearman's ρ over the sentences of Sim(syn) with Sim(syn) after z-scoring every dimension",
        range=(-1, 1),
        source="NCIMP Table 16",
        key="{level}_sim_syn_spearman_standardised",
        axes=(LEVEL,),
    )
    span_level: int = declared(**SPAN_LEVEL)
    n_excluded_zero_vector: NDArray[Any] = declared(**N_ZERO_VECTOR)
    n_excluded_unscored: int = declared(**N_UNSCORED)


def affinity(items: SimilarityItems) -> AffinityScores:
    """Similarities and affinities, and how often the gold synonym of an idiom wins over its word-by-word one."""
    sims = [items.sim(level) for level in LEVEL.values]
    return AffinityScores(
        forced_choice_nc=np.array([known_mean(_choices(items, level)) for level in LEVEL.values]),
        **statistics(items, [affinities(items, level) for level in LEVEL.values]),
        spearman_standardised=np.array([spearman(sim["syn"], sim["standardised"])[0] for sim in sims]),
        span_level=int(items.has("span")),
        n_excluded_zero_vector=n_excluded(items, [np.isnan(sim["syn"]) for sim in sims]),
        n_excluded_unscored=int((~items.has_scores()).sum()),
    )


def affinities(items: SimilarityItems, level: str) -> dict[str, NDArray[np.float64]]:
    """Each of `AFFINITIES` in each sentence, shape (m,); NaN where one of the vectors is zero."""
    sim = items.sim(level)
    return {
        **{f"sim_{probe}": sim[probe] for probe in ("syn", "comp", "words_syn", "rand")},
        "affinity_syn_words_syn": sim["syn"] - sim["words_syn"],
        "affinity_syn_rand": sim["syn"] - sim["rand"],
    }


def _choices(items: SimilarityItems, level: str) -> NDArray[np.float64]:
    """1 for an idiom whose gold synonym wins, 0 for one whose word-by-word synonym does, ½ for a tie, NaN for others.

    Shape (number of compounds,).
    """
    per_compound = items.per_compound(affinities(items, level)["affinity_syn_words_syn"])
    choices = np.where(np.abs(per_compound) <= NO_DISTANCE, 0.5, per_compound > 0)
    return np.where((items.compounds.class_ == "NC") & ~np.isnan(per_compound), choices, np.nan)


def affinity_resamples(items: SimilarityItems, key: str) -> NDArray[np.float64]:
    """A score on resamples of the compounds, shape (`N_RESAMPLES`,); NaN where it is not defined."""
    _, place = AffinityScores.by_key()[key]
    if "measure" in place:
        return statistic_resamples(items, affinities(items, place["level"])[place["measure"]], place)
    choices = _choices(items, place["level"])
    return resample((choices[~np.isnan(choices)],), np.mean)


def affinity_units(items: SimilarityItems) -> NDArray[np.str_]:
    """The compounds that enter the main score, in the order of the dataset."""
    units: NDArray[np.str_] = items.compounds.compound[~np.isnan(_choices(items, "sentence"))]
    return units


AFFINITY = Measure(
    name="affinity",
    version=1,
    main="sentence_forced_choice_nc",
    unit="compound",
    items=SimilarityItems,
    scores=AffinityScores,
    score=affinity,
    resamples=affinity_resamples,
    units=affinity_units,
)
