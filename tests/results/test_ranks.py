"""Ranks with ties and mean ranks, by hand and on planted scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_ext.evaluators.statistics.bootstrap import N_RESAMPLES
from harness_ext.results.compare import tie_groups
from harness_ext.results.ranks import Basis, Standing, mean_ranks, p_better, rank_column

SCORES = st.lists(st.integers(0, 20), min_size=1, max_size=30)


def noisy(score, seed, spread=0.01):
    """A model whose resamples spread around its score, on the same units as all others here."""
    drawn = np.random.default_rng(seed).normal(score, spread, N_RESAMPLES)
    return Standing(score, (score - 2 * spread, score + 2 * spread), drawn, "units")


def test_a_group_ends_where_its_best_is_better():
    """Steps of 1, and 2 is significant: each is compared with the best of its group, so not all of them tie."""
    scores = [10, 9, 8, 7, 6, 5]
    assert tie_groups(scores, lambda one, other: scores[one] - scores[other] >= 2).tolist() == [1, 1, 2, 2, 3, 3]


@given(SCORES, st.integers(1, 5))
def test_groups_are_dense_and_follow_the_scores(scores, step):
    groups = tie_groups(scores, lambda one, other: scores[one] - scores[other] >= step)
    assert sorted(set(groups.tolist())) == list(range(1, groups.max() + 1))
    for one, other in zip(*np.nonzero(np.subtract.outer(scores, scores) > 0), strict=True):
        assert groups[one] <= groups[other]
        if scores[one] - scores[other] >= 2 * step:
            assert groups[one] < groups[other]


def test_units_decide_where_both_have_the_same():
    """Their intervals overlap by far, but one is a little better on every draw: pairs tell, intervals would not."""
    drawn = np.random.default_rng(0).normal(0.5, 0.1, N_RESAMPLES)
    worse, better = (Standing(0.5 + d, (0.3 + d, 0.7 + d), drawn + d, "units") for d in (0, 0.02))
    assert p_better(better, worse) == (pytest.approx(1 / (N_RESAMPLES + 1)), Basis.UNITS)
    elsewhere = Standing(0.5, (0.3, 0.7), drawn, "other units")
    p, basis = p_better(better, elsewhere)
    assert basis is Basis.INTERVALS
    assert 0.4 < p < 0.5
    assert rank_column([worse, better])[0].tolist() == [2, 1]
    assert rank_column([elsewhere, better])[0].tolist() == [1, 1]


def test_intervals_as_of_normal_scores():
    """z = .2 / √2·.1 = √2, one-sided p = .0786; at twice the distance .0023."""
    spread = 1.959964 * 0.1
    one, other = Standing(0.7, (0.7 - spread, 0.7 + spread)), Standing(0.5, (0.5 - spread, 0.5 + spread))
    assert p_better(one, other)[0] == pytest.approx(0.0786, abs=1e-4)
    far = Standing(0.3, (0.3 - spread, 0.3 + spread))
    assert p_better(one, far)[0] == pytest.approx(0.0023, abs=1e-4)
    groups, bases = rank_column([one, other, far])
    assert groups.tolist() == [1, 1, 2]
    assert bases == [Basis.INTERVALS] * 3


def test_without_intervals_all_tie():
    groups, bases = rank_column([Standing(0.9), Standing(0.1), Standing(0.5, (0.4, 0.6))])
    assert groups.tolist() == [1, 1, 1]
    assert bases[1:] == [Basis.NOTHING, Basis.NOTHING]


def test_equal_points_without_width_tie_and_others_do_not():
    same = [Standing(1.0, (1.0, 1.0)), Standing(1.0, (1.0, 1.0)), Standing(0.5, (0.5, 0.5))]
    assert rank_column(same)[0].tolist() == [1, 1, 2]


def test_mean_ranks_by_hand():
    """Ranks 1, 2, 3 and 2.5, 2.5, 1; nothing is drawn, so the intervals are points."""
    columns = [[Standing(value) for value in scores] for scores in ((0.9, 0.5, 0.1), (0.2, 0.2, 0.8))]
    found = mean_ranks(columns)
    assert found.mean.tolist() == found.low.tolist() == found.high.tolist() == [1.75, 2.25, 2.0]
    assert found.group.tolist() == [1, 3, 2]


def test_a_declined_cell_costs_no_rank():
    first = [noisy(0.9, 1), noisy(0.5, 2), noisy(0.1, 3)]
    without = mean_ranks([first, [None, noisy(0.5, 4), noisy(0.1, 5)]])
    assert without.mean.tolist() == [1.0, 1.5, 2.5]
    assert without.group.tolist() == [1, 2, 3]


def test_mean_ranks_tell_what_the_draws_tell():
    """Far apart: points. Near: wide intervals and one group. The order of the models changes nothing."""
    apart = [noisy(0.1 * n, n) for n in range(5)]
    near = [noisy(0.5 + 0.0001 * n, 10 + n) for n in range(5)]
    assert mean_ranks([apart]).group.tolist() == [5, 4, 3, 2, 1]
    found = mean_ranks([near, near])
    assert found.group.tolist() == [1] * 5
    assert (found.low <= found.mean).all()
    assert (found.mean <= found.high).all()
    assert (found.high - found.low > 2).all()
    turned = mean_ranks([near[::-1], near[::-1]])
    assert turned.mean[::-1].tolist() == found.mean.tolist()
    assert turned.low[::-1].tolist() == found.low.tolist()


def test_nobody_is_ranked_without_columns():
    assert mean_ranks([]).mean.tolist() == []
    assert mean_ranks([[], []]).group.tolist() == []
