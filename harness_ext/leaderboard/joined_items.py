"""Stored items of an earlier version of a measure, joined to the plan of today by the ids of rows.

A plan has all that the data determines, such as verbs and units; stored items have the numbers that
the encoder determined. So a measure whose items gain a column needs no encoder again.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from harness_ext.common.arrays import Array
from harness_ext.measures.core.items import Items, Table

AnyItems = TypeVar("AnyItems", bound=Items)

ROW = "row"
"""The column with the id of a row."""


def joined(plan: AnyItems, stored: Mapping[str, Mapping[str, Array]]) -> AnyItems:
    """The items of a plan, with the stored numbers of an encoder.

    Args:
        plan: The items before an encoder has seen them, in today's definition.
        stored: Table -> column -> values, as `harness_ext.store.item_files.read_columns` reads
            them; further columns do not count.

    Raises:
        ValueError: A table of the plan has no ids, or is of other rows than the stored one; says
            which.
    """
    tables: dict[str, Any] = {}
    for name, table in plan.tables().items():
        tables[name] = _joined(name, table, stored.get(name, {}))
    return replace(plan, **tables)


def _joined(name: str, table: Table, stored: Mapping[str, Array]) -> Table:
    rows = table.values().get(ROW)
    stored_rows = stored.get(ROW)
    if rows is None or stored_rows is None:
        raise ValueError(f"The table {name} has no column {ROW}, so nothing joins its rows.")
    place_of_row = {row: place for place, row in enumerate(stored_rows.tolist())}
    wrong = {*rows.tolist()} ^ place_of_row.keys()
    if wrong or len(rows) != len(stored_rows):
        raise ValueError(
            f"The table {name} has {len(rows)} rows in the data and {len(stored_rows)} in the "
            f"items; in one of them alone: {', '.join(sorted(wrong)[:3]) or 'repeated rows'}."
        )
    places = np.array([place_of_row[row] for row in rows.tolist()], dtype=np.intp)
    columns: dict[str, Any] = dict.fromkeys(table.text_columns())
    for column in table.measured():
        field, _, _ = table.columns()[column]
        columns[field] = stored[column][places]
    return replace(table, **columns)
