"""The view of any measure: what its declaration alone tells of each compound, phrase, pair
or tree.
"""

import re
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


def view_of(measure: Measure[Any], items: Items) -> View | None:
    """View the units of items.

    Units have their values in the main score and the means of their measured numbers, as declared;
    a measure declares a view of its own where this does not tell which unit is wrong.

    Returns:
        The view of the first table with units and measured numbers, or else of the first with
        units; None if neither units nor main score have any number.
    """
    view = measure.view(items)
    if view is not None:
        return view
    tables = [table for table in items.tables().values() if measure.unit in table.columns()]
    for table in sorted(tables, key=lambda table: not table.measured()):
        columns = table.values()
        names, first, group = np.unique(
            columns[measure.unit], return_index=True, return_inverse=True
        )
        figures = {
            name: columns[name].astype(float)
            for name in table.measured()
            if columns[name].dtype.kind in "fb"
        }
        value, wrong = _values_of_units(measure, items, names)
        if figures or not np.isnan(value).all():
            means = {
                name: group_means(values, group, len(names)) for name, values in figures.items()
            }
            facts = {measure.unit: names}
            for other in (table, *tables):
                of_other = _facts(other, measure.unit, names).items()
                facts |= {
                    name: of_units
                    for name, of_units in of_other
                    if other is table or of_units.dtype.kind == "U"
                }
            of_main = {} if np.isnan(value).all() else {f"value in {measure.main}": value}
            ids = columns.get("row", columns.get("id", columns[measure.unit]))[first]
            rows = np.array([_ASKED.sub("", name) for name in ids.tolist()])
            return View(facts, {**of_main, **means}, wrong, rows)
    return None


def _facts(table: Any, unit: str, names: Names) -> dict[str, Array]:
    """What is the same in all rows of each unit; nothing if the table lacks one."""
    columns = table.values()
    units, first, group = np.unique(columns[unit], return_index=True, return_inverse=True)
    if not np.isin(names, units).all():
        return {}
    rows = first[np.searchsorted(units, names)]
    given = columns.keys() - {unit, "row", "id", *table.measured()}
    return {
        name: values[rows]
        for name, values in columns.items()
        if name in given
        and np.array_equal(values, values[first][group], equal_nan=values.dtype.kind == "f")
    }


def _values_of_units(measure: Measure[Any], items: Items, names: Names) -> tuple[Floats, Floats]:
    """Compute the value of each unit in the main score, and its distance from the right value; NaN
    if unknown.
    """
    statistic = measure.of_all_units(items, measure.main)
    best = measure.main_declaration.range[1]
    value, wrong = np.full((2, len(names)), np.nan)
    if isinstance(statistic, UnitStatistic) and np.isin(statistic.units, names).all():
        place = np.searchsorted(names, statistic.units)
        first = statistic.values[0]
        if statistic.formula is average:
            value[place], wrong[place] = first, np.abs(first - best)
        elif statistic.formula is auc:
            value[place] = first
            wrong[place] = np.where(statistic.groups[0], 1 - percentiles(first), percentiles(first))
    return value, wrong
