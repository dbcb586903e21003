"""Error rates of comparisons and ranks, with bounds, on planted worlds."""

import numpy as np
import pytest

from benchmarks.comparison_simulation import KINDS, MODELS, errors_of_pairs, errors_of_ranks

pytestmark = pytest.mark.slow


def upper(rate, worlds):
    """Two standard errors above a nominal rate."""
    return rate + 2 * np.sqrt(rate * (1 - rate) / worlds)


@pytest.mark.parametrize("kind", KINDS)
def test_tests_and_intervals_of_equal_models(kind):
    worlds = 400
    found = errors_of_pairs(kind, 20, worlds, np.random.default_rng(1))
    assert found.at_05 <= upper(0.05, worlds)
    assert found.at_01 <= upper(0.01, worlds)
    assert found.holds_difference >= 0.93 - (upper(0.07, worlds) - 0.07)
    assert np.isnan(found.holds_score) or found.holds_score >= 0.93 - (upper(0.07, worlds) - 0.07)


@pytest.mark.parametrize(("m", "worlds"), zip(MODELS, (300, 300, 150, 40), strict=True))
def test_ranks(m, worlds):
    found = errors_of_ranks(m, 60, worlds, np.random.default_rng(1))
    assert found.told_apart <= upper(0.06, worlds)
    assert found.clusters >= 0.9
    assert found.holds_all >= 1 - upper(0.06, worlds)
