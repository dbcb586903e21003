"""The view of a model: its units, their distances from the right result, and the comparisons behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from harness_ext.arrays import Array, Floats, Names
from harness_ext.framework.items import Items
from harness_ext.framework.measure import Measure
from harness_ext.statistics.correlation import group_means, rho
from harness_ext.statistics.statistic import UnitStatistic, auc, average

RANK_DIFFERENCE = "rank by model − by people"


@dataclass(frozen=True)
class Grid:
    """Rows with facts, the same for all models, and with figures of one model.

    Attributes:
        facts: Column -> values, shape (n,); the first names the unit.
        figures: Column -> values, shape (n,), NaN for none.
    """

    facts: Mapping[str, Array]
    figures: Mapping[str, Floats]


@dataclass(frozen=True)
class View:
    """The results of a model in one split and subset, by unit.

    Attributes:
        units: A row per unit; the first figure sums it up.
        wrong: Each unit's distance from the right result, shape (number of units,); NaN if no result is right.
        comparisons: The comparisons behind the figures; a column `row` names a row of the dataset. None if the units
            are rows themselves.
        in_sentences: Whether there are sentences to show.
    """

    units: Grid
    wrong: Floats
    comparisons: Grid | None = None
    in_sentences: bool = True


_OWN: dict[str, Callable[[Any], View]] = {}
"""Measure -> its own view, which the function registers."""


def view_by(*measures: str) -> Callable[[Callable[[Any], View]], Callable[[Any], View]]:
    """Register a function from items to their view, for the named measures."""

    def register(view: Callable[[Any], View]) -> Callable[[Any], View]:
        _OWN.update(dict.fromkeys(measures, view))
        return view

    return register


def view_of(measure: Measure[Any], items: Items) -> View | None:
    """View the units of items; None if no table of theirs has units and measured numbers."""
    own = _OWN.get(measure.name)
    return own(items) if own else declared_view(measure, items)


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
        others = (name for name in columns if name != measure.unit and name not in figures)
        facts = {name: columns[name] for name in (measure.unit, *others)}
        units = averaged({name: values for name, values in facts.items() if _is_of_unit(values, facts)}, figures)
        value, wrong = _values_of_units(measure, items, units.facts[measure.unit])
        of_main = {} if np.isnan(value).all() else {measure.main: value}
        if of_main or figures:
            comparisons = Grid(facts, figures) if "row" in facts and figures else None
            return View(Grid(units.facts, {**of_main, **units.figures}), wrong, comparisons)
    return None


def _is_of_unit(values: Array, facts: Mapping[str, Array]) -> bool:
    """Whether a fact is the same in all rows of each unit."""
    _, first, group = np.unique(next(iter(facts.values())), return_index=True, return_inverse=True)
    return bool((values == values[first][group]).all())


def _values_of_units(measure: Measure[Any], items: Items, names: Names) -> tuple[Floats, Floats]:
    """Compute the value of each unit in the main score, and its distance from the right value; NaN if unknown."""
    statistic = measure.of_all_units(items, measure.main)
    score, _ = measure.scores.by_key()[measure.main]
    value, wrong = np.full((2, len(names)), np.nan)
    if isinstance(statistic, UnitStatistic) and score.direction != "neither" and np.isin(statistic.units, names).all():
        place = np.searchsorted(names, statistic.units)
        first, *others = statistic.values
        if statistic.formula is average:
            value[place], wrong[place] = first, np.abs(first - score.range[score.direction == "higher"])
        elif statistic.formula is auc:
            value[place] = first
            wrong[place] = np.where(statistic.groups[0], 1 - percentiles(first), percentiles(first))
        elif statistic.formula is rho:
            value[place] = rank_difference(first, others[0])
            wrong[place] = np.abs(value[place])
    return value, wrong


def averaged(facts: Mapping[str, Array], figures: Mapping[str, Floats]) -> Grid:
    """Average figures per value of the first fact; the other facts are those of its first row."""
    names, first, group = np.unique(next(iter(facts.values())), return_index=True, return_inverse=True)
    return Grid(
        {name: values[first] for name, values in facts.items()},
        {name: group_means(values, group, len(names)) for name, values in figures.items()},
    )


def phrases(adjective: Names, noun: Names) -> Names:
    """Join adjectives and nouns, shape (n,)."""
    joined: Names = np.char.add(np.char.add(adjective, " "), noun)
    return joined


def rank_difference(model: Floats, people: Floats) -> Floats:
    """Subtract people's percentiles from the model's, shape (n,), over the values that the model has."""
    return percentiles(model) - percentiles(np.where(np.isnan(model), np.nan, people))


def percentiles(values: Floats) -> Floats:
    """Rank values from 0 to 1, NaN left out, shape (n,)."""
    ranks = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    if known.sum() > 1:
        ranks[known] = (scipy.stats.rankdata(values[known]) - 1) / (known.sum() - 1)
    return ranks
