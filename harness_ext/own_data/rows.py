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
from itertools import chain, cycle
from typing import Any, NamedTuple

from harness_ext.data.annotations import Labels
from harness_ext.data.normalization import normal
from harness_ext.data.rows import MergeRow, Row
from harness_ext.data.tables import Line
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import EncoderMeasure, Rows
from harness_ext.measures.core.undefined import left_out
from harness_ext.own_data.cells import is_summary
from harness_ext.own_data.fields import Field, columns_of, fields_of, split_name
from harness_ext.own_data.pairs import as_pairs
from harness_ext.own_data.row_errors import OwnRowError, grouped
from harness_ext.own_data.row_reader import RowReader
from harness_ext.own_data.table import (
    OwnDataError,
    OwnTable,
    column_advice,
    renamed,
    with_one_column_of_each,
)
from harness_ext.statistics.statistic import Statistic

UNKNOWN_LANGUAGE = "und-Zyyy"
_FEWEST_RATINGS = 10
"""Of fewer ratings, the lowest does not tell the scale."""
_N_LAST_LINES = 3
"""So many lines below a table may sum it up."""


class Tie(NamedTuple):
    """Units that have the same number in a column: none of them is ranked above another."""

    column: str
    number: float
    n_equal: int
    n_all: int

    def __str__(self) -> str:
        return (
            f"{self.column} is {self.number:g} in {self.n_equal} of {self.n_all}: there is little "
            "to rank."
        )


