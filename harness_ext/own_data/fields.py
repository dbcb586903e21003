"""What a measure needs of a row, as a user writes it into a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints

from harness_ext.data.compounds import Probe
from harness_ext.evaluators.montague_items import TYPES
from harness_ext.framework.measure import Measure
from harness_ext.names import unknown_name
from harness_ext.tasks import ENCODER_TASKS

MEASURES: Mapping[str, Measure[Any]] = {
    task.measure.name: task.measure
    for task in ENCODER_TASKS.values()
    if not task.measure.exploratory and (task.measure.examples or task.quick)
}
"""The measures that own data can be measured by, by name: those with rows that a template can show."""

CHOICES = {
    "class": ("NC", "PC", "C"),
    "expert_class": ("NC", "PC", "C"),
    "role": ("train", "held_out", "pair"),
    "type": (*TYPES, "N"),
}
"""Field -> what it may be."""

TEXTS = (
    *("sentence", "entailed", "not_entailed", "caption", "paraphrase", "negative", "first", "second"),
    *("sentence1", "sentence2", "text", "rewrite", "before", "after"),
)
"""The fields that are encoded whole."""

VOCABULARY = ("word", "type", "synonym")
"""The columns of a table of words, of which all phrases are made for a measure that needs phrases."""

_OF_OURS = {"span", "n_changed", "name"}
"""What only the rows of this project's datasets have, and a table that was exported."""

_DERIVED = {
    "": {"id": "the number of the row", "source": "first"},
    "compound": {
        "surface": "compound",
        "span": "the place of surface in sentence",
        "modifier": "the first word of compound",
        "head": "its last word",
    },
    "before": {"pair": "id", "n_removed": "how many words more before has than after"},
    "words": {"pattern": "the number of words", "phrase": "words"},
    "role": {"role": "pair with a rewrite; else train in a file whose name says so, else held_out"},
}
"""A field -> fields that then follow from others where they are not given, and from what."""


@dataclass(frozen=True)
class Field:
    """A field of the rows that a measure needs.

    Attributes:
        name: Its name.
        hint: Its type.
        may_be_none: Whether a row may have None there.
        may_lack: Whether a row may be without it.
        derived: What it follows from where it is not given; empty if it must be given.
    """

    name: str
    hint: Any
    may_be_none: bool = False
    may_lack: bool = False
    derived: str = ""

    @property
    def is_needed(self) -> bool:
        """Whether a table must have a column for it."""
        return not (self.may_be_none or self.may_lack or self.derived)

    @property
    def is_probe(self) -> bool:
        """Whether it is an expression in the place of the compound, or several."""
        return Probe in (self.hint, *get_args(self.hint))

    @property
    def is_list(self) -> bool:
        """Whether a cell has several values, separated by `;`."""
        return get_origin(self.hint) is list

    @property
    def of_one(self) -> Field:
        """The same of one of several values."""
        return replace(self, hint=get_args(self.hint)[0])

    @property
    def choices(self) -> tuple[str, ...]:
        """What it may be; empty if anything."""
        return CHOICES.get(self.name, ())

    @property
    def kind(self) -> str:
        """What a cell has, in words."""
        if self.is_list:
            return f"{self.of_one.kind}; several, with ; between them"
        if self.choices:
            return " or ".join(self.choices)
        if self.name == "label":
            return "0 (negative) or 1 (positive)"
        names = {Probe: "words in the place of the compound", str: "text", float: "number", int: "whole number"}
        return {**names, bool: "true or false"}[self.hint]


def fields_of(measure: Measure[Any]) -> list[Field]:
    """The fields that a measure needs of a row."""
    hints = get_type_hints(measure.needs, include_extras=True)
    derived = {
        name: of for given, names in _DERIVED.items() if not given or given in hints for name, of in names.items()
    }
    fields = []
    for name, hint in hints.items():
        may_lack = get_origin(hint) is NotRequired
        inner = get_args(hint)[0] if may_lack else hint
        is_union = get_origin(inner) in {Union, UnionType}
        (inner, *_) = [part for part in get_args(inner) if part is not NoneType] if is_union else [inner]
        fields.append(Field(name, inner, is_union, may_lack, derived.get(name, "")))
    return fields


def columns_of(measure: Measure[Any]) -> list[Field]:
    """The columns of a user's table for a measure: the fields, or those of a vocabulary."""
    fields = [field for field in fields_of(measure) if field.name not in _OF_OURS]
    is_of_phrases = any(field.name == "pattern" for field in fields)
    return [Field(name, str) for name in VOCABULARY] if is_of_phrases else fields


def own_measure(name: str) -> Measure[Any]:
    """A measure by its name.

    Raises:
        UnknownNameError: There is none.
    """
    name = {"ε": "epsilon"}.get(name, name)
    if name not in MEASURES:
        raise unknown_name("measure", name, MEASURES, "`harness-ext needs` lists them, and says what each needs.")
    return MEASURES[name]


def own_split(measure: Measure[Any]) -> str:
    """The name of the split of own data, which some measures read."""
    return "naturalistic" if "compound" in get_type_hints(measure.needs) else "own"
