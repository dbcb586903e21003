"""Rows for a measure, from a user's own table; what does not fit is named with its place."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from harness_ext.arrays import Vectors
from harness_ext.data.compounds import filled_probe
from harness_ext.data.tables import Line
from harness_ext.framework.items import Items
from harness_ext.framework.measure import Measure
from harness_ext.framework.undefined import left_out
from harness_ext.own_data.fields import TEXTS, VOCABULARY, Field, columns_of, fields_of, own_split
from harness_ext.own_data.own_table import OwnDataError, OwnTable, renamed

Row = dict[str, Any]

_N_NAMED = 10
_BLANK = {"", "nan", "none", "null", "n/a", "#n/a"}
_WITHOUT_LABELS = "Pairs without labels are for merge_opposites: columns first, second, kind."

_ALSO = {"class": "expert_class", "expert_class": "class"}
"""A field -> the field that it may be taken from."""


@dataclass(frozen=True)
class OwnRows:
    """Rows for a measure, and what does not fit.

    Attributes:
        name: Of the files, or of the dataset, for messages.
        measure: The measure.
        rows: Those that fit.
        errors: A message per row that does not fit: such data is not measured.
        warnings: A message per row that fits, but is perhaps a mistake.
        revision: The hash of the data.
    """

    name: str
    measure: Measure[Any]
    rows: list[Row]
    errors: list[str]
    warnings: list[str]
    revision: str

    def check(self) -> None:
        """Refuse rows that cannot be measured.

        Raises:
            OwnDataError: Some do not fit, or there are too few; names the first of them.
        """
        if self.errors:
            more = len(self.errors) - _N_NAMED
            rest = [f"{more} more: `harness-ext check` names all."] if more > 0 else []
            raise OwnDataError("\n".join([*self.errors[:_N_NAMED], *rest]))
        trained = {row["label"] for row in self.rows if row.get("role") == "train"}
        if self.measure.name == "polarity" and len(trained) < 2:
            lacking = " or ".join(map(str, sorted({0, 1} - trained)))
            raise OwnDataError(
                f"{self.name}: no sentence with the role train has the label {lacking}, and a classifier is trained on "
                "both. A few of each are enough: in rows with the role train, or in a file whose name says train. "
                f"{_WITHOUT_LABELS}"
            )
        fewest, units = self.measure.fewest_units, self.unit_count()
        if units < fewest:
            lost = left_out(self.measure, self.measure.score(self._of_random_vectors).flat())
            empty = " or ".join(field.name for field in columns_of(self.measure) if self._is_empty(field))
            raise OwnDataError(
                f"{self.name}: {self.measure.main} is of {units} units ({self.measure.unit}), and at least {fewest} "
                f"are needed. {f'Left out: {lost}. ' if lost else ''}{f'No row has {empty}. ' if empty else ''}"
                f"Add rows. `harness-ext needs {self.measure.name}` explains the columns."
            )

    def _is_empty(self, field: Field) -> bool:
        """Whether no row has a field that may be left out."""
        may_be_empty = field.may_be_none or field.may_lack
        return may_be_empty and all(row.get(field.name) is None for row in self.rows)

    def unit_count(self) -> int:
        """How many units, such as compounds, enter the main score: whatever the vectors are."""
        return self.measure.unit_count(self._of_random_vectors, self.measure.main)

    @cached_property
    def _of_random_vectors(self) -> Items:
        try:
            plan = self.measure.planned(self.rows, own_split(self.measure))
            items: Items = self.measure.fill(plan, _RandomVectors())
        except ValueError as error:
            raise OwnDataError(f"{self.measure.name}: {error}") from None
        return items


class _RandomVectors:
    has_spans = False

    def __call__(self, texts: list[str]) -> Vectors:
        return np.random.default_rng(0).normal(size=(len(texts), 4))


def own_rows(measure: Measure[Any], table: OwnTable, columns: Mapping[str, str] | None = None) -> OwnRows:
    """The rows of a user's own table for a measure.

    Args:
        measure: The measure.
        table: The table.
        columns: Field -> its column, where that has another name.

    Raises:
        OwnDataError: A column is missing, or there twice; names file and column.
    """
    fields = fields_of(measure)
    names = {field.name for field in fields}
    extra = VOCABULARY if "pattern" in names else ()
    named = renamed(table, [*names, *(_ALSO[name] for name in names & _ALSO.keys()), *extra], columns or {})
    there = {column for line in named.lines for column in line.cells}
    if extra and not {"words", "types", "synonyms"} <= there and {*VOCABULARY} & there:
        return OwnRows(table.name, measure, _phrases(named), [], [], table.revision)
    missing = [field.name for field in fields if field.is_needed and field.name not in there]
    if missing:
        raise OwnDataError(
            f"{table.name}: no column {', '.join(map(repr, missing))}, which {measure.name} needs. "
            f"There are: {', '.join(map(str, there))}. Say which it is by --column {missing[0]}=ITS_NAME; "
            f"`harness-ext needs {measure.name}` explains the columns."
            f"{f' {_WITHOUT_LABELS}' if 'label' in missing else ''}"
        )
    errors: list[str] = []
    placed: dict[str, Row] = {}
    for number, line in enumerate(named.lines, start=1):
        try:
            placed[line.place] = _row(measure, fields, line, number)
        except ValueError as error:
            errors.append(str(error))
    errors += _repeated_ids(placed)
    warnings = [*_alike(placed), *_other_scripts(placed)]
    return OwnRows(table.name, measure, list(placed.values()), errors, warnings, table.revision)


def _row(measure: Measure[Any], fields: Sequence[Field], line: Line, number: int) -> Row:
    is_removed = _given(line, "removed_by") is not None and any(field.name == "removed_by" for field in fields)
    row: Row = {}
    for field in fields:
        cell = _given(line, field.name)
        if cell is None and field.name in _ALSO:
            cell = _given(line, _ALSO[field.name])
        if cell is not None and not field.is_probe:
            row[field.name] = _value(field, line, cell)
        elif cell is None and field.name == "id":
            row["id"] = f"{'swap_obj-' if measure.name == 'caption_swap' else ''}{number}"
        elif cell is None and (field.may_be_none or is_removed):
            row[field.name] = None
        elif cell is None and field.is_needed:
            raise OwnDataError(f"{line.place}, column {field.name!r}: it is empty. Fill it in, or remove the row.")
    row |= _derived(fields, line, row)
    if row.get("role") == "pair" and row["rewrite"] is None:
        raise OwnDataError(f"{line.place}, column 'rewrite': it is empty, and the role is pair.")
    if measure.name == "caption_swap" and "-" not in row["id"]:
        raise OwnDataError(f"{line.place}, column 'id': KIND-NUMBER expected, such as swap_obj-1, found {row['id']!r}.")
    return row


def _given(line: Line, name: str) -> Any:
    """The cell; None if it is empty."""
    cell = line.cells.get(name)
    if isinstance(cell, str):
        return None if cell.strip().casefold() in _BLANK else cell.strip()
    return None if cell is None or (isinstance(cell, float) and cell != cell) else cell


def _value(field: Field, line: Line, cell: Any) -> Any:
    """The value of a cell.

    Raises:
        OwnDataError: It is none of the field's type; names file, line and column.
    """
    if field.is_list:
        parts = cell if isinstance(cell, list) else _parts(str(cell))
        return [_value(field.of_one, line, part) for part in parts]
    text = str(cell)
    if field.name == "label" and text.casefold() in {"negative", "positive"}:
        return int(text.casefold() == "positive")
    if field.hint is str or field.choices:
        is_right = isinstance(cell, str | int | float) and text in (field.choices or (text,))
        value: Any = text
    elif field.hint is bool:
        value = cell is True or text.casefold() in {"true", "1", "yes"}
        is_right = value or cell is False or text.casefold() in {"false", "0", "no"}
    else:
        is_whole = field.name in line.cells and not isinstance(line.cells[field.name], list)
        value = line.number(field.name) if is_whole else float(cell)
        is_right = (field.hint is float or value == int(value)) and (field.name != "label" or value in {0, 1})
        value = field.hint(value)
    if not is_right:
        raise OwnDataError(f"{line.place}, column {field.name!r}: {field.kind} expected, found {cell!r}.")
    return value


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(";") if part.strip()]


def _derived(fields: Sequence[Field], line: Line, row: Row) -> Row:
    """What follows from other fields of a row where it is not given."""
    names = {field.name for field in fields}
    if "role" in names and "role" not in row:
        is_train = "train" in Path(line.place.partition(", ")[0]).name or ", train, " in line.place
        return {"role": "pair" if row["rewrite"] else "train" if is_train else "held_out"}
    if "source" in names and "source" not in row:
        return {"source": row["first"]}
    if "before" in names and row["before"] and row["after"]:
        n_removed = len(row["before"].split()) - len(row["after"].split())
        return {"pair": row["id"], "n_removed": n_removed, **row}
    if "pattern" in names:
        return {"pattern": "A" * (len(row["words"]) - 1) + "N", "phrase": " ".join(row["words"]), **row}
    if "compound" not in names or row["sentence"] is None:
        return {}
    probes = [field for field in fields if field.is_probe]
    if row.get("span"):  # of a dataset that was exported
        return {field.name: line.cells[field.name] for field in probes}
    surface = row.get("surface") or row["compound"]
    frame, surface = _frame(line, row["sentence"], surface)
    compound = filled_probe(frame, surface)
    return {
        "surface": surface,
        "sentence": compound["sentence"],
        "span": compound["span"],
        **{field.name: _probes(field, line, frame, row["compound"].split()) for field in probes},
    }


def _probes(field: Field, line: Line, frame: str, words: Sequence[str]) -> Any:
    """The sentence with other words in the compound's place: with those of a cell, or with a word of the compound."""
    cell = _given(line, field.name)
    if cell is None and field.derived and len(words) > 1:
        cell = words[0 if field.name == "modifier" else -1]
    parts = [*map(str, cell)] if isinstance(cell, list) else _parts(str(cell or ""))
    if not parts or (len(parts) > 1 and not field.is_list):
        raise OwnDataError(f"{line.place}, column {field.name!r}: {field.kind} expected, found {cell or 'nothing'!r}.")
    try:
        probes = [filled_probe(frame, part) for part in parts]
    except ValueError as error:
        raise OwnDataError(f"{line.place}, column {field.name!r}: {error}.") from None
    return probes if field.is_list else probes[0]


