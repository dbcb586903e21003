"""Outlines of plans: what every submission has in common on the same data, without a text of it.

The package ships one for each plan whose source files could be verified, so rows are checked
without the data too. docs/outlines.py writes the file.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Array, Flags, Names
from harness_ext.data.words import words_of
from harness_ext.measures.core.items import Items, Table

FILE = Path(__file__).parents[1] / "outlines.npz"
"""The digest of each plan under its place, and the columns of its outline below it."""

KINDS = ("without_number", "reasons", "same_words")


class Planned(NamedTuple):
    """What is planned: `of` is `spans` (with words inside sentences), `texts` (without) or
    `baselines`.
    """

    task: str
    split: str
    subset: str
    revision: str
    of: str


@dataclass(frozen=True)
class Outline:
    """What the data determine of the items of a plan; columns are named `table.column`.

    Attributes:
        digest: Of the columns that no encoder determines.
        without_number: Column -> the rows without a number, whatever the encoder, shape (n,); of
            columns with any.
        reasons: Measured column of names -> its values in the plan, shape (n,).
        same_words: Column -> the rows that compare texts of the same words alone, shape (n,); of
            columns with any.
    """

    digest: str
    without_number: Mapping[str, Flags]
    reasons: Mapping[str, Names]
    same_words: Mapping[str, Flags]

    @classmethod
    def of(cls, plan: Items) -> Outline:
        """The outline of a plan."""
        columns = {
            f"{name}.{column}": (table, column)
            for name, table in plan.tables().items()
            for column in table.measured()
        }
        numbers = {name: ~table.has_number(column) for name, (table, column) in columns.items()}
        reasons = {name: table.values()[column] for name, (table, column) in columns.items()}
        same_words = {name: _same_words(table, column) for name, (table, column) in columns.items()}
        return cls(
            plan.digest(measured=False),
            {name: rows for name, rows in numbers.items() if rows.any()},
            {name: values for name, values in reasons.items() if values.dtype.kind == "U"},
            {name: rows for name, rows in same_words.items() if rows.any()},
        )


def _same_words(table: Table, column: str) -> Flags:
    """Where a column is 0 because texts that it compares have the same words, in whatever order."""
    declared = table.measured()[column]
    pairs = [[getattr(table, name) for name in pair] for pair in declared.pairs]
    if not pairs or any(texts is None for pair in pairs for texts in pair):
        return np.zeros(len(table), dtype=bool)
    different = [
        [_words(one) != _words(other) or not _words(one) for one, other in zip(*pair, strict=True)]
        for pair in pairs
    ]
    return declared.of_pairs(different, axis=0) == 0


@functools.lru_cache(maxsize=10_000)
def _words(text: object) -> list[str]:
    return sorted(words_of(text)) if isinstance(text, str) else []


@functools.cache
def _shipped() -> Mapping[str, Array]:
    shipped: Mapping[str, Array] = np.load(FILE)
    return shipped


def shipped_outline(planned: Planned) -> Outline | None:
    """The shipped outline of a plan, or of that of texts where it is the same; None if there is
    none.
    """
    shipped = _shipped()
    places = ("/".join(one) for one in (planned, planned._replace(of="texts")))
    if (place := next((one for one in places if one in shipped), None)) is None:
        return None
    columns = {
        kind: [name for name in shipped if name.startswith(f"{place}/{kind}/")] for kind in KINDS
    }
    kinds = {
        kind: {name.rpartition("/")[2]: shipped[name] for name in names}
        for kind, names in columns.items()
    }
    return Outline(str(shipped[place]), **kinds)
