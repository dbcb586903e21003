"""Paired tests and intervals: by hand, and beside scipy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from pytest import approx
from scipy import stats

from harness_ext.statistics.bootstrap import N_RESAMPLES, draw, percentile_interval
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.correlation import rho
from harness_ext.statistics.crossed import CrossedStatistic
from harness_ext.statistics.paired_difference import (
    Sample,
    _signs,
    differences,
    equality_p_value,
    resampled_p_values,
    sign_flip_p_values,
)
from harness_ext.statistics.statistic import auc, average, of_units, spearman_of_rows
from harness_ext.statistics.threshold import share_under
from tests.statistics.samples import all_undefined, mean_of_cells, units

RNG = np.random.default_rng(0)

MANY_UNITS = 10**6


def mean_of(values):
    numbers = np.asarray(values, dtype=float)
    return of_units(average, units(len(numbers)), numbers)


def auc_of_groups(values, is_first):
    """P(a value of the first group > one of the other)."""
    names = units(len(values))
    return of_units(auc, names, values, groups=[is_first, ~is_first])


def difference_of(one, other):
    sample = Sample.of(one)
    other_sample = Sample.of(other)
    (found,) = differences(sample, [other_sample])
    return found


def p_value_of_flips(values):
    """The p of one score, whose units have these values."""
    (p_value,) = sign_flip_p_values(values[None])
    return p_value


def tenth_below_zero():
    """Resamples of which a tenth is −1, the others 1; shape (1, resamples)."""
    resamples = np.ones((1, N_RESAMPLES))
    resamples[:, : N_RESAMPLES // 10] = -1
    return resamples


def p_value_of(value, drawn, n_units):
    """The p of one value with resamples of shape (1, resamples)."""
    values = np.array([value])
    (p_value,) = resampled_p_values(values, drawn, n_units)
    return p_value


@pytest.mark.parametrize("n", [5, 20])
def test_sign_flips_are_those_of_scipy(n):
    values = RNG.normal(0.3, 1, size=(4, n))
    expected = []
    for row in values:
        test = stats.permutation_test(
            (row,),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            rng=1,
        )
        expected.append(test.pvalue)
    error = 1e-12 if n < 13 else 0.02
    assert sign_flip_p_values(values) == approx(expected, abs=error)


def test_sign_flips_of_shares_are_the_test_of_mcnemar():
    """12 of 15 units that differ are for the first: two-sided binomial."""
    values = np.repeat([1.0, -1.0, 0.0], [12, 3, 45])
    expected = stats.binomtest(12, 15).pvalue
    assert p_value_of_flips(values) == approx(expected, abs=0.005)


def test_a_p_value_can_be_as_small_as_thousands_of_comparisons_need():
    """Far beyond what 9 999 flips or 2 000 resamples can count, and never below what n units can
    say.
    """
    values = RNG.normal(2, 1, size=100)
    assert 1e-20 < p_value_of_flips(values) < 1e-6
    drawn = RNG.normal(1, 0.1, size=(1, N_RESAMPLES))
    assert 1e-20 < p_value_of(1.0, drawn, 200) < 1e-6
    assert p_value_of(1.0, drawn, 4) >= 2.0**-3
    assert p_value_of_flips(np.zeros(30)) == 1


def test_resamples_by_hand():
    """A tenth is below zero: z = −1.28, two-sided p of t with 99 degrees of freedom about .2."""
    drawn = tenth_below_zero()
    p_of_many_units = p_value_of(0.8, drawn, MANY_UNITS)
    assert p_of_many_units == approx(0.2, abs=1e-4)
    t_of_20_units = 1.28155 * (19 / 20) ** 0.5
    expected = 2 * stats.t.sf(t_of_20_units, 19)
    p_of_20_units = p_value_of(0.8, drawn, 20)
    assert p_of_20_units == approx(expected, abs=1e-4)


def test_p_values_are_of_the_resamples_that_are_defined():
    """A tenth of the defined ones is below zero; more than 1 % that are not defined give no test."""
    drawn = tenth_below_zero()
    drawn[0, :20] = np.nan
    share = (200 - 20) / (2000 - 20)
    p_value = p_value_of(0.8, drawn, MANY_UNITS)
    assert p_value == approx(2 * share, abs=1e-4)
    far = RNG.normal(1, 0.1, size=(1, N_RESAMPLES))
    p_of_all = p_value_of(1.0, far, 200)
    far[0, :20] = np.nan
    p_of_defined = p_value_of(1.0, far, 200)
    assert p_of_defined == approx(p_of_all, rel=0.5)
    drawn[0, 20] = np.nan
    assert p_value_of(0.8, drawn, MANY_UNITS) == 1


def test_equality_of_several_scores_by_hand():
    """Deviations of two scores from their mean: ½ in the data; resampled, 0, ½, 1 and 0, of which
    two are as large.
    """
    drawn = np.array(
        [
            [0.0, 1.0, 0.0, 3.0],
            [1.0, 1.0, 3.0, 4.0],
        ]
    )
    p_value = equality_p_value([0.0, 1.0], drawn)
    assert p_value == (1 + 2) / (1 + 4)
    halves = np.full((2, 4), 0.5)
    assert equality_p_value([0.5, 0.5], halves) == 1
    assert np.isnan(equality_p_value([0.5, np.nan], drawn))
    many = np.tile(drawn, 50)
    many[0, :2] = np.nan  # of 200 resamples, one with the scatter of the scores
    p_value = equality_p_value([0.0, 1.0], many)
    assert p_value == (1 + 99) / (1 + 198)
    many[1, 2] = np.nan
    assert np.isnan(equality_p_value([0.0, 1.0], many))


def test_equal_means_are_found_different_as_often_as_the_level_says():
    rng = np.random.default_rng(1)
    p_values = []
    for _ in range(200):
        values = rng.normal(size=(4, 15))
        means = [mean_of(row) for row in values]
        scores = [mean.value() for mean in means]
        resamples = [mean.resamples() for mean in means]
        p_values.append(equality_p_value(scores, resamples))
    is_different = np.array(p_values) < 0.05
    assert 0.01 <= is_different.mean() <= 0.11


def test_a_difference_of_means_is_tested_by_sign_flips():
    x, y = RNG.normal(size=(2, 30))
    found = difference_of(mean_of(x), mean_of(y))
    assert found.test == "sign flips"
    assert found.value == approx(x.mean() - y.mean())
    assert found.low < found.value < found.high


def test_rounding_is_no_difference():
    """All units 1e-7 lower, as float32 rounds: 30 signs that agree would have a p of 2e-9."""
    x = RNG.normal(size=30)
    of_means = difference_of(mean_of(x), mean_of(x + 1e-7))
    assert of_means.p_value == 1
    y = RNG.normal(size=30)
    correlation = of_units(rho, units(30), x, y)
    score = Sample.of(correlation)
    higher = replace(
        score,
        drawn=score.drawn + 1e-7,
        value=score.value + 1e-7,
    )
    (of_resamples,) = differences(score, [higher])
    assert of_resamples.p_value == 1
    assert of_resamples.test == "resamples"


def wilson_interval(n_right, n):
    return stats.binomtest(n_right, n).proportion_ci(method="wilsoncc")


def test_interval_of_a_share_is_that_of_wilson():
    share = mean_of([1.0] * 19 + [0.0])
    expected = wilson_interval(19, 20)
    assert confidence_interval(share) == (expected.low, expected.high)
    low, high = confidence_interval(mean_of([1.0] * 20))
    assert 0.79 < low < 0.85
    assert high == 1


def share_of_rows(right):
    """Shape (units, rows)."""
    n_units, n_rows = right.shape
    unit_of_row = np.repeat(units(n_units), n_rows)
    cosine = np.where(right.ravel(), 0.2, 0.8)
    return share_under(0.5, unit_of_row, cosine)


T_OF_7 = 2.3646


def wilson_bound(n_right, n, *, side):
    """An end of Wilson's interval with the correction for continuity.

    Of r right answers of n, and n − r = w wrong ones:
    [2r + t² ± 1 ± t √(t² ± 2 − 1/n + 4 r (w ∓ 1)/n)] / 2 (n + t²); `side` is −1 for the lower end.
    """
    t_squared = T_OF_7**2
    n_wrong = n - n_right
    spread = 4 * n_right * (n_wrong - side) / n
    root = (t_squared + 2 * side - 1 / n + spread) ** 0.5
    center = 2 * n_right + t_squared + side
    end = center + side * T_OF_7 * root
    return end / (2 * (n + t_squared))


def test_interval_of_a_share_of_rows_knows_its_few_units():
    """Eight units of two rows, where t(7) is 2.3646, by hand."""
    all_right = np.ones((8, 2), dtype=bool)
    low = wilson_bound(8, 8, side=-1)
    interval = confidence_interval(share_of_rows(all_right))
    assert interval == approx((low, 1.0), abs=1e-4)
    # resamples spread as those of n rows do, three quarters of them right
    is_right = np.arange(8) < 6
    times = draw(units(8))
    n_drawn = times.sum(axis=1)
    n_drawn_right = times[:, is_right].sum(axis=1)
    is_drawn = n_drawn > 0
    resamples = n_drawn_right[is_drawn] / n_drawn[is_drawn]
    variance = resamples.var() * 8 / 7
    n = round(0.75 * 0.25 / variance)
    n_right = 0.75 * n
    low = wilson_bound(np.floor(n_right), n, side=-1)
    high = wilson_bound(np.ceil(n_right), n, side=1)
    both_rows = np.column_stack([is_right, is_right])
    interval = confidence_interval(share_of_rows(both_rows))
    assert interval == approx((low, high), abs=1e-3)


@settings(max_examples=15)
@given(arrays(bool, (11, 4)))
def test_interval_of_a_share_of_rows_holds_it_and_mirrors(right):
    low, high = confidence_interval(share_of_rows(right))
    assert 0 <= low <= right.mean() <= high <= 1
    of_wrong = confidence_interval(share_of_rows(~right))
    assert of_wrong == approx((1 - high, 1 - low), abs=1e-6)


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param((60, 1), id="adjectives"),
        pytest.param((1, 12), id="nouns"),
    ],
)
def test_interval_of_crossed_units_is_that_of_those_that_differ(shape):
    """60 adjectives × 12 nouns."""
    differ = RNG.normal(size=shape)
    values = np.broadcast_to(differ, (60, 12))
    adjectives = units(60)
    score = CrossedStatistic(
        adjectives,
        adjectives,
        units(12),
        mean_of_cells(values),
        NotImplemented,
    )
    assert score.effective_size == approx(differ.size, abs=1)  # rounded down
    low, high = confidence_interval(mean_of(differ.ravel()))
    tenth = 0.1 * (high - low)
    assert confidence_interval(score) == approx((low, high), abs=tenth)


def test_an_interval_does_not_end_where_the_resamples_do():
    """Perfect scores: 20 units that each have the mean of two answers, and an AUC of 10 and 10
    units, by hand.

    Newcombe's lower end L of an AUC of 1 solves 1 − L = 1.96 · √(L (1 − L) (1 + 9 (1 − L)/(2 − L) +
    9 L/(1 + L))) / 10.
    """
    # p (1 − p) is 2.05 times the variance: 41 units, of which 39.975 are right
    low, high = confidence_interval(mean_of([1.0] * 19 + [0.5]))
    assert low == wilson_interval(39, 41).low
    assert high == wilson_interval(40, 41).high
    is_first = np.arange(20) < 10
    low, high = confidence_interval(auc_of_groups(1.0 * is_first, is_first))
    wins_over_two = 9 * (1 - low) / (2 - low)
    wins_of_two = 9 * low / (1 + low)
    variance = low * (1 - low) * (1 + wins_over_two + wins_of_two)
    error = np.sqrt(variance) / 10
    assert 1 - low == approx(1.959964 * error, abs=1e-6)
    assert 0.6 < low < 0.9
    assert high == 1.0
    turned = auc_of_groups(1.0 - is_first, is_first)
    assert confidence_interval(turned) == approx((0, 1 - low))


def test_a_few_perfect_resamples_leave_the_percentiles():
    """Six of 20 values lie above ten others, which win where these six are not drawn: e⁻⁶ = .25 %,
    and the percentiles of ten units end at .9 %.
    """
    is_first = np.arange(30) < 10
    values = np.repeat([1.0, 2.0, 0.0], [10, 6, 14])
    score = auc_of_groups(values, is_first)
    resamples = score.resamples()
    is_perfect = resamples == 1
    assert 0 < is_perfect.mean() < 0.008
    assert confidence_interval(score) == percentile_interval(resamples, 10)


def test_an_interval_holds_its_score():
    """12 groups of two rows, without overlap: ρ is -.926, and that of every resample is nearer to
    -1.

    By hand: people's ranks are 12.5 ± 6; the model's are 1 … 12 and twelve times 18.5, with a
    variance of 36 + 143/24.
    """
    groups = np.repeat(units(12), 2)
    of_model = np.ones(24)
    of_model[::2] = np.arange(12) / 12
    of_people = np.tile([1.0, 0.5], 12)
    score = spearman_of_rows(groups, of_model, of_people)
    deviation_of_model = np.sqrt(36 + 143 / 24)
    assert score.value() == approx(-6 / deviation_of_model)
    assert score.resamples().max() < score.value()
    low, high = confidence_interval(score)
    assert low < high == score.value()


def test_shares_that_differ_nowhere_still_have_an_interval():
    """Bonett and Price: one unit more on either side, √(2 / 22) / √22 · 1.96."""
    all_right = mean_of(np.ones(20))
    found = difference_of(all_right, all_right)
    assert found.low == approx(-0.1260, abs=1e-4)
    assert found.high == approx(0.1260, abs=1e-4)
    assert found.p_value == 1


def test_one_unit_has_no_interval():
    assert all_undefined(confidence_interval(mean_of([0.5])))
    right = mean_of([1.0])
    wrong = mean_of([0.0])
    found = difference_of(right, wrong)
    assert all_undefined([found.low, found.high])
    assert found.p_value == 1
    assert differences(Sample.of(right), []) == []


def test_signs_of_few_units_are_drawn_with_those_of_many() -> None:
    signs_of_many = _signs(40)
    assert np.shares_memory(_signs(20), signs_of_many)
    assert not signs_of_many.flags.writeable
