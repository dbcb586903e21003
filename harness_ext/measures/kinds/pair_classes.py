"""Pair classes: are the texts of some pairs nearer to each other than those of other pairs?

Pairs that should be near, such as those that mean the same, are compared with all others:

- by P(cos of a pair that should be near > cos of another),
- by how many of the others lie below the threshold that keeps most of those that should be near.

Caches, deduplication and memories of agents take two texts for one if their cosine reaches such a
threshold.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypeVar

import numpy as np
from typing_extensions import TypedDict

from harness_ext.common.arrays import Flags, Floats, Names, Texts
from harness_ext.data.annotations import NAME, RowId
from harness_ext.data.rows import SAME, PairClass
from harness_ext.measures.core.items import Table, column, cosine, text
from harness_ext.measures.core.measure import FEWEST_UNITS, Row
from harness_ext.measures.core.scores import COUNT, Axis, number, score
from harness_ext.measures.core.view import View, percentiles
from harness_ext.measures.core.wording import Wording
from harness_ext.measures.kinds.kind import ROW, KindItems, OfRows, nearer_wording
from harness_ext.statistics.statistic import Statistic, UnitStatistic
from harness_ext.statistics.threshold import probability_nearer, share_below, threshold

# `class` is a keyword
PairClassRow = TypedDict(
    "PairClassRow",
    {
        "id": RowId,
        "first": str,
        "second": str,
        "class": PairClass,
        "group": NotRequired[Annotated[str, NAME]],
        "kind": NotRequired[Annotated[str, NAME]],
    },
)
"""Two texts and `same`, or another class.

