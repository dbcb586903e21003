"""What measures need of a user's own rows, as tables and as a file to begin with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from datasets import disable_progress_bars

from harness_ext.files import whole_file
from harness_ext.framework.measure import Measure
from harness_ext.own_data.fields import MEASURES, Field, columns_of, fields_of
from harness_ext.own_data.own_rows import own_rows
from harness_ext.own_data.own_table import OwnDataError, OwnTable
from harness_ext.show.listing import Listing, csv_text
from harness_ext.statistics.bootstrap import DETECTED
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows

_UNITS = (10, 60, 300)


def smallest_gain(measure: Measure[Any], units: int) -> float:
    """The smallest gain over own words that so many units show: in 80 % of the cases, at 5 %.

    A rule of thumb. For a share: half of the units change from the own words to the text, so that a unit's difference
    has a standard deviation of √.5. For a correlation: two of the same pairs, which correlate at .5 themselves.
    """
    score, _ = measure.declarations()[measure.main]
    if score.range[0] < 0:
        return math.tanh(DETECTED / math.sqrt(units - 3)) if units > 3 else math.nan
    return min(1.0, DETECTED * math.sqrt(0.5 / units))


def measures_listing(measures: Iterable[Measure[Any]]) -> Listing:
    """The measures, the columns each needs, and the smallest gain that 10, 60 and 300 units show."""
    rows = tuple(
        (
            measure.name,
            ", ".join(field.name for field in columns_of(measure) if field.is_needed),
            measure.unit,
            ", ".join(f"{smallest_gain(measure, units):.2f}" for units in _UNITS),
            measure.wording.question,
        )
        for measure in measures
    )
    header = ("measure", "columns", "unit", f"smallest gain of {', '.join(map(str, _UNITS))} units", "question")
    note = "harness-ext needs MEASURE explains the columns; --template FILE writes a file to begin with."
    return Listing(header, rows, note=note, labels=3, prose=1)


def fields_listing(measure: Measure[Any]) -> Listing:
    """The columns that a measure needs, with an example."""
    (example, *_) = examples(measure, 1)

    def needed(field: Field) -> str:
        if field.otherwise:
            return f"else {field.otherwise.says}"
        return "yes" if field.is_needed else "may be left out"

    rows = tuple((field.name, field.kind, needed(field), example.get(field.name, "")) for field in columns_of(measure))
    gains = ", ".join(f"{units} show {smallest_gain(measure, units):.2f}" for units in _UNITS)
    over = "the encoder's own words" if measure.own_words else "chance"
    note = (
        f"At least {measure.fewest_units} units ({measure.unit}) are needed. The smallest gain over {over} that they "
        f"show: {gains}."
    )
    header = ("column", "what", "needed", "example")
    return Listing(header, rows, title=f"{measure.name}: {measure.wording.question}", note=note, labels=2, prose=2)


def examples(measure: Measure[Any], n: int) -> list[dict[str, str]]:
    """The examples of a measure, or the first rows of this project's own data for it, as cells of a table."""
    if measure.examples:
        return [dict(row) for row in measure.examples[:n]]
    task = next(task for task in ENCODER_TASKS.values() if task.quick and task.measure.name == measure.name)
    columns = columns_of(measure)
    disable_progress_bars()
    rows = load_rows(task, task.splits[0], task.subsets[0])
    if measure.name == "polarity":
        rows = [*islice(rows, n - n // 2), *list(rows)[-1:]]
    return [flattened(columns, row) for row in islice(rows, n)]


def flattened(fields: Sequence[Field], row: Mapping[str, Any]) -> dict[str, str]:
    """A row as cells of a table, without what follows from others."""
    return {
        field.name: _cell(row.get(field.name))
        for field in fields
        if not (field.name == "surface" and row["surface"] == row["compound"])
        if row.get(field.name) is not None
    }


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(_cell, value))
    return str(value["expression"] if isinstance(value, Mapping) else value)


def write_template(measure: Measure[Any], file: Path) -> None:
    """Write a CSV file with a header and two example rows.

    Raises:
        FileExistsError: There is such a file.
    """
    if file.exists():
        raise FileExistsError(f"{file} is there already, and stays as it is. Give another name.")
    rows = examples(measure, 2)
    with whole_file(file) as partial:
        partial.write_text(csv_text(rows, list(dict.fromkeys(name for row in rows for name in row))), encoding="utf-8")


def guessed_measure(table: OwnTable, columns: Mapping[str, str]) -> Measure[Any]:
    """The measure that a table has the columns of, that which needs most of them; of several one with enough units.

    Raises:
        OwnDataError: It has those of none.
    """
    fitting: list[Measure[Any]] = []
    for measure in MEASURES.values():
        try:
            own_rows(measure, OwnTable(table.name, table.lines[:1]), columns)
        except OwnDataError:
            continue
        fitting.append(measure)
    if not fitting:
        there = ", ".join(table.columns)
        raise OwnDataError(f"{table.name}: no measure needs these columns: {there}. `harness-ext needs` lists those of "
                           "each measure; name the one that you mean: harness-ext check FILE MEASURE")  # fmt: skip
    most = max(map(_n_needed, fitting))
    first, *others = (measure for measure in fitting if _n_needed(measure) == most)
    return next((measure for measure in (first, *others) if others and _has_units(measure, table, columns)), first)


def _n_needed(measure: Measure[Any]) -> int:
    return sum(field.is_needed for field in fields_of(measure))


def _has_units(measure: Measure[Any], table: OwnTable, columns: Mapping[str, str]) -> bool:
    try:
        return own_rows(measure, table, columns).unit_count() >= measure.fewest_units
    except OwnDataError:
        return False
