"""Polarity sensitivity by hand, on planted vectors, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pytest import approx
from scipy import stats

from harness_ext.measures.polarity.classifiers import frozen_polarity, subsample
from harness_ext.measures.polarity.items import (
    FineTunedEncoder,
    FineTunings,
    HeldOutAnswers,
    PolarityAnswers,
    PolarityItems,
    PolarityPairs,
    PolarityProtocol,
    PolaritySentences,
    TrainedClassifier,
)
from harness_ext.measures.polarity.sensitivity import Polarity
from tests.measures.given import chosen


class ByHand(Polarity):
    fewest_units = 1


POLARITY = ByHand()


def sentences(held_out, pairs):
    """What is asked: held-out sentences and pairs with these labels, which are those of the
    originals.
    """
    labels = {
        "held_out": held_out,
        "original": pairs,
        "rewrite": [1 - label for label in pairs],
    }
    rows = []
    for role, labels_of_role in labels.items():
        prefix = "h" if role == "held_out" else "p"
        for number, label in enumerate(labels_of_role):
            row = {
                "row": f"{prefix}-{number}",
                "label": label,
                "role": role,
                "sentence": f"{role} {number}",
            }
            rows.append(row)
    return PolaritySentences.of_rows(rows)


def items_of(said, asked, mode="fb", removed=()):
    """The items of a run, with pairs of which some are removed before anything is asked."""
    originals = asked[asked.role == "original"]
    rows = []
    for pair, label in zip(originals.row, originals.label, strict=True):
        direction = "pos_to_neg" if label else "neg_to_pos"
        rows.append({"pair": pair, "direction": direction, "excluded": ""})
    for number, reason in enumerate(removed):
        row = {
            "pair": f"r-{number}",
            "direction": "neg_to_pos",
            "excluded": reason,
        }
        rows.append(row)
    pairs = PolarityPairs.of_rows(rows)
    items = PolarityItems(
        pairs,
        PolarityAnswers.of_rows([]),
        HeldOutAnswers.of_rows([]),
        FineTunings.of_rows([]),
        PolarityProtocol([0], [0], [False]),
    )
    trained = []
    for classifier, seed, labels in said:
        answers = np.array(labels)
        trained.append(TrainedClassifier(classifier, seed, answers))
    return items.answered(asked, mode, trained)


def scores_of(said, asked):
    return POLARITY.flat_scores(items_of(said, asked))


def frozen_scores(train, labels, vectors, asked, seeds=(0,)):
    said = frozen_polarity(train, labels, vectors, seeds)
    return scores_of(said, asked)


ASKED = sentences([0, 1, 1, 1], [0, 0, 1, 1])
SAID = [0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0]
"""Of the held-out sentences the third is wrong, of the pairs the rewrites of the second and
third.
"""


def test_scores_by_hand():
    removed = ["copy", "no_added_word", "no_added_word"]
    items = items_of([("dnn", 0, SAID)], ASKED, "ft", removed=removed)
    assert items.answers.original_correct.all()
    assert items.answers.rewrite_correct.tolist() == [True, False, False, True]
    scores = POLARITY.flat_scores(items)
    of_fine_tuning = {}
    counts = {}
    for key, value in scores.items():
        if key.startswith("ft") and "_ci_" not in key:
            of_fine_tuning[key] = value
        if key.startswith("n_"):
            counts[key] = value
    assert of_fine_tuning == {
        "ft_dnn_accuracy": 0.75,
        "ft_dnn_pss": 0.5,
        "ft_dnn_rewrite_accuracy": 0.5,
        "ft_dnn_relative_pss": approx(2 / 3),
        "ft_dnn_pss_neg_to_pos": 0.5,
        "ft_dnn_pss_pos_to_neg": 0.5,
    }
    assert counts == {
        "n_pairs": 4,
        "n_excluded_copy": 1,
        "n_excluded_no_added_word": 2,
        "n_excluded_duplicate": 0,
        "n_train": 0,
        "n_held_out": 4,
    }


def test_mean_and_spread_over_seeds_by_hand():
    """PSS ½ and ½, accuracy ¾ and 1."""
    asked = sentences([0, 1, 1, 1], [0, 0])
    said = [
        ("dnn", 0, [0, 1, 0, 1, 0, 0, 1, 0]),
        ("dnn", 1, [0, 1, 1, 1, 0, 1, 1, 1]),
    ]
    scores = scores_of(said, asked)
    expected = {
        "fb_dnn_pss": approx(0.5),
        "fb_dnn_pss_std": 0,
        "fb_dnn_accuracy": approx((0.75 + 1) / 2),
        "fb_dnn_accuracy_std": approx(np.std([0.75, 1], ddof=1)),
        "fb_dnn_relative_pss": approx((0.5 / 0.75 + 0.5) / 2),
    }
    assert chosen(scores, expected) == expected
    for key in scores:
        assert "linear" not in key
        assert "pos_to_neg" not in key
    held_out_is_wrong = [("linear", 0, [0, 0, 1])]
    scores = scores_of(held_out_is_wrong, sentences([1], [0]))
    assert scores["fb_linear_accuracy"] == 0
    assert scores["fb_linear_pss"] == 1
    assert "fb_linear_relative_pss" not in scores


def test_chance_is_that_of_labels_that_are_given_as_often():
    """Two trainings: 5 of the 8 sentences of the pairs positive, then none."""
    said = [
        ("dnn", 0, [0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0]),
        ("dnn", 1, [0] * 12),
    ]
    scores = scores_of(said, ASKED)
    chance_of_first = 5 / 8 * 3 / 8
    assert scores["chance_fb_dnn_pss"] == approx((chance_of_first + 0) / 2)


def test_the_interval_is_over_pairs():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, size=121)
    asked = sentences([1], [0, 1] * 30)
    items = items_of([("linear", 0, labels)], asked)
    scores = POLARITY.flat_scores(items)
    answers = items.answers
    is_right = answers.original_correct & answers.rewrite_correct
    # a pair is right or wrong
    test = stats.binomtest(int(is_right.sum()), 60)
    expected = test.proportion_ci(method="wilsoncc")
    assert scores["fb_linear_pss_ci_low"] == expected.low
    assert scores["fb_linear_pss_ci_high"] == expected.high
    assert scores["fb_linear_pss"] == is_right.mean()
    first_pairs = items.restrict("pair", items.pairs.pair[:20])
    scores = POLARITY.flat_scores(first_pairs)
    assert scores["fb_linear_pss"] == is_right[:20].mean()


def test_another_fine_tuning_takes_the_place_of_an_earlier_one_of_its_classifier():
    def tuned(items, classifier, seeds, **settings):
        labels = np.array(SAID)
        trained = [FineTunedEncoder(seed, 2.0, labels) for seed in seeds]
        return items.with_fine_tuning(ASKED, classifier, trained, **settings)

    frozen = items_of([("linear", 0, SAID)], ASKED)
    of_linear = tuned(frozen, "linear", [0, 1], max_epochs=1, batch_size=8)
    of_both = tuned(of_linear, "dnn", [0], max_epochs=2, batch_size=16)
    scores = POLARITY.flat_scores(of_both)
    assert scores["ft_linear_max_epochs"] == 1
    assert scores["ft_linear_batch_size"] == 8
    assert scores["ft_linear_n_seeds"] == 2
    assert "ft_linear_pss_std" in scores
    assert scores["ft_dnn_max_epochs"] == 2
    assert scores["ft_dnn_batch_size"] == 16
    assert scores["ft_dnn_n_seeds"] == 1
    of_another = tuned(of_both, "linear", [5], max_epochs=3, batch_size=8)
    scores = POLARITY.flat_scores(of_another)
    assert scores["ft_linear_max_epochs"] == 3
    assert scores["ft_linear_n_seeds"] == 1
    assert "ft_linear_pss_std" not in scores
    assert scores["ft_dnn_max_epochs"] == 2
    assert scores["fb_linear_pss"] == 0.5


def test_subsample_is_stratified_and_repeatable():
    labels = np.array([0] * 300 + [1] * 100)
    places = subsample(labels, 40, seed=3)
    assert len({*places}) == 40
    assert labels[places].sum() == 10
    again = subsample(labels, 40, seed=3)
    assert np.array_equal(places, again)
    of_another_seed = subsample(labels, 40, seed=4)
    assert not np.array_equal(places, of_another_seed)
    for at_most in (None, 400):
        assert len(subsample(labels, at_most, 3)) == 400
    with pytest.raises(ValueError, match="1 sentences cannot have both labels"):
        subsample(labels, 1, 3)


def world(signal, n_train=200, n_pairs=60, dimensions=16, seed=0):
    """Random vectors whose first dimension says the label as loudly as `signal`; pairs of both
    directions.
    """
    rng = np.random.default_rng(seed)
    labels = np.arange(n_train) % 2
    labels_of_pairs = np.arange(n_pairs) % 2
    asked = sentences(labels_of_pairs, labels_of_pairs)
    all_labels = np.concatenate([labels, asked.label[n_pairs:]])
    vectors = rng.normal(size=(len(all_labels), dimensions))
    signs = 2 * all_labels - 1
    vectors[:, 0] += signal * signs
    of_train = vectors[:n_train]
    of_pairs = vectors[n_train:]
    held_out = of_pairs[:n_pairs]  # the originals
    of_asked = np.concatenate([held_out, of_pairs])
    return of_train, labels, of_asked, asked


def test_a_perfect_encoder_scores_one():
    scores = frozen_scores(*world(signal=20), seeds=[0, 1])
    for classifier in ("linear", "dnn"):
        for key in ("accuracy", "pss", "relative_pss", "pss_neg_to_pos", "pss_pos_to_neg"):
            assert scores[f"fb_{classifier}_{key}"] == 1.0
    assert scores["fb_dnn_pss_std"] == 0.0


def test_a_random_encoder_is_at_chance():
    """Independent labels, right with probability ½: PSS ¼, accuracy ½."""
    scores = frozen_scores(*world(signal=0, n_pairs=400))
    assert scores["fb_linear_accuracy"] == approx(0.5, abs=0.06)
    assert scores["fb_linear_pss"] == approx(0.25, abs=0.06)
    assert scores["fb_dnn_pss"] == approx(0.25, abs=0.06)


def test_the_linear_classifier_has_one_answer():
    """By its default tolerance scikit-learn stops on the way, and gives up to four of these other
    labels.
    """
    rng = np.random.default_rng(0)
    spreads = np.linspace(0.1, 1, 50)
    normal = rng.normal(size=(9000, 50))
    vectors = (spreads * normal).astype(np.float32)
    means = vectors @ rng.normal(size=50)
    noise = 2 * rng.normal(size=9000)
    labels = (means + noise > 0).astype(int)
    order = rng.permutation(4000)
    rotation = stats.ortho_group.rvs(50, random_state=rng)

    def answers(space, trained_on):
        classifiers = frozen_polarity(
            space[trained_on],
            labels[trained_on],
            space[4000:],
            [],
        )
        _, _, labels_given = next(classifiers)
        return labels_given

    expected = answers(vectors, np.arange(4000))
    in_another_order = answers(vectors, order)
    assert_array_equal(in_another_order, expected)
    turned = answers(vectors @ rotation, order)
    assert_array_equal(turned, expected)


def test_a_constant_encoder_says_the_majority_label_and_sees_no_flip():
    train, labels, vectors, asked = world(signal=0)
    labels[:20] = 1
    scores = frozen_scores(
        np.ones_like(train),
        labels,
        np.ones_like(vectors),
        asked,
    )
    for classifier in ("linear", "dnn"):
        assert scores[f"fb_{classifier}_pss"] == 0.0
        assert scores[f"fb_{classifier}_accuracy"] == 0.5
