"""Scaled Similarity: does a synonym change a sentence less than unrelated expressions do?

He et al. 2025 (NCIMP), see `affinity`. With the sentence of a compound, and P the same sentence
with a probe in its place:

    Sim(P) = cos(original, P)
    Sim_R(P) = (Sim(P) - Sim(rand)) / (1 - Sim(rand))
    contrast = the mean, over the unrelated expressions, of
               (d(rand) - d(syn)) / (d(rand) + d(syn)), d = 1 - Sim; this project's

For Sim_R, Sim(rand) is the mean over the unrelated expressions; for the contrast, each of them has
a fraction of its own.

`similarity` has the probes, and makes the items.
"""

import math

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.data.compounds import CompoundRow
from harness_ext.data.rows import part_of
from harness_ext.measures.core.scores import COUNT, LEVEL, Axis, number, score
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.noun_compounds.over_sentences import CHOSEN, OverSentences
from harness_ext.measures.noun_compounds.similarity import SimilarityItems
from harness_ext.statistics.correlation import group_means
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.statistic import Statistic, average, of_units

SCALED_SIMILARITIES = Axis(
    "measure",
    {
        "scaled_sim_syn": "Sim_R(syn), of the gold synonym",
        "scaled_sim_words_syn": "Sim_R(words_syn), of the word-by-word synonym",
    },
)


def scaled_similarity(similarity: Floats, similarity_of_unrelated: Floats) -> Floats:
    """Sim_R(P) = (Sim(P) - Sim(rand)) / (1 - Sim(rand)): at most 1; NaN for Sim(rand) = 1.

    Args:
        similarity: Sim(P), of the sentences with a probe, shape (m,).
        similarity_of_unrelated: Sim(rand), mean over the unrelated expressions, shape (m,).

    Examples:
        >>> scaled_similarity(np.array([0.75, 0.25, 1.0]), np.array([0.5, 0.5, 1.0]))
        array([ 0.5, -0.5,  nan])
    """
    scale = 1 - similarity_of_unrelated
    has_scale = scale > NO_DISTANCE
    return (similarity - similarity_of_unrelated) / np.where(has_scale, scale, np.nan)


def contrast(distance_of_unrelated: Floats, distance_of_synonym: Floats) -> Floats:
    """(d(rand) - d(syn)) / (d(rand) + d(syn)), in [-1, 1], shape (n,); 0 where both are 0.

    Where the two change places it changes its sign alone, so that an encoder to which they are
    alike has 0.

    Args:
        distance_of_unrelated: d(rand), of a sentence with an unrelated expression, shape (n,).
        distance_of_synonym: d(syn), of the same sentence with the gold synonym, shape (n,).

    Examples:
        >>> contrast(np.array([0.75, 0.25, 0.0]), np.array([0.25, 0.75, 0.0]))
        array([ 0.5, -0.5,  0. ])
    """
    both = distance_of_unrelated + distance_of_synonym
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0
        contrasts = (distance_of_unrelated - distance_of_synonym) / both
    return np.where(both <= NO_DISTANCE, 0, contrasts)


def scaled_similarities(items: SimilarityItems, level: str) -> dict[str, Floats]:
    """Each of `SCALED_SIMILARITIES` in each sentence, shape (m,); NaN without a scale."""
    sim = items.sim[level]
    return {
        "scaled_sim_syn": scaled_similarity(sim["syn"], sim["rand"]),
        "scaled_sim_words_syn": scaled_similarity(sim["words_syn"], sim["rand"]),
    }


def contrasts_of_sentences(items: SimilarityItems, level: str) -> Floats:
    """The contrast in each sentence, mean over its unrelated expressions, shape (m,).

    It is NaN where one of the vectors is zero.
    """
    unrelated = items.rows_of(level, "rand")
    sentence = items.sentence_of[unrelated]
    distance_of_synonym = 1 - items.sim[level]["syn"]
    distance_of_unrelated = 1 - items.similarities.similarity[unrelated]
    contrasts = contrast(distance_of_unrelated, distance_of_synonym[sentence])
    return group_means(contrasts, sentence, len(items.sentences))


