"""Confidence sets for ranks, by hand and on planted scores."""

import numpy as np
import pytest

from harness_ext.results.ranks import Basis, Estimate, rank_sets
from harness_ext.statistics.bootstrap import N_RESAMPLES


def noisy(score, seed, spread=0.01, n=200, **about):
    """A model whose resamples spread around its score, independently of all others."""
    return Estimate(
        score, None, np.random.default_rng(seed).normal(score, spread, N_RESAMPLES), n, **about
    )


UNKNOWN = Estimate(0.9)
SETS = {
    "far apart": ([noisy(0.1 * n, n) for n in range(5)], [(5, 5), (4, 4), (3, 3), (2, 2), (1, 1)]),
    "near each other": ([noisy(0.5 + 0.0001 * n, n) for n in range(5)], [(1, 5)] * 5),
    "one without an interval": ([UNKNOWN, noisy(0.1, 1), noisy(0.5, 2)], [(1, 3), (2, 3), (1, 2)]),
    "points without width": (
        [Estimate(score, (score, score)) for score in (1, 1, 0.5)],
        [(1, 2), (1, 2), (3, 3)],
    ),
    "a lower tier": (
        [noisy(0.9, 1, tier=1), noisy(0.1, 2), noisy(0.1, 3)],
        [(3, 3), (1, 2), (1, 2)],
    ),
    "nobody": ([], []),
}


@pytest.mark.parametrize("case", SETS)
def test_sets_of_ranks(case):
    estimates, expected = SETS[case]
    assert rank_sets(estimates) == expected


def test_a_row_of_small_steps_in_any_order():
    """Steps of 1.8 standard errors of a difference: each is told from those two steps away or
    three.
    """
    models = [noisy(0.025 * n, n) for n in range(6)][::-1]
    found = rank_sets(models)
    assert (found[0].best, found[-1].worst) == (1, 6)
    assert all(one.best < one.worst for one in found)
    assert found[0].worst < 4 < 6 == found[-1].worst
    assert rank_sets(models[::-1]) == found[::-1]


def test_units_decide_where_both_have_the_same():
    """A little better on every draw, though each spreads widely: pairs tell, intervals
    would not.
    """
    drawn = np.random.default_rng(0).normal(0.5, 0.1, N_RESAMPLES)
    worse, better = (Estimate(0.5 + d, (0.3 + d, 0.7 + d), drawn + d, 60) for d in (0, 0.02))
    assert rank_sets([worse, better]) == [(2, 2), (1, 1)]
    by_interval = Estimate(0.5, (0.3, 0.7))
    assert (better.basis, by_interval.basis) == (Basis.UNITS, Basis.INTERVALS)
    assert rank_sets([by_interval, better]) == [(1, 2), (1, 2)]


def test_resamples_that_are_not_defined_for_a_model_are_left_out():
    """Up to 1 %; of a model with more, only its interval is known, or nothing."""
    drawn = np.random.default_rng(0).normal(0.5, 0.1, N_RESAMPLES)
    drawn[:20] = np.nan
    worse, better = (Estimate(0.5 + d, (0.3 + d, 0.7 + d), drawn + d, 60) for d in (0, 0.02))
    other = noisy(0.1, 1, n=60)
    assert worse.basis is Basis.UNITS
    assert rank_sets([worse, other, better]) == [(2, 2), (3, 3), (1, 1)]
    drawn[20] = np.nan
    by_interval = Estimate(0.5, (0.3, 0.7), drawn, 60)
    assert by_interval.basis is Basis.INTERVALS
    assert Estimate(0.5, None, drawn, 60).basis is Basis.NOTHING
    assert rank_sets([by_interval, noisy(0.9, 1), noisy(0.1, 2)]) == [(2, 2), (1, 1), (3, 3)]


def test_intervals_as_of_independent_normal_scores():
    """Two models: one is better from a z of 1.96 on. Scores .7 and .5 with se .1: z = 1.41; .7 and
    .3: z = 2.83.
    """
    half = 1.959964 * 0.1
    one, other, far = (Estimate(score, (score - half, score + half)) for score in (0.7, 0.5, 0.3))
    assert rank_sets([one, other]) == [(1, 2), (1, 2)]
    assert rank_sets([one, far]) == [(1, 1), (2, 2)]


def test_what_is_below_few_units_is_not_told_apart():
    """The same spread is worth less if it is that of few units: 3 standard errors are enough for
    800, not for 6.
    """
    few, many = (
        rank_sets([noisy(0.5 + 0.03 * 2**0.5, 1, n=n), noisy(0.5, 2, n=n)]) for n in (6, 800)
    )
    assert (few, many) == ([(1, 2), (1, 2)], [(1, 1), (2, 2)])


@pytest.mark.slow
@pytest.mark.parametrize("apart", [0, 12])
def test_more_models_than_are_resampled_are_told_apart_as_seldom_and_as_surely(apart):
    """Two clusters of 300 models, 12 standard errors of a difference apart or not at all."""
    told_apart = []
    upper = np.arange(600) < 300
    for world in range(10):
        rng = np.random.default_rng(world)
        noise = rng.normal(size=(600, N_RESAMPLES))
        scores = rng.normal(size=600) + apart * np.sqrt(2) * upper
        best, worst = np.array(
            rank_sets([Estimate(s, None, s + e, 1000) for s, e in zip(scores, noise, strict=True)])
        ).T
        told_apart.append(
            (worst[upper].max() < best[~upper].min()) if apart else (worst < 600).any()
        )
    assert sum(told_apart) >= 7 if apart else sum(told_apart) <= 2
