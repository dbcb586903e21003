"""Pairs as people publish them: two texts, whether they mean the same, and perhaps a kind
of pair.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from harness_ext.data.rows import SAME, SAME_OR
from harness_ext.own_data.own_table import OwnDataError, OwnTable

_GUESSED = {
    "first": ("a", "sentence1", "text1", "question1"),
    "second": ("b", "sentence2", "text2", "question2"),
    "same": ("label", "is_duplicate", "same_answer"),
    "kind": ("category",),
}
"""Column -> how it is called elsewhere; `same` and `kind` together are the field `kind`."""

_OTHER = {"0", "0.0", "false", "f", "no", "n"}


def as_pairs(
    table: OwnTable, columns: Mapping[str, str]
) -> tuple[OwnTable, dict[str, str], list[str]]:
    """The table with a single column `kind`, the columns for `own_rows`, and a message of what was
    guessed.

    Raises:
        OwnDataError: A cell does not say whether the texts of its pair mean the same; names its
            place.
    """
    there = {column.strip().casefold(): column for column in table.columns}
    named = {field: there[field] for field in _GUESSED if field in there} | dict(columns)
    two_columns = "same" in named or "kind" not in named
    guessed = {
        field: next((there[name] for name in names if name in there), "")
        for field, names in _GUESSED.items()
        if field not in named and (two_columns or field not in {"same", "kind"})
    }
    named |= {field: column for field, column in guessed.items() if column}
    sources = [
        f"{field} is read from the column {column!r}" for field, column in guessed.items() if column
    ]
    if column := named.pop("same", ""):
        if column not in table.columns:
            raise OwnDataError(f"{table.name}: no column {column!r}. {table.there()}")
        of_kind = named.pop("kind", "")
        lines = []
        for line in table.lines:
            cell = str(line.cells.get(column)).strip().casefold()
            if cell not in _OTHER and cell not in SAME_OR.spellings[SAME] and cell != SAME:
                raise OwnDataError(
                    f"{line.place}, column {column!r}: true or false expected, found {cell!r}."
                )
            kind = str(line.cells.get(of_kind) or "other").strip()
            # a word for the same, where the texts do not mean the same, is no kind
            is_kind = cell in _OTHER and not re.search(f"^{SAME}$|{SAME_OR.like}", kind.casefold())
            kept = {
                name: value for name, value in line.cells.items() if name not in {column, of_kind}
            }
            lines.append(
                replace(
                    line,
                    cells={
                        **kept,
                        "kind": (kind if is_kind else "other") if cell in _OTHER else SAME,
                    },
                )
            )
        table = OwnTable(table.name, lines)
    return (
        table,
        named,
        [f"{'; '.join(sources)}. --column FIELD=COLUMN says otherwise."] if sources else [],
    )
