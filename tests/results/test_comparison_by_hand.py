"""A comparison, by hand: which of two is better, what is significant, and how few units are few."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from harness_ext.results.compare import Comparison, ComparisonError, _common_units
from harness_ext.tasks import TASKS
from tests.results.planted_items import entry_at

TASK = TASKS["PolaritySensitivity"]


def comparison(first_score, second_score, *, p_value=0.5, adjusted=0.5):
    """A comparison of two entries with these scores."""
    first = entry_at(TASK.name, TASK.splits[0], (1.0, 2.0))
    second = entry_at(TASK.name, TASK.splits[0], (3.0, 4.0))
    return Comparison(
        first=first,
        second=second,
        key=TASK.measure.main,
        first_score=first_score,
        second_score=second_score,
        low=0.0,
        high=1.0,
        p_value=p_value,
        test="sign flips",
        n_units=20,
        n_units_of_first=20,
        n_units_of_second=20,
        adjusted_p_value=adjusted,
    )


def test_the_higher_is_better_where_higher_is_better():
    """As the accuracy of polarity is."""
    pair = comparison(0.5, 0.25)
    assert pair.better is pair.first
    pair = comparison(0.25, 0.5)
    assert pair.better is pair.second


def test_of_two_equal_scores_none_is_better():
    assert comparison(0.5, 0.5).better is None


@pytest.mark.parametrize(
    ("p_value", "adjusted", "is_significant"),
    [(0.01, 0.06, False), (0.01, 0.049, True), (0.05, 0.05, False)],
)
def test_what_is_significant_is_so_by_the_corrected_p_below_5_percent(
    p_value, adjusted, is_significant
):
    pair = comparison(0.5, 0.25, p_value=p_value, adjusted=adjusted)
    assert pair.is_significant is is_significant


@dataclass
class Units:
    """An entry as far as its units are asked for."""

    file: str
    names: np.ndarray

    def sample(self, key):
        return SimpleNamespace(names=self.names)


def common_units(n_first, n_second, n_common):
    """The common units of two entries that have so many, the last of the first and the first of the
    second.
    """
    start = n_first - n_common
    numbers = np.array([f"{number:03d}" for number in range(n_first + n_second)])
    first = Units("one.json", numbers[:n_first])
    second = Units("other.json", numbers[start : start + n_second])
    return _common_units(first, second, "auc")


def test_ten_units_that_are_half_of_all_are_enough():
    assert common_units(20, 20, 10) == tuple(f"{number:03d}" for number in range(10, 20))


@pytest.mark.parametrize(("n", "n_common"), [(18, 9), (21, 10)])
def test_nine_units_and_less_than_half_are_too_few(n, n_common):
    said = rf"one\.json and other\.json: {n_common} of {n} units are common in auc"
    with pytest.raises(ComparisonError, match=said):
        common_units(n, n, n_common)