@dataclass(frozen=True)
class OwnRows:
    """Rows for a measure, and what does not fit. Nobody changes them after they are read.

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
        definition = (self.measure.name, self.measure.version, self.language)
        digest = hashlib.sha256(repr(definition).encode())
        encode = json.JSONEncoder(sort_keys=True).encode
        for row in self.rows:
            digest.update(encode(row).encode())
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
            what = f"{self.measure.main} of these rows is not defined, whatever the model"
            same = self._same_numbers()
            cause = f"{same and f': {same}'}. {self.measure.shortage(self._drawn)}".rstrip()
            raise OwnDataError(f"{self.name}: {what}{cause} {explained}")

    @cached_property
    def complete(self) -> list[Row]:
        """The rows as a `Dataset` has them: each with every field that one of them has, None where
        it has none.
        """
        names = dict.fromkeys(chain.from_iterable(self.rows))
        if all(len(row) == len(names) for row in self.rows):
            return self.rows
        return [{name: row.get(name) for name in names} for row in self.rows]

    def planned(self, rows: Rows, split: str) -> Items:
        """The items of rows before an encoder has seen them.

        The plan that `check` has made of the rows themselves is given away, once: whoever gets it
        may write into it.
        """
        plan: Items | None = self.__dict__.pop("_plan", None)
        is_of_check = split == split_name(self.measure) and rows == self.complete
        return plan if plan is not None and is_of_check else self._planned(rows, split)

    def unit_count(self) -> int:
        """How many units, such as compounds, enter the main score: whatever the vectors are."""
        return self.measure.unit_count(self._drawn, self.measure.main)

    def ranked_unit_count(self) -> int:
        """The same; of the units that share most people's number, only one."""
        tied = sum(tie.n_equal - 1 for tie in self.ties())
        return max(self.unit_count() - tied, 0)

    def ties(self) -> list[Tie]:
        """The first column of people's numbers in which more than half of the units that the main
        score ranks have the same number; none if there is no such column.
        """
        if self.measure.main_declaration.range[0] >= 0:
            return []
        ties: list[Tie] = []
        for field in columns_of(self.measure):
            numbers = self._numbers_of_units(field)
            if len(numbers) < self.measure.fewest_units:
                continue
            number, count = Counter(numbers.values()).most_common(1)[0]
            if 2 * count > len(numbers):
                ties.append(Tie(field.name, number, count, len(numbers)))
        return ties[:1]

    def _numbers_of_units(
        self,
        field: Field,
    ) -> dict[Any, float]:
        """Unit -> its number, of a field with numbers; nothing for another field."""
        if field.type is not float:
            return {}
        numbers: dict[Any, float] = {}
        for unit, row in zip(self._units, self.rows, strict=True):
            number = row.get(field.name)
            if number is not None:
                numbers[unit] = number
        return numbers

    def left_out(self) -> str:
        """Why rows have no part in some scores, with counts; empty if all have."""
        return left_out(self.measure, self.measure.score(self._drawn).flat())

    def _same_numbers(self) -> str:
        """The columns whose numbers are all the same, in words; empty if there are none."""
        columns: list[str] = []
        for field in columns_of(self.measure):
            numbers = {row.get(field.name) for row in self.rows} - {None}
            if field.type is float and len(numbers) == 1:
                columns.append(f"{field.name} is {numbers.pop():g} in all rows")
        return " and ".join(columns)

    def _too_few(self) -> str:
        """How many units there are, and of the groups without which there is no score."""
        n_rows = len(self.rows)
        n_units = len({*self._units})
        counts = [f"{n_rows} rows"]
        if n_units < n_rows:
            counts = [f"{n_rows} rows, but {n_units} different {self.measure.unit}s"]
        small_groups = [*self._small_groups()]
        counts += small_groups
        n_counted = self.unit_count()
        if not small_groups and n_counted < n_units:
            units = "unit" if n_counted == 1 else "units"
            counts.append(f"{n_counted} {units} ({self.measure.unit}) in {self.measure.main}")
        shortage = self.measure.shortage(self._drawn)
        if shortage:
            return f"{self.name}: {', '.join(counts)}. {shortage}"
        lost = self.left_out()
        return (
            f"{self.name}: {', '.join(counts)}; {self.measure.fewest_units} are needed."
            f"{lost and f' Left out: {lost}.'}"
        )

    def _small_groups(self) -> Iterator[str]:
        """The groups that have too few units, and without which there is no score."""
        for field in columns_of(self.measure):
            for value in field.decides:
                n_units = self._unit_count_of_group(field, value)
                if n_units < self.measure.fewest_units and self._needs_group(field, value):
                    shown = bool(value) if field.type is bool else value
                    yield f"{n_units} of them {shown} ({field.name})"

    def _unit_count_of_group(
        self,
        field: Field,
        value: Any,
    ) -> int:
        """How many units have a value in a field."""
        pairs = zip(self._units, self.rows, strict=True)
        return len({unit for unit, row in pairs if row.get(field.name) == value})

    def _needs_group(
        self,
        field: Field,
        value: Any,
    ) -> bool:
        """Whether there is no main score only because no unit has a value in a field."""
        others = [other for other in field.decides if other != value] or ["other"]
        return not self._is_defined_with(field, others) and self._is_defined_with(
            field, [value, *others]
        )

    def _is_defined_with(
        self,
        field: Field,
        values: Sequence[Any],
    ) -> bool:
        """Whether there is a main score if the units have these values in a field, in turn."""
        distinct_units = dict.fromkeys(self._units)
        values_of_units = dict(zip(distinct_units, cycle(values), strict=False))
        rows: list[Row] = []
        for unit, row in zip(self._units, self.rows, strict=True):
            rows.append({**row, field.name: values_of_units[unit]})
        with suppress(OwnDataError):
            return replace(self, rows=rows)._statistic.fewest_units > 0
        return False

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
        return self._plan.drawn()

    @cached_property
    def _plan(self) -> Items:
        try:
            return self._planned(self.complete, split_name(self.measure))
        except ValueError as error:
            raise OwnDataError(f"{self.name}, {self.measure.name}: {error}") from None

    def _planned(self, rows: Rows, split: str) -> Items:
        items: Items = self.measure.planned(rows, split)
        return items


class _PlacedRow(NamedTuple):
    """A row, and where its line stands."""

    place: str
    row: Row


