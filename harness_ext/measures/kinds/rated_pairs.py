"""Rated pairs: are two texts as similar to an encoder as they are to people?

The cosine of the two vectors of each pair is correlated with people's similarity, by Spearman's ρ.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, NotRequired

from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats, Integers, Names, Texts
from harness_ext.measures.core.items import Table, column, cosine, text
from harness_ext.measures.core.old_measure import Rows
from harness_ext.measures.core.old_scores import AxisValues, Score, correlation, zero_vectors
from harness_ext.measures.core.view import View
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.kinds.kind import ROW, Kind, KindItems, Row
from harness_ext.statistics.statistic import Statistic, spearman_of_rows


class RatedPairRow(TypedDict):
    """Two texts and their similarity by people.

    Pairs of one kind and group are resampled together, or those with one first text where there are no groups.
    """

    id: str
    sentence1: str
    sentence2: str
    score: float
    group: NotRequired[str]
    kind: NotRequired[str]


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
    similarity: Floats = cosine("Cosine of the two texts, in [-1, 1]; none for a zero vector.", "first", "second")


@dataclass(frozen=True)
class RatedPairItems(KindItems[RatedPairTable]):
    """Pairs and their similarity by people."""

    pairs: RatedPairTable


class Agreement(NamedTuple):
    """A rank correlation with people.

    Attributes:
        key: Its key.
        pairs: Which pairs it is over, in words.
        kind: Their kind; all if empty.
        ceiling: The agreement of people with each other, where it is known.
    """

    key: str
    pairs: str
    kind: str = ""
    ceiling: float | None = None

    def statistic(self, items: RatedPairItems, _: AxisValues) -> Statistic:
        """Its statistic."""
        rows = items.pairs[items.pairs.kind == self.kind] if self.kind else items.pairs
        return spearman_of_rows(rows.group, rows.similarity, rows.people)


class RatedPairs(Kind[RatedPairItems]):
    """The rank correlation of cosines with people's similarity; with the attributes of `Kind`.

    Attributes:
        pairs: What the pairs of the main score are, for sentences.
        agreements: The correlations.
    """

    needs: type[Any] = RatedPairRow
    items = RatedPairItems
    unit = "group"
    labels = ("group",)
    texts = ("sentence1", "sentence2")
    symmetric = texts
    pairs: str = "such pairs"
    main = "spearman"
    agreements: tuple[Agreement, ...] = (Agreement("spearman", "all pairs"),)

    def wording(self) -> Wording:
        """Word how well the similarities agree."""
        return Wording(
            self.question,
            f"On {self.pairs}, its similarities agree with people's judgments at a rank correlation of {{value}}.",
            Consequences(
                "A random order",
                above="Pairs that people find alike look more alike to the model too. The figure says how closely.",
                below="The order is upside down: pairs that people find alike look less alike to the model.",
            ),
            "The more alike people find the texts of a pair, the more alike they should be to the model. A difference "
            "of ranks of 1 goes from one end of all pairs to the other.",
        )

    def plan(self, rows: Rows, split: str = "") -> RatedPairItems:
        """Compare the two texts of each row."""
        rows = [self.prepare(row) for row in rows]
        every = dict.fromkeys(row[field] for row in rows for field in self.texts)
        numbers = {text: number for number, text in enumerate(every)}

        def pair(row: Row) -> tuple[object, ...]:
            first, second = (row[field] for field in self.texts)
            kind = row.get("kind") or ""
            # without groups, texts in common would link all pairs of KS2013
            group = f"{kind} {row['group']}" if row.get("group") is not None else str(numbers[first])
            return row["id"], numbers[first], numbers[second], kind, group, row["score"], first, second

        return RatedPairItems(RatedPairTable.of_rows(map(pair, rows)))

    def view(self, items: RatedPairItems) -> View:
        """View pairs: cosine against people's similarity."""
        pairs = items.pairs
        facts = {"pair": pairs.row, "kind": pairs.kind, "similarity by people": pairs.people}
        return View.by_rank(facts, ("cos", pairs.similarity), pairs.people, pairs.row)

    def scores(self) -> dict[str, Score]:
        """See the base class."""
        scores: dict[str, Score] = {
            one.key: correlation(
                f"agreement with people on {one.pairs}",
                f"Spearman's ρ of the cosine with people's similarity, over {one.pairs}",
                direction="higher",
                interval=True,
                ceiling=one.ceiling,
                source=self.source,
                compute=one.statistic,
            )
            for one in self.agreements
        }
        scores |= self.more_scores()
        scores["n_excluded_zero_vector"] = zero_vectors("pairs", lambda items: items.pairs.similarity)
        return scores


class OwnRatedPairs(RatedPairs):
    """Are two texts as similar to the model as they are to people?"""

    name = "rated_pairs"
    examples = (
        {"sentence1": "The dog bites the man.", "sentence2": "The man is bitten by the dog.", "score": "1"},
        {"sentence1": "The dog bites the man.", "sentence2": "The man bites the dog.", "score": "0.5"},
    )


RATED_PAIRS = OwnRatedPairs().measure()
