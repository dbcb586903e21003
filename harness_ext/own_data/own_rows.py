"""Rows for a measure, from a user's own table; what does not fit is named with its place."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle
from typing import Any

from harness_ext.data.annotations import NEEDED_IN_PAIRS, Labels
from harness_ext.data.compounds import inserted_probe
from harness_ext.data.normalization import normal, places
from harness_ext.data.rows import MergeRow, Row
from harness_ext.data.tables import Line
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import EncoderMeasure
from harness_ext.measures.core.undefined import left_out
from harness_ext.own_data.fields import Field, columns_of, fields_of, own_split, several
from harness_ext.own_data.own_table import OwnDataError, OwnTable, renamed
from harness_ext.own_data.pairs import as_pairs
from harness_ext.own_data.row_errors import OwnRowError, grouped
from harness_ext.statistics.statistic import Statistic

UNKNOWN_LANGUAGE = "und-Zyyy"
_BLANK = {"", "nan", "none", "null", "n/a", "<na>", "nat"}
_NO_TEXTS = {
    # in several languages
    re.compile(
        r"#[¡¿]?[A-ZÀ-Ý]+(/0)?[!?]|#N/?[ADV]|#GETTING_DATA|Err:\d{3}"
    ): "{} is an error of a spreadsheet. Mend its formula.",
    re.compile(
        r"(array\()?\[\s*(['\"]).*\2.*\]\)?", re.DOTALL
    ): "{} is a list that a program printed. Give its texts with ; between them.",
}
"""What stands in a cell in the place of a text, and what to do."""


@dataclass(frozen=True)
class OwnRows:
    """Rows for a measure, and what does not fit.

    Attributes:
        name: Of the files, or of the dataset, for messages.
        rows: Those that fit.
        errors: One per row that does not fit: such data is not measured.
        warnings: What is perhaps a mistake.
        language: Of the rows, such as `deu-Latn`.
    """

    name: str
    measure: EncoderMeasure[Any]
    rows: list[Row]
    errors: Sequence[OwnRowError] = ()
    warnings: Sequence[str] = ()
    language: str = UNKNOWN_LANGUAGE

    @cached_property
    def revision(self) -> str:
        """The hash of the rows as the measure reads them, with measure and language."""
        digest = hashlib.sha256(
            repr((self.measure.name, self.measure.version, self.language)).encode()
        )
        for row in self.rows:
            digest.update(json.dumps(row, sort_keys=True).encode())
        return digest.hexdigest()[:12]

    def check(self) -> None:
        """Refuse rows that cannot be measured.

        Raises:
            OwnDataError: Some do not fit, or there are too few, or people's numbers are all the
                same; says which.
        """
        if self.errors:
            raise OwnDataError("\n".join(grouped(self.errors)))
        explained = f"`harness-ext needs {self.measure.name}` explains the columns."
        if self._statistic.fewest_units < self.measure.fewest_units:
            raise OwnDataError(f"{self._too_few()} {explained}")
        if math.isnan(self._statistic.value()):
            fields = [field.name for field in columns_of(self.measure) if field.type is float]
            numbers = {name: {row.get(name) for row in self.rows} - {None} for name in fields}
            same = " and ".join(
                f"{name} is {of.pop():g} in all rows"
                for name, of in numbers.items()
                if len(of) == 1
            )
            what = f"{self.measure.main} of these rows is not defined, whatever the model"
            raise OwnDataError(f"{self.name}: {what}{f': {same}' if same else ''}. {explained}")

    def unit_count(self) -> int:
        """How many units, such as compounds, enter the main score: whatever the vectors are."""
        return self.measure.unit_count(self._drawn, self.measure.main)

    def _too_few(self) -> str:
        """How many units there are, and of the groups without which there is no score."""
        of, n_rows, n = self.measure, len(self.rows), len({*self._units})
        counts = [
            f"{n_rows} rows, but {n} different {of.unit}s" if n < n_rows else f"{n} rows",
            *self._small_groups(),
        ]
        lost = f" Left out: {lost}." if (lost := self.left_out()) else ""
        return f"{self.name}: {', '.join(counts)}; {of.fewest_units} are needed.{lost}"

    def left_out(self) -> str:
        """Why rows have no part in some scores, with counts; empty if all have."""
        return left_out(self.measure, self.measure.score(self._drawn).flat())

    def _small_groups(self) -> Iterator[str]:
        """The groups that have too few units, and without which there is no score."""
        for field in columns_of(self.measure):
            for value in field.decides:
                others = cycle([other for other in field.decides if other != value] or ["other"])
                of_unit = dict(zip(dict.fromkeys(self._units), others, strict=False))
                rows = [
                    {**row, field.name: of_unit[unit]}
                    for unit, row in zip(self._units, self.rows, strict=True)
                ]
                pairs = zip(self._units, self.rows, strict=True)
                here = len({unit for unit, row in pairs if row.get(field.name) == value})
                with suppress(OwnDataError):
                    if (
                        here >= self.measure.fewest_units
                        or replace(self, rows=rows)._statistic.fewest_units
                    ):
                        continue
                yield (
                    f"{here} of them {bool(value) if field.type is bool else value} ({field.name})"
                )

    @property
    def _units(self) -> list[Any]:
        """The unit of each row."""
        return [row.get(self.measure.unit) or row.get("id") for row in self.rows]

    @cached_property
    def _statistic(self) -> Statistic:
        """The main score, of drawn distances."""
        return self.measure.of_all_units(self._drawn, self.measure.main)

    @cached_property
    def _drawn(self) -> Items:
        """The items with distances that are drawn: no texts are encoded."""
        try:
            return self.measure.planned(self.rows, own_split(self.measure)).drawn()
        except ValueError as error:
            raise OwnDataError(f"{self.name}, {self.measure.name}: {error}") from None


def own_rows(
    measure: EncoderMeasure[Any],
    table: OwnTable,
    columns: Mapping[str, str] | None = None,
    language: str = UNKNOWN_LANGUAGE,
    values: Mapping[str, str] | None = None,
    separator: str | None = None,
) -> OwnRows:
    """The rows of a user's own table for a measure.

    Args:
        measure: The measure.
        table: The table.
        columns: Field -> its column, where that has another name.
        language: Of the rows, such as `deu-Latn`.
        values: A word of the file, in any case -> the value that it means, in columns with few
            values.
        separator: As of `several`.

    Raises:
        OwnDataError: A column is missing, or there twice, or the language has no such form; names
            file and column.
    """
    if not re.fullmatch("[a-z]{3}-[A-Z][a-z]{3}", language):
        raise OwnDataError(
            f"{language}: a language of three letters and its script expected, such as deu-Latn."
        )
    fields, guessed = fields_of(measure), list[str]()
    if measure.row is MergeRow:
        table, columns, guessed = as_pairs(table, columns or {})
    parts = [field.name for field in fields_of(measure.line)] if measure.line else []
    looked_for = [
        *(field.name for field in fields),
        *(field.columns[-1] for field in fields),
        *parts,
    ]
    named, other_sheets = renamed(table, dict.fromkeys(looked_for), columns or {})
    there = {*named.columns}
    missing = [field.name for field in fields if field.is_needed and field.name not in there]
    is_made = bool(missing and there.intersection(parts))
    if is_made:
        fields = fields_of(measure.line)
    elif missing:
        without = next((labels.without for field in fields if (labels := field.says(Labels))), "")
        raise OwnDataError(
            f"{table.name}: no column {', '.join(map(repr, missing))}, which {measure.name} needs. "
            f"{named.there()} Say which it is by --column {missing[0]}=ITS_NAME; "
            f"`harness-ext needs {measure.name}` explains the columns. {without}".rstrip()
        )
    meant = {normal(word).casefold(): value for word, value in (values or {}).items()}
    errors: list[OwnRowError] = []
    placed: list[tuple[str, Row]] = []
    first: dict[str, str] = {}
    for number, line in enumerate(named.lines, start=1):
        try:
            row = {field.name: _given(line, field, meant, separator) for field in fields}
            row = row if is_made else _row(fields, line, number, row)
            if "id" in row and first.setdefault(row["id"], line.place) is not line.place:
                found = f"{row['id']!r} is the id of {first[row['id']]}"
                raise OwnRowError(line.place, "id", "{} too. Give each row its own.", found)
        except OwnRowError as error:
            errors.append(error)
        else:
            placed.append((line.place, row))
    rows = [row for _, row in placed]
    if is_made and not errors:
        try:
            rows = [{**row} for row in measure.rows_of([Line(*of) for of in placed], table.name)]
        except ValueError as error:
            raise OwnDataError(f"{error}.") from None
    return OwnRows(
        table.name,
        measure,
        rows,
        errors,
        [*guessed, *other_sheets, *_same_texts(fields, placed)],
        language,
    )


def _row(fields: Sequence[Field], line: Line, number: int, given: Row) -> Row:
    """The row of a line: what is given, then what follows from it, then the compound's place and
    replacements.
    """
    row = {name: value for name, value in given.items() if value is not None}
    is_removed, has_span = "removed_by" in row, "span" in row
    for field in fields:
        if field.name not in row and not (field.may_lack or (field.otherwise and not is_removed)):
            if field.is_needed and not is_removed:
                raise OwnRowError(
                    line.place, field.name, "it is empty. Fill it in, or remove the row."
                )
            row[field.name] = None
    for field in fields:
        if field.name not in row and field.otherwise:
            try:
                value = field.otherwise.value(row, line.file, number)
            except ValueError as error:
                raise OwnRowError(line.place, "", *error.args) from None
            row |= {} if value is None else {field.name: value}
        if NEEDED_IN_PAIRS in field.parts and row[field.name] is None and row.get("role") == "pair":
            raise OwnRowError(line.place, field.name, "it is empty, and the role is pair.")
    if row.get("compound") and row["sentence"] is not None and not has_span:
        row |= _in_sentence(fields, line, row)
    for field in fields:
        if field.name in row and (not is_removed or field.name == "removed_by"):
            row[field.name] = _value(field, line, row[field.name])
    return {field.name: row[field.name] for field in fields if field.name in row}


def _given(line: Line, field: Field, values: Mapping[str, str], separator: str | None) -> Any:
    """What a cell has, texts as they are compared; None if it is empty.

    Raises:
        OwnRowError: It has what is no text, or several values with another mark between them.
    """
    for column in field.columns:
        cell: Any = line.cells.get(column)
        if isinstance(cell, str):
            cell = normal(cell).strip()
            try:
                for pattern, says in _NO_TEXTS.items():
                    if pattern.fullmatch(cell):
                        raise ValueError(says)
                if len(cell) <= 5 and cell.casefold() in _BLANK:
                    continue
                if field.is_list or field.is_expression:
                    parts = several(cell, separator)
                    return parts if field.is_list else "; ".join(parts)
                return values.get(cell.casefold(), cell) if field.decides else cell
            except ValueError as error:
                raise OwnRowError(line.place, column, str(error), repr(cell)) from None
        if cell is not None:
            cell = [*cell] if isinstance(cell, tuple) else cell
            cell = cell.tolist() if hasattr(cell, "tolist") else cell  # of numpy or torch
            if isinstance(cell, list | Mapping) or str(cell).casefold() not in _BLANK:
                return cell
    return None


def _value(field: Field, line: Line, cell: Any) -> Any:
    """The value of a field; an OwnRowError if the cell has none of its type."""
    try:
        return field.read(cell)
    except ValueError:  # pydantic's too
        column = next((name for name in field.columns if name in line.cells), field.name)
        cure = (
            f" Say what it means: harness-ext check FILE --value {{word}}={field.decides[0]} "
            "--save NEW.csv"
            if field.decides
            else ""
        )
        raise OwnRowError(
            line.place, column, f"{field.kind} expected, found {{}}.{cure}", repr(cell)
        ) from None


def _in_sentence(fields: Sequence[Field], line: Line, row: Row) -> Row:
    """The compound in its sentence, and the sentences with other words in its place."""
    sentence, expression = str(row["sentence"]), str(row.get("surface") or row["compound"])
    spans = places(sentence, expression)
    if len(spans) != 1:
        cure = (
            "Shorten the sentence."
            if spans
            else "If it is inflected there, give it so in a column 'surface'."
        )
        found = f"{expression!r} stands {len(spans)} times in {sentence!r}"
        raise OwnRowError(
            line.place, "sentence", f"{{}} as words of its own, once is expected. {cure}", found
        )
    (place,) = spans
    surface = sentence[place[0] : place[1]]
    target = inserted_probe(sentence, place, surface)
    row = {**row, "surface": surface, "sentence": target["sentence"], "span": target["span"]}
    for field in (field for field in fields if field.is_probe):
        cell = row.get(field.name)
        parts = [*map(str, cell)] if isinstance(cell, list) else several(str(cell or ""), ";")
        if not parts or not all(map(str.strip, parts)) or (len(parts) > 1 and not field.is_list):
            raise OwnRowError(
                line.place,
                field.name,
                f"{field.kind} expected, found {{}}.",
                repr(cell or "nothing"),
            )
        probes = [inserted_probe(sentence, place, normal(part)) for part in parts]
        row[field.name] = probes if field.is_list else probes[0]
    return row


def _same_texts(fields: Sequence[Field], placed: Sequence[tuple[str, Row]]) -> Iterator[str]:
    """Write messages about rows in which two texts are the same."""
    same = []
    for place, row in placed:
        counts = Counter(" ".join(text.casefold().split()) for text in _texts(fields, row))
        twice = (text for text, n in counts.items() if n > 1)
        same += [
            OwnRowError(place, "", "two of its texts are the same: {}", repr(text))
            for text in twice
        ]
    return grouped(same)


def _texts(fields: Sequence[Field], row: Row) -> Iterator[str]:
    """The texts of a row that are encoded whole, with those that have other words in the place of
    its compound.
    """
    for field in (
        field for field in fields if (field.is_text or field.is_probe) and row.get(field.name)
    ):
        cell = row[field.name]
        yield from (
            str(one["sentence"] if field.is_probe else one)
            for one in (cell if field.is_list else [cell])
        )
