"""Negation importance by hand and on planted encoders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness_ext.evaluators.negation_importance import NEGATION_IMPORTANCE, negation_plan
from tests.planted import bag_of_words, random_vector, vectors_of

BY_HAND = replace(NEGATION_IMPORTANCE, fewest_units=1)


def row(number, important, n_removed, removed_by=None):
    return {
        "id": f"row {number}", "pair": f"pair {number}", "before": f"before {number}", "after": f"after {number}",
        "important": important, "n_removed": n_removed, "removed_by": removed_by,
    }  # fmt: skip


def by_angle(angles):
    """An encoder for which a sentence turns by the angle of its number."""
    turned = {f"after {number}": angle for number, angle in enumerate(angles)}
    return lambda text: np.array([np.cos(turned.get(text, 0.0)), np.sin(turned.get(text, 0.0))])


def scores_of(encode, rows):
    return BY_HAND.flat_scores(BY_HAND.fill(negation_plan(rows), vectors_of(encode)))


def test_by_hand():
    rows = [
        row(0, True, 1),
        row(1, True, 2),
        row(2, False, 1),
        row(3, False, 2),
        row(4, False, 3),
        row(5, True, 1, "both_changed"),
    ]
    scores = scores_of(by_angle([0.5, 0.2, 0.4, 0.3, 0.2, 0.1]), rows)
    assert scores["importance_auc"] == pytest.approx((3 + 0.5) / 6)  # .5 moves more than all; .2 ties with one
    assert scores["importance_auc_given_length"] == pytest.approx(1 / 2)  # .5 > .4 of one token, .2 < .3 of two
    assert scores["n_excluded_changed_twice"] == 1
    assert scores["n_importance_auc"] == 5


def test_intervals_of_length_within_and_without_strata():
    """A slow count, row by row, gives each value, and the value lies in its interval."""
    rng = np.random.default_rng(0)
    angles, lengths, important = rng.uniform(0.1, 1, 60), rng.integers(1, 4, 60), rng.random(60) < 0.6
    rows = [row(number, bool(one), int(n)) for number, (one, n) in enumerate(zip(important, lengths, strict=True))]
    scores = scores_of(by_angle(angles), rows)
    pairs = [(i, j) for i in np.flatnonzero(important) for j in np.flatnonzero(~important)]
    for key, used in (
        ("importance_auc", pairs),
        ("importance_auc_given_length", [(i, j) for i, j in pairs if lengths[i] == lengths[j]]),
    ):
        assert scores[key] == pytest.approx(np.mean([angles[i] > angles[j] for i, j in used]))
        assert scores[f"{key}_ci_low"] < scores[key] < scores[f"{key}_ci_high"]


@pytest.mark.parametrize("encode", [random_vector(1), bag_of_words(1)], ids=["random", "words"])
def test_an_encoder_that_knows_nothing_of_importance_is_at_chance(encode):
    rows = []
    for number in range(80):
        words = [f"word{word}" for word in np.random.default_rng(number).integers(0, 500, 8)]
        texts = {"before": " ".join([*words, "not"]), "after": " ".join(words)}
        rows.append({**row(number, number % 2 == 0, 1), **texts})
    scores = scores_of(encode, rows)
    assert scores["importance_auc_ci_low"] < 0.5 < scores["importance_auc_ci_high"]
