"""Affinity: in the sentence of an idiom, is its synonym nearer than word-by-word synonyms?

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: *Investigating Idiomaticity in Word
Representations*, doi 10.1162/coli_a_00546 (NCIMP). With the sentence of a compound, and P the same
sentence with a probe in its place:

    Sim(P) = cos(original, P)
    Affinity(Pi, Pj) = Sim(Pi) - Sim(Pj)

`similarity` has the probes, and makes the items.
"""

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.data.compounds import CompoundRow
from harness_ext.data.rows import part_of
from harness_ext.measures.core.fill import Encoder
from harness_ext.measures.core.measure import Rows
from harness_ext.measures.core.scores import LEVEL, Axis, number, score
from harness_ext.measures.core.view import View, first_rows
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.noun_compounds.over_sentences import CHOSEN, OverSentences
from harness_ext.measures.noun_compounds.similarity import (
    SimilarityItems,
    similarity_plan,
    standardised_fill,
)
from harness_ext.statistics.correlation import rho_of_known
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.statistic import Statistic, average, of_units

AFFINITIES = Axis(
    "measure",
    {
        "sim_syn": "Sim(syn), of the gold synonym",
        "sim_comp": ("Sim(comp), of the one word of the compound that is nearer to the original"),
        "sim_words_syn": "Sim(words_syn), of the word-by-word synonym",
        "sim_rand": "Sim(rand), mean of the unrelated expressions",
        "affinity_syn_words_syn": "Sim(syn) − Sim(words_syn)",
        "affinity_syn_rand": "Sim(syn) − Sim(rand)",
    },
)


_PREDICTIONS_OF_PROBES = {
    "sim_syn": "none",
    "sim_comp": "positive",
    "sim_words_syn": "positive",
    "affinity_syn_words_syn": "negative",
    "affinity_syn_rand": "none",
}
"""What NCIMP predicts of the correlation with comp (§§4.1 and 4.2): a synonym of the whole is near
to every compound, and synonyms of the words are the nearer the more compositional it is.
"""


def _predictions() -> dict[str, str]:
    """Key of a correlation with comp -> what NCIMP predicts."""
    predictions = {}
    for level in LEVEL.values:
        for probe, prediction in _PREDICTIONS_OF_PROBES.items():
            predictions[f"{level}_{probe}_spearman"] = prediction
            predictions[f"{level}_{probe}_spearman_no_overlap"] = prediction
    return predictions


def affinity(similarity: Floats, other_similarity: Floats) -> Floats:
    """Affinity(Pi, Pj) = Sim(Pi) - Sim(Pj), in [-2, 2], shape (m,).

    Args:
        similarity: Sim(Pi), of the sentences with one probe, shape (m,).
        other_similarity: Sim(Pj), of the sentences with the other, shape (m,).

    Examples:
        >>> affinity(np.array([0.9, 0.5]), np.array([0.4, 0.75]))
        array([ 0.5 , -0.25])
    """
    return similarity - other_similarity


def affinities(items: SimilarityItems, level: str) -> dict[str, Floats]:
    """Each of `AFFINITIES` in each sentence, shape (m,); NaN where one of the vectors is zero."""
    sim = items.sim[level]
    return {
        "sim_syn": sim["syn"],
        "sim_comp": sim["comp"],
        "sim_words_syn": sim["words_syn"],
        "sim_rand": sim["rand"],
        "affinity_syn_words_syn": affinity(sim["syn"], sim["words_syn"]),
        "affinity_syn_rand": affinity(sim["syn"], sim["rand"]),
    }


def choices(affinity_of_compounds: Floats) -> Floats:
    """1 where the affinity is above 0, ½ for 0, else 0; NaN for none, shape (k,).

    Examples:
        >>> choices(np.array([0.2, 0.0, -0.1, np.nan]))
        array([1. , 0.5, 0. , nan])
    """
    is_tie = np.abs(affinity_of_compounds) <= NO_DISTANCE
    choice = np.where(is_tie, 0.5, affinity_of_compounds > 0)
    return np.where(np.isnan(affinity_of_compounds), np.nan, choice)


