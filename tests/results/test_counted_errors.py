"""What an interval or a rank has to count beside the units drawn, each worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from harness_ext.measures.core.baseline_keys import ADDITIVE_ERROR, gain_key
from harness_ext.results.effects import Reference, effect
from harness_ext.results.load import load_results
from harness_ext.results.overall import mean_estimate
from harness_ext.results.ranks import Estimate
from harness_ext.statistics.bootstrap import N_RESAMPLES

PROBABILITIES = (np.arange(N_RESAMPLES) + 0.5) / N_RESAMPLES
NORMAL_QUANTILES = stats.norm.ppf(PROBABILITIES)
"""Resamples that spread as a normal score with standard error 1, shape (`N_RESAMPLES`,)."""


@pytest.fixture(scope="module")
def measured(measured_folder):
    """ε Mini of an encoder that is not far from chance, with its items."""
    tasks = ["EpsilonCompositionalityMini"]
    (entry,) = load_results(measured_folder, tasks, ["planted/other"]).entries
    return entry


def expanded(z, n):
    """The quantile of few units: Student's, and by √(n / (n − 1)) further out."""
    probability = stats.norm.cdf(z)
    quantile = stats.t.ppf(probability, n - 1)
    return quantile * np.sqrt(n / (n - 1))


def test_ranks_by_gain_count_the_error_of_the_baseline(measured):
    """Its variance is added to that of the units."""
    key = gain_key(measured.measure.main)
    spreads = {}
    for error in (0.0, 0.3):
        scores = {**measured.scores, ADDITIVE_ERROR: error}
        estimate = Estimate.of(replace(measured, scores=scores), key)
        spreads[error] = estimate.drawn.std()
    expected = np.hypot(spreads[0.0], 0.3)
    assert spreads[0.3] == pytest.approx(expected, rel=0.05)


def test_the_mean_of_columns_is_widened_for_the_fewest_units():
    """Of a column with standard error 1 and one that is known, the mean has standard error ½."""
    unsure = Estimate(0.0, None, NORMAL_QUANTILES, 12)
    known = Estimate(0.0, None, np.zeros(N_RESAMPLES), 400)
    mean = mean_estimate([unsure, known])
    half_width = expanded(1.959964, 12) / 2
    assert mean.n == 12
    assert mean.interval == pytest.approx((-half_width, half_width), rel=0.01)


def test_a_small_effect_is_shown_by_the_interval_of_90_percent(measured):
    """Two one-sided tests at .05: the narrow ends are the expanded 5th and 95th percentiles."""
    sample = measured.sample(measured.measure.main)
    low, high = measured.interval()
    assert abs(measured.main_score - 0.5) < 0.1, "another seed"
    assert max(0.5 - low, high - 0.5) >= 0.1, "another seed"
    tail = 100 * stats.norm.cdf(expanded(-1.644854, sample.n))
    by_hand = np.percentile(sample.drawn, [tail, 100 - tail])
    narrow = effect(measured, Reference.CHANCE).narrow
    assert narrow == pytest.approx(by_hand - 0.5, abs=1e-6)
    assert low - 0.5 < narrow[0]
    assert narrow[1] < high - 0.5