def rows_for_measure(
    measure: EncoderMeasure[Any],
    table: OwnTable,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    language: str = UNKNOWN_LANGUAGE,
    values: Mapping[str, str] | None = None,
    separator: str | None = None,
    *,
    has_decimal_commas: bool = False,
) -> OwnRows:
    """The rows of a user's own table for a measure.

    Args:
        measure: The measure.
        table: The table.
        columns: Field -> its column, where that has another name; or several, of which each makes
            a row.
        language: Of the rows, such as `deu-Latn`.
        values: A word of the file, in any case -> the value that it means, in columns with few
            values.
        separator: As of `several`.
        has_decimal_commas: Whether numbers have a comma before their decimals.

    Raises:
        OwnDataError: A column is missing, or there twice, or the language has no such form; names
            file and column.
    """
    if not re.fullmatch("[a-z]{3}-[A-Z][a-z]{3}", language):
        raise OwnDataError(
            f"{language}: a language of three letters and its script expected, such as deu-Latn."
        )
    guessed: list[str] = []
    table, one_of_each = with_one_column_of_each(table, columns or {})
    if measure.row is MergeRow:
        table, one_of_each, guessed = as_pairs(table, one_of_each)
    named, other_sheets = renamed(table, _names_of_columns(measure), one_of_each)
    is_of_parts = _is_of_parts(measure, named)
    fields = fields_of(measure.line if is_of_parts else measure)
    meant: dict[str, str] = {}
    for word, value in (values or {}).items():
        meant[normal(word).casefold()] = value
    _check_either(fields, named)
    reader = RowReader(fields, meant, separator, has_decimal_commas)

    errors: list[OwnRowError] = []
    placed: list[_PlacedRow] = []
    places_of_ids: dict[str, str] = {}
    for number, line in enumerate(named.lines, start=1):
        try:
            row = reader.cells(line) if is_of_parts else reader.row(line, number)
            _check_id(row, line, places_of_ids)
        except OwnRowError as error:
            errors.append(error)
        else:
            placed.append(_PlacedRow(line.place, row))
    rows = [row for _, row in placed]
    if is_of_parts and not errors:
        rows = _made_of_parts(measure, placed, table.name)
    warnings = [
        *table.messages,
        *guessed,
        *other_sheets,
        *grouped(reader.warnings),
        *grouped(_off_scale(fields, placed)),
        *grouped(_summaries(named.lines)),
        *_other_scales(fields, rows),
        *_same_texts(fields, placed),
    ]
    return OwnRows(table.name, measure, rows, errors, warnings, language)


def _names_of_columns(measure: EncoderMeasure[Any]) -> list[str]:
    """The columns that a table for a measure may have."""
    fields = fields_of(measure)
    names = [field.name for field in fields]
    names += [field.columns[-1] for field in fields]
    if measure.line:
        names += [field.name for field in fields_of(measure.line)]
    return list(dict.fromkeys(names))


def _is_of_parts(
    measure: EncoderMeasure[Any],
    table: OwnTable,
) -> bool:
    """Whether the lines of a table are what rows are made of, such as words of a vocabulary.

    Raises:
        OwnDataError: It has neither the columns of rows nor one of parts.
    """
    present = {*table.columns}
    fields = fields_of(measure)
    needed = [field.name for field in fields if field.is_needed]
    missing = [name for name in needed if name not in present]
    if not missing:
        return False
    parts = fields_of(measure.line) if measure.line else []
    if any(part.name in present for part in parts):
        return True
    labels = [*filter(None, (field.says(Labels) for field in fields))]
    without_labels = labels[0].without if labels else ""
    raise OwnDataError(
        f"{table.name}: no column {', '.join(map(repr, missing))}, which {measure.name} needs. "
        f"{column_advice(table, missing)}{table.columns_in_words()} Say which it is by --column "
        f"{missing[0]}=ITS_NAME; "
        f"`harness-ext needs {measure.name}` explains the columns. {without_labels}".rstrip()
    )