def _frame(line: Line, sentence: str, expression: str) -> tuple[str, str]:
    """The sentence with `{}` in the place of an expression that it has once, and the expression as it stands there.

    Raises:
        OwnDataError: It is not there once.
    """
    words = r"\s+".join(map(re.escape, expression.split()))
    matches = list(re.finditer(rf"(?<![\w-]){words}(?![\w-])", sentence, re.IGNORECASE))
    if len(matches) != 1 or "{" in sentence:
        raise OwnDataError(
            f"{line.place}, column 'sentence': {expression!r} stands {len(matches)} times in {sentence!r}, and once is "
            "expected, as words of its own. Where it is inflected, add a column 'surface' with it as it stands there."
        )
    (match,) = matches
    return f"{sentence[: match.start()]}{{}}{sentence[match.end() :]}", match.group()


def _phrases(table: OwnTable) -> list[Row]:
    """All phrases of a vocabulary of adjectives and nouns."""
    from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import phrase_rows, vocabulary_of

    try:
        return [{**row} for row in phrase_rows(vocabulary_of(table.lines, table.name))]
    except ValueError as error:
        raise OwnDataError(f"{error}.") from None


def _repeated_ids(placed: Mapping[str, Row]) -> Iterator[str]:
    first: dict[str, str] = {}
    for place, row in placed.items():
        if "id" in row and first.setdefault(row["id"], place) != place:
            yield f"{place}, column 'id': {row['id']!r} is the id of {first[row['id']]} too. Give each row its own."


def _alike(placed: Mapping[str, Row]) -> Iterator[str]:
    """Rows in which two texts are the same."""
    for place, row in placed.items():
        texts = Counter(" ".join(str(row[name]).casefold().split()) for name in TEXTS if row.get(name))
        yield from (f"{place}: two of its texts are the same, {text!r}." for text, count in texts.items() if count > 1)


def _other_scripts(placed: Mapping[str, Row]) -> Iterator[str]:
    """Rows in another script than most, of another language then. Languages of one script are not told apart."""
    scripts = {place: _script("".join(str(row.get(name) or "") for name in TEXTS)) for place, row in placed.items()}
    ((usual, _),) = Counter(scripts.values()).most_common(1) or [("", 0)]
    for place, script in scripts.items():
        if script != usual:
            yield f"{place}: its letters are {script or 'none'}, those of most rows are {usual or 'none'}."


def _script(text: str) -> str:
    """The script of most letters, such as `Latin`."""
    counts = Counter(map(_script_of_letter, filter(str.isalpha, text)))
    ((script, _),) = counts.most_common(1) or [("", 0)]
    return script


@cache
def _script_of_letter(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0].title()
