"""Pair classes: are the texts of some pairs nearer to each other than those of other pairs?

Pairs that should be near, such as those that mean the same, are compared with all others: by P(cos of one of the first
> cos of one of the others), and by how many of the others lie below the threshold that keeps most of the first. Caches,
deduplication and memories of agents take two texts for one if their cosine reaches such a threshold.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, NotRequired, TypeVar

import numpy as np
from typing_extensions import TypedDict

from harness_ext.common.arrays import Flags, Floats, Names, Texts
from harness_ext.data.rows import SAME, PairClass
from harness_ext.measures.core.items import Table, column, cosine, text
from harness_ext.measures.core.old_measure import FEWEST_UNITS
from harness_ext.measures.core.old_scores import Axis, AxisValues, Score, declared, like, proportion, zero_vectors
from harness_ext.measures.core.view import View, percentiles
from harness_ext.measures.core.wording import Wording
from harness_ext.measures.kinds.kind import ROW, Kind, KindItems, Row, nearer_wording
from harness_ext.statistics.statistic import Statistic, UnitStatistic
from harness_ext.statistics.threshold import probability_nearer, share_below, threshold

# `class` is a keyword
PairClassRow = TypedDict(
    "PairClassRow",
    {"id": str, "first": str, "second": str, "class": PairClass, "group": NotRequired[str], "kind": NotRequired[str]},
)
"""Two texts and `same`, or another class; pairs of one group are resampled together, or those with one first text."""


@dataclass(frozen=True)
class PairTable(Table, ABC):
    """One row per pair of texts."""

    row: Names = column(ROW)
    first: Texts = text("A text.")
    second: Texts = text("Another.")
    similarity: Floats = cosine("Cosine of the two texts, in [-1, 1]; none for a zero vector.", "first", "second")

    @property
    @abstractmethod
    def is_same(self) -> Flags:
        """Which pairs should be near, shape (n,)."""


AnyPairs = TypeVar("AnyPairs", bound=KindItems[PairTable])


class PairClasses(Kind[AnyPairs]):
    """How much nearer to each other the texts of pairs that should be near are; with the attributes of `Kind`.

    Attributes:
        near: What a pair is that should be near, for sentences.
        other: What another pair is.
        auc: The key of P(cos of a pair that should be near > cos of another).
        kept: Percents of the pairs that should be near that a threshold keeps.
        axis: The column that the share kept apart at the first of these thresholds is broken down by.
    """

    needs: type[Any] = PairClassRow
    main = "auc"
    texts = ("first", "second")
    symmetric = texts
    near: str = "a pair that means the same"
    other: str = "a pair that does not"
    auc: str = "auc"
    kept: tuple[int, ...] = ()
    axis: Axis | None = None

    def wording(self) -> Wording:
        """Word which pairs should be nearer."""
        right = f"The texts of {self.near} should be nearer to each other than those of {self.other}."
        return nearer_wording(self.question, self.near, self.other, right)

    def view(self, items: AnyPairs) -> View:
        """View pairs: of those that should be near, the farther the more wrong; of others, the nearer."""
        pairs = items.compared
        rank = percentiles(pairs.similarity)
        kind = pairs.values().get("kind", np.where(pairs.is_same, "near", "far"))
        wrong = np.where(pairs.is_same, 1 - rank, rank)
        return View({"pair": pairs.row, "kind": kind}, {"cos": pairs.similarity}, wrong, pairs.row)

    def nearer(self, items: AnyPairs, _: AxisValues) -> Statistic:
        """P(cos of a pair that should be near > cos of another)."""
        rows = items.compared
        return probability_nearer(rows.values()[self.unit], rows.similarity, rows.is_same, ~rows.is_same)

    def kept_apart(self, percent: int, items: AnyPairs, axes: AxisValues) -> UnitStatistic:
        """The share of the other pairs that lie below the threshold: of all, or of those of the axis."""
        rows = items.compared
        tested = rows.values()[self.axis.name] == axes[self.axis.name] if self.axis and axes else ~rows.is_same
        return share_below(percent, rows.values()[self.unit], rows.similarity, rows.is_same, tested, FEWEST_UNITS)

    def threshold_that_keeps(self, percent: int, items: AnyPairs, _: AxisValues) -> Statistic:
        """The threshold that keeps so many percent of the pairs that should be near."""
        same = items.compared[items.compared.is_same]
        return threshold(percent, same.values()[self.unit], same.similarity)

    def scores(self) -> dict[str, Score]:
        """See the base class."""
        scores: dict[str, Score] = {
            f"kept_apart_{percent}": proportion(
                f"how many opposites are kept apart at the threshold that keeps {percent} % of the paraphrases "
                "together",
                f"share of the other pairs with cos < threshold_{percent}",
                direction="higher",
                chance=(100 - percent) / 100,
                interval=True,
                compute=partial(self.kept_apart, percent),
            )
            for percent in self.kept
        }
        if self.axis:
            (key, share), name = next(iter(scores.items())), self.axis.name
            title, formula = f"the same by {name}", f"{key} of the pairs of one {name}"
            scores["by"] = like(share, title, formula, key=f"{key}_{{{name}}}", axes=(self.axis,))
        for percent in self.kept:
            scores[f"threshold_{percent}"] = declared(
                f"the threshold that keeps {percent} % of the paraphrases together",
                f"the greatest cosine that at least {percent} % of the n pairs that should be near reach: the "
                f"⌊{(100 - percent) / 100:g} n⌋-th smallest, from 0",
                range=(-1, 1),
                interval=True,
                compute=partial(self.threshold_that_keeps, percent),
            )
        scores[self.auc] = proportion(
            f"how often {self.near} is nearer than {self.other}",
            f"P(cos of {self.near} > cos of {self.other}), ties ½",
            direction="higher",
            chance=0.5,
            interval=True,
            compute=self.nearer,
        )
        scores |= self.more_scores()
        scores["n_excluded_zero_vector"] = zero_vectors("pairs", lambda items: items.compared.similarity)
        return scores


@dataclass(frozen=True)
class ClassedPairs(PairTable):
    """Pairs of a class."""

    class_: Names = column(f"{SAME}, or another class.")
    group: Names = column("Pairs that are resampled together.")
    kind: Names = column("The kind of pair; may be empty.")

    @property
    def is_same(self) -> Flags:
        """See the base class."""
        return self.class_ == SAME


@dataclass(frozen=True)
class ClassedItems(KindItems[ClassedPairs]):
    """Pairs of classes."""

    pairs: ClassedPairs


class OwnPairs(PairClasses[ClassedItems]):
    """Are the texts of one class of pairs nearer to each other than those of all other pairs?"""

    name = "pair_classes"
    version = 3
    items = ClassedItems
    unit = "group"
    labels = ("group",)
    kept = (90,)
    examples = (
        {"first": "The shop is open.", "second": "You can enter the store.", "class": SAME},
        {"first": "The shop is open.", "second": "The shop is closed.", "class": "opposite"},
    )

    def prepare(self, row: Row) -> Row:
        """Pairs without a group are those of their first text."""
        return {**row, "group": row.get("group") or row["first"], "kind": row.get("kind") or ""}


PAIR_CLASSES = OwnPairs().measure()
