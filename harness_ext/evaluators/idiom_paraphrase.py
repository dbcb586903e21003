"""Idiom paraphrase: is a sentence with a verbal idiom nearer to what follows from it than to what does not?

The pairs are those of Stowe, Utama, Gurevych 2022: *IMPLI*, ACL, joined by their sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import numpy as np

from harness_ext.arrays import Array, Floats, Integers, Names, Texts
from harness_ext.evaluators.items import Items, Table, column, distance, text
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.scores import Axis, Scores, count, proportion
from harness_ext.evaluators.wording import Consequences, Wording
from harness_ext.statistics.distance import at_most
from harness_ext.statistics.statistic import Statistic, mean

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
        nearer = at_most(self.entailed_distance, self.not_entailed_distance)
        farther = at_most(self.not_entailed_distance, self.entailed_distance)
        right: Floats = (1 + nearer - farther) / 2
        return right


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


def _share(items: IdiomParaphraseItems, place: Mapping[str, str]) -> Statistic:
    return mean(items.triples.row, items.triples.right)


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
    )
    n_excluded_zero_vector: int = count(
        "triples with a zero vector", "triples that are left out because one of their vectors has no direction"
    )
    n_changed: int = count(
        "texts with other blanks than in the files", "texts of the triples that lost blanks before marks"
    )


def idiom_paraphrase_plan(rows: list[dict[str, Any]], _: str = "") -> IdiomParaphraseItems:
    """Compare each sentence with both rewrites; rows are `RewriteRow`s."""
    triples = (
        (row["id"], row.get("n_changed", 0), row["sentence"], row["entailed"], row["not_entailed"])
        for row in rows
        if not row.get("removed_by")
    )
    removed = ((row["id"], row["removed_by"]) for row in rows if row.get("removed_by"))
    return IdiomParaphraseItems(RewriteTriples.of_rows(triples), RemovedRows.of_rows(removed))


def _descriptives(items: IdiomParaphraseItems) -> dict[str, Any]:
    return {
        "n_excluded": np.array([int((items.removed.reason == reason).sum()) for reason in REASON.values]),
        "n_excluded_zero_vector": int(np.isnan(items.triples.right).sum()),
        "n_changed": int(items.triples.n_changed.sum()),
    }


_WORDING = Wording(
    question="Is a sentence with figurative words nearer to what follows from it than to what does not?",
    score="In {value} of the sentences, the rewrite that follows from the sentence is nearer than the other.",
    chance=Consequences(
        "Tossing a coin",
        above="More often than not, the rewrite that follows from the sentence is nearer than the one that does not.",
        below="More often than not, the rewrite that does not follow is nearer to the sentence than the one that does.",
    ),
    right="The margin should be above 0: the rewrite that follows from the sentence should be nearer to it.",
)

IDIOM_PARAPHRASE = Measure(
    name="idiom_paraphrase",
    version=2,
    question="Is a sentence with a verbal idiom nearer to what follows from it than to what does not?",
    needs=RewriteRow,
    plan=idiom_paraphrase_plan,
    main="share_entailed",
    unit="row",
    items=IdiomParaphraseItems,
    scores=IdiomParaphraseScores,
    descriptives=_descriptives,
    wording=_WORDING,
)
