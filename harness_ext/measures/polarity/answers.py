"""Does a language model change its answer when a sentence changes its sentiment? Polarity sensitivity (PSS).

PSS is the share of pairs in which a sentence and its rewrite with the opposite sentiment are both labeled correctly.
The paper trains a classifier on sentence vectors; here the model itself is asked for the label.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from harness_ext.common.arrays import Array, Floats, Integers, Names
from harness_ext.measures.core.document_measure import not_asked
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.old_measure import Measure
from harness_ext.measures.core.old_scores import AxisValues, Scores, count, declared, like, proportion
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
    n_excluded_no_added_word: Integers = column("Pairs whose rewrite adds no word; in each document.")

    def right(self, scoring: str = options.PMI) -> Floats:
        """1 if the right label has the greater score, ½ for a tie, else 0; shape (n,)."""
        return np.choose(self.label, options.chosen(options.option_values(self, LABELS, scoring)))

    def labeled_positive(self) -> Floats:
        """1 if the label positive has the greater PMI, ½ for a tie, else 0; shape (n,)."""
        return options.chosen(options.option_values(self, LABELS, options.PMI))[LABELS.index("positive")]

    def whole_pairs(self) -> Names:
        """The pairs of which both sentences are there, shape (k,)."""
        original, rewrite = (self.pair[self.side == side] for side in SIDES)
        return np.intersect1d(original, rewrite)

    def right_of_pairs(self, scoring: str = options.PMI) -> tuple[Array, ...]:
        """`whole_pairs`, and `right` of the original and of the rewrite of each, shapes (k,)."""
        whole = self.whole_pairs()
        sides = [self[np.isin(self.pair, whole) & (self.side == side)] for side in SIDES]
        return whole, *(unit_means(side.pair, side.right(scoring))[1] for side in sides)


@dataclass(frozen=True)
class PolarityItems(Items):
    """The labels of sentences."""

    documents: PolarityDocuments


def _pss(original: Floats, rewrite: Floats, times: Floats) -> Any:
    return average(original * rewrite, times)


def _accuracy(original: Floats, rewrite: Floats, times: Floats) -> Any:
    return average(original + rewrite, times) / 2


def _relative_pss(original: Floats, rewrite: Floats, times: Floats) -> Any:
    with np.errstate(invalid="ignore"):  # 0 / 0: nothing is labeled correctly
        return _pss(original, rewrite, times) / _accuracy(original, rewrite, times)


def _sensitivity(items: PolarityItems, axes: AxisValues) -> Statistic:
    documents = items.documents.at(axes)
    return of_units(_pss, *documents.right_of_pairs(axes.get("scoring", options.PMI)))


def _chance(items: PolarityItems, _: AxisValues) -> Statistic:
    documents = items.documents[np.isin(items.documents.pair, items.documents.whole_pairs())]
    return of_units(chance_of_both_labels, *unit_means(documents.pair, documents.labeled_positive()))


@dataclass(frozen=True)
class PolarityScores(Scores):
    """The scores of the labels of pairs."""

    pss: float = proportion(
        "polarity sensitivity",
        "share of pairs of which both sentences are labeled correctly",
        direction="higher",
        chance=0.25,
        source="PSS §3, with the model's own answers",
        interval=True,
        compute=_sensitivity,
        key="pss",
    )
    chance_pss: float = declared(**CHANCE_PSS, compute=_chance)
    pss_without_frame: Floats = options.without_frame(pss)
    accuracy: float = proportion(
        "labels",
        "share of the pairs' sentences that are labeled correctly",
        direction="higher",
        chance=0.5,
        source="this project; PSS takes dev and test sentences",
        compute=lambda items, _: of_units(_accuracy, *items.documents.right_of_pairs()),
    )
    relative_pss: float = like(
        accuracy,
        "polarity sensitivity for what the labels are worth",
        "PSS / accuracy",
        source="PSS §3",
        compute=lambda items, _: of_units(_relative_pss, *items.documents.right_of_pairs()),
    )
    pss_direction: Floats = like(
        pss,
        "polarity sensitivity by direction",
        "PSS of the pairs of that direction",
        source="PSS §3",
        key="pss_{direction}",
        axes=(DIRECTION,),
        interval=False,
    )
    n_pairs: int = count(
        "pairs",
        "pairs of which both sentences were asked",
        value=lambda items, _: len(items.documents.whole_pairs()),
    )
    n_excluded_duplicate: int = not_asked("duplicate", "pairs that are there already", source="PSS appendix B")
    n_excluded_no_added_word: int = not_asked(
        "no_added_word", "pairs whose rewrite adds no word", source="PSS appendix B"
    )


POLARITY_ANSWERS = Measure(
    name="polarity_answers",
    version=2,
    main="pss",
    unit="pair",
    items=PolarityItems,
    scores=PolarityScores,
    additive=False,
    wording=Wording(
        question="Does the language model change its verdict when a sentence does?",
        score="Of a review and its rewrite with the opposite verdict, the model labels both right in {value} of all "
        "pairs.",
        chance=Consequences(
            "Guessing both labels",
            above="The model labels a sentence and its opposite both right more often than guesses would.",
            below="The model labels a sentence and its opposite both right less often than guesses would.",
        ),
        right=(
            "Both labels should be right (1). The margin is the PMI of the right label less the PMI of the wrong "
            "label. It should be above 0 for the sentence and for its rewrite with the opposite sentiment."
        ),
    ),
)
