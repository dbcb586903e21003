"""Which measure a user's table is for, rows of it as examples, and the smallest gain that so many
rows show.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from harness_ext.data.annotations import OURS
from harness_ext.measures.core.measure import EncoderMeasure
from harness_ext.own_data.fields import (
    MEASURES,
    SEPARATOR,
    Field,
    columns_of,
    fields_of,
    several,
)
from harness_ext.own_data.rows import OwnRows, rows_for_measure
from harness_ext.own_data.table import OwnDataError, OwnTable
from harness_ext.statistics.bootstrap import DETECTED
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows


def smallest_gain(
    measure: EncoderMeasure[Any],
    units: int,
) -> float:
    """The smallest gain over the additive baseline that so many units show: in 80 % of the cases,
    at 5 %.

    A rule of thumb. For a share: half of the units change from the baseline to the text, so that a
    unit's difference has a standard deviation of √.5. For a correlation: two of the same pairs,
    which correlate at .5 themselves.
    """
    is_correlation = measure.main_declaration.range[0] < 0
    if not is_correlation:
        return min(1.0, DETECTED * math.sqrt(0.5 / units))
    degrees = units - 3
    return math.tanh(DETECTED / math.sqrt(degrees)) if degrees > 0 else math.nan


def examples(
    measure: EncoderMeasure[Any],
    n: int,
) -> list[dict[str, str]]:
    """The examples of a measure, or the first rows of this project's own data for it, as cells of a
    table.
    """
    if measure.examples:
        return [dict(row) for row in measure.examples[:n]]
    quick = [task for task in ENCODER_TASKS.values() if task.quick]
    task = next(task for task in quick if task.measure.name == measure.name)
    columns = columns_of(measure)
    rows = load_rows(task, task.splits[0], task.subsets[0])
    learned = [row for row in rows if measure.learned(row)]
    asked = [row for row in rows if not measure.learned(row)]
    learned = learned[: n - n // 2]
    asked = asked[: n - len(learned)]
    return [flattened(columns, row) for row in (*learned, *asked)]


def flattened(
    fields: Sequence[Field],
    row: Mapping[str, Any],
) -> dict[str, str]:
    """A row as cells of a table, without what follows from others."""
    cells: dict[str, str] = {}
    for field in fields:
        value = row.get(field.name)
        follows = field.name == "surface" and value == row["compound"]
        if value is not None and not follows:
            cells[field.name] = _cell(value)
    return cells


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return f"{SEPARATOR} ".join(map(_cell, value))
    return str(value["expression"] if isinstance(value, Mapping) else value)


def first_lists(rows: OwnRows) -> str:
    """What the first row has in cells with several values, in words; empty if there are none."""
    fields = [field for field in columns_of(rows.measure) if field.is_list]
    cells = flattened(fields, rows.rows[0]) if rows.rows else {}
    lists: list[str] = []
    for name, cell in cells.items():
        values = [f"*{value}*" for value in several(cell, SEPARATOR)]
        lists.append(f"{len(values)} {name}: {', '.join(values)}")
    return "; ".join(lists)


def as_read(rows: OwnRows) -> list[dict[str, str]]:
    """Rows as cells of a table with the fields' own names, which is read without any option."""
    fields = [field for field in fields_of(rows.measure) if OURS not in field.parts]
    return [flattened(fields, row) for row in rows.rows]


def guessed_measure(
    table: OwnTable,
    columns: Mapping[str, str | Sequence[str]],
) -> EncoderMeasure[Any]:
    """The measure that a table has the columns of, that which needs most of them; of several one
    with enough units.

    Raises:
        OwnDataError: It has those of none.
    """
    fitting: list[EncoderMeasure[Any]] = []
    first_line = OwnTable(table.name, table.lines[:1])
    for measure in MEASURES.values():
        with suppress(OwnDataError):
            rows_for_measure(measure, first_line, columns)
            fitting.append(measure)
    if not fitting:
        raise OwnDataError(
            f"{table.name}: no measure has these columns. {table.columns_in_words()} "
            "`harness-ext needs` lists those of each; name the one that you mean: "
            "harness-ext check FILE MEASURE"
        )
    most = max(map(_n_needed, fitting))
    candidates = [measure for measure in fitting if _n_needed(measure) == most]
    for measure in candidates if len(candidates) > 1 else ():
        with suppress(OwnDataError):
            rows = rows_for_measure(measure, table, columns)
            if rows.unit_count() >= measure.fewest_units:
                return measure
    return candidates[0]


def _n_needed(measure: EncoderMeasure[Any]) -> int:
    """How many columns a table must have for a measure."""
    return sum(field.is_needed for field in fields_of(measure))
