"""Caption swap by hand: what wins, what a tie is, and which files count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness_ext.evaluators.caption_swap import CAPTION_SWAP
from tests.evaluators.given import caption_swap_items

CAPTION_SWAP = replace(CAPTION_SWAP, fewest_units=1)  # worked out by hand


def scores_of(angles, files, shares_more):
    """Of triplets of vectors in the plane, given by their angles in degrees."""
    radians = np.radians(angles).ravel()
    vectors = np.stack([np.cos(radians), np.sin(radians)], axis=1)
    names = np.array([[f"{file}-{number}", file] for number, file in enumerate(files)])
    comparisons = np.arange(len(radians)).reshape(-1, 3)
    return CAPTION_SWAP.flat_scores(caption_swap_items(vectors, comparisons, names, np.array(shares_more)))


def test_by_hand():
    angles = [(0, 10, 40), (0, 30, 20), (0, -10, 15), (0, 20, -30), (0, 20, 30)]
    files = ["swap_obj", "swap_obj", "swap_att", "swap_att", "replace_rel"]
    scores = scores_of(angles, files, [True, True, True, False, False])
    # right; negative nearer to the caption; right; right; right or not: 20 to the caption, 10 between: not
    assert scores["share_swap_obj"] == 0.5
    assert scores["share_swap_att"] == 1.0
    assert scores["share_replace_rel"] == 0.0
    assert scores["share_swaps"] == 0.75
    assert scores["overlap_swap_att"] == 0.5
    assert "share_replace_obj" not in scores


@pytest.mark.parametrize("tie", [(0, 20, -20), (0, 20, 40), (0, 20, 20), (5, 5, 5)])
def test_a_tie_is_no_win(tie):
    assert scores_of([tie], ["swap_obj"], [True])["share_swaps"] == 0.0


def test_a_zero_vector_is_counted_and_left_out():
    vectors = np.array([[1.0, 0], [1, 0.1], [0, 1], [1, 0], [0, 0], [0, 1]])
    names = np.array([["swap_obj-0", "swap_obj"], ["swap_obj-1", "swap_obj"]])
    items = caption_swap_items(vectors, np.arange(6).reshape(2, 3), names, np.array([True, True]))
    scores = CAPTION_SWAP.flat_scores(items)
    assert (scores["n_excluded_zero_vector"], scores["share_swaps"]) == (1, 1.0)
