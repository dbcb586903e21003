"""The picture of a first page, by hand: who is drawn, in which order, and on which axis."""

from __future__ import annotations

import pytest

from harness_ext.leaderboard.board import Average, Board, RankedScore
from harness_ext.leaderboard.category_plot import Dot, category_plot
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE
from harness_ext.results.ranking_columns import Row
from harness_ext.results.ranks import Basis


def board_of(dots, *, baseline=NOISE):
    """A board of models: model -> category -> (value, low, high) over a baseline."""
    rows = {model: Row(model, "1", "float32") for model in dots}
    averages = {}
    for category in dict.fromkeys(name for of_model in dots.values() for name in of_model):
        ranked_scores = {}
        for model, of_model in dots.items():
            if category in of_model:
                value, *ends = of_model[category]
                ranked_scores[rows[model]] = RankedScore(
                    value, tuple(ends), None, Basis.UNITS, Trust.RECOMPUTED
                )
        averages[category] = Average(category, (), ranked_scores)
    over = {ADDITIVE: {}, NOISE: {}, baseline: averages}
    return Board(tuple(rows.values()), (), (), {}, averages, over, {}, {})


def around(value):
    return (value, value - 0.1, value + 0.1)


def drawn_models(plot):
    return [row.model for row in plot.rows]


def test_the_25_best_of_27_models_are_drawn_the_best_first():
    dots = {f"a/{number}": {"Roles": around(number / 100)} for number in range(27)}
    expected = [f"a/{number}" for number in range(26, 1, -1)]
    assert drawn_models(category_plot(board_of(dots), ())) == expected


def test_a_model_stands_by_the_mean_of_the_categories_that_it_has():
    """.4 of one is more than the mean .3 of two."""
    dots = {
        "a/two": {"Roles": around(0.2), "Idioms": around(0.4)},
        "a/one": {"Roles": around(0.4)},
        "a/low": {"Roles": around(0.1), "Idioms": around(0.1)},
        "a/lower": {"Idioms": around(0.05)},
    }
    plot = category_plot(board_of(dots), ())
    assert drawn_models(plot) == ["a/one", "a/two", "a/low", "a/lower"]
    assert [dot is None for dot in plot.rows[Row("a/one", "1", "float32")]] == [False, True]


@pytest.mark.parametrize(
    ("dots", "ends"),
    [
        ([(0.2, 0.1, 0.5), (-0.1, -0.3, 0.1)], (-0.348, 0.548)),
        ([(0.2, 0.1, 0.5)], (-0.03, 0.53)),
        ([(0.0, 0.0, 0.0)], (-0.1, 0.1)),
    ],
)
def test_the_axis_shows_0_and_all_intervals_with_6_percent_on_either_side(dots, ends):
    models = {f"a/{number}": {"Roles": dot} for number, dot in enumerate(dots)}
    axis = category_plot(board_of(models, baseline=ADDITIVE), ()).axis
    assert (axis.low, axis.high) == pytest.approx(ends)


def test_a_dot_has_the_value_and_both_ends_of_its_interval():
    board = board_of({"a/one": {"Roles": (0.25, 0.125, 0.5)}}, baseline=ADDITIVE)
    ((dot,),) = category_plot(board, ()).rows.values()
    assert dot == Dot(0.25, 0.125, 0.5, ".250 [.125, .500]")
