"""What NCIMP prints of Affinity and of Scaled Similarity alike: scores of numbers of sentences."""

import math
from abc import abstractmethod

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.measures.core.measure import EncoderMeasure, Rows
from harness_ext.measures.core.scores import CLASS, COUNT, LEVEL, Axis, number, score
from harness_ext.measures.noun_compounds.similarity import SimilarityItems, similarity_plan
from harness_ext.statistics.correlation import known_std, rho, spearman
from harness_ext.statistics.statistic import Statistic, mean_of_rows, of_units, spearman_of_rows

CORRELATION = Axis(
    "correlation",
    {
        "spearman": "with comp, the mean of the compound's scores in its sentences",
        "spearman_type": "with the compound's type score",
        "spearman_no_overlap": (
            "with comp, without the compounds that share a word with their gold synonym"
        ),
    },
)
CHOSEN = "the sentences and the synonyms that were chosen for each compound, and the prompt"
"""What moves main scores, but not their intervals."""


class OverSentences(EncoderMeasure[SimilarityItems]):
    """Means, spreads and correlations of numbers of each sentence, by level and probe.

    Attributes:
        probes: The numbers of a sentence.
        numbers_range: The least and the greatest number.
        source_of_means: The tables of the paper with means and spreads.
        source_of_correlations: Those with rank correlations with human scores.
        source_of_lengths: Those with rank correlations with sentence length.
    """

    items = SimilarityItems
    unit = "compound"
    package = __package__
    probes: Axis
    numbers_range: tuple[float, float]
    source_of_means: str
    source_of_correlations: str
    source_of_lengths: str

    def plan(self, rows: Rows, split: str) -> SimilarityItems:
        """Compare each sentence with the same one with a probe, see `similarity_plan`."""
        return similarity_plan(rows, split)

    @abstractmethod
    def numbers(
        self,
        items: SimilarityItems,
        level: str,
        probe: str,
    ) -> Floats:
        """Compute the number of each sentence, shape (m,); NaN for none."""

    @score(
        key="{level}_{probes}_mean",
        axes=[LEVEL, "probes"],
        title="mean",
        formula="mean over all sentences",
        range="numbers_range",
        source="{cls.source_of_means}",
    )
    def mean(
        self,
        items: SimilarityItems,
        level: str,
        probe: str,
    ) -> Statistic:
        numbers = self.numbers(items, level, probe)
        return mean_of_rows(items.compounds.compound, items.of_compound(), numbers)

    @number(
        like=mean,
        key="{level}_{probes}_std",
        title="spread",
        formula="standard deviation (ddof 1) over all sentences",
        range=(0, math.inf),
    )
    def std(
        self,
        items: SimilarityItems,
        level: str,
        probe: str,
    ) -> float:
        return known_std(self.numbers(items, level, probe))

    @score(
        like=mean,
        key="{level}_{probes}_mean_{class}",
        axes=[LEVEL, "probes", CLASS],
        title="mean of a class",
        formula="mean over the sentences of the compounds that the experts put into the class",
        source="this project, by the classes of NCIMP's footnote 14",
    )
    def mean_of_class(
        self, items: SimilarityItems, level: str, probe: str, class_: str
    ) -> Statistic:
        is_of_class = items.classes() == class_
        numbers = np.where(is_of_class, self.numbers(items, level, probe), np.nan)
        return mean_of_rows(items.compounds.compound, items.of_compound(), numbers)

    @score(
        key="{level}_{probes}_{correlation}",
        axes=[LEVEL, "probes", CORRELATION],
        title="rank correlation with human scores",
        formula=(
            "Spearman's ρ of the mean per compound with its score, over the compounds that have "
            "both scores"
        ),
        range=(-1, 1),
        chance=0,
        source="{cls.source_of_correlations}",
    )
    def correlation(
        self, items: SimilarityItems, level: str, probe: str, correlation: str
    ) -> Statistic:
        pairs = items.with_human_scores(self.numbers(items, level, probe), correlation)
        return of_units(rho, pairs.compound, pairs.measured, pairs.human)

    @number(
        key="{level}_{probes}_spearman_p",
        axes=[LEVEL, "probes"],
        title="p-value of the rank correlation with comp",
        formula="two-sided p of Spearman's ρ, by its t-distribution",
        range=(0, 1),
        source="NCIMP, which leaves cells without significance empty",
    )
    def spearman_p(
        self,
        items: SimilarityItems,
        level: str,
        probe: str,
    ) -> float:
        pairs = items.with_human_scores(self.numbers(items, level, probe), "spearman")
        _, p_value = spearman(pairs.measured, pairs.human)
        return p_value

    @score(
        key="{level}_{probes}_spearman_length",
        axes=[LEVEL, "probes"],
        title="rank correlation with sentence length",
        formula=(
            "Spearman's ρ of the value in each naturalistic sentence with its length in words"
        ),
        range=(-1, 1),
        chance=0,
        source="{cls.source_of_lengths}",
    )
    def spearman_length(
        self,
        items: SimilarityItems,
        level: str,
        probe: str,
    ) -> Statistic:
        sentences = items.sentences
        numbers = self.numbers(items, level, probe)
        return spearman_of_rows(sentences.compound, numbers, sentences.length)

    @number(
        title="whether the encoder gives vectors of words in a sentence",
        formula="1 if so, else 0",
        range=(0, 1),
    )
    def span_level(self, items: SimilarityItems) -> int:
        return int(items.has("span"))

    @number(
        key="n_excluded_zero_vector_{level}",
        axes=[LEVEL],
        title="sentences with a zero vector",
        formula=(
            "sentences that are left out because a vector, of theirs or of a probe in them, has no "
            "direction"
        ),
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: SimilarityItems, level: str) -> float:
        if not items.has(level):
            return math.nan
        return int(np.isnan(items.sim[level]["syn"]).sum())

    @number(
        title="compounds without human scores",
        formula="compounds that enter no correlation for want of comp or of a type score",
        range=COUNT,
    )
    def n_excluded_unscored(self, items: SimilarityItems) -> int:
        return int((~items.has_scores()).sum())
