"""Idiom paraphrase on IMPLI, on SemEval-2022 task 2B, and on 60 idioms written for this project.

Stowe, Utama, Gurevych 2022: *IMPLI*, ACL; Tayyar Madabushi et al. 2022: *SemEval-2022 Task 2*.
"""

from dataclasses import dataclass

import numpy as np

from harness_ext.common.arrays import Floats, Integers, Names, Texts
from harness_ext.data.rows import ExpressionRow, RewriteRow
from harness_ext.measures.core.items import Table, column, distance, text
from harness_ext.measures.core.old_measure import Rows
from harness_ext.measures.core.old_scores import Axis, AxisValues, correlation, count
from harness_ext.measures.kinds.kind import ROW, KindItems, Removed, Row, planned, removed, used
from harness_ext.measures.kinds.triplets import Triplets, TripletTable, triplet_wording
from harness_ext.statistics.statistic import Statistic, spearman_of_rows
from harness_ext.tasks.task import NOUN_COMPOUNDS, VERBAL_IDIOMS, Task, on_data

_REASON = Axis(
    "reason",
    {
        "no_entailed": "there is no rewrite that follows from the sentence",
        "no_not_entailed": "there is no rewrite that does not follow from it",
        "repeated": "a later rewrite of a sentence that has one already",
    },
)


@dataclass(frozen=True)
class RewriteTriplets(TripletTable):
    """One row per sentence with two rewrites."""

    n_changed: Integers = column("How many of its texts the normalization of blanks changed.")
    right_distance: Floats = distance(
        "d of the sentence and the rewrite that follows from it.", "anchor", "right", name="entailed_distance"
    )
    wrong_distance: Floats = distance(
        "d of the sentence and the one that does not.", "anchor", "wrong", name="not_entailed_distance"
    )


@dataclass(frozen=True)
class RewriteItems(KindItems[RewriteTriplets]):
    """Sentences with two rewrites, and the rows that are left out."""

    triples: RewriteTriplets
    removed: Removed


class IdiomParaphrase(Triplets[RewriteItems]):
    """Is a sentence with figurative words nearer to what follows from it than to what does not?"""

    name = "idiom_paraphrase"
    version = 5
    words = ("the sentence", "the rewrite that follows from it", "the one that does not")
    source = "this project, on IMPLI"
    needs = RewriteRow
    items = RewriteItems
    texts = ("sentence", "entailed", "not_entailed")
    main = "share_entailed"
    reasons = _REASON
    n_changed = count(
        "texts with other blanks than in the files",
        "texts of the triples that lost blanks before marks",
        value=lambda items, _: items.triples.n_changed.sum(),
    )

    def prepare(self, row: Row) -> Row:
        """A user's own row says nothing of changes."""
        return {**row, "n_changed": row.get("n_changed") or 0}


IDIOM_PARAPHRASE = IdiomParaphrase().measure()

_OTHERS = {
    "idioms": ("a verbal idiom", "its literal reading"),
    "antonyms": ("a verbal idiom", "the opposite of its meaning"),
    "metaphors": ("a metaphor", "another use of the same words"),
}
"""Split -> what its sentences have, and the other rewrite."""

_IDIOM_PARAPHRASE = Task(
    name="IdiomParaphrase",
    measure=IDIOM_PARAPHRASE,
    category=VERBAL_IDIOMS,
    description="Is a sentence with a verbal idiom nearer to a rewrite that follows from it than to its literal "
    "reading, to an antonym, or, for metaphors, to another literal use? The semi-automatic pairs are the splits "
    "magpie, pie and semeval.",
    **on_data("impli", "d43c272c895c773b311018d51ab65f592c6699bb", "impli"),
    splits=("idioms", "antonyms", "metaphors"),
    wordings={
        split: triplet_wording(
            f"Is a sentence with {figure} nearer to its meaning than to {other}?",
            *("the sentence", f"the meaning of {figure}", other),
        )
        for split, (figure, other) in _OTHERS.items()
    },
)


