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
from harness_ext.data.annotations import OURS, Also, Else, Form, Labels, Words
from harness_ext.data.compounds import Probe
from harness_ext.data.tables import NUMBER, read_table
from harness_ext.measures.core.measure import EncoderMeasure
from harness_ext.tasks import ENCODER_MEASURES, ENCODER_TASKS

_QUICK = {task.measure.name for task in ENCODER_TASKS.values() if task.quick}

MEASURES: Mapping[str, EncoderMeasure[Any]] = {
    name: measure
    for name, measure in ENCODER_MEASURES.items()
    if not measure.exploratory and (measure.examples or name in _QUICK)
}
"""The measures that own data can be measured by, by name: those with rows that a template
can show.
"""

_NUMBER = Else("the number of the row", lambda row, file, number: str(number))
"""What an id is where it is not given, if its row type does not say."""

_NAMES = {
    *(
        "id",
        "compound",
        "surface",
        "expression",
        "name",
        "source",
        "class",
        "kind",
        "group",
        "pair",
        "usage",
        "sense",
    ),
    "removed_by",
}
"""The fields that are names, and not encoded as a text."""

_MARK = re.compile(
    r"[,/|，、；／｜]|^\W*\d+[.):](?=\s)|^[-*•–](?=\s)|(?<=\s)(?:or|oder|ou|o)(?=\s)", re.IGNORECASE
)
"""What people write between several values in a cell, or before each, beside `;` and line ends."""

_COLUMNS = {
    str(line["column"]): line for line in read_table(Path(__file__).with_name("columns.csv"))
}
"""Column -> its meaning, and an example."""

_KINDS = {str: "text", float: "number such as 3.5", int: "whole number", bool: "true or false"}
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

    def says(self, kind: Any) -> Any:
        """What the row type says of this kind, such as `Else`; None if nothing."""
        return next((part for part in self.parts if isinstance(part, kind)), None)

    @cached_property
    def type(self) -> Any:
        """The type of its values; of several the first."""
        return self.parts[0]

    @cached_property
    def may_lack(self) -> bool:
        """Whether a row may be without it."""
        return get_origin(self.hint) is NotRequired

    @cached_property
    def otherwise(self) -> Else | None:
        """What it is where it is not given; None if it must be given."""
        return self.says(Else) or (_NUMBER if self.name == "id" else None)

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
        words, labels = self.says(Words), self.says(Labels)
        if labels or self.type is bool:
            return (0, 1)
        return (
            get_args(self.type) if self.is_choice else tuple(words.spellings)[:1] if words else ()
        )

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
        return self.is_probe or self.name in {"word", "synonym"}

    @cached_property
    def is_list(self) -> bool:
        """Whether a cell has several values, separated by `;`."""
        return get_origin(self.type) is list

    @cached_property
    def is_text(self) -> bool:
        """Whether it is encoded whole."""
        return self.type is str and self.name not in _NAMES and not self.otherwise

    @cached_property
    def kind(self) -> str:
        """What a cell has, in words."""
        if self.is_list:
            return (
                f"{Field(self.name, get_args(self.type)[0]).kind}; several, with ; or a line end "
                "between"
            )
        if labels := self.says(Labels):
            return " or ".join(f"{number} ({name})" for number, name in enumerate(labels.names))
        if form := self.says(Form) or self.says(Words):
            return str(form.says)
        if self.is_choice:
            return " or ".join(get_args(self.type))
        return "words in the place of the compound" if self.is_probe else _KINDS[self.type]

    @property
    def meaning(self) -> str:
        """What a cell means, and its scale."""
        is_said = self.name in _COLUMNS and not (self.says(Words) or self.says(Form))
        meaning = _COLUMNS[self.name]["meaning"] if is_said else self.kind
        return (
            f"{meaning}; several, with ; or a line end between"
            if self.is_list
            else meaning.rstrip(",")
        )

    @property
    def example(self) -> str:
        """What a cell may have."""
        return _COLUMNS[self.name]["example"] if self.name in _COLUMNS else ""

    @cached_property
    def read(self) -> Callable[[Any], Any]:
        """Reads a value; a ValueError if it is none of the field's type."""
        hint = get_args(self.hint)[0] if self.may_lack else self.hint
        validate = TypeAdapter(hint, config=None if self.is_probe else _CONFIG).validate_python
        labels, form, words = self.says(Labels), self.says(Form), self.says(Words)
        names: dict[str, Any] = {
            name: number for number, name in enumerate(labels.names if labels else ())
        }
        names |= {
            choice.casefold(): choice for choice in (get_args(self.type) if self.is_choice else ())
        }
        for word, spellings in words.spellings.items() if words else ():
            names |= dict.fromkeys((word, *spellings), word)

        def read(cell: Any) -> Any:
            if names and cell is not None:
                cell = (
                    int(cell) if labels and isinstance(cell, bool) else str(cell) if words else cell
                )
                cell = names.get(plain := str(cell).strip().casefold(), cell)
                if words and plain not in names and re.search(words.like, plain):
                    raise ValueError(self.kind)
            if (
                {int, float}.intersection(self.parts[:1])
                and isinstance(cell, str)
                and str not in self.parts
            ):
                cell = NUMBER.fullmatch(cell) and cell
            value = validate(cell)
            refused = form and value is not None and not re.fullmatch(form.pattern, value)
            if refused or (labels and value not in names.values()):
                raise ValueError(self.kind)
            return value

        return read


def several(cell: str, separator: str | None = None) -> list[str]:
    """The values in a cell: a line each, or with the separator between them, by default `;`.

    Raises:
        ValueError: No separator is given, and another mark stands between them, or before each;
            says what to do, with `{}` for the cell.
    """
    between = (
        rf"\b{separator}\b" if separator and separator.isalpha() else re.escape(separator or ";")
    )
    parts = [part.strip() for part in re.split(rf"[\r\n]|{between}", cell) if part.strip()]
    if not separator and (mark := next(filter(None, map(_MARK.search, parts)), None)):
        raise ValueError(
            f"{{}} has {mark.group()!r} in it. Write ; or a line end between several. `harness-ext "
            "check FILE --separator MARK --save NEW.csv` does so; where the mark is a part of the "
            "words, MARK is ';'."
        )
    return parts


def _unpacked(hint: Any) -> list[Any]:
    if get_origin(hint) not in {Annotated, NotRequired, Union, UnionType}:
        return [hint]
    return [part for argument in get_args(hint) for part in _unpacked(argument)]


def fields_of(row: Any) -> list[Field]:
    """The fields of a row type, or of the rows that a measure needs."""
    row = row.row if isinstance(row, EncoderMeasure) else row
    return [Field(name, hint) for name, hint in get_type_hints(row, include_extras=True).items()]


def columns_of(measure: EncoderMeasure[Any]) -> list[Field]:
    """The columns of a user's table for a measure."""
    return [field for field in fields_of(measure.line or measure) if OURS not in field.parts]


def own_measure(name: str) -> EncoderMeasure[Any]:
    """A measure by its name.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in MEASURES:
        raise unknown_name(
            "measure", name, MEASURES, "`harness-ext needs` lists them, and says what each needs."
        )
    return MEASURES[name]


def own_split(measure: EncoderMeasure[Any]) -> str:
    """The name of the split of own data, which some measures read."""
    return "naturalistic" if "compound" in get_type_hints(measure.row) else "own"
