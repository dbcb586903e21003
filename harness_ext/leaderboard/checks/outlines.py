"""Outlines of plans: what every submission has in common on the same data, without a text of it.

The package ships one for each plan whose source files could be verified, so rows are checked without the data too.
docs/outlines.py writes the file.
"""

from __future__ import annotations

import base64
import csv
import functools
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Names
from harness_ext.data.words import words_of
from harness_ext.measures.core.items import Items, Table

FILE = files("harness_ext.leaderboard") / "outlines.csv"


class Planned(NamedTuple):
    """What is planned: `of` is `spans` (with words inside sentences), `texts` (without) or `baselines`."""

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
        without_number: Column -> the rows without a number, whatever the encoder, shape (n,); of columns with any.
        reasons: Measured column of names -> its values in the plan, shape (n,).
        same_words: Column -> the rows that compare texts of the same words alone, shape (n,); of columns with any.
    """

    digest: str
    without_number: Mapping[str, Flags]
    reasons: Mapping[str, Names]
    same_words: Mapping[str, Flags]

    @classmethod
    def of(cls, plan: Items) -> Outline:
        """The outline of a plan."""
        columns = {
            f"{name}.{column}": (table, column) for name, table in plan.tables().items() for column in table.measured()
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

    def cells(self) -> tuple[str, ...]:
        """The outline as cells of the shipped file."""
        flags = ({name: _packed(np.packbits(rows).tobytes()) for name, rows in one.items()}
                 for one in (self.without_number, self.same_words))  # fmt: skip
        reasons = {name: _packed("\n".join(values).encode()) for name, values in self.reasons.items()}
        without_number, same_words = flags
        return self.digest, *(json.dumps(one) if one else "" for one in (without_number, reasons, same_words))

    @classmethod
    def read(cls, digest: str, *cells: str) -> Outline:
        """Read `cells`; flags are padded to whole bytes."""
        without_number, reasons, same_words = (json.loads(cell or "{}") for cell in cells)
        return cls(
            digest,
            {name: _flags(text) for name, text in without_number.items()},
            {name: np.array(_unpacked(text).decode().split("\n"), dtype=str) for name, text in reasons.items()},
            {name: _flags(text) for name, text in same_words.items()},
        )


def _same_words(table: Table, column: str) -> Flags:
    """Where a column is 0 because texts that it compares have the same words, in whatever order."""
    declared = table.measured()[column]
    pairs = [[getattr(table, name) for name in pair] for pair in declared.pairs]
    if not pairs or any(texts is None for pair in pairs for texts in pair):
        return np.zeros(len(table), dtype=bool)
    different = [
        [_words(one) != _words(other) or not _words(one) for one, other in zip(*pair, strict=True)] for pair in pairs
    ]
    return declared.of_pairs(np.array(different)) == 0


@functools.lru_cache(maxsize=10_000)
def _words(text: object) -> list[str]:
    return sorted(words_of(text)) if isinstance(text, str) else []


def _packed(content: bytes) -> str:
    return base64.b85encode(zlib.compress(content, 9)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b85decode(text))


def _flags(text: str) -> Flags:
    return np.unpackbits(np.frombuffer(_unpacked(text), dtype=np.uint8)).astype(bool)


@functools.cache
def _shipped() -> Mapping[Planned, list[str]]:
    """What is planned -> the cells of its outline."""
    lines = csv.reader(FILE.read_text(encoding="utf-8").splitlines())
    return {Planned(*cells[:5]): cells[5:] for cells in lines}


def shipped_outline(planned: Planned) -> Outline | None:
    """The shipped outline of a plan, or of that of texts where it is the same; None if there is none."""
    cells = _shipped().get(planned) or _shipped().get(planned._replace(of="texts"))
    return Outline.read(*cells) if cells else None
