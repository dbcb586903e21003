"""Thresholds keep what they promise: shares of new values, by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.threshold import (
    accepting,
    fewest_accepted,
    share_below,
    share_under,
    threshold,
)
from tests.statistics.samples import units

DRAWS = 20_000

WORLDS = 400

EXACT = {9, 29, 49}
"""For these, .1 (n + 1) is whole, and exactly 90 % are kept."""


@pytest.mark.parametrize("n", [9, 10, 20, 29, 49, 180])
def test_new_paraphrases_are_kept_as_often_as_promised(n):
    """Of uniform values, the share above a threshold is 1 less the threshold."""
    rng = np.random.default_rng(n)
    cosines = rng.uniform(size=(DRAWS, n))
    cosines.sort(axis=1)
    once = np.ones((1, n))
    (place,) = accepting(90, once)
    kept = 1 - cosines[:, place]
    error = kept.std() / np.sqrt(DRAWS)
    assert kept.mean() > 0.9 - 2 * error
    if n in EXACT:
        assert kept.mean() == approx(0.9, abs=2 * error)
    first = cosines[0]
    of_first = threshold(90, units(n), first)
    assert of_first.value() == first[place]


@pytest.mark.parametrize("n", [12, pytest.param(180, marks=pytest.mark.slow)])
def test_the_interval_of_what_is_kept_holds_the_share_of_new_paraphrases(n):
    """The threshold is of the same values: as if it were given, the interval holds the truth."""
    rng = np.random.default_rng(n)
    names = units(n)
    held = 0
    for _ in range(WORLDS):
        cosines = rng.uniform(size=n)
        cosine = threshold(90, names, cosines).value()
        share = share_under(cosine, names, cosines)
        low, high = confidence_interval(share)
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
        few_cosines = np.linspace(0, 1, fewest - 1)
        names = units(fewest - 1)
        statistic = threshold(percent, names, few_cosines)
        assert np.isnan(statistic.value())


def test_a_resample_varies_with_all_units():
    """The interval is expanded for all units; that those of the first kind are few says only
    whether there is a score.
    """
    cosines = np.linspace(0, 1, 40)
    accepted = np.arange(40) < 12
    share = share_below(90, units(40), cosines, accepted, ~accepted, 10)
    assert share.fewest_units == 12
    assert share.effective_size == 40
