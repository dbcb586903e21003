"""Error rates of comparisons and ranks, with bounds, on planted worlds; docs/compare.md has more of
them.
"""

import numpy as np
import pytest

from benchmarks.comparison_simulation import (
    KINDS,
    LONG,
    errors_of_bags,
    errors_of_pairs,
    errors_of_ranks,
)

pytestmark = pytest.mark.slow


def upper(rate, worlds):
    """Two standard errors above a nominal rate; with a fixed seed a test of twenty rates may not
    fail by chance.
    """
    return rate + 2 * np.sqrt(rate * (1 - rate) / worlds)


HARDEST = (
    "mean",
    "mean of rows",
    "share of .95, nearly alike",
    "share of .95, of rows",
    "rank correlation of .3",
    "rank correlation of .3, of rows",
    "AUC of .95",
    "crossed mean",
)
"""A kind of each form of score; docs/error_rates.csv has all kinds."""


NOMINAL = (0.05, 0.01, 0.05, 0.01)
"""The error rates that the first four fields of what is found should have."""


@pytest.mark.parametrize("name", HARDEST)
def test_tests_and_intervals_of_equal_models(name):
    kind = KINDS[name]
    worlds = 200 // LONG.get(kind.form, 1)
    found = errors_of_pairs(kind, 20, worlds, np.random.default_rng(1))
    for rate, nominal in zip(found, NOMINAL, strict=False):
        assert rate <= upper(nominal, worlds)
    for coverage in (found.holds_difference, found.holds_score, found.holds_gain):
        assert 1 - coverage <= upper(0.07, worlds)


WORLDS = {2: 150, 20: 50, 100: 10}
"""Number of models -> of drawn worlds: more models take longer."""


@pytest.mark.parametrize(("models", "worlds"), WORLDS.items())
def test_ranks(models, worlds):
    found = errors_of_ranks(models, 60, worlds, np.random.default_rng(1))
    assert max(found.told_apart, found.shares_told_apart) <= upper(0.06, worlds)
    assert min(found.near, found.far) >= 0.9
    assert found.holds_all >= 1 - upper(0.06, worlds)


@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_units_with_common_words_are_not_independent():
    """As docs/compare.md warns: sums of random word vectors that differ in their seed alone differ
    significantly.
    """
    n, pairs, at_05, at_01 = errors_of_bags(n_bags=12)
    assert (n, pairs) == (350, 66)
    assert at_05 > upper(0.05, pairs)
    assert at_01 > upper(0.01, pairs)
