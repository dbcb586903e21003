"""Pair classes: are the texts of some pairs nearer to each other than those of other pairs?

Pairs that should be near, such as those that mean the same, are compared with all others: by P(cos of one of the first
> cos of one of the others), and by how many of the others lie below the threshold that keeps most of the first. Caches,
deduplication and memories of agents take two texts for one if their cosine reaches such a threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired

import numpy as np
from typing_extensions import TypedDict

from harness_ext.common.arrays import Flags, Floats, Texts
from harness_ext.data.rows import SAME, PairClass
from harness_ext.measures.core.items import Table, cosine, text
from harness_ext.measures.core.measure import FEWEST_UNITS, Measure, Rows
from harness_ext.measures.core.scores import Axis, AxisValues, count, declared, like, proportion, zero_vectors
from harness_ext.measures.core.view import View, percentiles
from harness_ext.measures.kinds.kind import (
    Fact,
    Facts,
    LeftOut,
    Prepare,
    items_of,
    nearer_wording,
    planned,
    removed,
    scores_of,
    table_of,
    used,
)
from harness_ext.statistics.statistic import Statistic, UnitStatistic
from harness_ext.statistics.threshold import probability_nearer, share_below, threshold

# `class` is a keyword
PairClassRow = TypedDict(
    "PairClassRow",
    {"id": str, "first": str, "second": str, "class": PairClass, "group": NotRequired[str], "kind": NotRequired[str]},
)
"""Two texts and `same`, or another class; pairs of one group are resampled together, or those with one first text."""


@dataclass(frozen=True)
class Pairs(Table):
    """One row per pair of texts; `is_same` says which should be near, shape (n,)."""


def _view(items: Any) -> View:
    """View pairs: of those that should be near, the farther the more wrong; of others, the nearer."""
    pairs = items.compared
    rank = percentiles(pairs.similarity)
    facts = {"pair": pairs.row, "kind": getattr(pairs, "kind", np.where(pairs.is_same, "near", "far"))}
    return View(facts, {"cos": pairs.similarity}, np.where(pairs.is_same, 1 - rank, rank), pairs.row)


def pair_classes(
    name: str,
    question: str,
    near: str = "a pair that means the same",
    other: str = "a pair that does not",
    *,
    prepare: Prepare = dict,
    texts: tuple[str, str] = ("first", "second"),
    table: str = "pairs",
    facts: Facts,
    unit: str,
    is_same: Callable[[Any], Flags],
    main: str = "auc",
    auc: str = "auc",
    within: tuple[str, str] = ("", ""),
    kept: Sequence[int] = (),
    by: Axis | None = None,
    left_out: tuple[str, str, str] | None = None,
    **fields: Any,
) -> Measure[Any]:
    """A measure of pairs of two classes.

    Args:
        name: Its name.
        question: What it asks.
        near: What a pair is that should be near, for sentences.
        other: What another pair is.
        prepare: A row -> the row with the fields that these arguments name, where it has not all of them.
        texts: The fields with the two texts.
        table: The name of the table.
        facts: Its columns that follow from the data.
        unit: The column whose values are resampled.
        is_same: The table -> which pairs should be near, shape (n,).
        main: The key of the main score.
        auc: The key of P(cos of a pair that should be near > cos of another).
        within: The column in which two pairs must be equal to be compared, and the key of that AUC, if there is one.
        kept: Percents of the pairs that should be near that a threshold keeps.
        by: Which column the share kept apart at the first of these thresholds is broken down by.
        left_out: The table of rows with `removed_by`, the key of their number, and what they are; None if there are
            none.
        fields: Others, as of `Measure`; by default rows are `PairClassRow`s.
    """
    out, key_out, what_out = left_out or ("", "", "")
    rows_type = table_of(
        Pairs,
        **facts,
        **{field: (Texts, text("A text.")) for field in texts},
        similarity=(Floats, cosine("Cosine of the two texts, in [-1, 1]; none for a zero vector.", *texts)),
    )
    rows_type.is_same = property(is_same)
    items = items_of(**{table: rows_type, **({out: LeftOut} if out else {})})

    def plan(rows: Rows, _: str = "") -> Any:
        every = planned(rows_type, [*map(prepare, used(rows))])
        return items(every, *([planned(LeftOut, removed(rows))] if out else []))

    def nearer(within: str = "") -> Any:
        def statistic(items: Any, _: AxisValues) -> Statistic:
            rows = items.compared
            strata = getattr(rows, within) if within else None
            return probability_nearer(getattr(rows, unit), rows.similarity, rows.is_same, ~rows.is_same, strata)

        return statistic

    def kept_apart(percent: int) -> Any:
        def statistic(items: Any, axes: AxisValues) -> UnitStatistic:
            rows = items.compared
            tested = getattr(rows, by.name) == axes[by.name] if by and axes else ~rows.is_same
            return share_below(percent, getattr(rows, unit), rows.similarity, rows.is_same, tested, FEWEST_UNITS)

        return proportion(
            f"how many opposites are kept apart at the threshold that keeps {percent} % of the paraphrases together",
            f"share of the other pairs with cos < threshold_{percent}",
            direction="higher",
            chance=(100 - percent) / 100,
            interval=True,
            compute=statistic,
        )

    def threshold_of(percent: int) -> Any:
        def statistic(items: Any, _: AxisValues) -> Statistic:
            same = items.compared[items.compared.is_same]
            return threshold(percent, getattr(same, unit), same.similarity)

        return declared(
            f"the threshold that keeps {percent} % of the paraphrases together",
            f"the greatest cosine that at least {percent} % of the n pairs that should be near reach: the "
            f"⌊{(100 - percent) / 100:g} n⌋-th smallest, from 0",
            range=(-1, 1),
            interval=True,
            compute=statistic,
        )

    scores = {f"kept_apart_{percent}": kept_apart(percent) for percent in kept}
    if by:
        key, share = next(iter(scores.items()))
        formula = f"{key} of the pairs of one {by.name}"
        scores["by"] = like(share, f"the same by {by.name}", formula, key=f"{key}_{{{by.name}}}", axes=(by,))
    scores |= {f"threshold_{percent}": threshold_of(percent) for percent in kept}
    scores[auc] = proportion(
        f"how often {near} is nearer than {other}",
        f"P(cos of {near} > cos of {other}), ties ½",
        direction="higher",
        chance=0.5,
        interval=True,
        compute=nearer(),
    )
    column, controlled = within
    if controlled:
        title, formula = "the same where both could move it as much", f"the same over pairs of equal {column} alone"
        scores[controlled] = like(scores[auc], title, formula, compute=nearer(column))
    if out:
        counted = f"{what_out}; they are left out"
        scores[key_out] = count(what_out, counted, value=lambda items, _: len(items.tables()[out]))
    scores["n_excluded_zero_vector"] = zero_vectors("pairs", lambda items: items.compared.similarity)
    right = f"The texts of {near} should be nearer to each other than those of {other}."
    fields = {
        "version": 1,
        "needs": PairClassRow,
        "labels": (unit,),
        "symmetric": texts,
        "wording": nearer_wording(question, near, other, right),
        "view": _view,
        **fields,
    }
    return Measure(
        name, main=main, controlled=controlled, unit=unit, items=items, scores=scores_of(scores), plan=plan, **fields
    )


PAIR_CLASSES = pair_classes(
    "pair_classes",
    "Are the texts of one class of pairs nearer to each other than those of all other pairs?",
    prepare=lambda row: {**row, "group": row.get("group") or row["first"], "kind": row.get("kind") or ""},
    facts={
        "class_": Fact(str, f"{SAME}, or another class."),
        "group": Fact(str, "Pairs that are resampled together."),
        "kind": Fact(str, "The kind of pair; may be empty."),
    },
    version=2,
    unit="group",
    is_same=lambda pairs: pairs.class_ == SAME,
    kept=(90,),
    examples=(
        {"first": "The shop is open.", "second": "You can enter the store.", "class": SAME},
        {"first": "The shop is open.", "second": "The shop is closed.", "class": "opposite"},
    ),
)
