"""What a measure needs of a row, as a user writes it into a table: read from the measure's row
type.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter

from harness_ext.common.errors import unknown_name
from harness_ext.data.annotations import (
    COMPOUND,
    EXPRESSION,
    NAME,
    NEEDED_IN_PAIRS,
    OURS,
    Also,
    Either,
    Else,
    Form,
    Labels,
    Scale,
    Words,
)
from harness_ext.data.compounds import Probe
from harness_ext.data.tables import NUMBER, read_table
from harness_ext.measures.core.measure import EncoderMeasure
from harness_ext.tasks import ENCODER_MEASURES, ENCODER_TASKS

_QUICK = {task.measure.name for task in ENCODER_TASKS.values() if task.quick}


def _has_examples(measure: EncoderMeasure[Any]) -> bool:
    """Whether there are rows that a template can show."""
    return bool(measure.examples) or measure.name in _QUICK


MEASURES: Mapping[str, EncoderMeasure[Any]] = {
    name: measure
    for name, measure in ENCODER_MEASURES.items()
    if not measure.exploratory and _has_examples(measure)
}
"""The measures that own data can be measured by, by name: those with rows that a template
can show.
"""

SEPARATOR = ";"
"""What stands between several values in a cell, beside line ends."""

_MARK = re.compile(
    r"[,/|，、；／｜]|^\W*\d+[.):](?=\s)|^[-*•–](?=\s)|(?<=\s)(?:or|oder|ou|o)(?=\s)", re.IGNORECASE
)
"""What people write between several values in a cell, or before each, beside `;` and line ends."""

_SEVERAL = f"several, with {SEPARATOR} or a line end between"

_COLUMNS = {
    str(line["column"]): line for line in read_table(Path(__file__).with_name("columns.csv"))
}
"""Column -> its meaning, and an example."""

_KINDS = {
    str: "text",
    float: "number such as 3.5",
    int: "whole number",
    bool: "true or false",
}
"""Type -> what a cell has, in words."""

_CONFIG = ConfigDict(coerce_numbers_to_str=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Field:
    """A field of a row type; `hint` is its type, with what the row type says beside it."""

    name: str
    hint: Any

    @cached_property
    def parts(self) -> list[Any]:
        """All parts of the hint: its type, first of all, and what is said beside."""
        return _unpacked(self.hint)

    def says(
        self,
        kind: Any,
    ) -> Any:
        """What the row type says of this kind, such as `Else`; None if nothing."""
        for part in self.parts:
            if isinstance(part, kind):
                return part
        return None

    @cached_property
    def either(self) -> Either | None:
        """The field that a row may have in its place; None if there is none."""
        stated: Either | None = self.says(Either)
        return stated

    @cached_property
    def is_needed_in_pairs(self) -> bool:
        """Whether a row of the role `pair` must have it."""
        return NEEDED_IN_PAIRS in self.parts

    @cached_property
    def type(self) -> Any:
        """The type of its values; of several the first."""
        return self.parts[0]

    @cached_property
    def may_lack(self) -> bool:
        """Whether a row may be without it."""
        return get_origin(self.hint) is NotRequired

    @cached_property
    def is_nullable(self) -> bool:
        """Whether a row has None where there is no value."""
        return NoneType in self.parts and not self.may_lack

    @cached_property
    def otherwise(self) -> Else | None:
        """What it is where it is not given; None if it must be given."""
        stated: Else | None = self.says(Else)
        return stated

    @cached_property
    def is_needed(self) -> bool:
        """Whether a table must have a column for it."""
        return not (NoneType in self.parts or self.may_lack or self.otherwise)

    @cached_property
    def columns(self) -> list[str]:
        """The columns that it is taken from, the first that has something."""
        also = self.says(Also)
        return [self.name, also.column] if also else [self.name]

    @cached_property
    def decides(self) -> tuple[Any, ...]:
        """The values that decide what a row is for; empty if there are none, or any value may."""
        if self.says(Labels) or self.type is bool:
            return (0, 1)
        if self.is_choice:
            return get_args(self.type)
        words = self.says(Words)
        return tuple(words.spellings)[:1] if words else ()

    @cached_property
    def is_choice(self) -> bool:
        """Whether it is one of a few words."""
        return get_origin(self.type) is Literal

    @cached_property
    def is_probe(self) -> bool:
        """Whether it is an expression in the place of the compound, or several."""
        return Probe in (self.type, *get_args(self.type))

    @cached_property
    def is_expression(self) -> bool:
        """Whether it is words, and no sentence: those that people may give several of."""
        return self.is_probe or EXPRESSION in self.parts

    @cached_property
    def is_list(self) -> bool:
        """Whether a cell has several values, separated by `;`."""
        return get_origin(self.type) is list

    @cached_property
    def is_number(self) -> bool:
        """Whether it is a number, and nothing else."""
        return self.type in {int, float} and str not in self.parts

    @cached_property
    def scale(self) -> Scale | None:
        """The numbers that people may give; None for any."""
        stated: Scale | None = self.says(Scale)
        return stated

    @cached_property
    def is_text(self) -> bool:
        """Whether it is encoded whole."""
        is_name = NAME in self.parts or COMPOUND in self.parts or self.says((Words, Form))
        return self.type is str and not (is_name or self.otherwise)

    @cached_property
    def kind(self) -> str:
        """What a cell has, in words."""
        if self.is_list:
            value = Field(self.name, get_args(self.type)[0])
            return f"{value.kind}; {_SEVERAL}"
        if self.says(Labels):
            names = enumerate(self.says(Labels).names)
            return " or ".join(f"{number} ({name})" for number, name in names)
        form = self.says(Form) or self.says(Words)
        if form:
            return str(form.says)
        if self.is_choice:
            return " or ".join(get_args(self.type))
        return "words in the place of the compound" if self.is_probe else _KINDS[self.type]

    @property
    def meaning(self) -> str:
        """What a cell means, and its scale."""
        is_described = self.name in _COLUMNS and not (self.says(Words) or self.says(Form))
        meaning = _COLUMNS[self.name]["meaning"] if is_described else self.kind
        if self.is_list:
            return f"{meaning}; {_SEVERAL}"
        return meaning.rstrip(",")

    @property
    def example(self) -> str:
        """What a cell may have."""
        return _COLUMNS[self.name]["example"] if self.name in _COLUMNS else ""

    def read(
        self,
        cell: Any,
    ) -> Any:
        """The value that a cell means; a ValueError if it is none of the field's type."""
        cell = self._spelled(cell)
        if self.is_number and isinstance(cell, str) and not NUMBER.fullmatch(cell):
            raise ValueError(self.kind)
        value = self._validate(cell)
        form = self._form
        if form and value is not None and not re.fullmatch(form.pattern, value):
            raise ValueError(self.kind)
        if self._labels and value not in self._spellings.values():
            raise ValueError(self.kind)
        return value

    def _spelled(
        self,
        cell: Any,
    ) -> Any:
        """The value of a word that decides; another cell as it is."""
        if not self._spellings or cell is None:
            return cell
        words = self.says(Words)
        if self._labels and isinstance(cell, bool):
            cell = int(cell)
        elif words:
            cell = str(cell)
        spelling = str(cell).strip().casefold()
        if spelling in self._spellings:
            return self._spellings[spelling]
        if words and re.search(words.like, spelling):
            raise ValueError(self.kind)
        return cell

    @cached_property
    def _spellings(self) -> dict[str, Any]:
        """How each value may be written, in lower case -> the value."""
        spellings: dict[str, Any] = {}
        if self.says(Labels):
            for number, name in enumerate(self.says(Labels).names):
                spellings[name] = number
        if self.is_choice:
            for choice in get_args(self.type):
                spellings[choice.casefold()] = choice
        if self.says(Words):
            for word, others in self.says(Words).spellings.items():
                spellings |= dict.fromkeys((word, *others), word)
        return spellings

    @cached_property
    def _form(self) -> Form | None:
        """The form of its texts; None for any."""
        stated: Form | None = self.says(Form)
        return stated

    @cached_property
    def _labels(self) -> Labels | None:
        """The names of its numbers; None if they have none."""
        stated: Labels | None = self.says(Labels)
        return stated

    @cached_property
    def _validate(self) -> Callable[[Any], Any]:
        """Reads a value of the field's type."""
        hint = get_args(self.hint)[0] if self.may_lack else self.hint
        config = None if self.is_probe else _CONFIG
        return TypeAdapter(hint, config=config).validator.validate_python