Pairs of one group are resampled together, or those with one first text.
"""


@dataclass(frozen=True)
class PairTable(Table, ABC):
    """One row per pair of texts."""

    row: Names = column(ROW)
    first: Texts = text("A text.")
    second: Texts = text("Another.")
    similarity: Floats = cosine(
        "Cosine of the two texts, in [-1, 1]; none for a zero vector.", "first", "second"
    )

    @property
    @abstractmethod
    def is_same(self) -> Flags:
        """Which pairs should be near, shape (n,)."""


class Percent(str):
    """A percent of the pairs that should be near, as it stands in keys and texts.

    Examples:
        >>> "{percent} %, not {percent.rest:g}".format(percent=Percent(90))
        '90 %, not 0.1'
    """

    @property
    def rest(self) -> float:
        """The share of the other pairs that should be near, in [0, 1]."""
        return (100 - int(self)) / 100


def percents(*kept: int) -> Axis:
    """The axis of thresholds that so many percent of the pairs that should be near reach."""
    meanings: dict[str, str] = {}
    for percent in kept:
        meanings[Percent(percent)] = f"the threshold that {percent} % reach"
    return Axis("percent", meanings)


def _share_below_by_chance(percent: Percent) -> float:
    """Pairs that are as near as those that should be lie below the threshold as often."""
    return percent.rest


AnyPairs = TypeVar("AnyPairs", bound=KindItems[PairTable])


class PairClasses(OfRows[AnyPairs]):
    """How much nearer to each other the texts of pairs that should be near are.

    Attributes:
        near: What a pair is that should be near, for sentences.
        other: What another pair is.
        auc: The key of P(cos of a pair that should be near > cos of another).
        kept: The percents of the pairs that should be near that a threshold keeps, see `percents`;
            None for no threshold.
    """

    row: type[Any] = PairClassRow
    main = "auc"
    texts = ("first", "second")
    symmetric = texts
    near: str = "a pair that means the same"
    other: str = "a pair that does not"
    auc: str = "auc"
    kept: Axis | None = None

    def wording(self) -> Wording:
        """Word which pairs should be nearer."""
        right = (
            f"The texts of {self.near} should be nearer to each other than those of {self.other}."
        )
        return nearer_wording(self.question, self.near, self.other, right)

    def view(self, items: AnyPairs) -> View:
        """View pairs: of those that should be near, the farther the more wrong; else the nearer."""
        pairs = items.compared
        rank = percentiles(pairs.similarity)
        near_or_far = np.where(pairs.is_same, "near", "far")
        return View(
            facts={"pair": pairs.row, "kind": pairs.values().get("kind", near_or_far)},
            figures={"cos": pairs.similarity},
            wrong=np.where(pairs.is_same, 1 - rank, rank),
            rows=pairs.row,
        )

    def units(self, pairs: PairTable) -> Names:
        """The unit of each pair, shape (n,)."""
        return pairs.values()[self.unit]

    def share_kept_apart(self, pairs: PairTable, tested: Flags, percent: int) -> UnitStatistic:
        """The share of pairs `tested` below the threshold that keeps so many percent, in [0, 1].

        Args:
            pairs: All pairs.
            tested: Which of them are tested; none that should be near, shape (n,).
            percent: How many percent of the pairs that should be near reach the threshold.
        """
        units = self.units(pairs)
        return share_below(percent, units, pairs.similarity, pairs.is_same, tested, FEWEST_UNITS)

    @score(
        key="kept_apart_{percent}",
        axes=["kept"],
        title=(
            "how many opposites are kept apart at the threshold that keeps {percent} % of the "
            "paraphrases together"
        ),
        formula="share of the other pairs with cos < threshold_{percent}",
        range=(0, 1),
        better="higher",
        chance=_share_below_by_chance,
        interval=True,
    )
    def kept_apart(self, items: AnyPairs, percent: str) -> UnitStatistic:
        pairs = items.compared
        return self.share_kept_apart(pairs, ~pairs.is_same, int(percent))

    @score(
        key="threshold_{percent}",
        axes=["kept"],
        title="the threshold that keeps {percent} % of the paraphrases together",
        formula=(
            "the k-th smallest cosine, from 1, of the n pairs that should be near, k = "
            "⌊{percent.rest:g} (n + 1)⌋: at least {percent} % of new such pairs reach it; not "
            "defined where k is 0"
        ),
        range=(-1, 1),
        interval=True,
    )
    def threshold(self, items: AnyPairs, percent: str) -> UnitStatistic:
        near = items.compared[items.compared.is_same]
        return threshold(int(percent), self.units(near), near.similarity)

    @score(
        key="{cls.auc}",
        title="how often {cls.near} is nearer than {cls.other}",
        formula="P(cos of {cls.near} > cos of {cls.other}), ties ½",
        range=(0, 1),
        better="higher",
        chance=0.5,
        interval=True,
    )
    def nearer(self, items: AnyPairs) -> Statistic:
        pairs = items.compared
        return probability_nearer(
            self.units(pairs), pairs.similarity, pairs.is_same, ~pairs.is_same
        )

    def n_same(self, items: AnyPairs) -> int:
        """The pairs that should be near and have a cosine: they decide the thresholds."""
        pairs = items.compared
        return int(np.count_nonzero(pairs.is_same & ~np.isnan(pairs.similarity)))

    @number(
        title="pairs with a zero vector",
        formula="pairs that are left out because a vector has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: AnyPairs) -> int:
        return int(np.isnan(items.compared.similarity).sum())


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
    """Pair classes of a user's own."""

    name = "pair_classes"
    version = 4
    question = (
        "Are the texts of one class of pairs nearer to each other than those of all other pairs?"
    )
    items = ClassedItems
    unit = "group"
    labels = ("group",)
    kept = percents(90)
    examples = (
        {"first": "The shop is open.", "second": "You can enter the store.", "class": SAME},
        {"first": "The shop is open.", "second": "The shop is closed.", "class": "opposite"},
    )

    def prepare(self, row: Row) -> Row:
        """Pairs without a group are those of their first text."""
        return {**row, "group": row.get("group") or row["first"], "kind": row.get("kind") or ""}


PAIR_CLASSES = OwnPairs()
