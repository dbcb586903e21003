"""Role swaps and transitive sentences: values by hand, ceilings, and what must not change a score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from harness_ext.evaluators.pair_similarity import ROLE_SWAP
from harness_ext.statistics.statistic import spearman_difference
from tests.evaluators.given import at
from tests.planted import vectors_of

ROLE_SWAP = replace(ROLE_SWAP, fewest_units=1)  # worked out by hand
VECTORS = np.array([at(degrees) for degrees in (0, 10, 40, 80, 20, 30, 60)])


def items_of(people, vectors=VECTORS):
    kinds = ["adversarial"] * 3 + ["ordinary"] * 3
    rows = [
        {
            "id": f"pair-{n}",
            "kind": kind,
            "group": n,
            "sentence1": "0",
            "sentence2": str(n + 1),
            "similarity": people[n],
        }
        for n, kind in enumerate(kinds)
    ]
    return ROLE_SWAP.fill(ROLE_SWAP.planned(rows, ""), vectors_of(lambda text: vectors[int(text)]))


def test_correlations_by_hand():
    """Cosines fall in the order 10, 40, 80 degrees, and 20, 30, 60; over all, ranks 6 3 1 5 4 2."""
    scores = ROLE_SWAP.flat_scores(items_of([0.1, 0.5, 0.9, 0.8, 0.7, 0.2]))
    assert scores["spearman_adversarial"] == pytest.approx(-1)
    assert scores["spearman_ordinary"] == pytest.approx(1)
    assert scores["spearman_difference"] == pytest.approx(2)
    # people's ranks 1 3 6 5 4 2: d = 5 0 -5 0 0 0
    assert scores["spearman_all"] == pytest.approx(1 - 6 * 50 / (6 * 35))
    assert scores["n_excluded_zero_vector"] == 0


def test_zero_vectors_are_counted_and_left_out():
    vectors = VECTORS.copy()
    vectors[2] = 0
    scores = ROLE_SWAP.flat_scores(items_of([0.1, 0.5, 0.9, 0.8, 0.7, 0.2], vectors))
    assert scores["n_excluded_zero_vector"] == 1
    assert "spearman_adversarial" not in scores  # two pairs are left
    assert scores["spearman_ordinary"] == pytest.approx(1)


def test_rounding_does_not_rank_identical_sentences():
    vectors = np.ones((7, 3)) * (1 + 1e-15 * np.arange(7)[:, None])
    assert set(items_of(np.arange(6) / 5, vectors).pairs.similarity) == {1.0}


def test_ceilings_are_declared_where_there_are_ratings():
    ceilings = {key: score.ceiling for key, (score, _) in ROLE_SWAP.scores.by_key().items()}
    assert ceilings["spearman_adversarial"] == 0.875
    assert ceilings["spearman_ordinary"] == 0.902
    assert ceilings["spearman_difference"] is None


def test_the_difference_of_correlations_draws_each_side_from_its_own_units():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 40))
    more = np.arange(40) < 20
    units = np.array([f"{number // 2}" for number in range(40)])
    found = spearman_difference(units, x, y, more, ~more)
    assert found.value() == pytest.approx(spearmanr(x[more], y[more])[0] - spearmanr(x[~more], y[~more])[0])
    assert len(found.units) == 20
    low, high = np.percentile(found.resamples(), [2.5, 97.5])
    assert low < found.value() < high
