"""Triplets by hand: what wins, what a tie is, and which rows count."""

from __future__ import annotations

import numpy as np
from pytest import approx
from scipy.stats import spearmanr

from harness_ext.measures.kinds.caption_swap import CaptionSwap
from harness_ext.measures.kinds.idiom_paraphrase import ExpressionParaphrase, IdiomParaphrase
from harness_ext.measures.kinds.triplets import OwnTriplets
from tests.measures.given import angles, chosen


class ByHand(OwnTriplets):
    fewest_units = 1


class CaptionsByHand(CaptionSwap):
    fewest_units = 1


class IdiomsByHand(IdiomParaphrase):
    fewest_units = 1


class ExpressionsByHand(ExpressionParaphrase):
    fewest_units = 1


def scores_of(measure, triplets, encode=angles, **columns):
    """Of texts that are angles in degrees; None is no text."""
    rows = []
    for number, triplet in enumerate(triplets):
        row = {"id": f"row-{number}"}
        for column, text in zip(measure.texts, triplet, strict=True):
            row[column] = None if text is None else str(text)
        for column, values in columns.items():
            row[column] = values[number]
        rows.append(row)
    plan = measure.planned(rows, "")
    return measure.flat_scores(measure.fill(plan, encode))


def test_a_tie_is_a_half_and_a_row_that_is_removed_is_counted():
    def zero_at_360(texts):
        has_direction = np.array(texts) != "360"
        return angles(texts) * has_direction[:, None]

    triplets = [
        (0, 10, 40),  # right
        (0, 30, 20),  # wrong
        (0, 20, -20),  # a tie
        (0, 15, 25),  # right
    ]
    scores = scores_of(ByHand(), [*triplets, (1, 360, 91)], zero_at_360)
    assert scores["share"] == approx(2.5 / 4)
    assert scores["n_excluded_zero_vector"] == 1
    triplets += [(0, 1, 2)] * 3
    removed = [None, None, None, None, "repeated", "no_entailed", "repeated"]
    scores = scores_of(
        IdiomsByHand(),
        triplets,
        removed_by=removed,
        n_changed=range(7),
    )
    expected = {
        "share_entailed": approx(2.5 / 4),
        "n_excluded_repeated": 2,
        "n_excluded_no_entailed": 1,
        "n_excluded_no_not_entailed": 0,
        "n_changed": 6,
    }
    assert chosen(scores, expected) == expected


def test_both_ways_and_by_file():
    triplet_of_row = {
        "swap_obj-0": (0, 10, 40),
        "swap_obj-1": (0, 30, 20),  # the negative is nearer to the caption
        "swap_att-0": (0, -10, 15),
        "swap_att-1": (0, 20, -30),
        "replace_rel-0": (0, 20, 30),  # 20 to the caption, 10 between
        "replace_rel-1": (0, 20, -20),  # a tie
        "replace_rel-2": (0, 20, 40),  # a tie
    }
    scores = scores_of(CaptionsByHand(), triplet_of_row.values(), id=[*triplet_of_row])
    expected = {
        "share_swap_obj": 0.5,
        "share_swap_att": 1,
        "share_replace_rel": 0,
        "share_swaps": 0.75,
    }
    assert chosen(scores, expected) == expected
    assert "share_replace_obj" not in scores


def test_shared_words():
    triplets = [
        ("a dog chases a Cat", "a hound hunts it", "a cat chases a dog"),
        ("a dog", "a dog runs", "cats"),
    ]

    def one_dimension_each(texts):
        return np.eye(len(texts))

    ids = ["swap_obj-0", "swap_att-0"]
    scores = scores_of(CaptionsByHand(), triplets, one_dimension_each, id=ids)
    assert scores["overlap_swap_obj"] == 1
    assert scores["overlap_swap_att"] == 0


def test_compounds_by_hand():
    """Right, wrong, and a tie of the second expression; a pair without a paraphrase word by
    word.
    """
    triplets = [
        (0, 10, 40),
        (0, 30, 20),
        (0, 20, -20),
        (0, 5, None),
        (0, 10, 40),
    ]
    scores = scores_of(
        ExpressionsByHand(),
        triplets,
        expression=["hot dog", "hot dog", "big deal", "big deal", "hot dog"],
        removed_by=[None, None, None, None, "same_text"],
    )
    assert scores["share_entailed"] == approx(1.5 / 3)
    assert scores["n_share_entailed"] == 2
    assert scores["n_excluded_same_text"] == 1
    # the larger an angle, the smaller its cosine
    of_texts = [-40, -20, -20, -5]
    of_paraphrases = [-30, -10, -40, 0]
    correlation = spearmanr(of_texts, of_paraphrases).statistic
    assert scores["self_consistency"] == approx(correlation)
