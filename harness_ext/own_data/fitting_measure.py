"""Which measure a user's table is for, rows of it as examples, and the smallest gain that so many
rows show.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from harness_ext.data.annotations import OURS
from harness_ext.measures.core.measure import EncoderMeasure
from harness_ext.own_data.fields import MEASURES, Field, columns_of, fields_of, several
from harness_ext.own_data.own_rows import OwnRows, own_rows
from harness_ext.own_data.own_table import OwnDataError, OwnTable
from harness_ext.statistics.bootstrap import DETECTED
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows


def smallest_gain(measure: EncoderMeasure[Any], units: int) -> float:
    """The smallest gain over the additive baseline that so many units show: in 80 % of the cases,
    at 5 %.

    A rule of thumb. For a share: half of the units change from the baseline to the text, so that a
    unit's difference has a standard deviation of √.5. For a correlation: two of the same pairs,
    which correlate at .5 themselves.
    """
    if measure.main_declaration.range[0] < 0:
        return math.tanh(DETECTED / math.sqrt(units - 3)) if units > 3 else math.nan
    return min(1.0, DETECTED * math.sqrt(0.5 / units))


def examples(measure: EncoderMeasure[Any], n: int) -> list[dict[str, str]]:
    """The examples of a measure, or the first rows of this project's own data for it, as cells of a
    table.
    """
    if measure.examples:
        return [dict(row) for row in measure.examples[:n]]
    task = next(
        task for task in ENCODER_TASKS.values() if task.quick and task.measure.name == measure.name
    )
    columns = columns_of(measure)
    rows = load_rows(task, task.splits[0], task.subsets[0])
    learned = [row for row in rows if measure.learned(row)][: n - n // 2]
    asked = [row for row in rows if not measure.learned(row)][: n - len(learned)]
    return [flattened(columns, row) for row in (*learned, *asked)]


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


def first_lists(rows: OwnRows) -> str:
    """What the first row has in cells with several values, in words; empty if there are none."""
    fields = [field for field in columns_of(rows.measure) if field.is_list]
    cells = flattened(fields, rows.rows[0]) if rows.rows else {}
    lists = {name: several(cell, ";") for name, cell in cells.items()}
    return "; ".join(
        f"{len(of)} {name}: {', '.join(f'*{one}*' for one in of)}" for name, of in lists.items()
    )


def as_read(rows: OwnRows) -> list[dict[str, str]]:
    """Rows as cells of a table with the fields' own names, which is read without any option."""
    fields = [field for field in fields_of(rows.measure) if OURS not in field.parts]
    return [flattened(fields, row) for row in rows.rows]


def guessed_measure(table: OwnTable, columns: Mapping[str, str]) -> EncoderMeasure[Any]:
    """The measure that a table has the columns of, that which needs most of them; of several one
    with enough units.

    Raises:
        OwnDataError: It has those of none.
    """
    fitting: list[EncoderMeasure[Any]] = []
    for measure in MEASURES.values():
        with suppress(OwnDataError):
            own_rows(measure, OwnTable(table.name, table.lines[:1]), columns)
            fitting.append(measure)
    if not fitting:
        raise OwnDataError(
            f"{table.name}: no measure has these columns. {table.there()} `harness-ext needs` "
            "lists those of each; name the one that you mean: harness-ext check FILE MEASURE"
        )
    needed = [sum(field.is_needed for field in fields_of(measure)) for measure in fitting]
    first, *others = (
        measure for measure, n in zip(fitting, needed, strict=True) if n == max(needed)
    )
    for measure in (first, *others) if others else ():
        with suppress(OwnDataError):
            if own_rows(measure, table, columns).unit_count() >= measure.fewest_units:
                return measure
    return first