class Affinity(OverSentences):
    """Affinity (He et al.), and the forced choice from it."""

    name = "affinity"
    version = 8
    question = (
        "In the sentence of an idiom, is a synonym of the whole nearer than a word-by-word synonym?"
    )
    published = "published_affinity.csv"
    row = part_of(
        CompoundRow,
        "id",
        "compound",
        "surface",
        "expert_class",
        "comp",
        "type_score",
        "sentence",
        "span",
        "syn",
        "words_syn",
        "rand",
        "head",
        "modifier",
    )
    main = "sentence_forced_choice_nc"
    headline = "span_affinity_syn_words_syn_spearman"
    adjusted = "sentence_forced_choice_nc_adjusted"
    probes = AFFINITIES
    numbers_range = (-2, 2)
    source_of_means = (
        "NCIMP: Table 10 (Sim of sentences), 11 (Sim of the compound), 12 (Affinity, over both "
        "levels); this project: Affinity of sentences"
    )
    source_of_correlations = (
        "NCIMP: Table 2 (Sim of sentences), 3 (Sim of the compound), 5 and 14 (Affinity of the "
        "compound); this project: Affinity of sentences"
    )
    source_of_lengths = "NCIMP: Table 4 (Sim of sentences); this project: the others"
    order = (
        "forced_choice_nc",
        "forced_choice_nc_adjusted",
        "mean",
        "std",
        "mean_of_class",
        "correlation",
        "spearman_p",
        "spearman_length",
        "spearman_standardised",
    )

    def plan(self, rows: Rows, split: str) -> SimilarityItems:
        """Compare as the kind does, and the head alone and the modifier alone too."""
        return similarity_plan(rows, split, with_words=True)

    def fill(self, plan: SimilarityItems, encode: Encoder) -> SimilarityItems:
        """Compare in standardised dimensions too, see `standardised_fill`."""
        return standardised_fill(plan, encode)

    def numbers(
        self,
        items: SimilarityItems,
        level: str,
        probe: str,
    ) -> Floats:
        """Pick one of the `affinities`."""
        return affinities(items, level)[probe]

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "For {value} of the idioms, the synonym of the whole idiom wins over synonyms of "
                "its single words."
            ),
            chance=Consequences(
                "Tossing a coin",
                above=(
                    "More often than not, the meaning of an idiom is nearer than a paraphrase word "
                    "by word."
                ),
                below=(
                    "More often than not, a silly paraphrase word by word is nearer than the "
                    "idiom's meaning. Idioms can mislead paraphrase search and deduplication."
                ),
            ),
            right=(
                "For an idiom (NC), affinity = Sim(syn) − Sim(words_syn) should be above 0: the "
                "synonym of the whole keeps the sentence nearer to the original than synonyms of "
                "the single words do."
            ),
        )

    @score(
        like=OverSentences.correlation,
        key="{level}_{probes}_{correlation}",
        expected=_predictions(),
    )
    def correlation(
        self, items: SimilarityItems, level: str, probe: str, correlation: str
    ) -> Statistic:
        return super().correlation(items, level, probe, correlation)

    @score(
        key="{level}_forced_choice_nc",
        axes=[LEVEL],
        title="how often the synonym of an idiom wins over the word-by-word synonyms",
        formula=(
            "share of the experts' NC compounds with mean Sim(syn) − Sim(words_syn) > 0, ½ for 0"
        ),
        range=(0, 1),
        better="higher",
        chance=0.5,
        source="this project, from NCIMP's Affinity",
        interval=True,
        not_in_interval=CHOSEN,
    )
    def forced_choice_nc(self, items: SimilarityItems, level: str) -> Statistic:
        compounds = items.compounds
        is_idiom = compounds.class_ == "NC"
        numbers = self.numbers(items, level, "affinity_syn_words_syn")
        affinity_of_idioms = items.per_compound(numbers)[is_idiom]
        return of_units(average, compounds.compound[is_idiom], choices(affinity_of_idioms))

    @score(
        like=forced_choice_nc,
        key="{level}_forced_choice_nc_adjusted",
        title="the same where counting words tells nothing",
        formula=(
            "the forced choice, only compounds whose gold synonym has as many words and shares "
            "none with them"
        ),
        source="this project; NCIMP Tables 14 and 15 leave out shared words",
        not_in_interval="",
    )
    def forced_choice_nc_adjusted(self, items: SimilarityItems, level: str) -> Statistic:
        statistic = self.forced_choice_nc(items, level)
        return statistic.restrict(items.compounds.compound[items.adjusted()])

    @number(
        key="{level}_sim_syn_spearman_standardised",
        axes=[LEVEL],
        title="whether few dimensions rule the similarities",
        formula=(
            "Spearman's ρ over the sentences of Sim(syn) with Sim(syn) after z-scoring every "
            "dimension"
        ),
        range=(-1, 1),
        source="NCIMP Table 16",
    )
    def spearman_standardised(self, items: SimilarityItems, level: str) -> float:
        sim = items.sim[level]
        return rho_of_known(sim["syn"], sim["standardised"])

    def view(self, items: SimilarityItems) -> View:
        """View compounds by the means of Sim over their sentences."""
        compounds = items.compounds
        of_sentences = affinities(items, "sentence")
        means = {name: items.per_compound(numbers) for name, numbers in of_sentences.items()}
        mean_affinity = means["affinity_syn_words_syn"]
        return View(
            facts={
                "compound": compounds.compound,
                "class": compounds.class_,
                "human score": compounds.comp,
            },
            figures={
                "affinity": mean_affinity,
                "Sim(syn)": means["sim_syn"],
                "Sim(words_syn)": means["sim_words_syn"],
                "Sim(rand)": means["sim_rand"],
            },
            wrong=np.where(compounds.class_ == "NC", -mean_affinity, np.nan),
            rows=first_rows(compounds.compound, items.sentences),
        )


AFFINITY = Affinity()