class ScaledSimilarity(OverSentences):
    """Scaled Similarity (He et al.), and the contrast from it."""

    name = "scaled_similarity"
    version = 9
    question = (
        "Does a compound's synonym keep its sentence nearer to the original than unrelated "
        "expressions do?"
    )
    published = "published_scaled_similarity.csv"
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
    )
    main = "sentence_contrast_syn"
    headline = "span_scaled_sim_syn_mean"
    adjusted = "sentence_contrast_syn_adjusted"
    probes = SCALED_SIMILARITIES
    numbers_range = (-math.inf, 1)
    source_of_means = "NCIMP: Table 13 (of the compound); this project: of sentences"
    source_of_correlations = "NCIMP: Tables 6 and 15 (of the compound); this project: of sentences"
    source_of_lengths = "this project, after NCIMP Table 4"
    order = (
        "contrast_syn",
        "contrast_syn_adjusted",
        "mean",
        "std",
        "mean_of_class",
        "correlation",
        "spearman_p",
        "spearman_length",
        "span_level",
        "n_excluded_zero_vector",
        "n_excluded_zero_scale",
    )

    def numbers(
        self,
        items: SimilarityItems,
        level: str,
        probe: str,
    ) -> Floats:
        """Pick one of the `scaled_similarities`."""
        return scaled_similarities(items, level)[probe]

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "From −1 (only the synonym changes the sentence) over 0 (unrelated expressions "
                "change it as much) to 1 (only they change it), a compound's own synonym gets "
                "{value}."
            ),
            chance=Consequences(
                "An unrelated expression",
                above=(
                    "A good paraphrase changes the vector of a sentence less than an unrelated "
                    "expression does."
                ),
                below=(
                    "A good paraphrase changes the vector of a sentence more than an unrelated "
                    "expression does."
                ),
            ),
            right=(
                "Every compound should be near 1: its synonym changes the sentence much less than "
                "unrelated expressions do. 0 is chance."
            ),
        )

    @score(
        key="{level}_contrast_syn",
        axes=[LEVEL],
        title=(
            "how much nearer to its sentence a compound's gold synonym is than unrelated "
            "expressions are"
        ),
        formula=(
            "mean over compounds of the mean over their sentences of the mean, over the unrelated "
            "expressions of a sentence, of (d(rand) − d(syn)) / (d(rand) + d(syn)), d = 1 − Sim; "
            "0 where both are 0"
        ),
        range=(-1, 1),
        better="higher",
        chance=0,
        source="this project, from NCIMP's Scaled Similarity",
        interval=True,
        not_in_interval=CHOSEN,
        smallest_effect=0.05,
    )
    def contrast_syn(self, items: SimilarityItems, level: str) -> Statistic:
        contrasts = items.per_compound(contrasts_of_sentences(items, level))
        return of_units(average, items.compounds.compound, contrasts)

    @score(
        like=contrast_syn,
        key="{level}_contrast_syn_adjusted",
        title="the same where counting words tells nothing",
        formula=(
            "the mean over compounds, only compounds whose gold synonym has as many words and "
            "shares none with them"
        ),
        source="this project; NCIMP Tables 14 and 15 leave out shared words",
        not_in_interval="",
    )
    def contrast_syn_adjusted(self, items: SimilarityItems, level: str) -> Statistic:
        statistic = self.contrast_syn(items, level)
        return statistic.restrict(items.compounds.compound[items.adjusted()])

    @number(
        key="n_excluded_zero_scale_{level}",
        axes=[LEVEL],
        title="sentences without a scale",
        formula=(
            "sentences that Sim_R leaves out because Sim(rand) = 1: unrelated expressions keep all "
            "of the original"
        ),
        range=COUNT,
    )
    def n_excluded_zero_scale(self, items: SimilarityItems, level: str) -> float:
        if not items.has(level):
            return math.nan
        scale = 1 - items.sim[level]["rand"]
        return int((scale <= NO_DISTANCE).sum())


SCALED_SIMILARITY = ScaledSimilarity()
