"""Rows for a measure, from a user's own table; what does not fit is named with its place."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from harness_ext.data.compounds import inserted_probe
from harness_ext.data.normalization import normal, places
from harness_ext.data.rows import NEEDED_IN_PAIRS, Labels, Row
from harness_ext.data.tables import Line
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.undefined import left_out
from harness_ext.own_data.fields import Field, columns_of, fields_of, own_split, several
from harness_ext.own_data.own_table import OwnDataError, OwnTable, renamed

UNKNOWN_LANGUAGE = "und-Zyyy"
_N_NAMED = 10
_BLANK = {"", "nan", "none", "null", "n/a", "#n/a", "<na>", "nat"}
_PRINTED = re.compile(r"(array\()?\[\s*(['\"]).*\2.*\]\)?", re.DOTALL)
"""The print of a list of texts, of Python or numpy."""


@dataclass(frozen=True)
class OwnRows:
    """Rows for a measure, and what does not fit.

    Attributes:
        name: Of the files, or of the dataset, for messages.
        measure: The measure.
        rows: Those that fit.
        errors: A message per row that does not fit: such data is not measured.
        warnings: A message per row that fits, but is perhaps a mistake.
        language: Of the rows, such as `deu-Latn`.
    """

    name: str
    measure: Measure[Any]
    rows: list[Row]
    errors: Sequence[str] = ()
    warnings: Sequence[str] = ()
    language: str = UNKNOWN_LANGUAGE

    @cached_property
    def revision(self) -> str:
        """The hash of the rows as the measure reads them, with measure and language."""
        digest = hashlib.sha256(repr((self.measure.name, self.measure.version, self.language)).encode())
        for row in self.rows:
            digest.update(json.dumps(row, sort_keys=True).encode())
        return digest.hexdigest()[:12]

    def check(self) -> None:
        """Refuse rows that cannot be measured.

        Raises:
            OwnDataError: Some do not fit, or there are too few; names the first of them.
        """
        if self.errors:
            more = len(self.errors) - _N_NAMED
            rest = [f"{more} more: `harness-ext check` names all."] if more > 0 else []
            raise OwnDataError("\n".join([*self.errors[:_N_NAMED], *rest]))
        measure = self.measure
        if measure.of_all_units(self._drawn, measure.main).fewest_units < measure.fewest_units:
            lost = left_out(measure, measure.score(self._drawn).flat())
            groups = [*self._groups()]
            hints = [f"Left out: {lost}.", *groups] if lost else groups
            of_each = ", of each kind" if any(hint.startswith("Rows by") for hint in groups) else ""
            raise OwnDataError(
                f"{self.name}: {measure.main} is of {self.unit_count()} units ({measure.unit}), and at least "
                f"{measure.fewest_units} are needed{of_each}. {' '.join([*hints, 'Add rows.'])} "
                f"`harness-ext needs {measure.name}` explains the columns."
            )

    def unit_count(self) -> int:
        """How many units, such as compounds, enter the main score: whatever the vectors are."""
        return self.measure.unit_count(self._drawn, self.measure.main)

    def _groups(self) -> Iterator[str]:
        """How many rows have each value of a field that decides, in the words of the file; and which field none has."""
        empty = []
        for field in columns_of(self.measure):
            counts = Counter(str(row[field.name]) for row in self.rows if row.get(field.name) is not None)
            if not counts and field.name != "removed_by":
                empty.append(field.name)
            elif field.decides:
                counts.update(dict.fromkeys(map(str, field.decides), 0))
                yield f"Rows by {field.name}: {', '.join(f'{n} {value}' for value, n in counts.most_common(20))}."
        if empty:
            yield f"No row has {' or '.join(empty)}."

    @cached_property
    def _drawn(self) -> Items:
        """The items with distances that are drawn: no texts are encoded."""
        try:
            return self.measure.planned(self.rows, own_split(self.measure)).drawn()
        except ValueError as error:
            raise OwnDataError(f"{self.name}, {self.measure.name}: {error}") from None


def own_rows(
    measure: Measure[Any],
    table: OwnTable,
    columns: Mapping[str, str] | None = None,
    language: str = UNKNOWN_LANGUAGE,
) -> OwnRows:
    """The rows of a user's own table for a measure.

    Args:
        measure: The measure.
        table: The table.
        columns: Field -> its column, where that has another name.
        language: Of the rows, such as `deu-Latn`.

    Raises:
        OwnDataError: A column is missing, or there twice, or the language has no such form; names file and column.
    """
    if not re.fullmatch("[a-z]{3}-[A-Z][a-z]{3}", language):
        raise OwnDataError(f"{language}: a language of three letters and its script expected, such as deu-Latn.")
    fields = fields_of(measure)
    part, made = measure.made_of or (None, None)
    parts = [field.name for field in fields_of(part)] if part else []
    looked_for = [*(field.name for field in fields), *(field.columns[-1] for field in fields), *parts]
    named, other_sheets = renamed(table, dict.fromkeys(looked_for), columns or {})
    there = {*named.columns}
    missing = [field.name for field in fields if field.is_needed and field.name not in there]
    if made and missing and there.intersection(parts):
        try:
            return OwnRows(table.name, measure, [{**row} for row in made(named.lines, table.name)], language=language)
        except ValueError as error:
            raise OwnDataError(f"{error}.") from None
    if missing:
        without = next((labels.without for field in fields if (labels := field.says(Labels))), "")
        raise OwnDataError(
            f"{table.name}: no column {', '.join(map(repr, missing))}, which {measure.name} needs. "
            f"There are: {', '.join(named.columns)}. Say which it is by --column {missing[0]}=ITS_NAME; "
            f"`harness-ext needs {measure.name}` explains the columns. {without}".rstrip()
        )
    errors: list[str] = []
    placed: list[tuple[str, Row]] = []
    first: dict[str, str] = {}
    for number, line in enumerate(named.lines, start=1):
        try:
            row = _row(fields, line, number)
            if "id" in row and first.setdefault(row["id"], line.place) is not line.place:
                raise _refusal(line, "id", f"{row['id']!r} is the id of {first[row['id']]} too. Give each row its own.")
        except OwnDataError as error:
            errors.append(str(error))
        else:
            placed.append((line.place, row))
    warnings = [*other_sheets, *_warnings(fields, placed)]
    return OwnRows(table.name, measure, [row for _, row in placed], errors, warnings, language)


def _refusal(line: Line, column: str, what: str) -> OwnDataError:
    return OwnDataError(f"{line.place}, column {column!r}: {what}")


def _row(fields: Sequence[Field], line: Line, number: int) -> Row:
    """The row of a line: what is given, then what follows from it, then the compound's place and replacements.

    Raises:
        OwnDataError: A cell is empty or of another type; names file, line and column.
    """
    row = {field.name: value for field in fields if (value := _given(line, field)) is not None}
    is_removed, has_span = "removed_by" in row, "span" in row
    for field in fields:
        if field.name not in row and not (field.may_lack or (field.otherwise and not is_removed)):
            if field.is_needed and not is_removed:
                raise _refusal(line, field.name, "it is empty. Fill it in, or remove the row.")
            row[field.name] = None
    for field in fields:
        if field.name not in row and field.otherwise:
            value = field.otherwise.of(row, line.file, number)
            row |= {} if value is None else {field.name: value}
        if NEEDED_IN_PAIRS in field.parts and row[field.name] is None and row.get("role") == "pair":
            raise _refusal(line, field.name, "it is empty, and the role is pair.")
    if row.get("compound") and row["sentence"] is not None and not has_span:
        row |= _in_sentence(fields, line, row)
    for field in fields:
        if field.name in row and (not is_removed or field.name == "removed_by"):
            row[field.name] = _value(field, line, row[field.name])
    return {field.name: row[field.name] for field in fields if field.name in row}


def _given(line: Line, field: Field) -> Any:
    """What a cell has, texts as they are compared; None if it is empty."""
    for column in field.columns:
        cell: Any = line.cells.get(column)
        if isinstance(cell, str):
            cell = normal(cell).strip()
            if cell.startswith(("[", "array(")) and _PRINTED.fullmatch(cell):
                raise _refusal(
                    line, column, f"{cell!r} is a list that a program printed. Give its texts with ; between them."
                )
            if len(cell) > 5 or cell.casefold() not in _BLANK:
                return cell
        elif cell is not None:
            cell = [*cell] if isinstance(cell, tuple) else cell
            cell = cell.tolist() if hasattr(cell, "tolist") else cell  # of numpy or torch
            if isinstance(cell, list | Mapping) or str(cell).casefold() not in _BLANK:
                return cell
    return None


def _value(field: Field, line: Line, cell: Any) -> Any:
    """The value of a field.

    Raises:
        OwnDataError: It is none of the field's type; names file, line and column.
    """
    try:
        return field.read(cell)
    except ValueError:  # pydantic's too
        raise _refusal(line, field.name, f"{field.kind} expected, found {cell!r}.") from None


def _in_sentence(fields: Sequence[Field], line: Line, row: Row) -> Row:
    """The compound in its sentence, and the sentences with other words in its place.

    Raises:
        OwnDataError: The sentence has it not once, or there is nothing to put in its place.
    """
    sentence, expression = str(row["sentence"]), str(row.get("surface") or row["compound"])
    spans = places(sentence, expression)
    if len(spans) != 1:
        cure = "Shorten the sentence." if spans else "If it is inflected there, give it so in a column 'surface'."
        raise _refusal(
            line,
            "sentence",
            f"{expression!r} stands {len(spans)} times in {sentence!r} as words of its own, once is expected. {cure}",
        )
    (place,) = spans
    surface = sentence[place[0] : place[1]]
    target = inserted_probe(sentence, place, surface)
    row = {**row, "surface": surface, "sentence": target["sentence"], "span": target["span"]}
    for field in (field for field in fields if field.is_probe):
        cell = row.get(field.name)
        parts = [*map(str, cell)] if isinstance(cell, list) else several(str(cell or ""))
        if not parts or not all(map(str.strip, parts)) or (len(parts) > 1 and not field.is_list):
            raise _refusal(line, field.name, f"{field.kind} expected, found {cell or 'nothing'!r}.")
        probes = [inserted_probe(sentence, place, normal(part)) for part in parts]
        row[field.name] = probes if field.is_list else probes[0]
    return row


def _warnings(fields: Sequence[Field], placed: Sequence[tuple[str, Row]]) -> Iterator[str]:
    """Rows in which two texts are the same, or whose script is another than that of most rows.

    Languages of one script are not told apart.
    """
    names = [field.name for field in fields if field.is_text]
    scripts: list[str] = []
    for place, row in placed:
        texts = [str(row[name]) for name in names if row.get(name)]
        scripts.append(_most_frequent_script("".join(texts)))
        if len({" ".join(text.casefold().split()) for text in texts}) < len(texts):
            counts = Counter(" ".join(text.casefold().split()) for text in texts)
            yield from (f"{place}: two of its texts are the same, {text!r}." for text, n in counts.items() if n > 1)
    ((usual, _),) = Counter(scripts).most_common(1) or [("", 0)]
    for (place, _), script in zip(placed, scripts, strict=True):
        if script != usual:
            yield f"{place}: its letters are {script or 'none'}, those of most rows are {usual or 'none'}."


def _most_frequent_script(text: str) -> str:
    if text.isascii():  # most rows of most tables
        return "Latin" if re.search("[A-Za-z]", text) else ""
    counts: Counter[str] = Counter()
    for letter, n in Counter(text).items():
        if letter.isalpha():
            counts[_script(letter)] += n
    return counts.most_common(1)[0][0] if counts else ""


@cache  # one word for each letter that was seen
def _script(letter: str) -> str:
    """Such as `Latin`."""
    return unicodedata.name(letter, "?").partition(" ")[0].title()
