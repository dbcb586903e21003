"""Token idiomaticity: are two uses of an expression nearer if both are literal or both idiomatic? No training.

The pairs of `pair_classes`, too many to be items: all two uses of an expression, whose class is *same* if they have one
reading. So the items are the expressions, each with its AUC.
"""

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Integers, Names
from harness_ext.data.rows import UseRow
from harness_ext.measures.core.fill import Encoded, Encoder
from harness_ext.measures.core.inputs import as_texts
from harness_ext.measures.core.items import Items, Table, column, only_planned
from harness_ext.measures.core.old_measure import Measure, Rows
from harness_ext.measures.core.old_scores import Axis, AxisValues, Scores, count, like, proportion
from harness_ext.measures.kinds.kind import Removed, nearer_wording, planned, removed, used
from harness_ext.statistics.distance import cosine_distance_table
from harness_ext.statistics.statistic import auc, mean

FEWEST, MOST = 5, 200
"""Uses of either reading that an expression must have, and the uses of it that are compared."""

REASON = Axis(
    "reason",
    {
        "unclear": "the annotators give no single reading",
        "disliked": "more players disliked the sentence than liked it",
        "beyond_200": "a use beyond the first 200 of its expression",
        "no_vector": "a use with a zero vector, which has no direction",
    },
)


@dataclass(frozen=True)
class Expressions(Table):
    """One row per expression."""

    expression: Names = column("The expression, or its id where its data has no license.")
    n_literal: Integers = column("How many of its uses are literal.")
    n_idiomatic: Integers = column("How many are idiomatic.")
    length_auc: Floats = column("What lengths get in place of cosines; NaN with fewer than 5 uses of a reading.")
    auc: Floats = column(
        "P(cos of two uses of one reading > cos of two of different readings), ties ½.", range=(0, 1), measured=True
    )
    n_no_vector: Integers = column("How many of its uses have a zero vector.", measured=True)

    @property
    def has_both(self) -> Flags:
        """Whether each expression has enough uses of either reading, shape (n,)."""
        return np.minimum(self.n_literal, self.n_idiomatic) >= FEWEST

    def has_number(self, column: str) -> Flags:
        """Expressions with few uses of a reading have no AUC."""
        return self.has_both if column == "auc" else super().has_number(column)


@dataclass(frozen=True)
class UseItems(Items):
    """The expressions, and the uses that are left out; of a plan also sentences and readings of each expression."""

    expressions: Expressions
    removed: Removed
    uses: tuple[tuple[list[str], Flags], ...] | None = only_planned()

    def texts(self) -> list[str]:
        """See the base class."""
        return list(dict.fromkeys(sentence for sentences, _ in self.uses or () for sentence in sentences))


def same_reading_auc(nearness: Floats, is_idiomatic: Flags) -> float:
    """P(nearness of two uses of one reading > that of two uses of different readings), ties ½.

    The nearness is that of each use to each other, shape (n, n). NaN with fewer than `FEWEST` uses of a reading.

    Examples:
        >>> is_idiomatic = np.arange(10) < 5
        >>> same_reading_auc((is_idiomatic[:, None] == is_idiomatic).astype(float), is_idiomatic)
        1.0
    """
    if min(is_idiomatic.sum(), (~is_idiomatic).sum()) < FEWEST:
        return float("nan")
    one, other = np.triu_indices(len(is_idiomatic), 1)
    same, near = is_idiomatic[one] == is_idiomatic[other], nearness[one, other]
    once = np.ones((1, len(same)))
    return float(auc(near[same], near[~same], once[:, same], once[:, ~same])[0])


