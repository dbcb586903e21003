"""Polarity sensitivity by hand, on planted vectors, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
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


class ByHand(Polarity):
    fewest_units = 1


POLARITY = ByHand()


def sentences(held_out, pairs):
    """What is asked: held-out sentences and pairs with these labels, which are those of the
    originals.
    """
    labels = {"held_out": held_out, "original": pairs, "rewrite": [1 - label for label in pairs]}
    rows = []
    for role, labels_of_role in labels.items():
        prefix = "h" if role == "held_out" else "p"
        for number, label in enumerate(labels_of_role):
            text = {"role": role, "sentence": f"{role} {number}"}
            rows.append({"row": f"{prefix}-{number}", "label": label, **text})
    return PolaritySentences.of_rows(rows)


def items_of(said, asked, mode="fb", removed=()):
    """The items of a run, with pairs of which some are removed before anything is asked."""
    originals = asked[asked.role == "original"]
    directions = np.array(["neg_to_pos", "pos_to_neg"])[originals.label]
    removed_pairs = [f"r-{number}" for number in range(len(removed))]
    pairs = PolarityPairs.of_columns(
        pair=[*originals.row, *removed_pairs],
        direction=[*directions, *["neg_to_pos"] * len(removed)],
        excluded=[*[""] * len(directions), *removed],
    )
    items = PolarityItems(
        pairs,
        PolarityAnswers.of_rows([]),
        HeldOutAnswers.of_rows([]),
        FineTunings.of_rows([]),
        PolarityProtocol([0], [0], [False]),
    )
    trained = []
    for classifier, seed, labels in said:
        trained.append(TrainedClassifier(classifier, seed, np.array(labels)))
    return items.answered(asked, mode, trained)


def frozen_scores(train, labels, vectors, asked, seeds=(0,)):
    return POLARITY.flat_scores(items_of(frozen_polarity(train, labels, vectors, seeds), asked))


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
    for key, value in scores.items():
        if key.startswith("ft") and "_ci_" not in key:
            of_fine_tuning[key] = value
    assert of_fine_tuning == {
        "ft_dnn_accuracy": 0.75,
        "ft_dnn_pss": 0.5,
        "ft_dnn_rewrite_accuracy": 0.5,
        "ft_dnn_relative_pss": pytest.approx(2 / 3),
        "ft_dnn_pss_neg_to_pos": 0.5,
        "ft_dnn_pss_pos_to_neg": 0.5,
    }
    counts = {key: value for key, value in scores.items() if key.startswith("n_")}
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
    said = [("dnn", 0, [0, 1, 0, 1, 0, 0, 1, 0]), ("dnn", 1, [0, 1, 1, 1, 0, 1, 1, 1])]
    scores = POLARITY.flat_scores(items_of(said, asked))
    assert scores["fb_dnn_pss"] == pytest.approx(0.5)
    assert scores["fb_dnn_pss_std"] == 0
    assert scores["fb_dnn_accuracy"] == pytest.approx((0.75 + 1) / 2)
    assert scores["fb_dnn_accuracy_std"] == pytest.approx(np.std([0.75, 1], ddof=1))
    assert scores["fb_dnn_relative_pss"] == pytest.approx((0.5 / 0.75 + 0.5) / 2)
    assert not any("linear" in key or "pos_to_neg" in key for key in scores)
    of_held_out_none_right = items_of([("linear", 0, [0, 0, 1])], sentences([1], [0]))
    scores = POLARITY.flat_scores(of_held_out_none_right)
    assert scores["fb_linear_accuracy"] == 0
    assert scores["fb_linear_pss"] == 1
    assert "fb_linear_relative_pss" not in scores


def test_chance_is_that_of_labels_that_are_given_as_often():
    """Two trainings: 5 of the 8 sentences of the pairs positive, then none."""
    said = [("dnn", 0, [0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0]), ("dnn", 1, [0] * 12)]
    scores = POLARITY.flat_scores(items_of(said, ASKED))
    assert scores["chance_fb_dnn_pss"] == pytest.approx((5 / 8 * 3 / 8 + 0) / 2)


def test_the_interval_is_over_pairs():
    said = np.random.default_rng(0).integers(0, 2, size=121)
    items = items_of([("linear", 0, said)], sentences([1], [0, 1] * 30))
    scores = POLARITY.flat_scores(items)
    both = items.answers.original_correct & items.answers.rewrite_correct
    # a pair is right or wrong
    expected = stats.binomtest(int(both.sum()), 60).proportion_ci(method="wilsoncc")
    assert scores["fb_linear_pss_ci_low"] == expected.low
    assert scores["fb_linear_pss_ci_high"] == expected.high
    assert scores["fb_linear_pss"] == both.mean()
    some = items.restrict("pair", items.pairs.pair[:20])
    assert POLARITY.flat_scores(some)["fb_linear_pss"] == both[:20].mean()


def test_another_fine_tuning_takes_the_place_of_an_earlier_one_of_its_classifier():
    def tuned(items, classifier, seeds, **settings):
        trained = [FineTunedEncoder(seed, 2.0, np.array(SAID)) for seed in seeds]
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
    assert np.array_equal(places, subsample(labels, 40, seed=3))
    assert not np.array_equal(places, subsample(labels, 40, seed=4))
    assert len(subsample(labels, None, 3)) == 400
    assert len(subsample(labels, 400, 3)) == 400
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
    vectors = rng.normal(size=(n_train + 2 * n_pairs, dimensions))
    vectors[:, 0] += signal * (2 * all_labels - 1)
    of_train = vectors[:n_train]
    of_pairs = vectors[n_train:]
    # the originals are held out
    of_asked = np.concatenate([of_pairs[:n_pairs], of_pairs])
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
    assert scores["fb_linear_accuracy"] == pytest.approx(0.5, abs=0.06)
    assert scores["fb_linear_pss"] == pytest.approx(0.25, abs=0.06)
    assert scores["fb_dnn_pss"] == pytest.approx(0.25, abs=0.06)


def test_the_linear_classifier_has_one_answer():
    """By its default tolerance scikit-learn stops on the way, and gives up to four of these other
    labels.
    """
    rng = np.random.default_rng(0)
    spreads = np.linspace(0.1, 1, 50)
    vectors = (rng.normal(size=(9000, 50)) * spreads).astype(np.float32)
    means = vectors @ rng.normal(size=50)
    labels = (means + 2 * rng.normal(size=9000) > 0).astype(int)
    order = rng.permutation(4000)
    rotation = np.linalg.qr(rng.normal(size=(50, 50))).Q

    def answers(space, trained_on):
        classifiers = frozen_polarity(space[trained_on], labels[trained_on], space[4000:], [])
        _, _, labels_given = next(classifiers)
        return labels_given

    answered = answers(vectors, np.arange(4000))
    assert (answers(vectors, order) == answered).all()
    assert (answers(vectors @ rotation, order) == answered).all()


def test_a_constant_encoder_says_the_majority_label_and_sees_no_flip():
    train, labels, vectors, asked = world(signal=0)
    labels[:20] = 1
    scores = frozen_scores(np.ones_like(train), labels, np.ones_like(vectors), asked)
    assert scores["fb_linear_pss"] == scores["fb_dnn_pss"] == 0.0
    assert scores["fb_linear_accuracy"] == scores["fb_dnn_accuracy"] == 0.5
