"""Rated pairs: are two texts as similar to an encoder as they are to people?

The cosine of the two vectors of each pair is correlated with people's similarity, by Spearman's ρ.
"""

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

import numpy as np
from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats, Integers, Names, Texts
from harness_ext.data.annotations import NAME, RowId
from harness_ext.measures.core.items import Table, column, cosine, text
from harness_ext.measures.core.measure import Row, Rows
from harness_ext.measures.core.scores import COUNT, number, score
from harness_ext.measures.core.view import View
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.kinds.kind import ROW, KindItems, OfRows
from harness_ext.statistics.statistic import UnitStatistic, spearman_of_rows


class RatedPairRow(TypedDict):
    """Two texts and their similarity by people.

    Pairs of one kind and group are resampled together, or those with one first text where there
    are no groups.
    """

    id: RowId
    sentence1: str
    sentence2: str
    score: float
    group: NotRequired[Annotated[str, NAME]]
    kind: NotRequired[Annotated[str, NAME]]


@dataclass(frozen=True)
class RatedPairTable(Table):
    """One row per pair of texts."""

    row: Names = column(ROW)
    sentence1: Integers = column("Number of the first text, in the order of appearance.")
    sentence2: Integers = column("Number of the second text.")
    kind: Names = column("The kind of pair; empty where there are no kinds.")
    group: Names = column("Pairs that are resampled together.")
    people: Floats = column("Similarity by people.")
    first: Texts = text("The first text.")
    second: Texts = text("The second text.")
    similarity: Floats = cosine(
        "Cosine of the two texts, in [-1, 1]; none for a zero vector.", "first", "second"
    )


@dataclass(frozen=True)
class RatedPairItems(KindItems[RatedPairTable]):
    """Pairs and their similarity by people."""

    pairs: RatedPairTable


def agreement(pairs: RatedPairTable) -> UnitStatistic:
    """Spearman's ρ of the cosine with people's similarity; groups are drawn, with all pairs."""
    return spearman_of_rows(pairs.group, pairs.similarity, pairs.people)


class RatedPairs(OfRows[RatedPairItems]):
    """The rank correlation of cosines with people's similarity.

    Attributes:
        pairs: What the pairs of the main score are, for sentences.
    """

    row: type[Any] = RatedPairRow
    items: type[RatedPairItems] = RatedPairItems
    unit = "group"
    labels = ("group",)
    texts = ("sentence1", "sentence2")
    symmetric = texts
    pairs: str = "such pairs"
    main = "spearman"

    def wording(self) -> Wording:
        """Word how well the similarities agree."""
        return Wording(
            self.question,
            f"On {self.pairs}, its similarities agree with people's judgments at a rank "
            "correlation of {value}.",
            Consequences(
                "A random order",
                above=(
                    "Pairs that people find alike look more alike to the model too. The figure "
                    "says how closely."
                ),
                below=(
                    "The order is upside down: pairs that people find alike look less alike to the "
                    "model."
                ),
            ),
            "The more alike people find the texts of a pair, the more alike they should be to the "
            "model. A difference of ranks of 1 goes from one end of all pairs to the other.",
        )

    def plan(self, rows: Rows, split: str) -> RatedPairItems:
        """Compare the two texts of each row."""
        prepared = [self.prepare(row) for row in rows]
        number_of_text: dict[str, int] = {}
        for row in prepared:
            for field in self.texts:
                number_of_text.setdefault(row[field], len(number_of_text))
        first_field, second_field = self.texts
        first = [row[first_field] for row in prepared]
        second = [row[second_field] for row in prepared]
        pairs = RatedPairTable.of_columns(
            row=[row["id"] for row in prepared],
            sentence1=[number_of_text[sentence] for sentence in first],
            sentence2=[number_of_text[sentence] for sentence in second],
            kind=[_kind(row) for row in prepared],
            group=[_group(row, number_of_text[row[first_field]]) for row in prepared],
            people=[row["score"] for row in prepared],
            first=first,
            second=second,
        )
        return RatedPairItems(pairs)

    def view(self, items: RatedPairItems) -> View:
        """View pairs: cosine against people's similarity."""
        pairs = items.pairs
        facts = {"pair": pairs.row, "kind": pairs.kind, "similarity by people": pairs.people}
        return View.by_rank(facts, ("cos", pairs.similarity), pairs.people, pairs.row)

    @score(
        title="agreement with people on all pairs",
        formula="Spearman's ρ of the cosine with people's similarity, over all pairs",
        range=(-1, 1),
        better="higher",
        chance=0,
        source="{cls.source}",
        interval=True,
    )
    def spearman(self, items: RatedPairItems) -> UnitStatistic:
        return agreement(items.pairs)

    @number(
        title="pairs with a zero vector",
        formula="pairs that are left out because a vector has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: RatedPairItems) -> int:
        return int(np.isnan(items.pairs.similarity).sum())


def _kind(row: Row) -> str:
    return row.get("kind") or ""


def _group(row: Row, number_of_first: int) -> str:
    # without groups, texts in common would link all pairs of KS2013
    if row.get("group") is None:
        return str(number_of_first)
    return f"{_kind(row)} {row['group']}"


class OwnRatedPairs(RatedPairs):
    """Rated pairs of a user's own."""

    name = "rated_pairs"
    version = 2
    question = "Are two texts as similar to the model as they are to people?"
    examples = (
        {
            "sentence1": "The dog bites the man.",
            "sentence2": "The man is bitten by the dog.",
            "score": "1",
        },
        {
            "sentence1": "The dog bites the man.",
            "sentence2": "The man bites the dog.",
            "score": "0.5",
        },
    )


RATED_PAIRS = OwnRatedPairs()
