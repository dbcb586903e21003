"""ε of a language model: does a compound change what follows it more than the single words explain?

Ours, after EPS Eq. 3. For a word b of a compound, two synonyms a and a' of it, the sentence c with
the place of that word left open, and f what follows the compound in the sentence, with
s(f | ·) = −log p(f | ·) / (words of f):

    d(x, y) = |s(f | x) − s(f | y)|                     of the bare words
    d(xc, yc) = |s(f | c up to f, with x) − s(f | c up to f, with y)|
    ε(a, b, c) = d(ac, bc) / d(a, b) − 1                baseline: ε(a, a', c)

So the distance of two vectors becomes the difference of what two texts make of the words that
follow: the whole beginning of the sentence, or the bare word. A sentence that ends with its
compound has no ε.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import CLASS, COUNT, number, score
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.epsilon.compositionality import epsilon, positive_rank_share
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.statistic import Statistic, mean, probability_above


def surprisal_distance(surprisal: Floats, other_surprisal: Floats) -> Floats:
    """d(x, y) = |s(f | x) − s(f | y)|, in nats per word, shape (m,).

    Args:
        surprisal: s(f | x) = −log p(f | x) / (words of f), shape (m,).
        other_surprisal: s(f | y), shape (m,).

    Examples:
        >>> surprisal_distance(np.array([3.0, 0.5]), np.array([1.0, 1.0]))
        array([2. , 0.5])
    """
    return np.abs(surprisal - other_surprisal)


class SentenceEpsilon(NamedTuple):
    """What a sentence gives.

    Attributes:
        rank_share: W⁺/(W⁺+W⁻) of idiomaticity-ε − baseline-ε over its samples, in [0, 1]; None
            without a sample.
        n_samples: Ordered pairs of synonyms for a slot with an ε and a baseline.
        n_zero_distance: Those without, because d(a, b) or d(a, a') is zero.
    """

    rank_share: float | None
    n_samples: int
    n_zero_distance: int


def sentence_epsilon(
    in_sentence: Sequence[Sequence[float]], bare: Sequence[Sequence[float]]
) -> SentenceEpsilon:
    """ε of one sentence, from the surprisals per word of what follows.

    Args:
        in_sentence: For each slot, after the sentence with b, then with each synonym.
        bare: The same after the bare words.

    Examples:
        >>> sentence_epsilon([[0.0, 3.0, 3.5]], [[0.0, 1.0, 2.0]])  # ε 2, .75; baselines -.5, -.5
        SentenceEpsilon(rank_share=1.0, n_samples=2, n_zero_distance=0)
    """
    differences: list[float] = []
    n_zero_distance = 0
    for of_sentences, of_words in zip(in_sentence, bare, strict=True):
        of_slot = slot_differences(np.array(of_sentences), np.array(of_words))
        has_epsilon = ~np.isnan(of_slot)
        differences += of_slot[has_epsilon].tolist()
        n_zero_distance += int((~has_epsilon).sum())
    share = positive_rank_share(np.array(differences)) if differences else None
    return SentenceEpsilon(share, len(differences), n_zero_distance)


def slot_differences(in_sentence: Floats, bare: Floats) -> Floats:
    """ε(a, b, c) − ε(a, a', c) of each ordered pair of synonyms for a slot, shape (m,).

    It is NaN where d(a, b) or d(a, a') is zero.

    Args:
        in_sentence: Surprisals after the sentence with b, then with each synonym, shape (1 + n,).
        bare: Surprisals after b, then after each synonym, shape (1 + n,).
    """
    pairs = [*permutations(range(1, len(bare)), 2)]
    a = np.array([first for first, _ in pairs], dtype=np.intp)
    other = np.array([second for _, second in pairs], dtype=np.intp)
    phrase_distance = surprisal_distance(bare[a], bare[0])
    baseline_phrase_distance = surprisal_distance(bare[a], bare[other])
    has_distance = np.minimum(phrase_distance, baseline_phrase_distance) > NO_DISTANCE
    context_distance = surprisal_distance(in_sentence[a], in_sentence[0])
    baseline_context_distance = surprisal_distance(in_sentence[a], in_sentence[other])
    idiomaticity = epsilon(context_distance, np.where(has_distance, phrase_distance, np.nan))
    baseline = epsilon(
        baseline_context_distance, np.where(has_distance, baseline_phrase_distance, np.nan)
    )
    return idiomaticity - baseline


@dataclass(frozen=True)
class SurprisalDocuments(Table):
    """One row per sentence."""

    id: Names = column("Id of the document: the dataset's row.")
    compound: Names = column("The compound.")
    class_: Names = column("C, PC or NC.")
    rank_share: Floats = column("W⁺/(W⁺+W⁻) of the sentence's samples, in [0, 1]; NaN for none.")
    n_samples: Integers = column("Its samples.")
    n_zero_distance: Integers = column("Those without an ε.")
    n_excluded_unscored: Integers = column("Rows of the dataset without a class; in each document.")
    n_excluded_no_pair: Integers = column("Rows without two synonyms for a slot; in each document.")
    n_excluded_nothing_follows: Integers = column(
        "Rows that end with the compound; in each document."
    )


@dataclass(frozen=True)
class SurprisalItems(Items):
    """What a language model makes of the words after a compound: a table of sentences."""

    documents: SurprisalDocuments


class EpsilonSurprisal(Measure[SurprisalItems]):
    """ε-compositionality with surprisal in the place of distance."""

    name = "epsilon_surprisal"
    version = 3
    question = (
        "Does an idiom change the language model's expectations more than the single words do?"
    )
    items = SurprisalItems
    unit = "compound"
    main = "auc_nc_vs_c"

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "Of an idiomatic and a literal compound, the idiomatic one changes more than the "
                "single words explain in {value} of all cases."
            ),
            chance=Consequences(
                "Tossing a coin",
                above=(
                    "After an idiom, the words explain the model's expectations less than after a "
                    "literal compound."
                ),
                below=(
                    "After a literal compound, the words explain the model's expectations less "
                    "than after an idiom."
                ),
            ),
            right=(
                "An idiomatic compound (NC) should have a rank share near 1, a literal compound "
                "(C) near 0. A rank share, its value in the AUC, is the share of comparisons in "
                "which the compound changes expectations more than the single words explain."
            ),
        )

    @score(
        title="idiomatic against compositional compounds",
        formula=(
            "P(mean rank share of a random NC compound's sentences > that of a random C "
            "compound's), ties ½"
        ),
        range=(0, 1),
        better="higher",
        chance=0.5,
        source="this project, after EPS",
        interval=True,
    )
    def auc_nc_vs_c(self, items: SurprisalItems) -> Statistic:
        documents = items.documents
        is_nc = documents.class_ == "NC"
        is_c = documents.class_ == "C"
        return probability_above(documents.compound, documents.rank_share, is_nc, is_c)

    @score(
        key="rank_share_{class}",
        axes=[CLASS],
        title="rank share: the part of the signed ranks that says idiomatic",
        formula=(
            "W⁺/(W⁺+W⁻) of idiomaticity-ε − baseline-ε over a sentence's samples; mean over the "
            "class's compounds"
        ),
        range=(0, 1),
        chance=0.5,
        source="this project, after EPS Table 1",
    )
    def rank_share(self, items: SurprisalItems, class_: str) -> Statistic:
        documents = items.documents[items.documents.class_ == class_]
        return mean(documents.compound, documents.rank_share)

    @number(title="samples", formula="pairs of an ε and a baseline", range=COUNT)
    def n_samples(self, items: SurprisalItems) -> int:
        return int(items.documents.n_samples.sum())

    @number(title="samples without an ε", formula="d(a, b) or d(a, a') is zero", range=COUNT)
    def n_excluded_zero_distance(self, items: SurprisalItems) -> int:
        return int(items.documents.n_zero_distance.sum())

    @number(title="rows without a class", formula="not asked", range=COUNT)
    def n_excluded_unscored(self, items: SurprisalItems) -> int:
        return int(items.documents.n_excluded_unscored.max())

    @number(title="rows without two synonyms for a slot", formula="not asked", range=COUNT)
    def n_excluded_no_pair(self, items: SurprisalItems) -> int:
        return int(items.documents.n_excluded_no_pair.max())

    @number(
        title="rows that end with the compound",
        formula="not asked: no word follows it",
        range=COUNT,
    )
    def n_excluded_nothing_follows(self, items: SurprisalItems) -> int:
        return int(items.documents.n_excluded_nothing_follows.max())


EPSILON_SURPRISAL = EpsilonSurprisal()
