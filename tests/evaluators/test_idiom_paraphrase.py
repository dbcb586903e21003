"""Idiom paraphrase by hand: what wins, and that ties are halves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from harness_ext.evaluators.idiom_paraphrase import (
    EXPRESSION_PARAPHRASE,
    IDIOM_PARAPHRASE,
    RemovedRows,
    expression_paraphrase_plan,
)
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


def test_compounds_by_hand():
    """Texts are angles: right, wrong, and a tie of the second expression; a pair without a paraphrase of its words."""
    texts = [("hot dog", 0, 10, 40), ("hot dog", 0, 30, 20), ("big deal", 0, 20, -20), ("big deal", 0, 5, None)]
    rows = [
        {
            "id": f"{number}", "expression": name, "sentence": str(sentence), "entailed": str(entailed),
            "not_entailed": None if other is None else str(other), "removed_by": None,
        }
        for number, (name, sentence, entailed, other) in enumerate(texts)
    ]  # fmt: skip
    rows.append({**rows[0], "id": "4", "removed_by": "same_text"})
    measure = replace(EXPRESSION_PARAPHRASE, fewest_units=1)

    def encode(texts):
        radians = np.radians([float(text) for text in texts])
        return np.stack([np.cos(radians), np.sin(radians)], axis=1)

    scores = measure.flat_scores(measure.fill(expression_paraphrase_plan(rows), encode))
    assert scores["share_entailed"] == pytest.approx(1.5 / 3)
    assert (scores["n_share_entailed"], scores["n_excluded_same_text"]) == (2, 1)
    found, wanted = np.cos(np.radians([40, 20, 20, 5])), np.cos(np.radians([30, 10, 40, 0]))
    assert scores["self_consistency"] == pytest.approx(spearmanr(found.round(9), wanted.round(9)).statistic)
