"""Resamples of rows that are sorted once are those of the formula over all rows at once, to the
last digit.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from harness_ext.statistics import bootstrap, statistic
from harness_ext.statistics.bootstrap import draw, draw_by_units
from harness_ext.statistics.statistic import spearman_difference, spearman_of_rows
from harness_ext.statistics.threshold import probability_nearer, share_below, threshold
from tests.statistics.samples import units


@dataclass(frozen=True)
class Rows:
    units: np.ndarray
    cosines: np.ndarray
    people: np.ndarray
    accepted: np.ndarray
    strata: np.ndarray
    is_more: np.ndarray


def _rows(n, n_units, digits, seed):
    """Random rows; few digits make ties."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(n_units, size=n)
    cosines = rng.uniform(-1, 1, n).round(digits)
    step = max(7, n // 5)
    cosines[::step] = np.nan
    ratings = rng.integers(0, 5, n)
    accepted = rng.random(n) < 0.5
    strata = rng.integers(0, 4, n)
    return Rows(
        units=units(n_units)[numbers],
        cosines=cosines,
        people=ratings + cosines.round(1),
        accepted=accepted,
        strata=strata.astype(float),
        is_more=numbers % 2 == 0,
    )


def _spearman(rows):
    return spearman_of_rows(rows.units, rows.cosines, rows.people)


def _difference(rows):
    return spearman_difference(
        rows.units,
        rows.cosines,
        rows.people,
        rows.is_more,
        ~rows.is_more,
    )


def _threshold(rows):
    return threshold(90, rows.units, rows.cosines)


def _below(rows):
    return share_below(
        80,
        rows.units,
        rows.cosines,
        rows.accepted,
        ~rows.accepted,
        5,
    )


def _nearer(rows, strata=None):
    return probability_nearer(
        rows.units,
        rows.cosines,
        rows.accepted,
        ~rows.accepted,
        strata,
    )


def _nearer_within(rows):
    return _nearer(rows, rows.strata)


@pytest.mark.parametrize(
    "score",
    [
        _spearman,
        _difference,
        _threshold,
        _below,
        _nearer,
        _nearer_within,
    ],
)
@pytest.mark.parametrize(
    ("n", "n_units", "digits"),
    [
        (120, 30, 9),
        (120, 30, 1),
        (30, 8, 1),
        (25, 25, 9),
        (6, 3, 0),
    ],
)
def test_rows_sorted_once_give_the_resamples_of_the_formula(monkeypatch, score, n, n_units, digits):
    rows = _rows(n, n_units, digits, seed=n + digits)
    found = score(rows)
    sorted_once = found.resamples()
    monkeypatch.setattr(statistic, "_RESAMPLES_OF_BLOCK", 7)
    monkeypatch.setattr(statistic, "_ROWS_IN_MEMORY", 3 * n)
    in_blocks = score(rows).resamples()
    over_all_rows = replace(found.formula, of_counts=None)
    at_once = replace(found, formula=over_all_rows).resamples()
    # an earlier numpy adds products up in another order
    assert_allclose(sorted_once, at_once, rtol=1e-12, atol=1e-14)
    assert_allclose(in_blocks, at_once, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("percent", [80, 90])
def test_threshold_is_found_where_the_least_rows_are_of_a_unit_that_is_not_drawn(percent):
    names = np.repeat(units(3), (260, 70, 70))
    cosines = np.linspace(-1, 1, 400)
    found = threshold(percent, names, cosines)
    with_first = draw(found.units)[:, 0] > 0
    resamples = found.resamples()
    assert resamples[with_first].max() < cosines[260]
    is_without = ~with_first & (draw(found.units).sum(axis=1) > 0)
    assert resamples[is_without].min() >= cosines[260]


def test_kept_counts_are_those_that_are_drawn(monkeypatch):
    many = units(1_300)
    few = units(3)
    monkeypatch.setattr(bootstrap, "_BYTES_KEPT", 3 * bootstrap.N_RESAMPLES)
    bootstrap._KEPT.clear()
    first = draw(few)
    assert draw(few) is first
    assert not first.flags.writeable
    draw(many)  # too large to stay beside it
    assert draw(few) is not first
    assert_array_equal(draw(few), first)
    monkeypatch.setattr(bootstrap, "_MOST_UNITS_KEPT", 2)
    assert_array_equal(draw(few), first)
    blocks = [counts for _, counts in draw_by_units(many)]
    counts_of_many = np.concatenate(blocks, axis=1)
    assert_array_equal(counts_of_many, draw(many))
