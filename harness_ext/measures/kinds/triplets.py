"""Triplets: is a text nearer to one that means the same than to one that does not?

A triplet is won if d(anchor, right) < d(anchor, wrong), d = 1 - cos.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats, Names, Texts
from harness_ext.data.annotations import RowId
from harness_ext.measures.core.items import Table, column, distance, text
from harness_ext.measures.core.scores import COUNT, Axis, number, score
from harness_ext.measures.core.wording import Wording
from harness_ext.measures.kinds.kind import ROW, KindItems, OfRows, nearer_wording
from harness_ext.statistics.distance import nearer
from harness_ext.statistics.statistic import Statistic, mean, mean_of_rows


class TripletRow(TypedDict):
    """A text, another that means the same, and one that does not."""

    id: RowId
    anchor: str
    right: str
    wrong: str


@dataclass(frozen=True)
class TripletTable(Table):
    """One row per triplet."""

    row: Names = column(ROW)
    anchor: Texts = text("The text.")
    right: Texts = text("The one that means the same.")
    wrong: Texts = text("The one that does not.")
    right_distance: Floats = distance(
        "d of the text and the one that means the same.", "anchor", "right"
    )
    wrong_distance: Floats = distance("d of the text and the one that does not.", "anchor", "wrong")

    @property
    def won(self) -> Floats:
        """1 where the right text is nearer, ½ for a tie, 0 where it is not, NaN for a zero vector.

        Of shape (m,).
        """
        return nearer(self.right_distance, self.wrong_distance)


@dataclass(frozen=True)
class TripletItems(KindItems[TripletTable]):
    """Triplets without further facts."""

    triplets: TripletTable


AnyTriplets = TypeVar("AnyTriplets", bound=KindItems[TripletTable])


class Triplets(OfRows[AnyTriplets]):
    """How often the right text is nearer to the anchor than the wrong one.

    Attributes:
        texts: The fields of a row with anchor, right and wrong text.
        words: What these are, for sentences.
        unit: The column whose values are resampled; each row by default.
        axis: The column that the score is broken down by, as `share_{column}`; None for none.
        chance: The share that a guess wins.
    """

    row: type[Any] = TripletRow
    main = "share"
    unit = "row"
    texts = ("anchor", "right", "wrong")
    words: tuple[str, str, str] = (
        "the text",
        "the one that means the same",
        "the one that does not",
    )
    axis: Axis | None = None
    chance: float = 0.5

    def wording(self) -> Wording:
        """Word which text should be nearer."""
        return triplet_wording(self.question, *self.words)

    def share_won(self, triplets: TripletTable) -> Statistic:
        """The share of triplets that are won, in [0, 1]; units are drawn with all their rows."""
        if self.unit == "row":
            return mean(triplets.row, triplets.won)
        names, unit_of_row = np.unique(triplets.values()[self.unit], return_inverse=True)
        return mean_of_rows(names, unit_of_row, triplets.won)

    @score(
        key="{cls.main}",
        title="how often {cls.words[1]} is nearer than {cls.words[2]}",
        formula=(
            "share of the triplets with d({cls.texts[0]}, {cls.texts[1]}) < d({cls.texts[0]}, "
            "{cls.texts[2]}), ties ½"
        ),
        range=(0, 1),
        better="higher",
        chance="chance",
        source="{cls.source}",
        interval=True,
    )
    def share(self, items: AnyTriplets) -> Statistic:
        return self.share_won(items.compared)

    @score(
        like=share,
        key="share_{axis}",
        axes=["axis"],
        title="the same by {cls.axis.name}",
        formula="share of the triplets of the {cls.axis.name}",
    )
    def share_by(self, items: AnyTriplets, value: str) -> Statistic:
        assert self.axis is not None  # else there is no such score
        return self.share_won(items.compared.at({self.axis.name: value}))

    @number(
        title="triplets with a zero vector",
        formula="triplets that are left out because a vector has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: AnyTriplets) -> int:
        return int(np.isnan(items.compared.won).sum())


def triplet_wording(question: str, anchor: str, right: str, wrong: str) -> Wording:
    """Sentences about triplets, from what their texts are, such as `the meaning of an idiom`."""
    right_result = f"Nearer to {anchor} should be {right}, not {wrong}."
    return nearer_wording(question, right, wrong, right_result)


class OwnTriplets(Triplets[TripletItems]):
    """Triplets of a user's own."""

    name = "triplets"
    version = 2
    question = "Is a text nearer to one that means the same than to one that does not?"
    items = TripletItems
    examples = (
        {
            "anchor": "The shop is open.",
            "right": "You can enter the store.",
            "wrong": "The shop is closed.",
        },
        {
            "anchor": "It is raining.",
            "right": "Water falls from the sky.",
            "wrong": "It is snowing.",
        },
    )


TRIPLETS = OwnTriplets()
