"""Triplets: is a text nearer to one that means the same than to one that does not?

A triplet is won if d(anchor, right) < d(anchor, wrong), d = 1 - cos; both ways, if d(anchor, right) < d(right, wrong)
too, as in Dumpala, Jaiswal, Sastry, Milios, Oore, Sajjad 2024: *SUGARCREPE++ Dataset*, NeurIPS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats, Texts
from harness_ext.measures.core.items import Table, distance, text
from harness_ext.measures.core.measure import Measure, Rows
from harness_ext.measures.core.scores import Axis, AxisValues, count, like, proportion, zero_vectors
from harness_ext.measures.core.wording import Wording
from harness_ext.measures.kinds.kind import (
    Fact,
    Facts,
    Prepare,
    Removed,
    items_of,
    nearer_wording,
    planned,
    removed,
    scores_of,
    table_of,
    used,
)
from harness_ext.statistics.distance import at_most, nearer
from harness_ext.statistics.statistic import Statistic, mean, mean_of_rows


class TripletRow(TypedDict):
    """A text, another that means the same, and one that does not."""

    id: str
    anchor: str
    right: str
    wrong: str


@dataclass(frozen=True)
class Triplets(Table):
    """One row per triplet; its first distances are of anchor and right text, of anchor and wrong text, of these two."""

    both_ways: ClassVar[bool] = False

    @property
    def won(self) -> Floats:
        """1 where the right text is nearer, 0 where it is not, NaN for a zero vector, shape (m,).

        A tie is ½, or no win if both ways count.
        """
        right, wrong, *between = (getattr(self, name) for name in self.measured())
        if not self.both_ways:
            return nearer(right, wrong)
        return (1 - at_most(wrong, right)) * (1 - at_most(between[0], right))


def triplet_wording(question: str, anchor: str, right: str, wrong: str) -> Wording:
    """Sentences about triplets, from what their texts are, such as `the meaning of a verbal idiom`."""
    return nearer_wording(question, right, wrong, f"Nearer to {anchor} should be {right}, not {wrong}.")


def triplets(
    name: str,
    question: str,
    words: tuple[str, str, str] = ("the text", "the one that means the same", "the one that does not"),
    *,
    prepare: Prepare = dict,
    texts: tuple[str, str, str] = ("anchor", "right", "wrong"),
    table: str = "triplets",
    facts: Facts | None = None,
    unit: str = "row",
    between: str = "",
    both_ways: bool = False,
    key: str = "share",
    by: Axis | None = None,
    main_of: tuple[str, ...] = (),
    pairs: type[Table] | None = None,
    reasons: Axis | None = None,
    scores: Mapping[str, Any] | None = None,
    source: str = "this project",
    **fields: Any,
) -> Measure[Any]:
    """A measure of triplets.

    Args:
        name: Its name.
        question: What it asks.
        words: What anchor, right and wrong text are, for sentences.
        prepare: A row -> the row with the fields that these arguments name, where it has not all of them.
        texts: The fields with the three texts. The distances are called after the last two.
        table: The name of the table.
        facts: Its columns that follow from the data.
        unit: The field whose values are resampled; rows by default.
        between: The column with the distance of the right and the wrong text, if there is one.
        both_ways: Whether the right text must be nearer than that too; a guess then wins one in three.
        key: The key of the main score.
        by: Which column the score is broken down by, as `share_{column}`.
        main_of: The values on this axis that the main score is of; all if empty.
        pairs: The table of rows without a wrong text, if there may be some.
        reasons: The values of `removed_by` of rows that are not compared.
        scores: Further scores.
        source: As of `Score`.
        fields: Others, as of `Measure`; by default rows are `TripletRow`s.
    """
    anchor, right, wrong = texts

    def d(one: int, other: int) -> tuple[Any, Any]:
        return Floats, distance(f"d of {words[one]} and {words[other]}.", texts[one], texts[other])

    rows_type = table_of(
        Triplets,
        **(facts or {}),
        **{field: (Texts, text(f"Text: {what}.")) for field, what in zip(texts, words, strict=True)},
        **{f"{right}_distance": d(0, 1), f"{wrong}_distance": d(0, 2)},
        **({} if unit == "row" else {unit: Fact(str, f"The {unit}; what is resampled.")}),
        **({between: d(1, 2)} if between else {}),
    )
    rows_type.both_ways = both_ways
    tables = {table: rows_type, "pairs": pairs, "removed": Removed if reasons else None}
    items = items_of(**{name: kind for name, kind in tables.items() if kind})

    def plan(rows: Rows, _: str = "") -> Any:
        prepared = [*map(prepare, used(rows))]
        parts = [planned(rows_type, [row for row in prepared if row[wrong] or not pairs])]
        parts += [planned(pairs, [row for row in prepared if not row[wrong]])] if pairs else []
        return items(*parts, *([planned(Removed, removed(rows))] if reasons else []))

    def share(items: Any, axes: AxisValues) -> Statistic:
        rows = items.compared.at(axes)
        if by and main_of and not axes:
            rows = rows[np.isin(rows.values()[by.name], main_of)]
        if unit == "row":
            return mean(rows.row, rows.won)
        return mean_of_rows(*np.unique(getattr(rows, unit), return_inverse=True), rows.won)

    rule = f"d({anchor}, {right}) < d({anchor}, {wrong})"
    rule += f" and < d({right}, {wrong}); a tie is no win" if both_ways else ", ties ½"
    main = proportion(
        f"how often {words[1]} is nearer than {words[2]}",
        f"share of the triplets{' of ' if main_of else ''}{' and '.join(main_of)} with {rule}",
        direction="higher",
        chance=1 / 3 if both_ways else 0.5,
        source=source,
        interval=True,
        compute=share,
    )
    declared = {key: main, **(scores or {})}
    if by:
        title, formula = f"the same by {by.name}", f"share of the triplets of the {by.name}"
        declared["share_by"] = like(main, title, formula, key=f"share_{{{by.name}}}", axes=(by,))
    if reasons:
        declared["n_excluded"] = count(
            "rows that are no triplets",
            "rows that are left out, by reason",
            key="n_excluded_{reason}",
            axes=(reasons,),
            value=lambda items, axes: len(items.removed.at(axes)),
        )
    declared["n_excluded_zero_vector"] = zero_vectors("triplets", lambda items: items.compared.won)
    fields = {
        "version": 1,
        "needs": TripletRow,
        "wording": triplet_wording(question, *words),
        **fields,
    }
    return Measure(name, main=key, unit=unit, items=items, scores=scores_of(declared), plan=plan, **fields)


TRIPLETS = triplets(
    "triplets",
    "Is a text nearer to one that means the same than to one that does not?",
    examples=(
        {"anchor": "The shop is open.", "right": "You can enter the store.", "wrong": "The shop is closed."},
        {"anchor": "It is raining.", "right": "Water falls from the sky.", "wrong": "It is snowing."},
    ),
)
