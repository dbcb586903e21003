"""A row for a measure, from a line of a user's own table; what does not fit is named with its
place.
"""

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness_ext.data.compounds import inserted_probe
from harness_ext.data.normalization import normal, places
from harness_ext.data.rows import Row
from harness_ext.data.tables import Line
from harness_ext.own_data.cells import check_text, damage, is_missing, is_number
from harness_ext.own_data.fields import SEPARATOR, Field, several
from harness_ext.own_data.row_errors import OwnRowError

_DECIMAL_COMMA = re.compile(r"([+-]?\d+),(\d+)")


@dataclass(frozen=True)
class RowReader:
    """Reads rows with some fields.

    Attributes:
        fields: The fields.
        values: A word of the file, in lower case -> the value that it means, in columns with few
            values.
        separator: As of `several`.
        has_decimal_commas: Whether numbers have a comma before their decimals.
        warnings: What is perhaps a mistake, of the lines that were read.
    """

    fields: Sequence[Field]
    values: Mapping[str, str]
    separator: str | None = None
    has_decimal_commas: bool = False
    warnings: list[OwnRowError] = dataclasses.field(default_factory=list)

    def cells(
        self,
        line: Line,
    ) -> Row:
        """What the cells of the fields have: texts as they are compared; None where one is empty.

        Raises:
            OwnRowError: A cell has what is no text, or several values with another mark between
                them.
        """
        return {field.name: self._cell(line, field) for field in self.fields}

    def row(
        self,
        line: Line,
        number: int,
    ) -> Row:
        """The row of a line: what is given, then what follows from it, then the compound's place
        and replacements.

        Args:
            line: The line.
            number: The number of the row, from 1.

        Raises:
            OwnRowError: A cell does not fit, or is empty though the measure needs it.
        """
        cells = self.cells(line)
        row = {name: cell for name, cell in cells.items() if cell is not None}
        is_removed = "removed_by" in row
        has_span = "span" in row
        empty = [field for field in self.fields if field.name not in row]
        for field in empty:
            row |= _without_cell(field, line, is_removed=is_removed)
        for field in self._following:
            if field.name not in row and field.otherwise:
                row |= _otherwise(field, line, number, row)
            _check_role(field, line, row)
            _check_either(field, line, row)
        if row.get("compound") and row["sentence"] is not None and not has_span:
            row |= self._in_sentence(line, row)
        for field in self.fields:
            is_read = not is_removed or field.name == "removed_by"
            if is_read and field.name in row:
                row[field.name] = value_of_cell(field, line, row[field.name])
            if field.is_nullable:
                row.setdefault(field.name, None)
        return {field.name: row[field.name] for field in self.fields if field.name in row}

    @cached_property
    def _following(self) -> list[Field]:
        """The fields that say something of other fields."""
        return [
            field
            for field in self.fields
            if field.otherwise or field.is_needed_in_pairs or field.either
        ]

    def _cell(
        self,
        line: Line,
        field: Field,
    ) -> Any:
        for column in field.columns:
            cell: Any = line.cells.get(column)
            if cell is None:
                continue
            if isinstance(cell, str):
                text = normal(cell).strip()
                try:
                    cell = self._text(text, field)
                except ValueError as error:
                    raise OwnRowError(line.place, column, str(error), repr(text)) from None
                self._look_for_damage(line, column, text)
            else:
                cell = _of_python(cell, field)
            if cell is not None:
                return cell
        return None

    def _text(
        self,
        text: str,
        field: Field,
    ) -> Any:
        """What a cell with a text has: a list for a field of several values; None for no value.

        Raises:
            ValueError: It is no text; says what to do, with `{}` for the cell.
        """
        check_text(text)
        if field.is_number:
            return self._number(text)
        if is_missing(text):
            return None
        if field.is_list or field.is_expression:
            parts = several(text, self.separator)
            if any(map(is_missing, parts)):
                raise ValueError("A part of {} stands for no value. Leave it out.")
            return parts if field.is_list else f"{SEPARATOR} ".join(parts)
        return self.values.get(text.casefold(), text) if field.decides else text

    def _number(
        self,
        text: str,
    ) -> str | None:
        """A number in a cell, or what else stands there; None for no value."""
        decimal_comma = _DECIMAL_COMMA.fullmatch(text) if self.has_decimal_commas else None
        if decimal_comma:
            return ".".join(decimal_comma.groups())
        return None if is_missing(text) and not is_number(text) else text

    def _look_for_damage(
        self,
        line: Line,
        column: str,
        text: str,
    ) -> None:
        """Keep a warning of what an earlier program may have left in a text."""
        what = damage(text)
        if what:
            self.warnings.append(OwnRowError(line.place, column, f"{{}} has {what}.", repr(text)))

    def _in_sentence(
        self,
        line: Line,
        row: Row,
    ) -> Row:
        """The compound in its sentence, and the sentences with other words in its place."""
        sentence = str(row["sentence"])
        expression = str(row.get("surface") or row["compound"])
        spans = places(sentence, expression)
        if len(spans) != 1:
            cure = "If it is inflected there, give it so in a column 'surface'."
            if spans:
                cure = "Shorten the sentence."
            found = f"{expression!r} stands {len(spans)} times in {sentence!r}"
            raise OwnRowError(
                line.place,
                "sentence",
                f"{{}} as words of its own, once is expected. {cure}",
                found,
            )
        (place,) = spans
        start, end = place
        surface = sentence[start:end]
        target = inserted_probe(sentence, place, surface)
        changed: Row = {
            "surface": surface,
            "sentence": target["sentence"],
            "span": target["span"],
        }
        for field in self.fields:
            if field.is_probe:
                expressions = _expressions(field, line, row.get(field.name))
                probes = [inserted_probe(sentence, place, words) for words in expressions]
                changed[field.name] = probes if field.is_list else probes[0]
        return changed


