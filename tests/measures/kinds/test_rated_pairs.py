"""Rated pairs: values by hand, ceilings, and what must not change a score."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from harness_ext.measures.kinds.pair_similarity import RoleSwap
from harness_ext.measures.kinds.rated_pairs import OwnRatedPairs
from harness_ext.statistics.statistic import spearman_difference
from tests.measures.given import at
from tests.planted import vectors_of

VECTORS = np.array([at(degrees) for degrees in (0, 10, 40, 80, 20, 30, 60)])
PEOPLE = [0.1, 0.5, 0.9, 0.8, 0.7, 0.2]


class RoleSwapByHand(RoleSwap):
    fewest_units = 1


class ByHand(OwnRatedPairs):
    fewest_units = 1


ROLE_SWAP = RoleSwapByHand()
RATED_PAIRS = ByHand()


def items_of(vectors=VECTORS):
    kinds = ["adversarial"] * 3 + ["ordinary"] * 3
    rows = [
        {
            "id": str(n),
            "kind": kind,
            "group": n,
            "sentence1": "0",
            "sentence2": str(n + 1),
            "similarity": PEOPLE[n],
        }
        for n, kind in enumerate(kinds)
    ]
    return ROLE_SWAP.fill(ROLE_SWAP.planned(rows, ""), vectors_of(lambda text: vectors[int(text)]))


def test_correlations_by_hand():
    """Cosines fall in the order 10, 40, 80 degrees, and 20, 30, 60; over all, ranks 6 3 1 5 4 2."""
    scores = ROLE_SWAP.flat_scores(items_of())
    assert scores["spearman_adversarial"] == pytest.approx(-1)
    assert scores["spearman_ordinary"] == pytest.approx(1)
    assert scores["spearman_difference"] == pytest.approx(2)
    # people's ranks 1 3 6 5 4 2: d = 5 0 -5 0 0 0
    assert scores["spearman_all"] == pytest.approx(1 - 6 * 50 / (6 * 35))
    ceilings = {key: score.ceiling for key, (score, _) in ROLE_SWAP.by_key.items()}
    assert [ceilings[f"spearman_{key}"] for key in ("adversarial", "ordinary", "difference")] == [
        0.875,
        0.902,
        None,
    ]


def test_a_zero_vector_is_left_out_and_rounding_ranks_no_identical_sentences():
    scores = ROLE_SWAP.flat_scores(items_of(VECTORS * (np.arange(7) != 2)[:, None]))
    assert scores["n_excluded_zero_vector"] == 1
    assert "spearman_adversarial" not in scores  # two pairs are left
    assert scores["spearman_ordinary"] == pytest.approx(1)
    vectors = np.ones((7, 3)) * (1 + 1e-15 * np.arange(7)[:, None])
    assert set(items_of(vectors).pairs.similarity) == {1.0}


def test_pairs_with_one_first_text_are_a_unit_where_there_are_no_groups():
    rows = [
        {"id": str(n), "sentence1": str(n // 2), "sentence2": str(n), "score": n} for n in range(6)
    ]
    items = RATED_PAIRS.fill(
        RATED_PAIRS.planned(rows, ""), vectors_of(lambda text: VECTORS[int(text)])
    )
    assert len(RATED_PAIRS.statistic(items, RATED_PAIRS.main).units) == 3
    assert RATED_PAIRS.flat_scores(items)["spearman"] == pytest.approx(
        spearmanr(items.pairs.similarity, np.arange(6)).statistic
    )


def test_the_difference_of_correlations_draws_each_side_from_its_own_units():
    x, y = np.random.default_rng(1).normal(size=(2, 40))
    more = np.arange(40) < 20
    units = np.array([f"{number // 2}" for number in range(40)])
    found = spearman_difference(units, x, y, more, ~more)
    assert found.value() == pytest.approx(
        spearmanr(x[more], y[more])[0] - spearmanr(x[~more], y[~more])[0]
    )
    assert len(found.units) == 20
    low, high = np.percentile(found.resamples(), [2.5, 97.5])
    assert low < found.value() < high
