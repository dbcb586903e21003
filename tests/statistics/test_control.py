from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from harness_ext.statistics.control import partial_rho


def test_a_partial_correlation_is_that_of_the_residuals_of_ranks() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3, 30))
    values[0] += values[2]
    ranks = stats.rankdata(values, axis=1)
    held = np.column_stack([np.ones(30), ranks[2]])
    one, other = (row - held @ np.linalg.lstsq(held, row, rcond=None)[0] for row in ranks[:2])
    assert partial_rho(*values, np.ones((1, 30)))[0] == pytest.approx(np.corrcoef(one, other)[0, 1])


def test_a_place_that_weighs_twice_is_there_twice() -> None:
    values = np.array([[1.0, 2.0, 2.0, 5.0], [3.0, 1.0, 4.0, 4.0]])
    twice = np.repeat(values, [2, 1, 0, 3], axis=1)
    expected = stats.spearmanr(*twice).statistic
    assert partial_rho(*values, np.ones(4), np.array([[2.0, 1.0, 0.0, 3.0]]))[0] == pytest.approx(expected)


def test_a_score_that_follows_from_the_control_has_no_partial_correlation() -> None:
    values = np.array([[1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0], [10.0, 20.0, 30.0, 40.0]])
    assert np.isnan(partial_rho(*values, np.ones((1, 4)))).all()
