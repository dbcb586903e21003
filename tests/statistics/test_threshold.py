"""Thresholds keep what they promise: shares of new values, by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.threshold import (
    accepting,
    fewest_accepted,
    share_below,
    share_under,
    threshold,
)

DRAWS = 20_000

WORLDS = 400

EXACT = {9, 29, 49}
"""For these, .1 (n + 1) is whole, and exactly 90 % are kept."""


@pytest.mark.parametrize("n", [9, 10, 20, 29, 49, 180])
def test_new_paraphrases_are_kept_as_often_as_promised(n):
    """Of uniform values, the share above a threshold is 1 less the threshold."""
    cosines = np.sort(np.random.default_rng(n).uniform(size=(DRAWS, n)), axis=1)
    (place,) = accepting(90, np.ones((1, n)))
    kept = 1 - cosines[:, place]
    error = kept.std() / np.sqrt(DRAWS)
    assert kept.mean() > 0.9 - 2 * error
    if n in EXACT:
        assert kept.mean() == pytest.approx(0.9, abs=2 * error)
    units = np.arange(n).astype(str)
    assert threshold(90, units, cosines[0]).value() == cosines[0, place]


@pytest.mark.parametrize("n", [12, 40, 180])
def test_the_interval_of_what_is_kept_holds_the_share_of_new_paraphrases(n):
    """The threshold is of the same values: as if it were given, the interval holds the truth."""
    rng = np.random.default_rng(n)
    units = np.arange(n).astype(str)
    held = 0
    for _ in range(WORLDS):
        cosines = rng.uniform(size=n)
        cosine = threshold(90, units, cosines).value()
        low, high = confidence_interval(share_under(cosine, units, cosines))
        held += low <= cosine <= high
    error = np.sqrt(0.95 * 0.05 / WORLDS)
    assert held / WORLDS >= 0.95 - 2 * error


def test_of_too_few_values_there_is_no_threshold():
    for percent in (80, 90, 95):
        fewest = fewest_accepted(percent)
        enough_times = np.ones((1, fewest))
        too_few_times = np.ones((1, fewest - 1))
        assert accepting(percent, enough_times).tolist() == [0]
        assert accepting(percent, too_few_times).tolist() == [-1]
        few = np.linspace(0, 1, fewest - 1)
        statistic = threshold(percent, few.astype(str), few)
        assert np.isnan(statistic.value())


def test_a_resample_varies_with_all_units():
    """The interval is expanded for all units; that those of the first kind are few says only
    whether there is a score.
    """
    units = np.array([f"unit {number}" for number in range(40)])
    accepted = np.arange(40) < 12
    share = share_below(90, units, np.linspace(0, 1, 40), accepted, ~accepted, 10)
    assert share.fewest_units == 12
    assert share.effective_size == 40
