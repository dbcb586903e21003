"""Similarity and Affinity of what replaces a noun compound: scores of the items of `similarity`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from harness_ext.arrays import Array, Floats
from harness_ext.data.compounds import CompoundWithWords
from harness_ext.evaluators.axes import CLASS, LEVEL
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.scores import Axis, Scores, declared, proportion
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
    sentence_statistic,
    similarity_plan,
    standardised_fill,
)
from harness_ext.evaluators.wording import Consequences, Wording
from harness_ext.statistics.correlation import spearman
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.statistic import Statistic, average, of_units

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


def affinities(items: SimilarityItems, level: str) -> dict[str, Floats]:
    """Each of `AFFINITIES` in each sentence, shape (m,); NaN where one of the vectors is zero."""
    sim = items.sim(level)
    return {
        **{f"sim_{probe}": sim[probe] for probe in ("syn", "comp", "words_syn", "rand")},
        "affinity_syn_words_syn": sim["syn"] - sim["words_syn"],
        "affinity_syn_rand": sim["syn"] - sim["rand"],
    }


def _forced_choice(items: SimilarityItems, place: Mapping[str, str]) -> Statistic:
    """Of each idiom 1 if its gold synonym wins, 0 if its word-by-word synonym does, ½ for a tie."""
    idioms = items.compounds.class_ == "NC"
    affinity = items.per_compound(affinities(items, place["level"])["affinity_syn_words_syn"])[idioms]
    choices = np.where(np.abs(affinity) <= NO_DISTANCE, 0.5, affinity > 0)
    return of_units(average, items.compounds.compound[idioms], np.where(np.isnan(affinity), np.nan, choices))


def _forced_choice_controlled(items: SimilarityItems, place: Mapping[str, str]) -> Statistic:
    return _forced_choice(items, place).restrict(items.compounds.compound[items.controlled()])


def _of_sentences(items: SimilarityItems, place: Mapping[str, str]) -> Statistic:
    return sentence_statistic(items, affinities(items, place["level"])[place["measure"]], place)


def _of_length(items: SimilarityItems, place: Mapping[str, str]) -> Statistic:
    return length_statistic(items, affinities(items, place["level"])[place["measure"]])


@dataclass(frozen=True)
class AffinityScores(Scores):
    """The scores of Similarity and Affinity; arrays over `LEVEL`, `AFFINITIES`, and classes or correlations."""

    forced_choice_nc: Floats = proportion(
        "how often the synonym of an idiom wins over the synonyms of its words",
        "share of the experts' NC compounds with mean Sim(syn) − Sim(words_syn) > 0, ½ for 0",
        direction="higher",
        chance=0.5,
        source="this project, from NCIMP's Affinity",
        key="{level}_forced_choice_nc",
        axes=(LEVEL,),
        interval=True,
        statistic=_forced_choice,
        not_in_interval="the sentences and the synonyms that were chosen for each compound, and the prompt",
    )
    forced_choice_nc_controlled: Floats = proportion(
        "the same where counting words tells nothing",
        f"the forced choice, {CONTROL}",
        direction="higher",
        chance=0.5,
        source="this project; NCIMP Tables 14 and 15 leave out shared words",
        key="{level}_forced_choice_nc_controlled",
        axes=(LEVEL,),
        interval=True,
        statistic=_forced_choice_controlled,
    )
    mean: Floats = declared(
        **MEAN,
        statistic=_of_sentences,
        range=(-2, 2),
        source="NCIMP Tables 10, 11 and, over both levels, 12",
        axes=(LEVEL, AFFINITIES),
    )
    std: Floats = declared(**STD, source="NCIMP Tables 10, 11 and, over both levels, 12", axes=(LEVEL, AFFINITIES))
    mean_of_class: Floats = declared(
        **MEAN_OF_CLASS, statistic=_of_sentences, range=(-2, 2), axes=(LEVEL, AFFINITIES, CLASS)
    )
    correlation: Floats = declared(
        **RANK_CORRELATION,
        statistic=_of_sentences,
        source="NCIMP Tables 2, 3, 5 and 14",
        axes=(LEVEL, AFFINITIES, CORRELATION),
    )
    spearman_p: Floats = declared(**SPEARMAN_P, axes=(LEVEL, AFFINITIES))
    spearman_length: Floats = declared(**SPEARMAN_LENGTH, statistic=_of_length, axes=(LEVEL, AFFINITIES))
    spearman_standardised: Floats = declared(
        "whether few dimensions rule the similarities",
        "Spearman's ρ over the sentences of Sim(syn) with Sim(syn) after z-scoring every dimension",
        range=(-1, 1),
        source="NCIMP Table 16",
        key="{level}_sim_syn_spearman_standardised",
        axes=(LEVEL,),
    )
    span_level: int = declared(**SPAN_LEVEL)
    n_excluded_zero_vector: Array = declared(**N_ZERO_VECTOR)
    n_excluded_unscored: int = declared(**N_UNSCORED)


def _descriptives(items: SimilarityItems) -> dict[str, Any]:
    sims = [items.sim(level) for level in LEVEL.values]
    return {
        **descriptives(items, [affinities(items, level) for level in LEVEL.values]),
        "spearman_standardised": np.array([spearman(sim["syn"], sim["standardised"])[0] for sim in sims]),
    }


_WORDING = Wording(
    question="In the sentence of an idiom, is a synonym of the whole nearer than synonyms of its words?",
    score="For {value} of the idioms, the synonym of the whole idiom wins over synonyms of its single words.",
    chance=Consequences(
        "Tossing a coin",
        above="More often than not, the meaning of an idiom is nearer than a paraphrase word by word.",
        below=(
            "More often than not, a silly paraphrase word by word is nearer than the idiom's meaning. Idioms can "
            "mislead paraphrase search and deduplication."
        ),
    ),
    right=(
        "For an idiom (NC), affinity = Sim(syn) − Sim(words_syn) should be above 0: the synonym of the whole keeps the"
        " sentence nearer to the original than synonyms of the single words do."
    ),
)

AFFINITY = Measure(
    name="affinity",
    version=3,
    question="Is a synonym of the whole compound nearer in meaning than synonyms of its words?",
    needs=CompoundWithWords,
    plan=partial(similarity_plan, with_words=True),
    fill=standardised_fill,
    main="sentence_forced_choice_nc",
    controlled="sentence_forced_choice_nc_controlled",
    unit="compound",
    items=SimilarityItems,
    scores=AffinityScores,
    descriptives=_descriptives,
    wording=_WORDING,
)
