"""Token idiomaticity: are two uses of an expression nearer if both have one reading? No training.

The pairs of `pair_classes`, too many to be items: all two uses of an expression, whose class is
*same* if both are literal or both idiomatic. So the items are the expressions, each with its AUC.
"""

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Integers, Names
from harness_ext.data.rows import UseRow
from harness_ext.measures.core.distinct_texts import DistinctTexts
from harness_ext.measures.core.fill import Encoded, Encoder
from harness_ext.measures.core.inputs import as_texts
from harness_ext.measures.core.items import Items, Table, column, only_planned
from harness_ext.measures.core.measure import EncoderMeasure, Row, Rows
from harness_ext.measures.core.scores import COUNT, Axis, number, score
from harness_ext.measures.core.wording import Wording
from harness_ext.measures.kinds.kind import Removed, nearer_wording, planned, removed, used
from harness_ext.statistics.distance import cosine_distance_table
from harness_ext.statistics.statistic import Statistic, auc, mean

FEWEST = 5
"""The uses of either reading that an expression must have."""

MOST = 200
"""The uses of an expression that are compared."""

BEYOND = "beyond_200"
NO_VECTOR = "no_vector"
"""Reasons of this measure; the others are those of the data."""

REASON = Axis(
    "reason",
    {
        "unclear": "the annotators give no single reading",
        "disliked": "more players disliked the sentence than liked it",
        BEYOND: "a use beyond the first 200 of its expression",
        NO_VECTOR: "a use with a zero vector, which has no direction",
    },
)


@dataclass(frozen=True)
class Expressions(Table):
    """One row per expression."""

    expression: Names = column("The expression, or its id where its data has no license.")
    n_literal: Integers = column("How many of its uses are literal.")
    n_idiomatic: Integers = column("How many are idiomatic.")
    length_auc: Floats = column(
        "What lengths get in place of cosines; NaN with fewer than 5 uses of a reading.",
    )
    auc: Floats = column(
        "P(cos of two uses of one reading > cos of two of different readings), ties ½.",
        range=(0, 1),
        measured=True,
    )
    n_no_vector: Integers = column("How many of its uses have a zero vector.", measured=True)

    @property
    def has_both(self) -> Flags:
        """Whether each expression has enough uses of either reading, shape (n,)."""
        return np.minimum(self.n_literal, self.n_idiomatic) >= FEWEST

    def has_number(self, column: str) -> Flags:
        """Expressions with few uses of a reading have no AUC."""
        return self.has_both if column == "auc" else super().has_number(column)


class Uses(NamedTuple):
    """The uses of an expression that are compared.

    Attributes:
        sentences: Their sentences, of length n.
        is_idiomatic: Whether each is idiomatic, else literal, shape (n,).
    """

    sentences: list[str]
    is_idiomatic: Flags


@dataclass(frozen=True)
class UseItems(Items):
    """The expressions, and the uses that are left out; of a plan also the uses of each."""

    expressions: Expressions
    removed: Removed
    uses: tuple[Uses, ...] | None = only_planned()

    def texts(self) -> list[str]:
        """See the base class."""
        texts = [sentence for uses in self.uses or () for sentence in uses.sentences]
        return list(dict.fromkeys(texts))


def same_reading_auc(nearness: Floats, is_idiomatic: Flags) -> float:
    """P(nearness of two uses of one reading > that of two uses of different readings), ties ½.

    Args:
        nearness: That of each use to each other, shape (n, n).
        is_idiomatic: The reading of each use, shape (n,).

    Returns:
        A value in [0, 1]; NaN with fewer than `FEWEST` uses of a reading.

    Examples:
        >>> is_idiomatic = np.arange(10) < 5
        >>> same_reading_auc((is_idiomatic[:, None] == is_idiomatic).astype(float), is_idiomatic)
        1.0
    """
    if min(is_idiomatic.sum(), (~is_idiomatic).sum()) < FEWEST:
        return float("nan")
    first, second = np.triu_indices(len(is_idiomatic), 1)
    is_same = is_idiomatic[first] == is_idiomatic[second]
    near = nearness[first, second]
    once = np.ones((1, len(near)))
    value = auc(near[is_same], near[~is_same], once[:, is_same], once[:, ~is_same])
    return float(value[0])


def length_nearness(sentences: list[str]) -> Floats:
    """−|difference of the numbers of characters| of each sentence and each other, shape (n, n)."""
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.float64)
    return -np.abs(lengths[:, None] - lengths)


