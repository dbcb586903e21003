"""Polarity sensitivity by hand, on planted vectors, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from harness_ext.evaluators.polarity import (
    PolarityItems,
    frozen_polarity,
    over_seeds,
    polarity_scores,
    subsample,
)


def items(train=(), train_labels=(), held_out=(), held_out_labels=(), pairs=(), pair_labels=()):
    arrays = (train, train_labels, held_out, held_out_labels, np.reshape(pairs, (-1, 2)), pair_labels)
    return PolarityItems(*(np.asarray(array, dtype=np.intp) for array in arrays))


def test_scores_by_hand():
    labels = np.array([0, 1, 0, 1, 1, 0])
    asked = items(held_out=[0, 1, 2, 3], held_out_labels=[0, 1, 1, 1], pairs=[[0, 1], [2, 5], [3, 4], [4, 5]],
                  pair_labels=[0, 0, 1, 1])  # fmt: skip
    scores, correct = polarity_scores(labels, asked, "ft_dnn")
    # 0 -> 1 both right; 0 -> 0 rewrite wrong; 1 -> 1 rewrite wrong; 1 -> 0 both right
    assert correct.tolist() == [[True, True], [True, False], [True, False], [True, True]]
    assert scores == {
        "ft_dnn_accuracy": 0.75,
        "ft_dnn_pss": 0.5,
        "ft_dnn_relative_pss": pytest.approx(2 / 3),
        "ft_dnn_pss_neg_to_pos": 0.5,
        "ft_dnn_pss_pos_to_neg": 0.5,
    }


def test_a_direction_without_pairs_has_no_key():
    scores, _ = polarity_scores(np.array([0, 1]), items(held_out=[0], held_out_labels=[1], pairs=[[0, 1]],
                                                        pair_labels=[0]), "x")  # fmt: skip
    assert scores == {"x_accuracy": 0.0, "x_pss": 1.0, "x_pss_neg_to_pos": 1.0}


def test_mean_and_spread_over_seeds_by_hand():
    assert over_seeds([{"a": 0.2}, {"a": 0.4}, {"a": 0.6}]) == {"a": pytest.approx(0.4), "a_std": pytest.approx(0.2)}
    assert over_seeds([{"a": 0.2}]) == {"a": 0.2}


def test_subsample_is_stratified_and_repeatable():
    labels = np.array([0] * 300 + [1] * 100)
    kept = subsample(labels, 40, seed=3)
    assert len(set(kept)) == 40
    assert labels[kept].sum() == 10
    assert (kept == subsample(labels, 40, seed=3)).all()
    assert not np.array_equal(kept, subsample(labels, 40, seed=4))
    assert len(subsample(labels, None, 3)) == len(subsample(labels, 400, 3)) == 400
    with pytest.raises(ValueError, match="1 sentences cannot have both labels"):
        subsample(labels, 1, 3)


def world(signal, n_train=200, n_pairs=60, dimensions=16, seed=0):
    """Random vectors whose first dimension says the label as loudly as `signal`; pairs of both directions."""
    rng = np.random.default_rng(seed)
    train_labels = np.arange(n_train) % 2
    pair_labels = np.arange(n_pairs) % 2
    truth = np.concatenate([train_labels, pair_labels, 1 - pair_labels])
    vectors = rng.normal(size=(len(truth), dimensions))
    vectors[:, 0] += signal * (2 * truth - 1)
    originals = n_train + np.arange(n_pairs)
    return vectors, items(np.arange(n_train), train_labels, originals, pair_labels,
                          np.column_stack([originals, originals + n_pairs]), pair_labels)  # fmt: skip


def test_a_perfect_encoder_scores_one():
    result = frozen_polarity(*world(signal=20), seeds=[0, 1])
    for classifier in ("linear", "dnn"):
        for key in ("accuracy", "pss", "relative_pss", "pss_neg_to_pos", "pss_pos_to_neg"):
            assert result.scores[f"fb_{classifier}_{key}"] == 1.0
    assert result.scores["fb_dnn_pss_std"] == 0.0
    assert result.linear.all()
    assert result.dnn.shape == (2, 60, 2)


def test_a_random_encoder_is_at_chance():
    """Independent labels, right with probability ½: PSS ¼, accuracy ½."""
    vectors, asked = world(signal=0, n_train=400, n_pairs=1000)
    scores = frozen_polarity(vectors, asked, seeds=[0]).scores
    assert scores["fb_linear_accuracy"] == pytest.approx(0.5, abs=0.06)
    assert scores["fb_linear_pss"] == pytest.approx(0.25, abs=0.05)
    assert scores["fb_dnn_pss"] == pytest.approx(0.25, abs=0.05)


def test_a_constant_encoder_says_the_majority_label_and_sees_no_flip():
    _, asked = world(signal=0)
    asked.train_labels[:20] = 1
    scores = frozen_polarity(np.ones((320, 16)), asked, seeds=[0]).scores
    assert scores["fb_linear_pss"] == scores["fb_dnn_pss"] == 0.0
    assert scores["fb_linear_accuracy"] == scores["fb_dnn_accuracy"] == 0.5


def test_one_label_alone_is_an_error():
    vectors, asked = world(signal=1)
    asked.train_labels[:] = 1
    with pytest.raises(ValueError, match="all of one label"):
        frozen_polarity(vectors, asked, seeds=[])


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31), st.floats(1e-3, 1e3))
def test_rotating_and_scaling_the_space_changes_nothing_for_the_linear_classifier(seed, scale):
    vectors, asked = world(signal=1, seed=5)
    rotation = stats.ortho_group(vectors.shape[1], seed=seed).rvs()

    def linear(some):
        features = frozen_polarity_linear(some, asked)
        return {key: value for key, value in features.items() if key.startswith("fb_linear")}

    assert linear(vectors @ rotation * scale) == pytest.approx(linear(vectors), abs=0.02)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31))
def test_the_order_of_the_rows_does_not_matter(seed):
    vectors, asked = world(signal=1, seed=5)
    order = np.random.default_rng(seed).permutation(len(vectors))
    place = np.argsort(order)
    moved = items(place[asked.train], asked.train_labels, place[asked.held_out], asked.held_out_labels,
                  place[asked.pairs], asked.pair_labels)  # fmt: skip
    assert frozen_polarity_linear(vectors[order], moved) == pytest.approx(frozen_polarity_linear(vectors, asked))


def frozen_polarity_linear(vectors, asked):
    scores = frozen_polarity(vectors, asked, seeds=[0]).scores
    return {key: value for key, value in scores.items() if key.startswith("fb_linear")}
