"""ε-compositionality of a language model: does a compound change what follows it more than the single words explain?

Ours, after EPS Eq. 3. For a word b of a compound, two synonyms a and a' of it, the sentence c with the place of that
word left open, and f what follows the compound in the sentence, with s(f | ·) = −log p(f | ·) / (words of f):

    d(xc, yc) = |s(f | c up to f, with x) − s(f | c up to f, with y)|      d(x, y) = |s(f | x) − s(f | y)|
    ε(a, b, c) = d(ac, bc) / d(a, b) − 1                                   baseline: ε(a, a', c)

So the distance of two vectors becomes the difference of what two texts make of the words that follow: the whole
beginning of the sentence, or the bare word. A sentence that ends with its compound has no ε.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.document_measure import not_asked
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.old_measure import Measure
from harness_ext.measures.core.old_scores import CLASS, AxisValues, Scores, count, proportion
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.epsilon.compositionality import signed_rank_share
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.statistic import Statistic, mean, probability_above


class SentenceEpsilon(NamedTuple):
    """What a sentence gives.

    Attributes:
        rank_share: W⁺/(W⁺+W⁻) of idiomaticity-ε − baseline-ε over its samples, in [0, 1]; None without a sample.
        n_samples: Ordered pairs of synonyms for a slot with an ε and a baseline.
        n_zero_distance: Those without, because d(a, b) or d(a, a') is zero.
    """

    rank_share: float | None
    n_samples: int
    n_zero_distance: int


def sentence_epsilon(in_sentence: Sequence[Sequence[float]], bare: Sequence[Sequence[float]]) -> SentenceEpsilon:
    """ε of one sentence, from the surprisals per word of what follows, in the sentence and after the bare words.

    Each has a list for each slot: after b, then after each synonym.

    Examples:
        >>> sentence_epsilon([[0.0, 3.0, 3.5]], [[0.0, 1.0, 2.0]])  # ε 2 and .75, baselines -.5 and -.5
        SentenceEpsilon(rank_share=1.0, n_samples=2, n_zero_distance=0)
    """
    differences = []
    n_zero = 0
    for whole, alone in zip(in_sentence, bare, strict=True):
        for a, other in permutations(range(1, len(whole)), 2):
            distances = [abs(alone[a] - alone[place]) for place in (0, other)]
            if min(distances) <= NO_DISTANCE:
                n_zero += 1
                continue
            idiomaticity, baseline = (
                abs(whole[a] - whole[place]) / distance - 1
                for place, distance in zip((0, other), distances, strict=True)
            )
            differences.append(idiomaticity - baseline)
    share = signed_rank_share(np.array(differences)) if differences else None
    return SentenceEpsilon(share, len(differences), n_zero)


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
    n_excluded_nothing_follows: Integers = column("Rows that end with the compound; in each document.")


@dataclass(frozen=True)
class SurprisalItems(Items):
    """The sentences."""

    documents: SurprisalDocuments


def _idiomatic_above_literal(items: SurprisalItems, _: AxisValues) -> Statistic:
    documents, classes = items.documents, items.documents.class_
    return probability_above(documents.compound, documents.rank_share, classes == "NC", classes == "C")


def _rank_share(items: SurprisalItems, axes: AxisValues) -> Statistic:
    documents = items.documents.at(axes)
    return mean(documents.compound, documents.rank_share)


@dataclass(frozen=True)
class SurprisalScores(Scores):
    """The scores of ε with surprisal; arrays over `CLASS`."""

    auc_nc_vs_c: float = proportion(
        "idiomatic against compositional compounds",
        "P(mean rank share of a random NC compound's sentences > that of a random C compound's), ties ½",
        direction="higher",
        chance=0.5,
        source="this project, after EPS",
        interval=True,
        compute=_idiomatic_above_literal,
    )
    rank_share: Floats = proportion(
        "rank share: how often an idiomatic reading wins",
        "W⁺/(W⁺+W⁻) of idiomaticity-ε − baseline-ε over a sentence's samples; mean over the class's compounds",
        chance=0.5,
        source="this project, after EPS Table 1",
        key="rank_share_{class}",
        axes=(CLASS,),
        compute=_rank_share,
    )
    n_samples: int = count(
        "samples", "pairs of an ε and a baseline", value=lambda items, _: items.documents.n_samples.sum()
    )
    n_excluded_zero_distance: int = count(
        "samples without an ε",
        "d(a, b) or d(a, a') is zero",
        value=lambda items, _: items.documents.n_zero_distance.sum(),
    )
    n_excluded_unscored: int = not_asked("unscored", "rows without a class")
    n_excluded_no_pair: int = not_asked("no_pair", "rows without two synonyms for a slot")
    n_excluded_nothing_follows: int = not_asked(
        "nothing_follows", "rows that end with the compound", "not asked: no word follows it"
    )


EPSILON_SURPRISAL = Measure(
    name="epsilon_surprisal",
    version=2,
    main="auc_nc_vs_c",
    unit="compound",
    items=SurprisalItems,
    scores=SurprisalScores,
    additive=False,
    wording=Wording(
        question="Does an idiom change the language model's expectations more than the single words do?",
        score=(
            "Of an idiomatic and a literal compound, the idiomatic one changes more than the single words explain in "
            "{value} of all cases."
        ),
        chance=Consequences(
            "Tossing a coin",
            above="After an idiom, the words explain the model's expectations less than after a literal compound.",
            below="After a literal compound, the words explain the model's expectations less than after an idiom.",
        ),
        right=(
            "An idiomatic compound (NC) should have a rank share near 1, a literal compound (C) near 0. A rank share, "
            "its value in the AUC, is the share of comparisons in which the compound changes expectations more than "
            "the single words explain."
        ),
    ),
)
