"""Does a language model change its answer when a sentence changes its sentiment?

PSS, polarity sensitivity, is the share of pairs in which a sentence and its rewrite with the
opposite sentiment are both labeled correctly. The paper trains a classifier on sentence vectors;
here the model itself is asked for the label.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import COUNT, number, score
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.language_models import option_scores as options
from harness_ext.measures.polarity.items import CHANCE_PSS, DIRECTION, chance_of_both_labels
from harness_ext.statistics.statistic import Statistic, average, of_units, unit_means

SIDES = ("original", "rewrite")
LABELS = ("negative", "positive")


@dataclass(frozen=True)
class PolarityDocuments(Table):
    """One row per sentence: two to a pair."""

    id: Names = column("Id of the document: the pair and its side.")
    pair: Names = column("The pair.")
    direction: Names = column("neg_to_pos or pos_to_neg.")
    side: Names = column("original or rewrite.")
    label: Integers = column("The right label: 0 negative, 1 positive.")
    negative: Floats = options.log_p("the label negative")
    negative_frame: Floats = options.log_p_after_frame("the label negative")
    negative_characters: Integers = options.characters("the label negative")
    positive: Floats = options.log_p("the label positive")
    positive_frame: Floats = options.log_p_after_frame("the label positive")
    positive_characters: Integers = options.characters("the label positive")
    n_excluded_duplicate: Integers = column("Pairs that are there already; in each document.")
    n_excluded_no_added_word: Integers = column(
        "Pairs whose rewrite adds no word; in each document."
    )


@dataclass(frozen=True)
class PolarityItems(Items):
    """The labels of sentences."""

    documents: PolarityDocuments


def polarity_sensitivity(original: Floats, rewrite: Floats, times: Floats) -> Floats:
    """PSS: the share of pairs whose sentences are both labeled correctly, in [0, 1], shape (m,).

    Args:
        original: 1 where the label of a pair's original is right, ½ for a tie, else 0; shape (n,).
        rewrite: The same of its rewrite.
        times: How many times each pair is in each sample, shape (m, n).

    Examples:
        >>> right = np.array([1.0, 1.0]), np.array([1.0, 0.0])
        >>> polarity_sensitivity(*right, np.array([[1.0, 1.0], [2.0, 0.0]]))
        array([0.5, 1. ])
    """
    return average(original * rewrite, times)


def label_accuracy(original: Floats, rewrite: Floats, times: Floats) -> Floats:
    """The share of the pairs' sentences that are labeled correctly, as `polarity_sensitivity`."""
    return average(original + rewrite, times) / 2


def relative_sensitivity(original: Floats, rewrite: Floats, times: Floats) -> Floats:
    """PSS / accuracy, as `polarity_sensitivity`; NaN where nothing is labeled correctly."""
    sensitivity = polarity_sensitivity(original, rewrite, times)
    with np.errstate(invalid="ignore"):  # 0 / 0
        return sensitivity / label_accuracy(original, rewrite, times)


def right_labels(documents: PolarityDocuments, scoring: str = options.PMI) -> Floats:
    """1 if the right label has the greater score, ½ for a tie, else 0; shape (n,)."""
    choices = options.chosen(options.option_values(documents, LABELS, scoring))
    return np.choose(documents.label, choices)


def labels_positive(documents: PolarityDocuments) -> Floats:
    """1 if the label positive has the greater PMI, ½ for a tie, else 0; shape (n,)."""
    choices = options.chosen(options.option_values(documents, LABELS))
    return choices[LABELS.index("positive")]


def whole_pairs(documents: PolarityDocuments) -> Names:
    """The pairs of which both sentences are there, shape (k,)."""
    originals = documents.pair[documents.side == "original"]
    rewrites = documents.pair[documents.side == "rewrite"]
    return np.intersect1d(originals, rewrites)


class RightOfPairs(NamedTuple):
    """Of k pairs, the names and whether each sentence is labeled correctly, shapes (k,)."""

    pair: Names
    original: Floats
    rewrite: Floats


def right_of_pairs(documents: PolarityDocuments, scoring: str = options.PMI) -> RightOfPairs:
    """Which sentences of the `whole_pairs` are labeled correctly."""
    pairs = whole_pairs(documents)
    original = _right_of_side(documents, "original", pairs, scoring)
    rewrite = _right_of_side(documents, "rewrite", pairs, scoring)
    return RightOfPairs(pairs, original, rewrite)


