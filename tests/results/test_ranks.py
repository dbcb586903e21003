"""Confidence sets for ranks and overall ranks, by hand and on planted scores."""

import numpy as np
import pytest

from harness_ext.results.columns import Column, Row
from harness_ext.results.overall import level_of_some, overall_ranks, rank_overall, reliability
from harness_ext.results.ranks import Basis, Estimate, rank_sets
from harness_ext.statistics.bootstrap import N_RESAMPLES


def noisy(score, seed, spread=0.01, n=200, **about):
    """A model whose resamples spread around its score, independently of all others."""
    return Estimate(score, None, np.random.default_rng(seed).normal(score, spread, N_RESAMPLES), n, **about)


UNKNOWN = Estimate(0.9)
SETS = {
    "far apart": ([noisy(0.1 * n, n) for n in range(5)], [(5, 5), (4, 4), (3, 3), (2, 2), (1, 1)]),
    "near each other": ([noisy(0.5 + 0.0001 * n, n) for n in range(5)], [(1, 5)] * 5),
    "one without an interval": ([UNKNOWN, noisy(0.1, 1), noisy(0.5, 2)], [(1, 3), (2, 3), (1, 2)]),
    "points without width": ([Estimate(score, (score, score)) for score in (1, 1, 0.5)], [(1, 2), (1, 2), (3, 3)]),
    "a lower tier": ([noisy(0.9, 1, tier=1), noisy(0.1, 2), noisy(0.1, 3)], [(3, 3), (1, 2), (1, 2)]),
    "nobody": ([], []),
}


@pytest.mark.parametrize("case", SETS)
def test_sets_of_ranks(case):
    estimates, expected = SETS[case]
    assert rank_sets(estimates) == expected


def test_a_row_of_small_steps_in_any_order():
    """Steps of 1.8 standard errors of a difference: each is told from those two steps away or three."""
    models = [noisy(0.025 * n, n) for n in range(6)][::-1]
    found = rank_sets(models)
    assert (found[0].best, found[-1].worst) == (1, 6)
    assert all(one.best < one.worst for one in found)
    assert found[0].worst < 4 < 6 == found[-1].worst
    assert rank_sets(models[::-1]) == found[::-1]


def test_units_decide_where_both_have_the_same():
    """A little better on every draw, though each spreads widely: pairs tell, intervals would not."""
    drawn = np.random.default_rng(0).normal(0.5, 0.1, N_RESAMPLES)
    worse, better = (Estimate(0.5 + d, (0.3 + d, 0.7 + d), drawn + d, 60) for d in (0, 0.02))
    assert rank_sets([worse, better]) == [(2, 2), (1, 1)]
    by_interval = Estimate(0.5, (0.3, 0.7))
    assert (better.basis, by_interval.basis) == (Basis.UNITS, Basis.INTERVALS)
    assert rank_sets([by_interval, better]) == [(1, 2), (1, 2)]


def test_intervals_as_of_independent_normal_scores():
    """Two models: one is better from a z of 1.96 on. Scores .7 and .5 with se .1: z = 1.41; .7 and .3: z = 2.83."""
    half = 1.959964 * 0.1
    one, other, far = (Estimate(score, (score - half, score + half)) for score in (0.7, 0.5, 0.3))
    assert rank_sets([one, other]) == [(1, 2), (1, 2)]
    assert rank_sets([one, far]) == [(1, 1), (2, 2)]


def test_what_is_below_few_units_is_not_told_apart():
    """The same spread is worth less if it is that of few units: 3 standard errors are enough for 800, not for 6."""
    few, many = (rank_sets([noisy(0.5 + 0.03 * 2**0.5, 1, n=n), noisy(0.5, 2, n=n)]) for n in (6, 800))
    assert (few, many) == ([(1, 2), (1, 2)], [(1, 1), (2, 2)])


def test_overall_by_hand():
    """z = 2 and 4 of one construct, 9 of another: (3 + 9) / 2 = 6, not (2 + 4 + 9) / 3."""
    columns = [[exactly(2, 0.1)], [exactly(4, 0.2)], [exactly(9, 0.5)]]
    assert overall_ranks(columns, ["a", "a", "b"])[0].score == pytest.approx(6, rel=1e-3)
    without = overall_ranks([[None], *columns[1:]], ["a", "a", "b"])
    assert without[0].score == pytest.approx(6.5, rel=1e-3)  # (4 + 9) / 2
    assert np.isnan(overall_ranks([[None]], ["a"])[0].score)
    assert overall_ranks([], []) == []


