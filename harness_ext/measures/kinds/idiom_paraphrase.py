"""Paraphrase: is a sentence nearer to a rewrite that follows from it than to one that does not?

Of idioms and metaphors: Stowe, Utama, Gurevych 2022: *IMPLI*, ACL. Of noun compounds: Tayyar
Madabushi et al. 2022: *SemEval-2022 Task 2*, subtask B.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from harness_ext.common.arrays import Floats, Integers, Names, Texts
from harness_ext.data.rows import ExpressionRow, RewriteRow
from harness_ext.measures.core.items import Table, column, distance, text
from harness_ext.measures.core.measure import Row, Rows
from harness_ext.measures.core.scores import COUNT, Axis, number, score
from harness_ext.measures.kinds.kind import ROW, KindItems, Removed, planned, removed, used
from harness_ext.measures.kinds.triplets import Triplets, TripletTable
from harness_ext.statistics.statistic import Statistic, spearman_of_rows


@dataclass(frozen=True)
class RewriteTriplets(TripletTable):
    """One row per sentence with two rewrites."""

    n_changed: Integers = column("How many of its texts the normalization of blanks changed.")
    right_distance: Floats = distance(
        "d of the sentence and the rewrite that follows from it.",
        "anchor",
        "right",
        name="entailed_distance",
    )
    wrong_distance: Floats = distance(
        "d of the sentence and the one that does not.",
        "anchor",
        "wrong",
        name="not_entailed_distance",
    )


@dataclass(frozen=True)
class RewriteItems(KindItems[RewriteTriplets]):
    """Sentences with two rewrites, and the rows that are left out."""

    triples: RewriteTriplets
    removed: Removed


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
    """Sentences with both paraphrases, those with the right one alone, and what is left out."""

    triples: ExpressionTriplets
    pairs: ExpressionPairs
    removed: Removed


AnyRewrites = TypeVar("AnyRewrites", RewriteItems, ExpressionItems)


class Rewrites(Triplets[AnyRewrites]):
    """How often a sentence is nearer to what follows from it than to what does not.

    Attributes:
        reasons: The values of `removed_by` of rows that are not compared.
    """

    texts = ("sentence", "entailed", "not_entailed")
    main = "share_entailed"
    reasons: Axis

    @number(
        key="n_excluded_{reason}",
        axes=["reasons"],
        title="rows that are no triplets",
        formula="rows that are left out, by reason",
        range=COUNT,
    )
    def n_excluded(self, items: AnyRewrites, reason: str) -> int:
        return int((items.removed.reason == reason).sum())


class IdiomParaphrase(Rewrites[RewriteItems]):
    """Idiom paraphrase, on the data of Stowe et al."""

    name = "idiom_paraphrase"
    version = 6
    question = (
        "Is a sentence with figurative words nearer to what follows from it than to what does not?"
    )
    words = ("the sentence", "the rewrite that follows from it", "the one that does not")
    source = "this project, on IMPLI"
    row = RewriteRow
    items = RewriteItems
    reasons = Axis(
        "reason",
        {
            "no_entailed": "there is no rewrite that follows from the sentence",
            "no_not_entailed": "there is no rewrite that does not follow from it",
            "repeated": "a later rewrite of a sentence that has one already",
        },
    )

    def prepare(self, row: Row) -> Row:
        """A user's own row says nothing of changes."""
        return {**row, "n_changed": row.get("n_changed") or 0}

    @number(
        title="texts with other blanks than in the files",
        formula="texts of the triples that lost blanks before marks",
        range=COUNT,
    )
    def n_changed(self, items: RewriteItems) -> int:
        return int(items.triples.n_changed.sum())


class ExpressionParaphrase(Rewrites[ExpressionItems]):
    """Compound paraphrase, on the data of Tayyar Madabushi et al."""

    name = "expression_paraphrase"
    version = 6
    question = "Is a sentence with a compound nearer to its meaning than to the words one by one?"
    words = ("the sentence", "the meaning of a compound", "a reading word by word")
    source = "this project, on SemEval-2022 task 2B"
    row = ExpressionRow
    items = ExpressionItems
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

    def plan(self, rows: Rows, split: str) -> ExpressionItems:
        """Compare sentences with both paraphrases, or with the right one if it is alone."""
        with_both: Rows = []
        with_right_alone: Rows = []
        for row in used(rows):
            alike = with_both if row["not_entailed"] else with_right_alone
            alike.append({**row, "n_changed": 0})
        return ExpressionItems(
            triples=planned(ExpressionTriplets, with_both, self.texts),
            pairs=planned(ExpressionPairs, with_right_alone, self.texts),
            removed=planned(Removed, removed(rows)),
        )

    @score(
        title="the score of SemEval-2022 task 2B",
        formula=(
            "Spearman's ρ of the model's own similarities: of a sentence and a paraphrase of it "
            "with what it should be, 1 for a right paraphrase, for one word by word the "
            "similarity of the two paraphrases"
        ),
        range=(-1, 1),
        better="higher",
        chance=0,
        source="SemEval-2022 task 2B, on its training data",
        interval=True,
    )
    def self_consistency(self, items: ExpressionItems) -> Statistic:
        triples = items.triples
        pairs = items.pairs
        expressions = np.concatenate([triples.expression, pairs.expression])
        found = -np.concatenate([triples.wrong_distance, pairs.entailed_distance])
        wanted = -np.concatenate([triples.rewrites_distance, np.zeros(len(pairs))])
        return spearman_of_rows(expressions, found, wanted)


IDIOM_PARAPHRASE = IdiomParaphrase()
EXPRESSION_PARAPHRASE = ExpressionParaphrase()
