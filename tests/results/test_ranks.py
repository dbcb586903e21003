"""Confidence sets for ranks, by hand and on planted scores."""

import numpy as np
import pytest

from harness_ext.results.ranks import Basis, Estimate, rank_sets
from harness_ext.statistics.bootstrap import N_RESAMPLES


def noisy(
    score,
    seed,
    spread=0.01,
    n=200,
    **about,
):
    """A model whose resamples spread around its score, independently of all others."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(score, spread, N_RESAMPLES)
    return Estimate(score, None, drawn, n, **about)


def ranks(estimates):
    """The ranks that each may have, as a board prints them."""
    return list(map(str, rank_sets(estimates)))


def steps(first, step, number):
    """Models in a row, each a step better than the one before."""
    return [noisy(first + step * place, place) for place in range(number)]


def point(score):
    """A model whose interval has no width."""
    return Estimate(score, (score, score))


@pytest.mark.parametrize(
    ("estimates", "expected"),
    [
        pytest.param(
            steps(0, 0.1, 5),
            ["5", "4", "3", "2", "1"],
            id="far apart",
        ),
        pytest.param(
            steps(0.5, 0.0001, 5),
            ["1–5", "1–5", "1–5", "1–5", "1–5"],
            id="near each other",
        ),
        pytest.param(
            [Estimate(0.9), noisy(0.1, 1), noisy(0.5, 2)],
            ["1–3", "2–3", "1–2"],
            id="one without an interval",
        ),
        pytest.param(
            [point(1), point(1), point(0.5)],
            ["1–2", "1–2", "3"],
            id="points without width",
        ),
        pytest.param(
            [noisy(0.9, 1, tier=1), noisy(0.1, 2), noisy(0.1, 3)],
            ["3", "1–2", "1–2"],
            id="a lower tier",
        ),
        pytest.param([], [], id="nobody"),
    ],
)
def test_sets_of_ranks(estimates, expected):
    assert ranks(estimates) == expected


def test_a_row_of_small_steps_in_any_order():
    """Steps of 1.8 standard errors of a difference: each is told from those two steps away or
    three.
    """
    models = steps(0, 0.025, 6)
    found = rank_sets(models)
    lowest, *_, highest = found
    assert highest.best == 1
    assert highest.worst < 4
    assert lowest.worst == 6
    for ranks_of_model in found:
        assert ranks_of_model.best < ranks_of_model.worst
    in_other_order = rank_sets(models[::-1])
    assert in_other_order == found[::-1]


def test_units_decide_where_both_have_the_same():
    """A little better on every draw, though each spreads widely: pairs tell, intervals
    would not.
    """
    worse = Estimate(0.5, (0.3, 0.7), widely_spread(), 60)
    better = a_little_better(worse)
    assert ranks([worse, better]) == ["2", "1"]
    by_interval = Estimate(0.5, (0.3, 0.7))
    assert better.basis is Basis.UNITS
    assert by_interval.basis is Basis.INTERVALS
    assert ranks([by_interval, better]) == ["1–2", "1–2"]


def widely_spread():
    """Resamples of a score of .5."""
    rng = np.random.default_rng(0)
    return rng.normal(0.5, 0.1, N_RESAMPLES)


def a_little_better(estimate):
    """By .02, on every draw."""
    low, high = estimate.interval
    return Estimate(
        estimate.score + 0.02,
        (low + 0.02, high + 0.02),
        estimate.drawn + 0.02,
        60,
    )


def test_resamples_that_are_not_defined_for_a_model_are_left_out():
    """Up to 1 %; of a model with more, only its interval is known, or nothing."""
    drawn = widely_spread()
    drawn[:20] = np.nan
    worse = Estimate(0.5, (0.3, 0.7), drawn.copy(), 60)
    better = a_little_better(worse)
    other = noisy(0.1, 1, n=60)
    assert worse.basis is Basis.UNITS
    assert ranks([worse, other, better]) == ["2", "3", "1"]
    drawn[20] = np.nan
    by_interval = Estimate(0.5, (0.3, 0.7), drawn, 60)
    assert by_interval.basis is Basis.INTERVALS
    without_interval = Estimate(0.5, None, drawn, 60)
    assert without_interval.basis is Basis.NOTHING
    above = noisy(0.9, 1)
    below = noisy(0.1, 2)
    assert ranks([by_interval, above, below]) == ["2", "1", "3"]


def test_intervals_as_of_independent_normal_scores():
    """Two models: one is better from a z of 1.96 on. Scores .7 and .5 with se .1: z = 1.41; .7 and
    .3: z = 2.83.
    """

    def estimate(score):
        half = 1.959964 * 0.1
        return Estimate(score, (score - half, score + half))

    assert ranks([estimate(0.7), estimate(0.5)]) == ["1–2", "1–2"]
    assert ranks([estimate(0.7), estimate(0.3)]) == ["1", "2"]


def test_what_is_below_few_units_is_not_told_apart():
    """The same spread is worth less if it is that of few units: 3 standard errors are enough for
    800, not for 6.
    """
    three_errors_better = 0.5 + 3 * 0.01 * 2**0.5

    def ranks_of(n):
        better = noisy(three_errors_better, 1, n=n)
        worse = noisy(0.5, 2, n=n)
        return ranks([better, worse])

    assert ranks_of(6) == ["1–2", "1–2"]
    assert ranks_of(800) == ["1", "2"]


@pytest.mark.slow
@pytest.mark.parametrize("apart", [0, 12])
def test_more_models_than_are_resampled_are_told_apart_as_seldom_and_as_surely(apart):
    """Two clusters of 300 models, 12 standard errors of a difference apart or not at all."""
    told_apart = []
    upper = np.arange(600) < 300
    for world in range(10):
        rng = np.random.default_rng(world)
        noise = rng.normal(size=(600, N_RESAMPLES))
        distance = apart * np.sqrt(2)
        scores = rng.normal(size=600) + distance * upper
        models = []
        for score, noise_of_model in zip(scores, noise, strict=True):
            drawn = score + noise_of_model
            models.append(Estimate(score, None, drawn, 1000))
        best, worst = np.array(rank_sets(models)).T
        if apart:
            worst_of_upper = worst[upper].max()
            told_apart.append(worst_of_upper < best[~upper].min())
        else:
            told_apart.append((worst < 600).any())
    if apart:
        assert sum(told_apart) >= 7
    else:
        assert sum(told_apart) <= 2
