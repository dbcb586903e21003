"""The view of a model: its units, and their distances from the right result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from harness_ext.arrays import Array, Floats, Names
from harness_ext.framework.items import Items
from harness_ext.framework.measure import Measure
from harness_ext.statistics.correlation import group_means
from harness_ext.statistics.statistic import UnitStatistic, auc, average

_ASKED = re.compile(r"-(template\d+-order\d+|cloze\d+|letter\d+)$")
"""What the id of a language model's document adds to the dataset's row."""


@dataclass(frozen=True)
class View:
    """The results of a model in one split and subset, a row per unit.

    Attributes:
        facts: Column -> values, shape (n,), the same for all models; the first names the unit.
        figures: Column -> numbers of the model, shape (n,), NaN for none; the first sums the unit up.
        wrong: Each unit's distance from the right result, shape (n,); NaN if no result is right.
        rows: A row of the dataset that the unit is in, shape (n,). None if there are no sentences to show.
    """

    facts: Mapping[str, Array]
    figures: Mapping[str, Floats]
    wrong: Floats
    rows: Names | None


def declared_view(measure: Measure[Any], items: Items) -> View | None:
    """View units by their values in the main score and the means of their measured numbers, from declarations alone.

    Returns:
        The view of the first table with units and measured numbers, or else of the first with units; None if neither
        units nor main score have any number.
    """
    tables = [table for table in items.tables().values() if measure.unit in table.columns()]
    for table in sorted(tables, key=lambda table: not table.measured()):
        columns = table.values()
        figures = {name: columns[name].astype(float) for name in table.measured() if columns[name].dtype.kind in "fb"}
        names, first, group = np.unique(columns[measure.unit], return_index=True, return_inverse=True)
        others = (name for name in columns if name != measure.unit and name not in figures)
        facts = {name: columns[name][first] for name in (measure.unit, *others)}
        # what is the same in all rows of each unit
        facts = {name: values for name, values in facts.items() if (columns[name] == values[group]).all()}
        value, wrong = _values_of_units(measure, items, names)
        of_main = {} if np.isnan(value).all() else {measure.main: value}
        if of_main or figures:
            means = {name: group_means(values, group, len(names)) for name, values in figures.items()}
            ids = columns.get("row", columns.get("id", columns[measure.unit]))[first]
            rows = np.array([_ASKED.sub("", name) for name in ids.tolist()])
            return View(facts, {**of_main, **means}, wrong, rows)
    return None


def _values_of_units(measure: Measure[Any], items: Items, names: Names) -> tuple[Floats, Floats]:
    """Compute the value of each unit in the main score, and its distance from the right value; NaN if unknown."""
    statistic = measure.of_all_units(items, measure.main)
    score, _ = measure.scores.by_key()[measure.main]
    value, wrong = np.full((2, len(names)), np.nan)
    if isinstance(statistic, UnitStatistic) and score.direction != "neither" and np.isin(statistic.units, names).all():
        place = np.searchsorted(names, statistic.units)
        first = statistic.values[0]
        if statistic.formula is average:
            value[place], wrong[place] = first, np.abs(first - score.range[score.direction == "higher"])
        elif statistic.formula is auc:
            value[place] = first
            wrong[place] = np.where(statistic.groups[0], 1 - percentiles(first), percentiles(first))
    return value, wrong


def percentiles(values: Floats) -> Floats:
    """Rank values from 0 to 1, NaN left out, shape (n,)."""
    ranks = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    if known.sum() > 1:
        ranks[known] = (scipy.stats.rankdata(values[known]) - 1) / (known.sum() - 1)
    return ranks
