"""Triplets: is a text nearer to one that means the same than to one that does not?

A triplet is won if d(anchor, right) < d(anchor, wrong), d = 1 - cos.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats, Names, Texts
from harness_ext.measures.core.items import Table, column, distance, text
from harness_ext.measures.core.old_scores import Axis, AxisValues, Score, count, like, proportion, zero_vectors
from harness_ext.measures.core.wording import Wording
from harness_ext.measures.kinds.kind import ROW, Kind, KindItems, nearer_wording
from harness_ext.statistics.distance import nearer
from harness_ext.statistics.statistic import Statistic, mean, mean_of_rows


class TripletRow(TypedDict):
    """A text, another that means the same, and one that does not."""

    id: str
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
    right_distance: Floats = distance("d of the text and the one that means the same.", "anchor", "right")
    wrong_distance: Floats = distance("d of the text and the one that does not.", "anchor", "wrong")

    @property
    def won(self) -> Floats:
        """1 where the right text is nearer, ½ for a tie, 0 where it is not, NaN for a zero vector, shape (m,)."""
        return nearer(self.right_distance, self.wrong_distance)


@dataclass(frozen=True)
class TripletItems(KindItems[TripletTable]):
    """Triplets without further facts."""

    triplets: TripletTable


AnyTriplets = TypeVar("AnyTriplets", bound=KindItems[TripletTable])


class Triplets(Kind[AnyTriplets]):
    """How often the right text is nearer to the anchor than the wrong one; with the attributes of `Kind`.

    Attributes:
        texts: The fields of a row with anchor, right and wrong text.
        words: What these are, for sentences.
        unit: The column whose values are resampled; each row by default.
        axis: The column that the score is broken down by, as `share_{column}`.
        main_of: The values on this axis that the main score is of; all if empty.
        reasons: The values of `removed_by` of rows that are not compared, if the items have a table `removed`.
        rule: When a triplet is won; `{0}`, `{1}` and `{2}` are the texts.
        chance: The share that a guess wins.
    """

    needs: type[Any] = TripletRow
    main = "share"
    unit = "row"
    texts = ("anchor", "right", "wrong")
    words: tuple[str, str, str] = ("the text", "the one that means the same", "the one that does not")
    axis: Axis | None = None
    main_of: tuple[str, ...] = ()
    reasons: Axis | None = None
    rule: str = "d({0}, {1}) < d({0}, {2}), ties ½"
    chance: float = 0.5

    def wording(self) -> Wording:
        """Word which text should be nearer."""
        return triplet_wording(self.question, *self.words)

    def share(self, items: AnyTriplets, axes: AxisValues) -> Statistic:
        """The share of the triplets that are won: of those of the axes, or of the main score."""
        rows = items.compared.at(axes)
        if self.axis and self.main_of and not axes:
            rows = rows[np.isin(rows.values()[self.axis.name], self.main_of)]
        if self.unit == "row":
            return mean(rows.row, rows.won)
        return mean_of_rows(*np.unique(rows.values()[self.unit], return_inverse=True), rows.won)

    def scores(self) -> dict[str, Score]:
        """See the base class."""
        _, right, wrong = self.words
        of = f" of {' and '.join(self.main_of)}" if self.main_of else ""
        main = proportion(
            f"how often {right} is nearer than {wrong}",
            f"share of the triplets{of} with {self.rule.format(*self.texts)}",
            direction="higher",
            chance=self.chance,
            source=self.source,
            interval=True,
            compute=self.share,
        )
        scores = {self.main: main, **self.more_scores()}
        if self.axis:
            name = self.axis.name
            title, formula = f"the same by {name}", f"share of the triplets of the {name}"
            scores["share_by"] = like(main, title, formula, key=f"share_{{{name}}}", axes=(self.axis,))
        if self.reasons:
            scores["n_excluded"] = count(
                "rows that are no triplets",
                "rows that are left out, by reason",
                key="n_excluded_{reason}",
                axes=(self.reasons,),
                value=lambda items, axes: len(items.removed.at(axes)),
            )
        scores["n_excluded_zero_vector"] = zero_vectors("triplets", lambda items: items.compared.won)
        return scores


def triplet_wording(question: str, anchor: str, right: str, wrong: str) -> Wording:
    """Sentences about triplets, from what their texts are, such as `the meaning of a verbal idiom`."""
    return nearer_wording(question, right, wrong, f"Nearer to {anchor} should be {right}, not {wrong}.")


class OwnTriplets(Triplets[TripletItems]):
    """Is a text nearer to one that means the same than to one that does not?"""

    name = "triplets"
    items = TripletItems
    examples = (
        {"anchor": "The shop is open.", "right": "You can enter the store.", "wrong": "The shop is closed."},
        {"anchor": "It is raining.", "right": "Water falls from the sky.", "wrong": "It is snowing."},
    )


TRIPLETS = OwnTriplets().measure()
