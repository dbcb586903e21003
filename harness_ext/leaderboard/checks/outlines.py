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
        without_number = {}
        reasons = {}
        same_words = {}
        for name, table in plan.tables().items():
            for column in table.measured():
                place = f"{name}.{column}"
                without = ~table.has_number(column)
                if without.any():
                    without_number[place] = without
                values = table.values()[column]
                if values.dtype.kind == "U":
                    reasons[place] = values
                same = _same_words(table, column)
                if same.any():
                    same_words[place] = same
        digest = plan.digest(measured=False)
        return cls(digest, without_number, reasons, same_words)


def _same_words(table: Table, column: str) -> Flags:
    """Where a column is 0 because texts that it compares have the same words, in whatever order."""
    declared = table.measured()[column]
    different = []
    for one_column, other_column in declared.pairs:
        texts = getattr(table, one_column)
        other_texts = getattr(table, other_column)
        if texts is None or other_texts is None:
            return np.zeros(len(table), dtype=bool)
        different.append(list(map(_are_different, texts, other_texts)))
    if not different:
        return np.zeros(len(table), dtype=bool)
    return declared.of_pairs(different, axis=0) == 0


def _are_different(text: object, other: object) -> bool:
    """Whether two texts have other words, or one of them has none."""
    words = _words(text)
    return words != _words(other) or not words


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
    for same in (planned, planned._replace(of="texts")):
        place = "/".join(same)
        if place in shipped:
            columns = {kind: _columns(f"{place}/{kind}/") for kind in KINDS}
            return Outline(str(shipped[place]), **columns)
    return None


def _columns(place: str) -> dict[str, Array]:
    """Column -> what is shipped of it below a place."""
    shipped = _shipped()
    names = [name for name in shipped if name.startswith(place)]
    return {name.removeprefix(place): shipped[name] for name in names}
