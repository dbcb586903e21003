"""Particle swap by hand and on planted encoders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness_ext.evaluators.particle_swap import PARTICLE_SWAP, particle_plan
from tests.planted import vectors_of

BY_HAND = replace(PARTICLE_SWAP, fewest_units=1)


def row(pair, kind, angle, people=0.0, particle="ga"):
    return {
        "id": f"{pair} {particle} {kind}", "pair": pair, "particle": particle, "kind": kind, "original": "0.1",
        "changed": str(angle), "other": "0.0", "original_rating": 4.0, "changed_rating": 4.0 + people,
    }  # fmt: skip


def by_angle(text):
    return np.array([np.cos(float(text)), np.sin(float(text))])


def scores_of(rows):
    return BY_HAND.flat_scores(BY_HAND.fill(particle_plan(rows), vectors_of(by_angle)))


def test_by_hand():
    rows = [
        row("1", "swap", 0.8, -2), row("1", "scrambling", 0.2),  # right
        row("2", "swap", 0.3, -1), row("2", "scrambling", 0.4),  # wrong
        row("3", "swap", 0.5, -1.5), row("3", "scrambling", 0.5),  # tie
        row("4", "swap", 0.7, -1.8), row("4", "scrambling", 0.1, particle="wo"),  # of no common particle
        row("5", "deletion", 0.6),
    ]  # fmt: skip
    scores = scores_of(rows)
    assert scores["share_swap_falls"] == pytest.approx(1.5 / 3)
    assert scores["n_share_swap_falls"] == 3
    swaps, scramblings = (0.8, 0.3, 0.5, 0.7), (0.2, 0.4, 0.5, 0.1)
    above = [(swap > other) + (swap == other) / 2 for swap in swaps for other in scramblings]
    assert scores["swap_auc"] == pytest.approx(np.mean(above))
    assert scores["swap_spearman"] == pytest.approx(1)  # the more the angle grows, the more people's ratings fall
    assert scores["deletion_rise"] == pytest.approx(np.cos(0.6) - np.cos(0.1))


def test_equal_changes_of_ratings_are_equal():
    rows = [{**row("a", kind, 0), "original_rating": 4 - 0.3, "changed_rating": 4.0} for kind in ("swap", "deletion")]
    rows[1] |= {"original_rating": 3.0, "changed_rating": 3.3}
    rises = particle_plan(rows).pairs.people
    assert rises[0] == rises[1] == 0.3
