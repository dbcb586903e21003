"""Idiom paraphrase: is a sentence with a verbal idiom nearer to what follows from it than to what does not?

The pairs are those of Stowe, Utama, Gurevych 2022: *IMPLI*, ACL, joined by their sentence; for noun compounds those of
Tayyar Madabushi et al. 2022: *SemEval-2022 Task 2*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NotRequired, TypedDict

import numpy as np

from harness_ext.arrays import Array, Floats, Integers, Names, Texts
from harness_ext.data.rows import ExpressionRow
from harness_ext.framework.items import Items, Table, column, distance, text
from harness_ext.framework.measure import Measure, Rows
from harness_ext.framework.scores import Axis, Place, Scores, correlation, count, proportion, zero_vectors
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.distance import nearer
from harness_ext.statistics.statistic import Statistic, mean, mean_of_rows, spearman_of_rows

REASON = Axis(
    "reason",
    {
        "no_entailed": "there is no rewrite that follows from the sentence",
        "no_not_entailed": "there is no rewrite that does not follow from it",
        "repeated": "a later rewrite of a sentence that has one already",
    },
)


class RewriteRow(TypedDict):
    """What a row must have; a row that a rule removes says which."""

    id: str
    sentence: str
    entailed: str
    not_entailed: str
    removed_by: NotRequired[str]
    n_changed: NotRequired[int]


@dataclass(frozen=True)
class RewriteTriples(Table):
    """One row per sentence with both rewrites."""

    row: Names = column("Id of the dataset's row.")
    n_changed: Integers = column("How many of its texts the normalisation of blanks changed.")
    sentence: Texts = text("The sentence.")
    entailed: Texts = text("The rewrite that follows from it.")
    not_entailed: Texts = text("The rewrite that does not.")
    entailed_distance: Floats = distance(
        "d of the sentence and the rewrite that follows from it.", "sentence", "entailed"
    )
    not_entailed_distance: Floats = distance(
        "d of the sentence and the rewrite that does not.", "sentence", "not_entailed"
    )

    @property
    def right(self) -> Floats:
        """1 where the rewrite that follows is nearer, 0 where the other is, ½ for a tie, shape (m,).

        NaN for a zero vector.
        """
        return nearer(self.entailed_distance, self.not_entailed_distance)


@dataclass(frozen=True)
class RemovedRows(Table):
    """One row per sentence that is left out."""

    row: Names = column("Id of the dataset's row.")
    reason: Names = column("no_entailed, no_not_entailed or repeated.")


@dataclass(frozen=True)
class IdiomParaphraseItems(Items):
    """The triples, and the rows that are none."""

    triples: RewriteTriples
    removed: RemovedRows


def _share(items: IdiomParaphraseItems, place: Place) -> Statistic:
    return mean(items.triples.row, items.triples.right)


_ZERO_VECTORS = zero_vectors("triples", lambda items: items.triples.right)


@dataclass(frozen=True)
class IdiomParaphraseScores(Scores):
    """The scores; one is an array over `REASON`."""

    share_entailed: float = proportion(
        "how often the meaning of the idiom is nearer than its words or its opposite",
        "share of the sentences with d(sentence, entailed) < d(sentence, not entailed), ties ½",
        direction="higher",
        chance=0.5,
        source="this project, on IMPLI",
        interval=True,
        statistic=_share,
    )
    n_excluded: Array = count(
        "rows that are no triples",
        "rows of the dataset that are left out, by reason",
        key="n_excluded_{reason}",
        axes=(REASON,),
        value=lambda items, place: len(items.removed.at(place)),
    )
    n_excluded_zero_vector: int = _ZERO_VECTORS
    n_changed: int = count(
        "texts with other blanks than in the files",
        "texts of the triples that lost blanks before marks",
        value=lambda items, _: items.triples.n_changed.sum(),
    )


def idiom_paraphrase_plan(rows: Rows, _: str = "") -> IdiomParaphraseItems:
    """Compare each sentence with both rewrites; rows are `RewriteRow`s."""
    triples = (
        (row["id"], row.get("n_changed", 0), row["sentence"], row["entailed"], row["not_entailed"])
        for row in rows
        if not row.get("removed_by")
    )
    removed = ((row["id"], row["removed_by"]) for row in rows if row.get("removed_by"))
    return IdiomParaphraseItems(RewriteTriples.of_rows(triples), RemovedRows.of_rows(removed))


_WORDING = Wording(
    question="Is a sentence with figurative words nearer to what follows from it than to what does not?",
    score="In {value} of the sentences, the rewrite that follows from the sentence is nearer than the other.",
    chance=Consequences(
        "Tossing a coin",
        above="More often than not, the rewrite that follows from the sentence is nearer than the one that does not.",
        below="More often than not, the rewrite that does not follow is nearer to the sentence than the one that does.",
    ),
    right="The rewrite that follows from the sentence should be nearer to it than the other.",
)

IDIOM_PARAPHRASE = Measure(
    name="idiom_paraphrase",
    version=4,
    question="Is a sentence with a verbal idiom nearer to what follows from it than to what does not?",
    needs=RewriteRow,
    plan=idiom_paraphrase_plan,
    main="share_entailed",
    unit="row",
    items=IdiomParaphraseItems,
    scores=IdiomParaphraseScores,
    wording=_WORDING,
)


@dataclass(frozen=True)
class ExpressionTriples(RewriteTriples):
    """One row per sentence with both paraphrases of its expression."""

    expression: Names = column("The expression; what is resampled.")
    rewrites_distance: Floats = distance("d of the two paraphrases.", "entailed", "not_entailed")


@dataclass(frozen=True)
class ExpressionPairs(Table):
    """One row per sentence with its right paraphrase alone."""

    row: Names = column("Id of the dataset's row.")
    expression: Names = column("The expression; what is resampled.")
    sentence: Texts = text("The sentence.")
    entailed: Texts = text("The right paraphrase.")
    entailed_distance: Floats = distance("d of the two.", "sentence", "entailed")


@dataclass(frozen=True)
class ExpressionParaphraseItems(Items):
    """The triples, the pairs, and the rows that are neither."""

    triples: ExpressionTriples
    pairs: ExpressionPairs
    removed: RemovedRows


def _share_of_triples(items: ExpressionParaphraseItems, _: Place) -> Statistic:
    names, unit = np.unique(items.triples.expression, return_inverse=True)
    return mean_of_rows(names, unit, items.triples.right)


def _self_consistency(items: ExpressionParaphraseItems, _: Place) -> Statistic:
    triples, pairs = items.triples, items.pairs
    wanted = np.concatenate([-triples.rewrites_distance, np.zeros(len(pairs))])
    found = -np.concatenate([triples.not_entailed_distance, pairs.entailed_distance])
    return spearman_of_rows(np.concatenate([triples.expression, pairs.expression]), found, wanted)


@dataclass(frozen=True)
class ExpressionParaphraseScores(Scores):
    """The scores."""

    share_entailed: float = proportion(
        "how often the meaning of a compound is nearer than its words, one by one",
        "share of the sentences with d(sentence, right paraphrase) < d(sentence, word by word), ties ½",
        direction="higher",
        chance=0.5,
        source="this project, on SemEval-2022 task 2B",
        interval=True,
        statistic=_share_of_triples,
    )
    self_consistency: float = correlation(
        "the score of SemEval-2022 task 2B",
        "Spearman's ρ of the model's own similarities: of a sentence and a paraphrase of it with what it should be, 1 "
        "for a right paraphrase, for one word by word the similarity of the two paraphrases",
        direction="higher",
        source="SemEval-2022 task 2B, on its training data",
        interval=True,
        statistic=_self_consistency,
    )
    n_excluded_same_text: int = count(
        "rows that are no triples",
        "rows whose two paraphrases are the same text",
        value=lambda items, _: len(items.removed),
    )
    n_excluded_zero_vector: int = _ZERO_VECTORS


def expression_paraphrase_plan(rows: Rows, _: str = "") -> ExpressionParaphraseItems:
    """Compare each sentence with its paraphrases, and these with each other; rows are `ExpressionRow`s."""
    used = [row for row in rows if not row["removed_by"]]
    return ExpressionParaphraseItems(
        ExpressionTriples.of_rows(
            (row["id"], 0, row["sentence"], row["entailed"], row["not_entailed"], row["expression"])
            for row in used
            if row["not_entailed"]
        ),
        ExpressionPairs.of_rows(
            (row["id"], row["expression"], row["sentence"], row["entailed"]) for row in used if not row["not_entailed"]
        ),
        RemovedRows.of_rows((row["id"], row["removed_by"]) for row in rows if row["removed_by"]),
    )


EXPRESSION_PARAPHRASE = Measure(
    name="expression_paraphrase",
    version=3,
    question="Is a sentence with a compound nearer to a paraphrase of the compound than to one of its words?",
    needs=ExpressionRow,
    plan=expression_paraphrase_plan,
    main="share_entailed",
    unit="expression",
    items=ExpressionParaphraseItems,
    scores=ExpressionParaphraseScores,
    wording=Wording(
        question="Is a sentence with a compound nearer to its meaning than to its words one by one?",
        score="In {value} of the sentences, the right paraphrase is nearer than that of the words.",
        chance=Consequences(
            "Tossing a coin",
            above="More often than not, the meaning of a compound is nearer than a reading word by word.",
            below="More often than not, a reading word by word is nearer than the compound's meaning.",
        ),
        right="The right paraphrase should be nearer to the sentence than the one word by word.",
    ),
    examples=(
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
    ),
)
