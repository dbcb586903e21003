"""Rated pairs: are two texts as similar to an encoder as they are to people?

The cosine of the two vectors of each pair is correlated with people's similarity, by Spearman's ρ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, NotRequired

from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats, Integers, Names, Texts
from harness_ext.measures.core.items import Table, column, cosine, text
from harness_ext.measures.core.measure import Measure, Rows
from harness_ext.measures.core.scores import AxisValues, correlation, declared, zero_vectors
from harness_ext.measures.core.view import View
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.kinds.kind import ROW, Prepare, Row, items_of, scores_of
from harness_ext.statistics.statistic import Statistic, spearman_difference, spearman_of_rows


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
class RatedPairs(Table):
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


_ITEMS = items_of(pairs=RatedPairs)


class Agreement(NamedTuple):
    """A rank correlation with people.

    Attributes:
        pairs: Which pairs it is over, in words.
        kind: Their kind; all if empty.
        ceiling: The agreement of people with each other, where it is known.
    """

    pairs: str = "all pairs"
    kind: str = ""
    ceiling: float | None = None

    def declared(self, source: str) -> Any:
        """The score."""
        return correlation(
            f"agreement with people on {self.pairs}",
            f"Spearman's ρ of the cosine with people's similarity, over {self.pairs}",
            direction="higher",
            interval=True,
            ceiling=self.ceiling,
            source=source,
            compute=self.statistic,
        )

    def statistic(self, items: Any, _: AxisValues) -> Statistic:
        """Its statistic."""
        rows = items.pairs[items.pairs.kind == self.kind] if self.kind else items.pairs
        return spearman_of_rows(rows.group, rows.similarity, rows.people)


def _plan(rows: Rows, _: str = "", *, prepare: Prepare) -> Any:
    rows = [*map(prepare, rows)]
    every = dict.fromkeys(row[field] for row in rows for field in ("sentence1", "sentence2"))
    numbers = {text: number for number, text in enumerate(every)}

    def pair(row: Row) -> tuple[Any, ...]:
        first, second, kind = row["sentence1"], row["sentence2"], row.get("kind") or ""
        # without groups, texts in common would link all pairs of KS2013
        group = f"{kind} {row['group']}" if row.get("group") is not None else str(numbers[first])
        return row["id"], numbers[first], numbers[second], kind, group, row["score"], first, second

    return _ITEMS(RatedPairs.of_rows(map(pair, rows)))


def _view(items: Any) -> View:
    """View pairs: cosine against people's similarity."""
    pairs = items.pairs
    facts = {"pair": pairs.row, "kind": pairs.kind, "similarity by people": pairs.people}
    return View.by_rank(facts, ("cos", pairs.similarity), pairs.people, pairs.row)


def rated_pairs(
    name: str,
    question: str,
    pairs: str = "such pairs",
    *,
    prepare: Prepare = dict,
    agreements: Mapping[str, Agreement] | None = None,
    loss: tuple[str, str] | None = None,
    source: str = "this project",
    **fields: Any,
) -> Measure[Any]:
    """A measure of rated pairs.

    Args:
        name: Its name.
        question: What it asks.
        pairs: What the pairs of the main score are, for sentences.
        prepare: A row -> a `RatedPairRow`.
        agreements: Key -> the correlation; the main score first.
        loss: Two kinds; by how much the correlation of the first is above that of the second is a score too.
        source: As of `Score`.
        fields: Others, as of `Measure`; by default rows are `RatedPairRow`s.
    """
    agreements = agreements or {"spearman": Agreement()}

    def difference(items: Any, _: AxisValues) -> Statistic:
        more, less = (items.pairs.kind == kind for kind in loss or ())
        return spearman_difference(items.pairs.group, items.pairs.similarity, items.pairs.people, more, less)

    scores = {key: agreement.declared(source) for key, agreement in agreements.items()}
    if loss:
        scores["spearman_difference"] = declared(
            f"what the agreement loses from {loss[0]} to {loss[1]} pairs",
            f"spearman_{loss[0]} − spearman_{loss[1]}",
            range=(-2, 2),
            direction="lower",
            chance=0,
            interval=True,
            compute=difference,
        )
    scores["n_excluded_zero_vector"] = zero_vectors("pairs", lambda items: items.pairs.similarity)
    wording = Wording(
        question,
        f"On {pairs}, its similarities agree with people's judgements at a rank correlation of {{value}}.",
        Consequences(
            "A random order",
            above="Pairs that people find alike look more alike to the model too. The figure says how closely.",
            below="The order is upside down: pairs that people find alike look less alike to the model.",
        ),
        "The more alike people find the texts of a pair, the more alike they should be to the model. A difference of "
        "ranks of 1 goes from one end of all pairs to the other.",
    )
    fields = {
        "symmetric": ("sentence1", "sentence2"),
        "version": 1,
        "needs": RatedPairRow,
        "labels": ("group",),
        "wording": wording,
        "view": _view,
        **fields,
    }
    plan, scored = partial(_plan, prepare=prepare), scores_of(scores)
    return Measure(name, main=next(iter(agreements)), unit="group", items=_ITEMS, scores=scored, plan=plan, **fields)


RATED_PAIRS = rated_pairs(
    "rated_pairs",
    "Are two texts as similar to the model as they are to people?",
    examples=(
        {"sentence1": "The dog bites the man.", "sentence2": "The man is bitten by the dog.", "score": "1"},
        {"sentence1": "The dog bites the man.", "sentence2": "The man bites the dog.", "score": "0.5"},
    ),
)
