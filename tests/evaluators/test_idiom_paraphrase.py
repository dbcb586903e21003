"""Idiom paraphrase by hand: what wins, and that ties are halves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness_ext.evaluators.idiom_paraphrase import IDIOM_PARAPHRASE, RemovedRows
from tests.evaluators.given import idiom_paraphrase_items

IDIOM_PARAPHRASE = replace(IDIOM_PARAPHRASE, fewest_units=1)  # worked out by hand


def scores_of(angles):
    radians = np.radians(angles).ravel()
    vectors = np.stack([np.cos(radians), np.sin(radians)], axis=1)
    rows = np.array([f"idioms-{number}" for number in range(len(angles))])
    removed = RemovedRows(["idioms-7", "idioms-8", "idioms-9"], ["repeated", "no_entailed", "repeated"])
    comparisons = np.arange(len(radians)).reshape(-1, 3)
    return IDIOM_PARAPHRASE.flat_scores(
        idiom_paraphrase_items(vectors, comparisons, rows, np.arange(len(angles)), removed)
    )


def test_by_hand():
    scores = scores_of([(0, 10, 40), (0, 30, 20), (0, 20, -20), (0, 15, 25)])  # right, wrong, tie, right
    assert scores["share_entailed"] == pytest.approx(2.5 / 4)
    assert (scores["n_excluded_repeated"], scores["n_excluded_no_entailed"]) == (2, 1)
    assert (scores["n_excluded_no_not_entailed"], scores["n_changed"]) == (0, 6)


def test_who_swaps_the_rewrites_gets_the_rest():
    angles = np.random.default_rng(0).uniform(0, 180, size=(50, 3))
    one, other = scores_of(angles), scores_of(angles[:, [0, 2, 1]])
    assert one["share_entailed"] + other["share_entailed"] == pytest.approx(1)
