"""Idiom paraphrase: is a sentence with a verbal idiom nearer to what follows from it than to what does not?

The pairs are those of Stowe, Utama, Gurevych 2022: *IMPLI*, ACL, joined by their sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness_ext.arrays import Array, Floats, Integers, Names, Places, Vectors
from harness_ext.evaluators.items import Items, Table, column, distance_of
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.scores import Axis, Scores, count, proportion
from harness_ext.statistics.distance import at_most, cosine_distance
from harness_ext.statistics.statistic import Statistic, mean

REASON = Axis(
    "reason",
    {
        "no_entailed": "there is no rewrite that follows from the sentence",
        "no_not_entailed": "there is no rewrite that does not follow from it",
        "repeated": "a later rewrite of a sentence that has one already",
    },
)


@dataclass(frozen=True)
class RewriteTriples(Table):
    """One row per sentence with both rewrites."""

    row: Names = column("Id of the dataset's row.", str)
    n_changed: Integers = column("How many of its texts the normalisation of blanks changed.", int)
    entailed_distance: Floats = distance_of(
        "d of the sentence and the rewrite that follows from it.", "{row}", "{row} entailed"
    )
    not_entailed_distance: Floats = distance_of(
        "d of the sentence and the rewrite that does not.", "{row}", "{row} not entailed"
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

    row: Names = column("Id of the dataset's row.", str)
    reason: Names = column("no_entailed, no_not_entailed or repeated.", str)


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


def idiom_paraphrase_items(
    vectors: Vectors,
    comparisons: Places,
    rows: Names,
    n_changed: Places,
    removed: RemovedRows,
) -> IdiomParaphraseItems:
    """Compute the distances.

    Args:
        vectors: One vector per distinct text, shape (n, d).
        comparisons: Rows of `vectors` for the sentence, what follows and what does not, shape (m, 3).
        rows: Id of each triple, shape (m,).
        n_changed: How many of its texts were normalised, shape (m,).
        removed: The rows that are no triples.
    """
    sentence, *rewrites = comparisons.T
    distances = (cosine_distance(vectors, sentence, rewrite) for rewrite in rewrites)
    return IdiomParaphraseItems(RewriteTriples(rows, n_changed, *distances), removed)


def _descriptives(items: IdiomParaphraseItems) -> dict[str, Any]:
    return {
        "n_excluded": np.array([int((items.removed.reason == reason).sum()) for reason in REASON.values]),
        "n_excluded_zero_vector": int(np.isnan(items.triples.right).sum()),
        "n_changed": int(items.triples.n_changed.sum()),
    }


IDIOM_PARAPHRASE = Measure(
    name="idiom_paraphrase",
    version=1,
    main="share_entailed",
    unit="row",
    items=IdiomParaphraseItems,
    scores=IdiomParaphraseScores,
    descriptives=_descriptives,
)