def _right_of_side(
    documents: PolarityDocuments,
    side: str,
    pairs: Names,
    scoring: str,
) -> Floats:
    is_asked = np.isin(documents.pair, pairs) & (documents.side == side)
    sentences = documents[is_asked]
    _, right = unit_means(sentences.pair, right_labels(sentences, scoring))
    return right


class PolarityAnswers(Measure[PolarityItems]):
    """Polarity sensitivity of a language model's own labels."""

    name = "polarity_answers"
    version = 3
    question = "Does the language model change its verdict when a sentence does?"
    items = PolarityItems
    unit = "pair"
    main = "pss"

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "Of a review and its rewrite with the opposite verdict, the model labels both "
                "right in {value} of all pairs."
            ),
            chance=Consequences(
                "Guessing both labels",
                above=(
                    "The model labels a sentence and its opposite both right more often than "
                    "guesses would."
                ),
                below=(
                    "The model labels a sentence and its opposite both right less often than "
                    "guesses would."
                ),
            ),
            right=(
                "Both labels should be right (1). The margin is the PMI of the right label less "
                "the PMI of the wrong label. It should be above 0 for the sentence and for its "
                "rewrite with the opposite sentiment."
            ),
        )

    @score(
        title="polarity sensitivity",
        formula="share of pairs of which both sentences are labeled correctly",
        range=(0, 1),
        better="higher",
        chance=0.25,
        source="PSS §3, with the model's own answers",
        interval=True,
    )
    def pss(self, items: PolarityItems) -> Statistic:
        return of_units(polarity_sensitivity, *right_of_pairs(items.documents))

    @score(**CHANCE_PSS)
    def chance_pss(self, items: PolarityItems) -> Statistic:
        documents = items.documents
        asked = documents[np.isin(documents.pair, whole_pairs(documents))]
        return of_units(chance_of_both_labels, *unit_means(asked.pair, labels_positive(asked)))

    @score(
        like=pss,
        key="{scoring}_pss",
        axes=[options.WITHOUT_FRAME],
        title="polarity sensitivity, by probability alone",
        formula=(
            "share of pairs of which both sentences are labeled correctly; from log-likelihoods in "
            "the place of PMI"
        ),
        interval=False,
    )
    def pss_without_frame(self, items: PolarityItems, scoring: str) -> Statistic:
        return of_units(polarity_sensitivity, *right_of_pairs(items.documents, scoring))

    @score(
        title="labels",
        formula="share of the pairs' sentences that are labeled correctly",
        range=(0, 1),
        better="higher",
        chance=0.5,
        source="this project; PSS takes dev and test sentences",
    )
    def accuracy(self, items: PolarityItems) -> Statistic:
        return of_units(label_accuracy, *right_of_pairs(items.documents))

    @score(
        like=accuracy,
        title="polarity sensitivity for what the labels are worth",
        formula="PSS / accuracy",
        source="PSS §3",
    )
    def relative_pss(self, items: PolarityItems) -> Statistic:
        return of_units(relative_sensitivity, *right_of_pairs(items.documents))

    @score(
        like=pss,
        key="pss_{direction}",
        axes=[DIRECTION],
        title="polarity sensitivity by direction",
        formula="PSS of the pairs of that direction",
        source="PSS §3",
        interval=False,
    )
    def pss_direction(self, items: PolarityItems, direction: str) -> Statistic:
        documents = items.documents[items.documents.direction == direction]
        return of_units(polarity_sensitivity, *right_of_pairs(documents))

    @number(
        title="pairs",
        formula="pairs of which both sentences were asked",
        range=COUNT,
    )
    def n_pairs(self, items: PolarityItems) -> int:
        return len(whole_pairs(items.documents))

    @number(
        title="pairs that are there already",
        formula="not asked",
        range=COUNT,
        source="PSS appendix B",
    )
    def n_excluded_duplicate(self, items: PolarityItems) -> int:
        return int(items.documents.n_excluded_duplicate.max())

    @number(
        title="pairs whose rewrite adds no word",
        formula="not asked",
        range=COUNT,
        source="PSS appendix B",
    )
    def n_excluded_no_added_word(self, items: PolarityItems) -> int:
        return int(items.documents.n_excluded_no_added_word.max())


POLARITY_ANSWERS = PolarityAnswers()
