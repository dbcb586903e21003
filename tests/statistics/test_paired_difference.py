"""Paired tests and intervals: by hand, and beside scipy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from scipy import stats

from harness_ext.statistics.bootstrap import N_RESAMPLES, draw, percentile_interval
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.correlation import rho
from harness_ext.statistics.crossed import CrossedStatistic
from harness_ext.statistics.paired_difference import (
    Sample,
    differences,
    equality_p_value,
    resampled_p_values,
    sign_flip_p_values,
)
from harness_ext.statistics.statistic import auc, average, of_units, spearman_of_rows
from harness_ext.statistics.threshold import share_under

RNG = np.random.default_rng(0)


def names(n):
    return np.array([f"unit {number}" for number in range(n)])


def mean_of(values):
    return of_units(average, names(len(values)), np.asarray(values, dtype=float))


def tenth_below_zero():
    """Resamples of which a tenth is −1, the others 1; shape (1, resamples)."""
    is_below = np.arange(N_RESAMPLES) < N_RESAMPLES / 10
    return np.where(is_below, -1.0, 1.0)[None]


def p_value_of(value, drawn, n_units):
    """The p of one value with resamples of shape (1, resamples)."""
    (p_value,) = resampled_p_values(np.array([value]), drawn, n_units)
    return p_value


@pytest.mark.parametrize("n", [5, 20])
def test_sign_flips_are_those_of_scipy(n):
    units = RNG.normal(0.3, 1, size=(4, n))
    expected = []
    for row in units:
        test = stats.permutation_test(
            (row,), np.mean, permutation_type="samples", vectorized=True, rng=1
        )
        expected.append(test.pvalue)
    error = 1e-12 if n < 13 else 0.02
    assert sign_flip_p_values(units) == pytest.approx(expected, abs=error)


def test_sign_flips_of_shares_are_the_test_of_mcnemar():
    """12 of 15 units that differ are for the first: two-sided binomial."""
    units = np.zeros((1, 60))
    units[0, :12] = 1
    units[0, 12:15] = -1
    expected = stats.binomtest(12, 15).pvalue
    assert sign_flip_p_values(units) == pytest.approx(expected, abs=0.005)


def test_a_p_value_can_be_as_small_as_thousands_of_comparisons_need():
    """Far beyond what 9 999 flips or 2 000 resamples can count, and never below what n units can
    say.
    """
    units = RNG.normal(2, 1, size=(1, 100))
    assert 1e-20 < sign_flip_p_values(units)[0] < 1e-6
    drawn = RNG.normal(1, 0.1, size=(1, N_RESAMPLES))
    assert 1e-20 < p_value_of(1.0, drawn, 200) < 1e-6
    assert p_value_of(1.0, drawn, 4) >= 2.0**-3
    assert sign_flip_p_values(np.zeros((1, 30)))[0] == 1


def test_resamples_by_hand():
    """A tenth is below zero: z = −1.28, two-sided p of t with 99 degrees of freedom about .2."""
    drawn = tenth_below_zero()
    assert p_value_of(0.8, drawn, 10**6) == pytest.approx(0.2, abs=1e-4)
    t_of_20_units = 1.28155 * (19 / 20) ** 0.5
    expected = 2 * stats.t.sf(t_of_20_units, 19)
    assert p_value_of(0.8, drawn, 20) == pytest.approx(expected, abs=1e-4)


def test_p_values_are_of_the_resamples_that_are_defined():
    """A tenth of the defined ones is below zero; more than 1 % that are not defined give no test."""
    drawn = tenth_below_zero()
    drawn[0, :20] = np.nan
    share = (200 - 20) / (N_RESAMPLES - 20)
    assert p_value_of(0.8, drawn, 10**6) == pytest.approx(2 * share, abs=1e-4)
    far = RNG.normal(1, 0.1, size=(1, N_RESAMPLES))
    p_value = p_value_of(1.0, far, 200)
    far[0, :20] = np.nan
    assert p_value_of(1.0, far, 200) == pytest.approx(p_value, rel=0.5)
    drawn[0, 20] = np.nan
    assert p_value_of(0.8, drawn, 10**6) == 1


def test_equality_of_several_scores_by_hand():
    """Deviations of two scores from their mean: ½ in the data; resampled, 0, ½, 1 and 0, of which
    two are as large.
    """
    drawn = [np.array([0.0, 1.0, 0.0, 3.0]), np.array([1.0, 1.0, 3.0, 4.0])]
    assert equality_p_value([0.0, 1.0], drawn) == (1 + 2) / (1 + 4)
    assert equality_p_value([0.5, 0.5], [np.full(4, 0.5)] * 2) == 1
    assert np.isnan(equality_p_value([0.5, np.nan], drawn))
    many = np.tile(drawn, 50)
    many[0, :2] = np.nan  # of 200 resamples, one with the scatter of the scores
    assert equality_p_value([0.0, 1.0], many) == (1 + 99) / (1 + 198)
    many[1, 2] = np.nan
    assert np.isnan(equality_p_value([0.0, 1.0], many))


def test_equal_means_are_found_different_as_often_as_the_level_says():
    rng = np.random.default_rng(1)
    p_values = []
    for _ in range(200):
        means = [mean_of(values) for values in rng.normal(size=(4, 15))]
        values = [mean.value() for mean in means]
        resamples = [mean.resamples() for mean in means]
        p_values.append(equality_p_value(values, resamples))
    is_different = np.array(p_values) < 0.05
    assert 0.01 <= is_different.mean() <= 0.11


def test_a_difference_of_means_is_tested_by_sign_flips():
    x, y = RNG.normal(size=(2, 30))
    (found,) = differences(Sample.of(mean_of(x)), [Sample.of(mean_of(y))])
    assert found.test == "sign flips"
    assert found.value == pytest.approx(x.mean() - y.mean())
    assert found.low < found.value < found.high


def test_rounding_is_no_difference():
    """All units 1e-7 lower, as float32 rounds: 30 signs that agree would have a p of 2e-9."""
    x = RNG.normal(size=30)
    (of_means,) = differences(Sample.of(mean_of(x)), [Sample.of(mean_of(x + 1e-7))])
    assert of_means.p_value == 1
    score = Sample.of(of_units(rho, names(30), x, RNG.normal(size=30)))
    higher = replace(score, drawn=score.drawn + 1e-7, value=score.value + 1e-7)
    (of_resamples,) = differences(score, [higher])
    assert of_resamples.p_value == 1
    assert of_resamples.test == "resamples"


def test_interval_of_a_share_is_that_of_wilson():
    values = np.array([1.0] * 19 + [0.0])
    expected = stats.binomtest(19, 20).proportion_ci(method="wilsoncc")
    assert confidence_interval(mean_of(values)) == (expected.low, expected.high)
    low, high = confidence_interval(mean_of([1.0] * 20))
    assert 0.79 < low < 0.85
    assert high == 1


def share_of_rows(right):
    """Shape (units, rows)."""
    n_units, n_rows = right.shape
    unit = np.repeat(np.arange(n_units), n_rows).astype(str)
    cosine = np.where(right.ravel(), 0.2, 0.8)
    return share_under(0.5, unit, cosine)


def test_interval_of_a_share_of_rows_knows_its_few_units():
    """Eight units of two rows, where t(7) is 2.3646, by hand.

    Wilson's ends with the correction for continuity, of r right answers of n, and n − r = w wrong
    ones: [2r + t² ∓ 1 ∓ t √(t² ∓ 2 − 1/n + 4 r (w ± 1)/n)] / 2 (n + t²).
    """
    t = 2.3646
    t_squared = 5.591
    all_right = np.ones((8, 2), dtype=bool)
    root = (t_squared - 2 - 1 / 8 + 4) ** 0.5
    low = (2 * 8 + t_squared - 1 - t * root) / (2 * (8 + t_squared))
    interval = confidence_interval(share_of_rows(all_right))
    assert interval == pytest.approx((low, 1.0), abs=1e-4)
    # resamples spread as those of n rows do, of which .75 are right
    is_right = np.arange(8) < 6
    times = draw(np.arange(8).astype(str)).astype(float)
    times = times[times.any(axis=1)]
    resamples = times[:, is_right].sum(axis=1) / times.sum(axis=1)
    n = round(0.75 * 0.25 / (resamples.var() * 8 / 7))
    below = np.floor(0.75 * n)
    above = np.ceil(0.75 * n)
    low_root = (t_squared - 2 - 1 / n + 4 * below * (n - below + 1) / n) ** 0.5
    high_root = (t_squared + 2 - 1 / n + 4 * above * (n - above - 1) / n) ** 0.5
    low = (2 * below + t_squared - 1 - t * low_root) / (2 * (n + t_squared))
    high = (2 * above + t_squared + 1 + t * high_root) / (2 * (n + t_squared))
    interval = confidence_interval(share_of_rows(np.column_stack([is_right, is_right])))
    assert interval == pytest.approx((low, high), abs=1e-3)


@settings(max_examples=15)
@given(arrays(bool, (11, 4)))
def test_interval_of_a_share_of_rows_holds_it_and_mirrors(right):
    low, high = confidence_interval(share_of_rows(right))
    assert 0 <= low <= right.mean() <= high <= 1
    of_wrong = confidence_interval(share_of_rows(~right))
    assert of_wrong == pytest.approx((1 - high, 1 - low), abs=1e-6)


@pytest.mark.parametrize("shape", [(60, 1), (1, 12)], ids=["adjectives", "nouns"])
def test_interval_of_crossed_units_is_that_of_those_that_differ(shape):
    """60 adjectives × 12 nouns."""
    differ = RNG.normal(size=shape)
    values = np.broadcast_to(differ, (60, 12))

    once = (np.ones((60, 1)), np.ones((12, 1)))

    def mean_of_cells(*times):
        first, second = times or once
        n_cells = first.sum(axis=0) * second.sum(axis=0)
        return np.einsum("ar,an,nr->r", first, values, second) / n_cells

    adjectives = names(60)
    score = CrossedStatistic(adjectives, adjectives, names(12), mean_of_cells, NotImplemented)
    assert score.effective_size == pytest.approx(differ.size, abs=1)  # rounded down
    low, high = confidence_interval(mean_of(differ.ravel()))
    assert confidence_interval(score) == pytest.approx((low, high), abs=0.1 * (high - low))


def test_an_interval_does_not_end_where_the_resamples_do():
    """Perfect scores: 20 units that each have the mean of two answers, and an AUC of 10 and 10
    units, by hand.

    Newcombe's lower end L of an AUC of 1 solves 1 − L = 1.96 · √(L (1 − L) (1 + 9 (1 − L)/(2 − L) +
    9 L/(1 + L))) / 10.
    """
    # p (1 − p) is 2.05 times the variance: 41 units, of which 39.975 are right
    low, high = confidence_interval(mean_of([1.0] * 19 + [0.5]))
    below = stats.binomtest(39, 41).proportion_ci(method="wilsoncc")
    above = stats.binomtest(40, 41).proportion_ci(method="wilsoncc")
    assert (low, high) == (below.low, above.high)
    first = np.arange(20) < 10
    groups = [first, ~first]
    apart = of_units(auc, names(20), first.astype(float), groups=groups)
    low, high = confidence_interval(apart)
    of_pairs = 1 + 9 * (1 - low) / (2 - low) + 9 * low / (1 + low)
    error = np.sqrt(low * (1 - low) * of_pairs) / 10
    assert 1 - low == pytest.approx(1.959964 * error, abs=1e-6)
    assert 0.6 < low < 0.9
    assert high == 1.0
    turned = of_units(auc, names(20), 1 - first, groups=groups)
    assert confidence_interval(turned) == pytest.approx((0, 1 - low))


def test_a_few_perfect_resamples_leave_the_percentiles():
    """Six of 20 values lie above ten others, which win where these six are not drawn: e⁻⁶ = .25 %,
    and the percentiles of ten units end at .9 %.
    """
    is_above = np.arange(30) < 10
    values = np.repeat([1.0, 2.0, 0.0], [10, 6, 14])
    score = of_units(auc, names(30), values, groups=[is_above, ~is_above])
    assert 0 < np.mean(score.resamples() == 1) < 0.008
    assert confidence_interval(score) == percentile_interval(score.resamples(), 10)


def test_an_interval_holds_its_score():
    """12 groups of two rows, without overlap: ρ is -.926, and that of every resample is nearer to
    -1.

    By hand: people's ranks are 12.5 ± 6; the model's are 1 … 12 and twelve times 18.5, with a
    variance of 36 + 143/24.
    """
    groups = np.repeat(names(12), 2)
    of_model = np.ones(24)
    of_model[::2] = np.arange(12) / 12
    of_people = np.tile([1.0, 0.5], 12)
    score = spearman_of_rows(groups, of_model, of_people)
    assert score.value() == pytest.approx(-6 / np.sqrt(36 + 143 / 24))
    assert score.resamples().max() < score.value()
    low, high = confidence_interval(score)
    assert low < high == score.value()


def test_shares_that_differ_nowhere_still_have_an_interval():
    """Bonett and Price: one unit more on either side, √(2 / 22) / √22 · 1.96."""
    all_right = Sample.of(mean_of([1.0] * 20))
    (found,) = differences(all_right, [all_right])
    assert (found.low, found.high) == pytest.approx((-0.1260, 0.1260), abs=1e-4)
    assert found.p_value == 1


def test_one_unit_has_no_interval():
    assert np.isnan(confidence_interval(mean_of([0.5]))).all()
    right = Sample.of(mean_of([1.0]))
    wrong = Sample.of(mean_of([0.0]))
    (found,) = differences(right, [wrong])
    assert np.isnan([found.low, found.high]).all()
    assert found.p_value == 1
    assert differences(right, []) == []