def use_plan(rows: Rows, _: str = "") -> UseItems:
    """Compare the uses of each expression with each other; rows are `UseRow`s."""
    left_out = removed(rows)
    by_expression: dict[str, Rows] = {}
    for row in used(rows):
        by_expression.setdefault(row["name" if "name" in row else "expression"], []).append(row)
    table, uses = [], []
    for expression in sorted(by_expression):
        of_one = sorted(by_expression[expression], key=lambda row: str(row["id"]))
        left_out += [{**row, "removed_by": "beyond_200"} for row in of_one[MOST:]]
        sentences = [row["sentence"] for row in of_one[:MOST]]
        is_idiomatic = np.array([row["is_idiomatic"] for row in of_one[:MOST]], dtype=bool)
        lengths = np.array([*map(len, sentences)], dtype=np.float64)
        length_auc = same_reading_auc(-np.abs(lengths[:, None] - lengths), is_idiomatic)
        table.append((expression, int((~is_idiomatic).sum()), int(is_idiomatic.sum()), length_auc))
        uses.append((sentences, is_idiomatic))
    left_out.sort(key=itemgetter("id", "removed_by"))
    return UseItems(Expressions.of_rows(table), planned(Removed, left_out), uses=tuple(uses))


def use_fill(plan: UseItems, encode: Encoder) -> UseItems:
    """Encode each sentence once, and compare the uses of each expression that have a direction."""
    encoded = Encoded.of(plan.texts(), encode)
    auc, n_no_vector = [], []
    for sentences, is_idiomatic in plan.uses or ():
        places = encoded.rows(as_texts(sentences))
        distances = cosine_distance_table(encoded.vectors[0], places, places)
        known = ~np.isnan(np.diagonal(distances))
        nearness = -np.round(distances[np.ix_(known, known)], 9)  # rounding must not rank identical texts
        auc.append(same_reading_auc(nearness, is_idiomatic[known]))
        n_no_vector.append(int((~known).sum()))
    columns: Any = {"auc": auc, "n_no_vector": n_no_vector}
    return replace(plan, expressions=replace(plan.expressions, **columns), uses=None)


def _number(items: UseItems, axes: AxisValues) -> int:
    if axes["reason"] == "no_vector":
        return int(items.expressions.n_no_vector.sum())
    return len(items.removed.at(axes))


@dataclass(frozen=True)
class UseScores(Scores):
    """The scores of the uses of expressions; `n_excluded` is an array over `REASON`."""

    use_auc: float = proportion(
        "how often two uses of one reading are nearer than two of different readings",
        "P(cos of two uses of one reading > cos of two of different readings), ties ½, within each expression with at "
        "least 5 uses of either; mean over expressions",
        direction="higher",
        chance=0.5,
        interval=True,
        compute=lambda items, _: mean(items.expressions.expression, items.expressions.auc),
    )
    length_auc: float = like(
        use_auc,
        "what the lengths of the texts get",
        "the same with −|difference of the numbers of characters| in place of the cosine",
        direction="neither",
        compute=lambda items, _: mean(items.expressions.expression, items.expressions.length_auc),
    )
    n_excluded: Integers = count(
        "uses that are left out",
        "rows that are left out, by reason",
        key="n_excluded_{reason}",
        axes=(REASON,),
        value=_number,
    )
    n_excluded_expressions: int = count(
        "expressions that are left out",
        "expressions with fewer than 5 uses of one of the readings",
        value=lambda items, _: (~items.expressions.has_both).sum(),
    )


TOKEN_IDIOMATICITY = Measure(
    name="token_idiomaticity",
    version=5,
    needs=UseRow,
    plan=use_plan,
    fill=use_fill,
    main="use_auc",
    unit="expression",
    items=UseItems,
    scores=UseScores,
    wording=nearer_wording(
        "Do the sentences say whether an expression is meant literally?",
        *("two uses of one reading", "two uses of different readings"),
        right="Two literal or two idiomatic uses should be nearer to each other than one of each.",
    ),
    examples=(
        {"expression": "break the ice", "sentence": "Her joke broke the ice.", "is_idiomatic": "true"},
        {"expression": "break the ice", "sentence": "The ship broke the ice of the bay.", "is_idiomatic": "false"},
    ),
)