def value_of_cell(
    field: Field,
    line: Line,
    cell: Any,
) -> Any:
    """The value of a field; an OwnRowError if the cell has none of its type."""
    try:
        return field.read(cell)
    except ValueError:  # pydantic's too
        columns = [name for name in field.columns if name in line.cells]
        column = columns[0] if columns else field.name
        cure = ""
        if field.is_number and _DECIMAL_COMMA.fullmatch(str(cell)):
            cure = (
                " A decimal comma: harness-ext check FILE --decimal-comma --save NEW.csv reads it."
            )
        if field.decides:
            cure = (
                f" Say what it means: harness-ext check FILE --value {{word}}={field.decides[0]} "
                "--save NEW.csv"
            )
        raise OwnRowError(
            line.place, column, f"{field.kind} expected, found {{}}.{cure}", repr(cell)
        ) from None


def _of_python(
    cell: Any,
    field: Field,
) -> Any:
    """A cell that is no text, as of a DataFrame; None for no value."""
    if isinstance(cell, tuple):
        cell = [*cell]
    if hasattr(cell, "tolist"):  # of numpy or torch
        cell = cell.tolist()
    if field.is_number and isinstance(cell, int | float) and math.isfinite(cell):
        return cell
    if isinstance(cell, list | Mapping):
        return cell
    is_code = is_missing(str(cell)) and not (field.is_number and is_number(str(cell)))
    return None if is_code else cell


def _without_cell(
    field: Field,
    line: Line,
    *,
    is_removed: bool,
) -> Row:
    """What a row has in a field whose cell is empty; nothing where it follows from others, or where
    the row may be without it.
    """
    follows = field.otherwise and not is_removed
    if field.may_lack or follows:
        return {}
    if field.is_needed and not is_removed:
        cell = line.cells.get(field.name)
        says = "it is empty. Fill it in, or remove the row."
        if isinstance(cell, str) and cell.strip():
            says = "it is empty: {} stands for no value. Fill it in, or remove the row."
        raise OwnRowError(line.place, field.name, says, repr(cell))
    return {field.name: None}


def _otherwise(
    field: Field,
    line: Line,
    number: int,
    row: Row,
) -> Row:
    """What follows from other fields; nothing if it is found later."""
    assert field.otherwise
    try:
        value = field.otherwise.value(row, line.file, number)
    except ValueError as error:
        raise OwnRowError(line.place, "", *error.args) from None
    return {} if value is None else {field.name: value}


def _check_role(
    field: Field,
    line: Line,
    row: Row,
) -> None:
    if not field.is_needed_in_pairs or row.get("role") != "pair":
        return
    if row[field.name] is None:
        raise OwnRowError(line.place, field.name, "it is empty, and the role is pair.")


def _check_either(
    field: Field,
    line: Line,
    row: Row,
) -> None:
    """Refuse a row that has neither of two fields, without which it has no part in any score."""
    either = field.either
    if either is None or row.get(field.name) is not None or row.get(either.other) is not None:
        return
    raise OwnRowError(
        line.place,
        field.name,
        f"it is empty, and so is {either.other}: the row has no part in any score. Fill in one of "
        "both, or remove the row.",
    )


def _expressions(
    field: Field,
    line: Line,
    cell: Any,
) -> list[str]:
    """The words of a cell that stand in the place of the compound, as they are compared."""
    if isinstance(cell, list):
        parts = [str(part) for part in cell]
    else:
        parts = several(str(cell or ""), SEPARATOR)
    is_one_of_many = len(parts) > 1 and not field.is_list
    if not parts or is_one_of_many or not all(map(str.strip, parts)):
        found = repr(cell or "nothing")
        raise OwnRowError(line.place, field.name, f"{field.kind} expected, found {{}}.", found)
    return [normal(part) for part in parts]
