"""Pairs as people publish them: two texts, whether they mean the same, and perhaps a kind
of pair.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from harness_ext.data.rows import SAME, SAME_OR
from harness_ext.data.tables import Line
from harness_ext.own_data.table import OwnDataError, OwnTable

_GUESSED = {
    "first": ("a", "sentence1", "text1", "question1"),
    "second": ("b", "sentence2", "text2", "question2"),
    "same": ("label", "is_duplicate", "same_answer"),
    "kind": ("category",),
}
"""Column -> how it is called elsewhere; `same` and `kind` together are the field `kind`."""

_SAME = {SAME, *SAME_OR.spellings[SAME]}
_OTHER = {"0", "0.0", "false", "f", "no", "n"}
"""What says that the texts of a pair mean the same, or do not."""


class Pairs(NamedTuple):
    """A table of pairs with a single column `kind`.

    Attributes:
        table: The table.
        columns: Field -> its column, for `rows_for_measure`.
        messages: What was guessed.
    """

    table: OwnTable
    columns: dict[str, str]
    messages: list[str]


def as_pairs(
    table: OwnTable,
    columns: Mapping[str, str],
) -> Pairs:
    """The table with a single column `kind`, however it says which pairs mean the same.

    Raises:
        OwnDataError: A cell does not say whether the texts of its pair mean the same; names its
            place.
    """
    by_small_letters = {column.strip().casefold(): column for column in table.columns}
    named = {field: by_small_letters[field] for field in _GUESSED if field in by_small_letters}
    named |= columns
    guessed = _guessed_columns(by_small_letters, named)
    named |= guessed
    messages: list[str] = []
    if guessed:
        sources = [f"{field} is read from the column {name!r}" for field, name in guessed.items()]
        messages.append(f"{'; '.join(sources)}. --column FIELD=COLUMN says otherwise.")
    same = named.pop("same", "")
    if same:
        if same not in table.columns:
            raise OwnDataError(f"{table.name}: no column {same!r}. {table.columns_in_words()}")
        kind = named.pop("kind", "")
        lines = [_with_kind(line, same, kind) for line in table.lines]
        table = replace(table, lines=lines)
    return Pairs(table, named, messages)


def _guessed_columns(
    columns: Mapping[str, str],
    named: Mapping[str, str],
) -> dict[str, str]:
    """Field -> its column, of the fields that no column is named for.

    Args:
        columns: Name in small letters -> the column.
        named: Field -> its column, of the others.
    """
    has_kind = "kind" in named and "same" not in named
    guessed: dict[str, str] = {}
    for field, names in _GUESSED.items():
        follows = has_kind and field in {"same", "kind"}
        candidates = [columns[name] for name in names if name in columns]
        if candidates and field not in named and not follows:
            guessed[field] = candidates[0]
    return guessed


def _with_kind(
    line: Line,
    same: str,
    kind: str,
) -> Line:
    """A line whose columns `same` and `kind` are one column `kind`."""
    cells = {name: cell for name, cell in line.cells.items() if name not in {same, kind}}
    says_same = str(line.cells.get(same)).strip().casefold()
    if says_same in _SAME:
        return replace(line, cells={**cells, "kind": SAME})
    if says_same not in _OTHER:
        raise OwnDataError(
            f"{line.place}, column {same!r}: true or false expected, found {says_same!r}."
        )
    word = str(line.cells.get(kind) or "other").strip()
    # a word for the same, where the texts do not mean the same, is no kind
    is_like_same = re.search(f"^{SAME}$|{SAME_OR.like}", word.casefold())
    return replace(line, cells={**cells, "kind": "other" if is_like_same else word})
