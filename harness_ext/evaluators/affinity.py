"""Similarity and Affinity of what replaces a noun compound: scores of the items of `similarity`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

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
    similarity_plan,
    standardised_fill,
)
from harness_ext.framework.measure import Measure
from harness_ext.framework.scores import LEVEL, Axis, Place, Scores, declared, proportion
from harness_ext.framework.wording import Consequences, Wording
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
    sim = items.sim[level]
    return {
        **{f"sim_{probe}": sim[probe] for probe in ("syn", "comp", "words_syn", "rand")},
        "affinity_syn_words_syn": sim["syn"] - sim["words_syn"],
        "affinity_syn_rand": sim["syn"] - sim["rand"],
    }


def _forced_choice(items: SimilarityItems, place: Place) -> Statistic:
    """Of each idiom 1 if its gold synonym wins, 0 if its word-by-word synonym does, ½ for a tie."""
    idioms = items.compounds.class_ == "NC"
    affinity = items.per_compound(affinities(items, place["level"])["affinity_syn_words_syn"])[idioms]
    choices = np.where(np.abs(affinity) <= NO_DISTANCE, 0.5, affinity > 0)
    return of_units(average, items.compounds.compound[idioms], np.where(np.isnan(affinity), np.nan, choices))


_OF_SENTENCES = SentenceScores(AFFINITIES, affinities, range=(-2, 2))


def _spearman_standardised(items: SimilarityItems, place: Place) -> float:
    sim = items.sim[place["level"]]
    return spearman(sim["syn"], sim["standardised"])[0]


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
    forced_choice_nc_controlled: Floats = controlled(forced_choice_nc, "the forced choice")
    mean: Floats = _OF_SENTENCES.mean("NCIMP Tables 10, 11 and, over both levels, 12")
    std: Floats = _OF_SENTENCES.std("NCIMP Tables 10, 11 and, over both levels, 12")
    mean_of_class: Floats = _OF_SENTENCES.mean_of_class()
    correlation: Floats = _OF_SENTENCES.correlation("NCIMP Tables 2, 3, 5 and 14")
    spearman_p: Floats = _OF_SENTENCES.spearman_p()
    spearman_length: Floats = _OF_SENTENCES.spearman_length()
    spearman_standardised: Floats = declared(
        "whether few dimensions rule the similarities",
        "Spearman's ρ over the sentences of Sim(syn) with Sim(syn) after z-scoring every dimension",
        range=(-1, 1),
        source="NCIMP Table 16",
        key="{level}_sim_syn_spearman_standardised",
        axes=(LEVEL,),
        value=_spearman_standardised,
    )
    span_level: int = SPAN_LEVEL
    n_excluded_zero_vector: Array = N_ZERO_VECTOR
    n_excluded_unscored: int = N_UNSCORED


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
    version=6,
    needs=part_of(
        CompoundRow,
        *("id", "compound", "surface", "expert_class", "comp", "type_score", "sentence", "span"),
        *("syn", "words_syn", "rand", "head", "modifier"),
    ),
    plan=partial(similarity_plan, with_words=True),
    fill=standardised_fill,
    main="sentence_forced_choice_nc",
    controlled="sentence_forced_choice_nc_controlled",
    unit="compound",
    items=SimilarityItems,
    scores=AffinityScores,
    wording=_WORDING,
)
