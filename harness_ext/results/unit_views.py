"""The view of any measure: what its declaration alone tells of each compound, phrase, pair
or tree.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from harness_ext.common.arrays import Array, Floats, Names
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.view import View, percentiles
from harness_ext.statistics.correlation import group_means
from harness_ext.statistics.statistic import UnitStatistic, auc, average

_ASKED = re.compile(r"-(template\d+-order\d+|cloze\d+|letter\d+)$")
"""What the id of a language model's document adds to the dataset's row."""

_NUMERIC = "fb"
"""The kinds of NumPy's types whose means are figures: numbers with a point, yes and no."""

_TEXT = "U"
"""The kind of texts."""


def view_of(
    measure: Measure[Any],
    items: Items,
) -> View | None:
    """View the units of items.

    Units have their values in the main score and the means of their measured numbers, as declared;
    a measure declares a view of its own where this does not tell which unit is wrong.

    Returns:
        The measure's own view; else that of the first table with units that has any number, tables
        with measured columns first; None if there is none.
    """
    view = measure.view(items)
    if view is not None:
        return view
    all_tables = items.tables().values()
    tables = [table for table in all_tables if measure.unit in table.columns()]
    with_figures = [table for table in tables if table.measured()]
    without_figures = [table for table in tables if not table.measured()]
    for table in [*with_figures, *without_figures]:
        view = _view_of_table(measure, items, table, tables)
        if view is not None:
            return view
    return None


def _view_of_table(
    measure: Measure[Any],
    items: Items,
    table: Any,
    tables: Sequence[Any],
) -> View | None:
    """View the units of a table; None if neither they nor the main score have any number.

    Args:
        measure: The measure.
        items: All items.
        table: The table, with units.
        tables: All tables with units, whose texts are facts too.
    """
    columns = table.values()
    units = columns[measure.unit]
    names, first, group = np.unique(units, return_index=True, return_inverse=True)
    figures: dict[str, Floats] = {}
    value, wrong = _values_of_units(measure, items, names)
    if not np.isnan(value).all():
        figures[f"value in {measure.main}"] = value
    for name in table.measured():
        values = columns[name]
        if values.dtype.kind in _NUMERIC:
            figures[name] = group_means(values.astype(float), group, len(names))
    if not figures:
        return None
    facts = {
        measure.unit: names,
        **_facts(table, measure.unit, names),
    }
    for other in tables:
        other_facts = _facts(other, measure.unit, names)
        for name, values in other_facts.items():
            if other is table or values.dtype.kind == _TEXT:
                facts[name] = values
    ids = columns.get("row", columns.get("id", units))[first]
    rows = [_ASKED.sub("", name) for name in ids.tolist()]
    return View(
        facts,
        figures,
        wrong,
        np.array(rows),
    )


def _facts(
    table: Any,
    unit: str,
    names: Names,
) -> dict[str, Array]:
    """What is the same in all rows of each unit.

    Args:
        table: A table of items.
        unit: The column with the units.
        names: The units, sorted.

    Returns:
        Column -> a value per unit; nothing if the table lacks a unit.
    """
    columns = table.values()
    units, first, group = np.unique(columns[unit], return_index=True, return_inverse=True)
    if not np.isin(names, units).all():
        return {}
    rows = first[np.searchsorted(units, names)]
    given = columns.keys() - {unit, "row", "id", *table.measured()}
    facts: dict[str, Array] = {}
    for name, values in columns.items():
        if name not in given:
            continue
        is_float = values.dtype.kind == "f"
        of_first_row = values[first][group]
        if np.array_equal(values, of_first_row, equal_nan=is_float):
            facts[name] = values[rows]
    return facts


def _values_of_units(
    measure: Measure[Any],
    items: Items,
    names: Names,
) -> tuple[Floats, Floats]:
    """Compute the value of each unit in the main score, and its distance from the right value.

    Returns:
        Both of shape (n,), for the n units `names`; NaN unless the score is a mean, or an AUC of
        values of units.
    """
    statistic = measure.of_all_units(items, measure.main)
    value = np.full(len(names), np.nan)
    wrong = np.full(len(names), np.nan)
    if not isinstance(statistic, UnitStatistic):
        return value, wrong
    if not np.isin(statistic.units, names).all():
        return value, wrong
    best = measure.main_declaration.range[1]
    place = np.searchsorted(names, statistic.units)
    values = statistic.values[0]
    if statistic.formula is average:
        value[place] = values
        wrong[place] = np.abs(values - best)
    elif statistic.formula is auc:
        value[place] = values
        shares = percentiles(values)
        is_higher = statistic.groups[0]
        wrong[place] = np.where(is_higher, 1 - shares, shares)
    return value, wrong
