"""Polarity sensitivity by hand, on planted vectors, and what must not change it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from harness_ext.fitted.polarity import POLARITY
from harness_ext.fitted.polarity_classifiers import frozen_polarity, subsample
from harness_ext.fitted.polarity_items import (
    NO_FINE_TUNING,
    Labelled,
    PolarityComparisons,
    PolarityItems,
    PolarityPairs,
    PolarityProtocol,
    joined,
)

POLARITY = replace(POLARITY, fewest_units=1)  # worked out by hand


def comparisons(train=(), train_labels=(), held_out=(), held_out_labels=(), pairs=(), pair_labels=()):
    numbers = [np.asarray(array, dtype=np.intp) for array in (train, train_labels, held_out, held_out_labels)]
    held_out_ids, pair_ids = ([f"{kind}-{number}" for number in range(len(rows))]
                              for kind, rows in (("h", held_out), ("p", pair_labels)))  # fmt: skip
    return PolarityComparisons(
        [], *numbers, np.array(held_out_ids), np.reshape(pairs, (-1, 2)).astype(np.intp),
        np.asarray(pair_labels, dtype=np.intp), np.array(pair_ids),
    )  # fmt: skip


def items_of(labelled, asked, removed=()):
    """The items of a run, with pairs of which some are removed before anything is asked."""
    directions = np.array(["neg_to_pos", "pos_to_neg"])[asked.pair_labels]
    return PolarityItems(
        PolarityPairs(
            np.append(asked.pair_ids, [f"r-{number}" for number in range(len(removed))]),
            np.append(directions, ["neg_to_pos"] * len(removed)),
            np.append(np.full(len(directions), ""), removed),
        ),
        joined(*(one.answers for one in labelled)),
        joined(*(one.held_out for one in labelled)),
        NO_FINE_TUNING,
        PolarityProtocol([len(asked.train)], [0], [False]),
    )


def frozen_scores(vectors, asked, seeds):
    return POLARITY.flat_scores(items_of(list(frozen_polarity(vectors, asked, seeds)), asked))


ASKED = comparisons(held_out=[0, 1, 2, 3], held_out_labels=[0, 1, 1, 1], pairs=[[0, 1], [2, 5], [3, 4], [4, 5]],
                    pair_labels=[0, 0, 1, 1])  # fmt: skip


def test_scores_by_hand():
    said = Labelled.of(np.array([0, 1, 0, 1, 1, 0]), ASKED, "ft", "dnn", 0)
    # 0 -> 1 both right; 0 -> 0 rewrite wrong; 1 -> 1 rewrite wrong; 1 -> 0 both right
    assert said.answers.original_correct.all()
    assert said.answers.rewrite_correct.tolist() == [True, False, False, True]
    scores = POLARITY.flat_scores(items_of([said], ASKED, removed=["copy", "no_added_word", "no_added_word"]))
    assert {key: value for key, value in scores.items() if key.startswith("ft") and "_ci_" not in key} == {
        "ft_dnn_accuracy": 0.75,
        "ft_dnn_pss": 0.5,
        "ft_dnn_relative_pss": pytest.approx(2 / 3),
        "ft_dnn_pss_neg_to_pos": 0.5,
        "ft_dnn_pss_pos_to_neg": 0.5,
    }
    counts = {key: value for key, value in scores.items() if key.startswith("n_")}
    assert counts == {"n_pairs": 4, "n_excluded_copy": 1, "n_excluded_no_added_word": 2, "n_excluded_duplicate": 0,
                      "n_train": 0, "n_held_out": 4}  # fmt: skip


def test_a_direction_without_pairs_has_no_key():
    asked = comparisons(held_out=[0], held_out_labels=[1], pairs=[[0, 1]], pair_labels=[0])
    scores = POLARITY.flat_scores(items_of([Labelled.of(np.array([0, 1]), asked, "fb", "linear", 0)], asked))
    assert {key: value for key, value in scores.items() if key.startswith("fb")} == {
        "fb_linear_accuracy": 0.0,
        "fb_linear_pss": 1.0,
        "fb_linear_pss_neg_to_pos": 1.0,
    }


def test_mean_and_spread_over_seeds_by_hand():
    """PSS ½ and 1, accuracy ¾ and 1."""
    labels = np.array([0, 1, 0, 1, 1, 0]), np.array([0, 1, 0, 1, 1, 0])
    asked = comparisons(held_out=[0, 1, 2, 3], held_out_labels=[0, 1, 1, 1], pairs=[[0, 1], [2, 5]], pair_labels=[0, 0])
    labels[1][[2, 5]] = [1, 1]
    said = [Labelled.of(given, asked, "fb", "dnn", seed) for seed, given in enumerate(labels)]
    scores = POLARITY.flat_scores(items_of(said, asked))
    assert scores["fb_dnn_pss"] == pytest.approx(0.5)  # 2 is no longer labelled negative
    assert scores["fb_dnn_pss_std"] == 0.0
    assert scores["fb_dnn_accuracy"] == pytest.approx((0.75 + 1) / 2)
    assert scores["fb_dnn_accuracy_std"] == pytest.approx(np.std([0.75, 1], ddof=1))
    assert scores["fb_dnn_relative_pss"] == pytest.approx((0.5 / 0.75 + 0.5) / 2)
    assert not any("linear" in key for key in scores)


def test_chance_is_that_of_labels_that_are_given_as_often():
    """Two trainings: 5 of the 8 sentences of the pairs positive, then none."""
    labels = np.array([0, 1, 1, 1, 1, 0]), np.zeros(6, dtype=int)
    said = [Labelled.of(given, ASKED, "fb", "dnn", seed) for seed, given in enumerate(labels)]
    scores = POLARITY.flat_scores(items_of(said, ASKED))
    assert scores["chance_fb_dnn_pss"] == pytest.approx((5 / 8 * 3 / 8 + 0) / 2)
    assert scores["chance_fb_dnn_pss_ci_low"] < scores["chance_fb_dnn_pss"] < scores["chance_fb_dnn_pss_ci_high"]


def test_blind_labels_get_the_chance_of_their_bias():
    """Of 1 000 pairs, sentences labelled positive in 20 % whatever they say: .16, not .25."""
    labels = (np.random.default_rng(0).random(2000) < 0.2).astype(int)
    pairs = np.arange(2000).reshape(-1, 2)
    asked = comparisons(held_out=[0], held_out_labels=[1], pairs=pairs, pair_labels=np.arange(1000) % 2)
    scores = POLARITY.flat_scores(items_of([Labelled.of(labels, asked, "fb", "linear", 0)], asked))
    assert scores["chance_fb_linear_pss"] == pytest.approx(0.16, abs=0.02)
    assert scores["fb_linear_pss"] == pytest.approx(scores["chance_fb_linear_pss"], abs=0.03)


def test_the_interval_is_over_pairs():
    scores = frozen_scores(*world(signal=1), seeds=[])
    items = items_of(list(frozen_polarity(*world(signal=1), seeds=[])), world(signal=1)[1])
    both = items.both_correct("fb", "linear")[0]
    expected = stats.binomtest(int(both.sum()), 60).proportion_ci(method="wilsoncc")  # a pair is right or wrong
    assert (scores["fb_linear_pss_ci_low"], scores["fb_linear_pss_ci_high"]) == (expected.low, expected.high)
    assert scores["fb_linear_pss"] == both.mean()
    assert POLARITY.units(items).tolist() == [f"p-{number}" for number in range(60)]
    some = items.restrict("pair", items.pairs.pair[:20])
    assert POLARITY.flat_scores(some)["fb_linear_pss"] == both[:20].mean()


def test_another_fine_tuning_takes_the_place_of_an_earlier_one_of_its_classifier():
    def tuned(items, classifier, seeds, **settings):
        said = [(seed, 2.0, Labelled.of(np.array([0, 1, 0, 1, 1, 0]), ASKED, "ft", classifier, seed)) for seed in seeds]
        return items.with_fine_tuning(classifier, said, **settings)

    frozen = items_of([Labelled.of(np.array([0, 1, 0, 1, 1, 0]), ASKED, "fb", "linear", 0)], ASKED)
    one = tuned(tuned(frozen, "linear", [0, 1], max_epochs=1, batch_size=8), "dnn", [0], max_epochs=2, batch_size=16)
    scores = POLARITY.flat_scores(one)
    assert (scores["ft_linear_max_epochs"], scores["ft_dnn_max_epochs"]) == (1, 2)
    assert (scores["ft_linear_batch_size"], scores["ft_dnn_batch_size"]) == (8, 16)
    assert (scores["ft_linear_n_seeds"], scores["ft_dnn_n_seeds"]) == (2, 1)
    assert isinstance(scores["ft_linear_n_seeds"], int)
    assert "ft_linear_pss_std" in scores
    other = POLARITY.flat_scores(tuned(one, "linear", [5], max_epochs=3, batch_size=8))
    assert (other["ft_linear_n_seeds"], other["ft_linear_max_epochs"], other["ft_dnn_max_epochs"]) == (1, 3, 2)
    assert "ft_linear_pss_std" not in other
    assert other["fb_linear_pss"] == 0.5


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
    return vectors, comparisons(np.arange(n_train), train_labels, originals, pair_labels,
                          np.column_stack([originals, originals + n_pairs]), pair_labels)  # fmt: skip


def test_a_perfect_encoder_scores_one():
    vectors, asked = world(signal=20)
    scores = frozen_scores(vectors, asked, seeds=[0, 1])
    for classifier in ("linear", "dnn"):
        for key in ("accuracy", "pss", "relative_pss", "pss_neg_to_pos", "pss_pos_to_neg"):
            assert scores[f"fb_{classifier}_{key}"] == 1.0
    assert scores["fb_dnn_pss_std"] == 0.0
    # Wilson's interval of 60 of 60 pairs: (2·60 + z² - 1 - z √(z² + 2 - 1/60)) / (2 (60 + z²)), z = 1.96
    assert [scores[f"fb_linear_pss_ci_{end}"] for end in ("low", "high")] == pytest.approx([0.92503, 1], abs=1e-5)


def test_a_random_encoder_is_at_chance():
    """Independent labels, right with probability ½: PSS ¼, accuracy ½."""
    vectors, asked = world(signal=0, n_train=400, n_pairs=1000)
    scores = frozen_scores(vectors, asked, seeds=[0])
    assert scores["fb_linear_accuracy"] == pytest.approx(0.5, abs=0.06)
    assert scores["fb_linear_pss"] == pytest.approx(0.25, abs=0.05)
    assert scores["fb_dnn_pss"] == pytest.approx(0.25, abs=0.05)


def test_a_constant_encoder_says_the_majority_label_and_sees_no_flip():
    _, asked = world(signal=0)
    asked.train_labels[:20] = 1
    scores = frozen_scores(np.ones((320, 16)), asked, seeds=[0])
    assert scores["fb_linear_pss"] == scores["fb_dnn_pss"] == 0.0
    assert scores["fb_linear_accuracy"] == scores["fb_dnn_accuracy"] == 0.5