def use_plan(rows: Rows) -> UseItems:
    """Compare the uses of each expression with each other; rows are `UseRow`s."""
    left_out = removed(rows)
    rows_of_expressions: dict[str, Rows] = {}
    for row in used(rows):
        name = row["name"] if "name" in row else row["expression"]
        rows_of_expressions.setdefault(name, []).append(row)
    expressions: list[Row] = []
    uses_of_expressions: list[Uses] = []
    for expression in sorted(rows_of_expressions):
        every_use = sorted(rows_of_expressions[expression], key=lambda row: str(row["id"]))
        left_out += [{**row, "removed_by": BEYOND} for row in every_use[MOST:]]
        compared = every_use[:MOST]
        uses = Uses(
            sentences=[row["sentence"] for row in compared],
            is_idiomatic=np.array([row["is_idiomatic"] for row in compared], dtype=bool),
        )
        uses_of_expressions.append(uses)
        expressions.append(
            {
                "expression": expression,
                "n_literal": int((~uses.is_idiomatic).sum()),
                "n_idiomatic": int(uses.is_idiomatic.sum()),
                "length_auc": same_reading_auc(length_nearness(uses.sentences), uses.is_idiomatic),
            }
        )
    left_out.sort(key=itemgetter("id", "removed_by"))
    return UseItems(
        expressions=Expressions.of_rows(expressions),
        removed=planned(Removed, left_out),
        uses=tuple(uses_of_expressions),
    )


def use_fill(plan: UseItems, encode: Encoder) -> UseItems:
    """Encode each sentence once, and compare the uses of each expression that have a direction."""
    encoded = Encoded.of(DistinctTexts(plan.texts()), encode)
    aucs: list[float] = []
    n_no_vector: list[int] = []
    for uses in plan.uses or ():
        places = encoded.rows(as_texts(uses.sentences))
        distances = cosine_distance_table(encoded.vectors[0], places, places)
        is_known = ~np.isnan(np.diagonal(distances))
        known_distances = distances[np.ix_(is_known, is_known)]
        nearness = -np.round(known_distances, 9)  # rounding must not rank identical texts
        aucs.append(same_reading_auc(nearness, uses.is_idiomatic[is_known]))
        n_no_vector.append(int((~is_known).sum()))
    columns: Any = {"auc": aucs, "n_no_vector": n_no_vector}
    return replace(plan, expressions=replace(plan.expressions, **columns), uses=None)


class TokenIdiomaticity(EncoderMeasure[UseItems]):
    """Token idiomaticity without training."""

    name = "token_idiomaticity"
    version = 6
    question = "Do the sentences say whether an expression is meant literally?"
    row = UseRow
    items = UseItems
    unit = "expression"
    main = "use_auc"
    examples = (
        {
            "expression": "break the ice",
            "sentence": "Her joke broke the ice.",
            "is_idiomatic": "true",
        },
        {
            "expression": "break the ice",
            "sentence": "The ship broke the ice of the bay.",
            "is_idiomatic": "false",
        },
    )

    def plan(self, rows: Rows, split: str) -> UseItems:
        """Compare the uses of each expression with each other, see `use_plan`."""
        return use_plan(rows)

    def fill(self, plan: UseItems, encode: Encoder) -> UseItems:
        """Encode each sentence once, and compare the uses of each expression, see `use_fill`."""
        return use_fill(plan, encode)

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return nearer_wording(
            self.question,
            "two uses of one reading",
            "two uses of different readings",
            right=(
                "Two literal or two idiomatic uses should be nearer to each other than one of each."
            ),
        )

    @score(
        title="how often two uses of one reading are nearer than two of different readings",
        formula=(
            "P(cos of two uses of one reading > cos of two of different readings), ties ½, within "
            "each expression with at least 5 uses of either; mean over expressions"
        ),
        range=(0, 1),
        better="higher",
        chance=0.5,
        interval=True,
    )
    def use_auc(self, items: UseItems) -> Statistic:
        return mean(items.expressions.expression, items.expressions.auc)

    @score(
        like=use_auc,
        title="what the lengths of the texts get",
        formula=("the same with −|difference of the numbers of characters| in place of the cosine"),
        better="neither",
    )
    def length_auc(self, items: UseItems) -> Statistic:
        return mean(items.expressions.expression, items.expressions.length_auc)

    @number(
        key="n_excluded_{reason}",
        axes=[REASON],
        title="uses that are left out",
        formula="rows that are left out, by reason",
        range=COUNT,
    )
    def n_excluded(self, items: UseItems, reason: str) -> int:
        if reason == NO_VECTOR:
            return int(items.expressions.n_no_vector.sum())
        return int((items.removed.reason == reason).sum())

    @number(
        title="expressions with fewer than 5 uses of one of the readings",
        formula="expressions with fewer than 5 uses of one of the readings",
        range=COUNT,
    )
    def n_excluded_expressions(self, items: UseItems) -> int:
        return int((~items.expressions.has_both).sum())


TOKEN_IDIOMATICITY = TokenIdiomaticity()
