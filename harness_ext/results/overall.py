"""The overall place of a model: the mean over categories of its values in a list of columns, and
the ranks by it.

Each column has a fixed scale, and each list (`harness_ext.tasks.overall`) has fixed columns.
Neither other models nor what a model says of itself changes its mean. A value is a score minus
chance, or minus matched noise.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from harness_ext.common.names import data_name
from harness_ext.measures.core.baseline_keys import NOISE, has_first_noise
from harness_ext.results.entry import Entry
from harness_ext.results.ranking_columns import Column, Row
from harness_ext.results.ranks import Estimate, RankSet, rank_sets
from harness_ext.statistics.bootstrap import percentile_interval
from harness_ext.tasks import TASKS
from harness_ext.tasks.overall import LISTS, ListedColumn

Values = Mapping[Column, Mapping[Row, Estimate]]
"""Column -> model -> its score minus chance, or minus matched noise."""

_MANY = 10**9
"""The number of units for scores with an interval but no items: their draws are normal already."""


class Place(NamedTuple):
    """The place of a model in a category or, over categories, on a list.

    Attributes:
        mean: Its mean: 0 is chance, or noise, 1 what people reach or else the best score there is.
        ranks: Those that it may have among the models with a place.
    """

    mean: Estimate
    ranks: RankSet


def values_of(
    entries: Iterable[Entry],
    key_of: Callable[[str], str] = str,
) -> Values:
    """Collect the values that overall places are made of, without those of control encoders.

    Args:
        entries: As `load_results` gives them.
        key_of: The key of a main score -> that of the value: by default the main score itself.

    Raises:
        ItemsError: Items are damaged.
    """
    values: dict[Column, dict[Row, Estimate]] = {}
    for entry in entries:
        main = entry.measure.main
        key = key_of(main)
        column = Column.of(entry)
        if key == NOISE.difference_key(main) and has_first_noise(entry.scores, main):
            continue
        if entry.is_baseline or key not in entry.scores or not lists_of(column):
            continue
        estimate = Estimate.of(entry, key)
        values_of_column = values.setdefault(column, {})
        values_of_column.setdefault(Row.of(entry), estimate)
    return values


def overall_places(
    listed: Sequence[ListedColumn],
    values: Values,
) -> dict[Row, Place]:
    """Place the models that have a value in every column of a list, the best first."""
    by_category = category_means(listed, values)
    return places_by(_means([*by_category.values()]))


def places_by(means: Mapping[Row, Estimate]) -> dict[Row, Place]:
    """Place models by their means, the best first."""

    def order(row: Row) -> tuple[int, float]:
        return means[row].tier, -means[row].score

    sets = rank_sets([*means.values()])
    ranks = dict(zip(means, sets, strict=True))
    places: dict[Row, Place] = {}
    for row in sorted(means, key=order):
        places[row] = Place(means[row], ranks[row])
    return places


def category_means(
    listed: Sequence[ListedColumn], values: Values
) -> dict[str, dict[Row, Estimate]]:
    """Average the columns of each category of a list, for the models that have a value in each of
    these columns.

    Returns:
        Category -> model -> its mean.
    """
    means: dict[str, dict[Row, Estimate]] = {}
    for category, columns in by_category(listed).items():
        parts = [_on_fixed_scale(column, values) for column in columns]
        means[category] = _means(parts)
    return means


def by_category(listed: Sequence[ListedColumn]) -> dict[str, list[ListedColumn]]:
    """Sort listed columns by the category of their task."""
    categories: dict[str, list[ListedColumn]] = {}
    for column in listed:
        category = TASKS[column.task].category
        categories.setdefault(category, []).append(column)
    return categories


def lists_of(column: Column) -> list[str]:
    """The names of the lists that have a column."""
    names: list[str] = []
    for name, listed in LISTS.items():
        if any(column in columns_of(listed_column) for listed_column in listed):
            names.append(name)
    return names


def columns_of(listed: ListedColumn) -> list[Column]:
    """The columns that a listed column may be, the one that counts first: on pinned data, by one
    version.
    """
    data = TASKS[listed.task].dataset
    dataset = f"{data['path']}@{data['revision']}"
    return [
        Column(
            listed.task,
            listed.subset,
            split,
            dataset,
            listed.measure,
        )
        for split in listed.splits
    ]


def lacking(
    listed: Sequence[ListedColumn],
    measured: Mapping[Column, Collection[Row]],
    row: Row,
) -> list[str]:
    """Name the columns of a list in which a model is not among the measured.

    Args:
        listed: The columns of the list.
        measured: Column -> the models that have a value in it.
        row: The model.
    """
    lacks: list[str] = []
    for column in listed:
        variants = columns_of(column)
        if not any(row in measured.get(variant, ()) for variant in variants):
            data = data_name(column.subset, column.splits[0])
            lacks.append(f"{column.task} ({data})")
    return lacks


def _on_fixed_scale(
    listed: ListedColumn,
    values: Values,
) -> dict[Row, Estimate]:
    """The values of a listed column, divided by how far the best there is, or what people reach,
    lies from chance.
    """
    measure = TASKS[listed.task].measure
    score = measure.main_declaration
    assert score.chance is not None, f"{measure.main} has no chance"
    best = score.range[1] if score.ceiling is None else score.ceiling
    estimates: dict[Row, Estimate] = {}
    for column in columns_of(listed):
        estimates = {**values.get(column, {}), **estimates}
    span = best - score.chance
    return {row: estimate.divided_by(span) for row, estimate in estimates.items()}


def _means(parts: Sequence[Mapping[Row, Estimate]]) -> dict[Row, Estimate]:
    """Average the parts, for the models that are in all of them."""
    first, *others = parts
    means: dict[Row, Estimate] = {}
    for row in first:
        if all(row in other for other in others):
            means[row] = mean_estimate([part[row] for part in parts])
    return means


def mean_estimate(estimates: Sequence[Estimate]) -> Estimate:
    """Average estimates of one model; a single one stays as it is.

    Columns that share units are resampled together, so that what is known twice counts once.
    """
    if len(estimates) == 1:
        return estimates[0]
    scores = [estimate.score for estimate in estimates]
    draws = [estimate.draws() for estimate in estimates]
    drawn = np.mean(draws, axis=0)
    n_units = [estimate.n for estimate in estimates if estimate.n is not None]
    fewest = min(n_units, default=None)
    low, high = percentile_interval(drawn, fewest or _MANY)
    return Estimate(
        score=float(np.mean(scores)),
        interval=None if math.isnan(low) else (low, high),
        drawn=drawn.astype(np.float32),
        n=fewest,
        tier=max(estimate.tier for estimate in estimates),
    )
