"""Token idiomaticity: are two uses of an expression nearer if both are literal or both idiomatic? No training.

The data are of Ehren et al. 2020 (German verbal idioms) and of Eryiğit, Şentaş, Monti 2022: *Gamified Crowdsourcing for
Idiom Corpora Construction*, Natural Language Engineering (Italian, Turkish).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from harness_ext.arrays import Array, Flags, Floats, Integers, Names
from harness_ext.data.rows import UseRow
from harness_ext.framework.fill import Encoded, Encoder
from harness_ext.framework.items import Items, Table, column, only_planned
from harness_ext.framework.measure import Measure, Rows
from harness_ext.framework.scores import Axis, Place, Scores, count, like, proportion
from harness_ext.framework.texts import as_texts
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.distance import cosine_distance_table
from harness_ext.statistics.statistic import Statistic, mean

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
class Uses:
    """The uses of an expression: sentences and readings."""

    sentences: list[str]
    is_idiomatic: Flags


@dataclass(frozen=True)
class Expressions(Table):
    """One row per expression."""

    expression: Names = column("The expression, or its id where its data has no licence.")
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
        enough: Flags = np.minimum(self.n_literal, self.n_idiomatic) >= FEWEST
        return enough

    def has_number(self, column: str) -> Flags:
        """Expressions with few uses of a reading have no AUC."""
        return self.has_both if column == "auc" else super().has_number(column)


@dataclass(frozen=True)
class RemovedUses(Table):
    """One row per use that is left out."""

    row: Names = column("Id of the dataset's row.")
    reason: Names = column("unclear, disliked or beyond_200.")


@dataclass(frozen=True)
class UseItems(Items):
    """The expressions, and the uses that are left out."""

    expressions: Expressions
    removed: RemovedUses
    uses: tuple[Uses, ...] | None = only_planned()

    def texts(self) -> list[str]:
        """See the base class."""
        return list(dict.fromkeys(sentence for uses in self.uses or () for sentence in uses.sentences))


def same_reading_auc(nearness: Floats, is_idiomatic: Flags) -> float:
    """P(nearness of two uses of one reading > that of two uses of different readings), ties ½.

    Args:
        nearness: Of each use to each other, symmetric, shape (n, n).
        is_idiomatic: The reading of each use, shape (n,).

    Returns:
        The probability; NaN with fewer than `FEWEST` uses of a reading.

    Examples:
        >>> is_idiomatic = np.arange(10) < 5
        >>> same_reading_auc((is_idiomatic[:, None] == is_idiomatic).astype(float), is_idiomatic)
        1.0
    """
    if min(is_idiomatic.sum(), (~is_idiomatic).sum()) < FEWEST:
        return float("nan")
    one, other = np.triu_indices(len(is_idiomatic), 1)
    same = is_idiomatic[one] == is_idiomatic[other]
    ranks: Array = scipy.stats.rankdata(nearness[one, other])
    n, k = int(same.sum()), int((~same).sum())
    return float((ranks[same].sum() - n * (n + 1) / 2) / (n * k))  # Mann-Whitney


def use_plan(rows: Rows, _: str = "") -> UseItems:
    """Compare the uses of each expression with each other; rows are `UseRow`s."""
    removed = [(row["id"], row["removed_by"]) for row in rows if row["removed_by"]]
    by_expression: dict[str, Rows] = {}
    for row in rows:
        if not row["removed_by"]:
            by_expression.setdefault(row["name" if "name" in row else "expression"], []).append(row)
    table, uses = [], []
    for expression in sorted(by_expression):
        of_one = sorted(by_expression[expression], key=lambda row: str(row["id"]))
        removed += [(row["id"], "beyond_200") for row in of_one[MOST:]]
        sentences = [row["sentence"] for row in of_one[:MOST]]
        is_idiomatic = np.array([row["is_idiomatic"] for row in of_one[:MOST]], dtype=bool)
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.float64)
        length_auc = same_reading_auc(-np.abs(lengths[:, None] - lengths), is_idiomatic)
        table.append((expression, int((~is_idiomatic).sum()), int(is_idiomatic.sum()), length_auc))
        uses.append(Uses(sentences, is_idiomatic))
    return UseItems(Expressions.of_rows(table), RemovedUses.of_rows(sorted(removed)), uses=tuple(uses))


def use_fill(plan: UseItems, encode: Encoder) -> UseItems:
    """Encode each sentence once, and compare the uses of each expression."""
    assert plan.uses is not None
    encoded = Encoded.of(plan.texts(), encode)
    found = [_auc(encoded, uses) for uses in plan.uses]
    auc = np.array([each for each, _ in found])
    n_no_vector = np.array([n for _, n in found], dtype=np.int64)
    return replace(plan, expressions=replace(plan.expressions, auc=auc, n_no_vector=n_no_vector), uses=None)


def _auc(encoded: Encoded, uses: Uses) -> tuple[float, int]:
    """The AUC of the uses that have a direction, and how many have none."""
    places = encoded.rows(as_texts(uses.sentences))
    distances = cosine_distance_table(encoded.vectors[0], places, places)
    known = ~np.isnan(np.diagonal(distances))
    nearness = -np.round(distances[np.ix_(known, known)], 9)  # rounding must not rank identical texts
    return same_reading_auc(nearness, uses.is_idiomatic[known]), int((~known).sum())


def _mean(column: str) -> Callable[[UseItems, Place], Statistic]:
    def statistic(items: UseItems, _: Place) -> Statistic:
        return mean(items.expressions.expression, getattr(items.expressions, column))

    return statistic


def _n_excluded(items: UseItems, place: Place) -> int:
    if place["reason"] == "no_vector":
        return int(items.expressions.n_no_vector.sum())
    return len(items.removed.at(place))


@dataclass(frozen=True)
class UseScores(Scores):
    """The scores; one is an array over `REASON`."""

    use_auc: float = proportion(
        "how often two uses of one reading are nearer than two of different readings",
        "P(cos of two uses of one reading > cos of two of different readings), ties ½, within each expression with at "
        "least 5 uses of either; mean over expressions",
        direction="higher",
        chance=0.5,
        interval=True,
        statistic=_mean("auc"),
    )
    length_auc: float = like(
        use_auc,
        "what the lengths of the texts get",
        "the same with −|difference of the numbers of characters| in place of the cosine",
        direction="neither",
        statistic=_mean("length_auc"),
    )
    n_excluded: Array = count(
        "uses that are left out",
        "rows that are left out, by reason",
        key="n_excluded_{reason}",
        axes=(REASON,),
        value=_n_excluded,
    )
    n_excluded_expressions: int = count(
        "expressions that are left out",
        "expressions with fewer than 5 uses of one of the readings",
        value=lambda items, _: (~items.expressions.has_both).sum(),
    )


TOKEN_IDIOMATICITY = Measure(
    name="token_idiomaticity",
    version=3,
    question="Are two uses of an expression nearer if both are literal or both idiomatic?",
    needs=UseRow,
    plan=use_plan,
    fill=use_fill,
    main="use_auc",
    unit="expression",
    items=UseItems,
    scores=UseScores,
    wording=Wording(
        question="Do the sentences say whether an expression is meant literally?",
        score="In {value} of all cases, two uses of one reading are nearer than two uses of different readings.",
        chance=Consequences(
            "Tossing a coin",
            above="Uses of one reading lie nearer together than those of different readings.",
            below="Uses of different readings lie nearer together than those of one.",
        ),
        right="Two literal or two idiomatic uses should be nearer to each other than one of each.",
    ),
    examples=(
        {"expression": "break the ice", "sentence": "Her joke broke the ice.", "is_idiomatic": "true"},
        {"expression": "break the ice", "sentence": "The ship broke the ice of the bay.", "is_idiomatic": "false"},
    ),
)
