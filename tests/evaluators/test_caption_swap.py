"""Caption swap by hand: what wins, what a tie is, and which files count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness_ext.evaluators.caption_swap import CAPTION_SWAP, CaptionSwapItems, CaptionTriplets
from tests.evaluators.given import angles

CAPTION_SWAP = replace(CAPTION_SWAP, fewest_units=1)  # worked out by hand


def scores_of(triplets, files, shares_more, encode=angles):
    """Of triplets of vectors in the plane, given by their angles in degrees."""
    names = [f"{file}-{number}" for number, file in enumerate(files)]
    texts = dict(zip(("caption", "paraphrase", "negative"), np.array(triplets).T.astype(str), strict=True))
    plan = CaptionSwapItems(CaptionTriplets(names, files, shares_more, **texts))
    return CAPTION_SWAP.flat_scores(CAPTION_SWAP.fill(plan, encode))


def test_by_hand():
    triplets = [(0, 10, 40), (0, 30, 20), (0, -10, 15), (0, 20, -30), (0, 20, 30)]
    files = ["swap_obj", "swap_obj", "swap_att", "swap_att", "replace_rel"]
    scores = scores_of(triplets, files, [True, True, True, False, False])
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
    def zero_at_360(texts):
        return angles(texts) * (np.array(texts) != "360")[:, None]

    scores = scores_of([(0, 5, 90), (1, 360, 91)], ["swap_obj"] * 2, [True] * 2, zero_at_360)
    assert (scores["n_excluded_zero_vector"], scores["share_swaps"]) == (1, 1.0)