@dataclass(frozen=True)
class ExpressionTriplets(RewriteTriplets):
    """One row per sentence with both paraphrases."""

    expression: Names = column("The expression; what is resampled.")
    rewrites_distance: Floats = distance("d of the two rewrites.", "right", "wrong")


@dataclass(frozen=True)
class ExpressionPairs(Table):
    """One row per sentence with its right paraphrase alone."""

    row: Names = column(ROW)
    expression: Names = column("The expression; what is resampled.")
    sentence: Texts = text("The sentence.")
    entailed: Texts = text("The right paraphrase.")
    entailed_distance: Floats = distance("d of the two.", "sentence", "entailed")


@dataclass(frozen=True)
class ExpressionItems(KindItems[ExpressionTriplets]):
    """Sentences with both paraphrases, those with the right one alone, and the rows that are left out."""

    triples: ExpressionTriplets
    pairs: ExpressionPairs
    removed: Removed


def _self_consistency(items: ExpressionItems, _: AxisValues) -> Statistic:
    triples, pairs = items.triples, items.pairs
    wanted = np.concatenate([-triples.rewrites_distance, np.zeros(len(pairs))])
    nearness = -np.concatenate([triples.wrong_distance, pairs.entailed_distance])
    return spearman_of_rows(np.concatenate([triples.expression, pairs.expression]), nearness, wanted)


class ExpressionParaphrase(Triplets[ExpressionItems]):
    """Is a sentence with a compound nearer to its meaning than to the words one by one?"""

    name = "expression_paraphrase"
    version = 5
    words = ("the sentence", "the meaning of a compound", "a reading word by word")
    source = "this project, on SemEval-2022 task 2B"
    needs = ExpressionRow
    items = ExpressionItems
    texts = ("sentence", "entailed", "not_entailed")
    main = "share_entailed"
    unit = "expression"
    reasons = Axis("reason", {"same_text": "the two paraphrases are the same text"})
    examples = (
        {
            "expression": "black box",
            "sentence": "The model is a black box.",
            "entailed": "The model is a mystery.",
            "not_entailed": "The model is a dark crate.",
        },
        {
            "expression": "cold feet",
            "sentence": "The groom got cold feet.",
            "entailed": "The groom lost his nerve.",
            "not_entailed": "The groom got chilly toes.",
        },
    )
    self_consistency = correlation(
        "the score of SemEval-2022 task 2B",
        "Spearman's ρ of the model's own similarities: of a sentence and a paraphrase of it with what it should "
        "be, 1 for a right paraphrase, for one word by word the similarity of the two paraphrases",
        direction="higher",
        source="SemEval-2022 task 2B, on its training data",
        interval=True,
        compute=_self_consistency,
    )

    def plan(self, rows: Rows, split: str = "") -> ExpressionItems:
        """Compare sentences with both paraphrases, and those without a reading word by word."""
        both, right_alone = (
            [{**row, "n_changed": 0} for row in used(rows) if bool(row["not_entailed"]) == has_both]
            for has_both in (True, False)
        )
        return ExpressionItems(
            planned(ExpressionTriplets, both, self.texts),
            planned(ExpressionPairs, right_alone, self.texts),
            planned(Removed, removed(rows)),
        )


EXPRESSION_PARAPHRASE = ExpressionParaphrase().measure()

_COMPOUND_PARAPHRASE = Task(
    name="CompoundParaphrase",
    measure=EXPRESSION_PARAPHRASE,
    category=NOUN_COMPOUNDS,
    description="Is a sentence with a noun compound nearer to the sentence with a paraphrase of the compound than to "
    "the one with the words replaced one by one? The training data of SemEval-2022 task 2B.",
    **on_data("semeval_2022_idioms", "872625c8f9c5d656b7866ff063a2ab0238ac4c80"),
    splits=("train",),
)

TASKS = (
    _IDIOM_PARAPHRASE,
    _IDIOM_PARAPHRASE.on_own_data(splits=("idioms", "antonyms")),
    _COMPOUND_PARAPHRASE,
)