def several(
    cell: str,
    separator: str | None = None,
) -> list[str]:
    """The values in a cell: a line each, or with the separator between them, by default `;`.

    Raises:
        ValueError: No separator is given, and another mark stands between them, or before each;
            says what to do, with `{}` for the cell.
    """
    between = re.escape(separator or SEPARATOR)
    if separator and separator.isalpha():
        between = rf"\b{separator}\b"
    parts = [part.strip() for part in re.split(rf"[\r\n]|{between}", cell)]
    parts = [part for part in parts if part]
    marks = filter(None, map(_MARK.search, parts))
    mark = None if separator else next(marks, None)
    if mark:
        raise ValueError(
            f"{{}} has {mark.group()!r} in it. Write ; or a line end between several. `harness-ext "
            "check FILE --separator MARK --save NEW.csv` does so; where the mark is a part of the "
            "words, MARK is ';'."
        )
    return parts


def _unpacked(hint: Any) -> list[Any]:
    if get_origin(hint) not in {Annotated, NotRequired, Union, UnionType}:
        return [hint]
    parts: list[Any] = []
    for argument in get_args(hint):
        parts += _unpacked(argument)
    return parts


def fields_of(row: Any) -> list[Field]:
    """The fields of a row type, or of the rows that a measure needs."""
    row_type = row.row if isinstance(row, EncoderMeasure) else row
    hints = get_type_hints(row_type, include_extras=True)
    return [Field(name, hint) for name, hint in hints.items()]


def columns_of(measure: EncoderMeasure[Any]) -> list[Field]:
    """The columns of a user's table for a measure."""
    fields = fields_of(measure.line or measure)
    return [field for field in fields if OURS not in field.parts]


def measure_named(name: str) -> EncoderMeasure[Any]:
    """A measure by its name.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in MEASURES:
        raise unknown_name(
            "measure", name, MEASURES, "`harness-ext needs` lists them, and says what each needs."
        )
    return MEASURES[name]


def split_name(measure: EncoderMeasure[Any]) -> str:
    """The name of the split of own data, which some measures read."""
    is_of_compounds = any(COMPOUND in field.parts for field in fields_of(measure))
    return "naturalistic" if is_of_compounds else "own"
