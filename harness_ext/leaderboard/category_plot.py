"""The picture of a board's first page: what lies over matched noise, or else over the additive
baseline, by category.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness_ext.leaderboard.board import FEWEST_WITH_NOISE, Average, Board, RankedScore
from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE, Baseline
from harness_ext.results.ranking_columns import Row
from harness_ext.show.beside_references import Axis
from harness_ext.show.numbers import with_interval

MOST_DRAWN = 25
"""The most models of the picture, the best first."""

_MARGIN = 0.06
"""Of the axis, at either end, relative to what is drawn."""

_TITLES = {
    NOISE: "What lies over matched noise",
    ADDITIVE: "What lies over sums of words",
}
"""Baseline -> the title of the picture."""


class Dot(NamedTuple):
    """A model in a category.

    Attributes:
        value: The mean of its differences from the baseline.
        low, high: The ends of its 95 % interval.
        text: The same in words.
    """

    value: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class CategoryPlot:
    """The picture.

    Attributes:
        title: Its title.
        baseline: The name of the baseline that 0 stands for.
        categories: The names of the categories, in the order of the dots.
        axis: The axis that all categories share.
        rows: Model -> its dot in each category; None where it has none.
    """

    title: str
    baseline: str
    categories: tuple[str, ...]
    axis: Axis
    rows: Mapping[Row, tuple[Dot | None, ...]]


def category_plot(board: Board, controls: Collection[str]) -> CategoryPlot | None:
    """Draw what lies over matched noise if enough models have it in a category, else the gain over
    the additive baseline.

    Args:
        board: The board.
        controls: The names of control encoders, which are not drawn.

    Returns:
        None if no model has either.
    """
    of_noise = categories_over(board, NOISE, FEWEST_WITH_NOISE)
    baseline = NOISE if of_noise else ADDITIVE
    averages = of_noise or categories_over(board, ADDITIVE)
    dots_of_rows: dict[Row, tuple[Dot | None, ...]] = {}
    for row in board.rows:
        places = [average.ranked_scores.get(row) for average in averages]
        dots = tuple(map(_dot, places))
        if any(dots) and row.model not in controls:
            dots_of_rows[row] = dots
    if not dots_of_rows:
        return None

    def order(row: Row) -> float:
        return -_mean(dots_of_rows[row])

    best_first = sorted(dots_of_rows, key=order)[:MOST_DRAWN]
    rows = {row: dots_of_rows[row] for row in best_first}
    return CategoryPlot(
        title=_TITLES[baseline],
        baseline=baseline.name,
        categories=tuple(average.title for average in averages),
        axis=_axis(rows.values()),
        rows=rows,
    )


def _axis(dots_of_rows: Iterable[Sequence[Dot | None]]) -> Axis:
    """An axis that shows 0 and all intervals."""
    low = 0.0
    high = 0.0
    for dots in dots_of_rows:
        for dot in dots:
            if dot is not None:
                low = min(low, dot.low)
                high = max(high, dot.high)
    margin = _MARGIN * (high - low) or 0.1
    return Axis(low - margin, high + margin)


def categories_over(board: Board, baseline: Baseline, fewest: int = 1) -> list[Average]:
    """The averages of categories over a baseline that at least so many models have."""
    averages = []
    for name in board.categories:
        average = board.over[baseline].get(name)
        if average is not None and len(average.ranked_scores) >= fewest:
            averages.append(average)
    return averages


def _dot(place: RankedScore | None) -> Dot | None:
    if place is None or place.interval is None:
        return None
    low, high = place.interval
    return Dot(place.value, low, high, with_interval(place.value, place.interval))


def _mean(dots: Collection[Dot | None]) -> float:
    """The mean of the dots there are."""
    values = [dot.value for dot in dots if dot]
    return sum(values) / len(values)