def test_a_language_that_a_model_does_not_claim_is_not_counted_for_it():
    """The English model is last in Italian, and first overall; it need not be measured in Italian."""
    english, italian = (Column("NounCompoundAffinity", subset, "neutral", "d", "affinity-1") for subset in ("en", "it"))
    one, other, silent = (Row(name, "1", "") for name in ("one", "other", "silent"))
    columns = {
        english: {one: exactly(5, 0.1), other: exactly(3, 0.1), silent: exactly(1, 0.1)},
        italian: {one: exactly(0, 0.1), other: exactly(2, 0.1), silent: exactly(4, 0.1)},
    }
    claimed = {one: {"eng"}, other: {"eng", "ita"}, silent: set()}
    expected = {one: 5, other: 2.5, silent: 2.5}
    for measured in ({**columns[italian]}, {other: columns[italian][other], silent: columns[italian][silent]}):
        _, ranks = rank_overall({english: columns[english], italian: measured}, claimed)
        assert {row: rank.score for row, rank in ranks.items()} == pytest.approx(expected, rel=1e-3)
    _, ranks = rank_overall({italian: columns[italian]}, claimed)
    assert ranks.keys() == {other, silent}


def test_a_wide_interval_does_not_put_a_model_behind_a_smaller_score():
    """Standard errors .1 and .3: by their own, scores of .5 and .9 are 5 and 3; by the common one .5 is behind."""
    narrow, wide = exactly(5, 0.1), exactly(3, 0.3)
    smaller, larger = overall_ranks([[narrow, wide]], ["a"])
    assert larger.score / smaller.score == pytest.approx(0.9 / 0.5)
    assert larger.score == pytest.approx(0.9 / np.sqrt((0.1**2 + 0.3**2) / 2), rel=1e-3)


def test_many_models_are_z_scores_times_the_reliability():
    columns = [[exactly(z, spread) for z in range(20)] for spread in (0.1, 0.4)]
    found = overall_ranks(columns, ["a", "b"])
    assert np.mean([one.score for one in found]) == pytest.approx(0, abs=1e-9)
    expected = reliability(columns[0]).reliability * (19 - 9.5) / np.std(range(20), ddof=1)
    assert found[-1].score == pytest.approx(expected, rel=1e-3)


def test_reliability_by_hand():
    """Scores 0 … 9 with a standard error of 1, independent: 1 − 1 / (55 / 6) = .891. Equal models have none."""
    models = [noisy(score, score, 1.0) for score in range(10)]
    about = reliability(models)
    assert about.reliability == pytest.approx(1 - 6 / 55, abs=0.02)
    assert about.can_rank
    equal = [noisy(0.5, n) for n in range(12)]
    assert not reliability(equal).can_rank
    assert reliability(equal[:4]).can_rank  # of four models nobody knows
    shared = np.random.default_rng(0).normal(size=N_RESAMPLES)  # an error that all models share ranks none wrongly
    assert reliability([Estimate(s, None, s + shared, 100) for s in range(5)]).reliability == pytest.approx(1)


def exactly(z, spread):
    drawn = np.random.default_rng(z).normal(size=N_RESAMPLES)
    return Estimate(z * spread, None, z * spread + spread * (drawn - drawn.mean()) / drawn.std(), 200)


def test_a_column_that_is_there_twice_tells_no_more_than_once():
    """As independent columns two that say the same would count twice."""
    models = [noisy(1.0, 1, 0.2), noisy(1.7, 2, 0.2)]
    found = [overall_ranks([models] * len(names), names) for names in ("a", "aa", "ab")]
    once, *twice = [[one.ranks for one in overall] for overall in found]
    assert twice == [once, once]
    assert once in ([(1, 2), (1, 2)], [(2, 2), (1, 1)])


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
        told_apart.append((worst[upper].max() < best[~upper].min()) if apart else (worst < 600).any())
    assert sum(told_apart) >= 7 if apart else sum(told_apart) <= 2


def test_ranks_over_picked_columns_are_wider():
    """3 standard errors tell two models apart at .05, and not where 1 of 12 columns was picked: .05 / 144."""
    rng = np.random.default_rng(1)
    column = [Estimate(score, None, score + rng.standard_normal(2000).astype(np.float32), 500) for score in (0, 4.2)]
    assert level_of_some(6, 6) == 0.05
    assert level_of_some(1, 12) == pytest.approx(0.05 / 144)
    assert [one.ranks for one in overall_ranks([column], ["a"])] == [(2, 2), (1, 1)]
    assert [one.ranks for one in overall_ranks([column], ["a"], 12)] == [(1, 2), (1, 2)]