def _check_either(
    fields: Sequence[Field],
    table: OwnTable,
) -> None:
    """Refuse a table without both of two columns, one of which rows must have."""
    for field in fields:
        either = field.either
        if either and {field.name, either.other}.isdisjoint(table.columns):
            raise OwnDataError(
                f"{table.name}: no column {field.name!r} and none {either.other!r}: one of both is "
                f"needed. {table.columns_in_words()} Say which it is by --column "
                f"{field.name}=ITS_NAME"
            )


def _check_id(
    row: Row,
    line: Line,
    places_of_ids: dict[str, str],
) -> None:
    """Refuse an id that an earlier row has; else keep its place."""
    if "id" not in row:
        return
    place = places_of_ids.setdefault(row["id"], line.place)
    if place is not line.place:
        found = f"{row['id']!r} is the id of {place}"
        raise OwnRowError(line.place, "id", "{} too. Give each row its own.", found)


def _made_of_parts(
    measure: EncoderMeasure[Any],
    parts: Sequence[_PlacedRow],
    file: str,
) -> list[Row]:
    """The rows that a measure makes of lines, such as words of a vocabulary."""
    lines = [Line(part.place, part.row) for part in parts]
    try:
        return [{**row} for row in measure.rows_of(lines, file)]
    except ValueError as error:
        raise OwnDataError(f"{error}.") from None


def _off_scale(
    fields: Sequence[Field],
    placed: Sequence[_PlacedRow],
) -> list[OwnRowError]:
    """The numbers that lie outside of their scale."""
    outside: list[OwnRowError] = []
    for field in fields:
        if not field.scale:
            continue
        low, high = field.scale
        says = f"{{}} is outside of the scale, {low:g} to {high:g}."
        for place, row in placed:
            number = row.get(field.name)
            if number is not None and not low <= number <= high:
                outside.append(OwnRowError(place, field.name, says, f"{number:g}"))
    return outside


def _other_scales(
    fields: Sequence[Field],
    rows: Sequence[Row],
) -> Iterator[str]:
    """Write messages about ratings from 1 where 0 is the lowest: differences and ranks are the
    same.
    """
    for field in fields:
        numbers = [row[field.name] for row in rows if row.get(field.name) is not None]
        if not field.scale or len(numbers) < _FEWEST_RATINGS:
            continue
        low, high = field.scale
        if min(numbers) == low + 1 and max(numbers) <= high:
            yield (
                f"{field.name} goes from {min(numbers):g} to {max(numbers):g}, on a scale from "
                f"{low:g} to {high:g}. If your scale begins at {low + 1:g}: ranks do not mind."
            )


def _summaries(lines: Sequence[Line]) -> list[OwnRowError]:
    """The last lines that begin as rows do that sum up others."""
    summaries: list[OwnRowError] = []
    for line in lines[-_N_LAST_LINES:]:
        words = [cell for cell in line.cells.values() if isinstance(cell, str) and is_summary(cell)]
        if words:
            says = "{} begins a row that sums up the others, and is no row of data."
            summaries.append(OwnRowError(line.place, "", says, repr(words[0])))
    return summaries


def _same_texts(
    fields: Sequence[Field],
    placed: Sequence[_PlacedRow],
) -> Iterator[str]:
    """Write messages about rows in which two texts are the same."""
    same: list[OwnRowError] = []
    of_texts = [field for field in fields if field.is_text or field.is_probe]
    for place, row in placed:
        compared = [_compared(text) for text in _texts(of_texts, row)]
        if len({*compared}) == len(compared):
            continue
        for text, count in Counter(compared).items():
            if count > 1:
                same.append(OwnRowError(place, "", "two of its texts are the same: {}", repr(text)))
    return grouped(same)


def _compared(text: str) -> str:
    """A text without its case and the number of its blanks."""
    return " ".join(text.casefold().split())


def _texts(
    fields: Sequence[Field],
    row: Row,
) -> Iterator[str]:
    """The texts of a row in fields that are encoded whole, and in fields with other words in the
    place of its compound.
    """
    for field in fields:
        cell = row.get(field.name)
        if not cell:
            continue
        for value in cell if field.is_list else [cell]:
            yield str(value["sentence"] if field.is_probe else value)
