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
    return PolaritySentences.of_rows(
        {
            "row": f"{role[0] if role == 'held_out' else 'p'}-{number}",
            "role": role,
            "label": label,
            "sentence": f"{role} {number}",
        }
        for role, of_role in labels.items()
        for number, label in enumerate(of_role)
    )


def items_of(said, asked, mode="fb", removed=()):
    """The items of a run, with pairs of which some are removed before anything is asked."""
    originals = asked[asked.role == "original"]
    directions = np.array(["neg_to_pos", "pos_to_neg"])[originals.label]
    pairs = PolarityPairs.of_columns(
        pair=[*originals.row, *(f"r-{number}" for number in range(len(removed)))],
        direction=[*directions, *["neg_to_pos"] * len(removed)],
        excluded=[*[""] * len(directions), *removed],
    )
    none = (table.of_rows([]) for table in (PolarityAnswers, HeldOutAnswers, FineTunings))
    items = PolarityItems(pairs, *none, PolarityProtocol([0], [0], [False]))
    trained = [
        TrainedClassifier(classifier, seed, np.array(labels)) for classifier, seed, labels in said
    ]
    return items.answered(asked, mode, trained)


def frozen_scores(train, labels, vectors, asked, seeds=(0,)):
    return POLARITY.flat_scores(items_of(frozen_polarity(train, labels, vectors, seeds), asked))


ASKED = sentences([0, 1, 1, 1], [0, 0, 1, 1])
SAID = [0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0]
"""Of the held-out sentences the third is wrong, of the pairs the rewrites of the second and
third.
"""


def test_scores_by_hand():
    items = items_of(
        [("dnn", 0, SAID)], ASKED, "ft", removed=["copy", "no_added_word", "no_added_word"]
    )
    assert items.answers.original_correct.all()
    assert items.answers.rewrite_correct.tolist() == [True, False, False, True]
    scores = POLARITY.flat_scores(items)
    assert {
        key: value for key, value in scores.items() if key.startswith("ft") and "_ci_" not in key
    } == {
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
    assert (scores["fb_dnn_pss"], scores["fb_dnn_pss_std"]) == (pytest.approx(0.5), 0)
    assert scores["fb_dnn_accuracy"] == pytest.approx((0.75 + 1) / 2)
    assert scores["fb_dnn_accuracy_std"] == pytest.approx(np.std([0.75, 1], ddof=1))
    assert scores["fb_dnn_relative_pss"] == pytest.approx((0.5 / 0.75 + 0.5) / 2)
    assert not any("linear" in key or "pos_to_neg" in key for key in scores)
    none_right = POLARITY.flat_scores(items_of([("linear", 0, [0, 0, 1])], sentences([1], [0])))
    assert (none_right["fb_linear_accuracy"], none_right["fb_linear_pss"]) == (0, 1)
    assert "fb_linear_relative_pss" not in none_right


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
    assert (scores["fb_linear_pss_ci_low"], scores["fb_linear_pss_ci_high"]) == (
        expected.low,
        expected.high,
    )
    assert scores["fb_linear_pss"] == both.mean()
    some = items.restrict("pair", items.pairs.pair[:20])
    assert POLARITY.flat_scores(some)["fb_linear_pss"] == both[:20].mean()


def test_another_fine_tuning_takes_the_place_of_an_earlier_one_of_its_classifier():
    def tuned(items, classifier, seeds, **settings):
        trained = [FineTunedEncoder(seed, 2.0, np.array(SAID)) for seed in seeds]
        return items.with_fine_tuning(ASKED, classifier, trained, **settings)

    frozen = items_of([("linear", 0, SAID)], ASKED)
    one = tuned(
        tuned(frozen, "linear", [0, 1], max_epochs=1, batch_size=8),
        "dnn",
        [0],
        max_epochs=2,
        batch_size=16,
    )
    scores = POLARITY.flat_scores(one)
    assert (scores["ft_linear_max_epochs"], scores["ft_dnn_max_epochs"]) == (1, 2)
    assert (scores["ft_linear_batch_size"], scores["ft_dnn_batch_size"]) == (8, 16)
    assert (scores["ft_linear_n_seeds"], scores["ft_dnn_n_seeds"]) == (2, 1)
    assert "ft_linear_pss_std" in scores
    other = POLARITY.flat_scores(tuned(one, "linear", [5], max_epochs=3, batch_size=8))
    assert (
        other["ft_linear_n_seeds"],
        other["ft_linear_max_epochs"],
        other["ft_dnn_max_epochs"],
    ) == (1, 3, 2)
    assert "ft_linear_pss_std" not in other
    assert other["fb_linear_pss"] == 0.5


def test_subsample_is_stratified_and_repeatable():
    labels = np.array([0] * 300 + [1] * 100)
    kept = subsample(labels, 40, seed=3)
    assert (len(set(kept)), labels[kept].sum()) == (40, 10)
    assert (kept == subsample(labels, 40, seed=3)).all()
    assert not np.array_equal(kept, subsample(labels, 40, seed=4))
    assert len(subsample(labels, None, 3)) == len(subsample(labels, 400, 3)) == 400
    with pytest.raises(ValueError, match="1 sentences cannot have both labels"):
        subsample(labels, 1, 3)


def world(signal, n_train=200, n_pairs=60, dimensions=16, seed=0):
    """Random vectors whose first dimension says the label as loudly as `signal`; pairs of both
    directions.
    """
    rng = np.random.default_rng(seed)
    labels, asked = (
        np.arange(n_train) % 2,
        sentences(np.arange(n_pairs) % 2, np.arange(n_pairs) % 2),
    )
    vectors = rng.normal(size=(n_train + 2 * n_pairs, dimensions))
    vectors[:, 0] += signal * (2 * np.concatenate([labels, asked.label[n_pairs:]]) - 1)
    train, of_pairs = vectors[:n_train], vectors[n_train:]
    # the originals are held out
    return train, labels, np.concatenate([of_pairs[:n_pairs], of_pairs]), asked


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
    vectors = (rng.normal(size=(9000, 50)) * np.linspace(0.1, 1, 50)).astype(np.float32)
    labels = (vectors @ rng.normal(size=50) + 2 * rng.normal(size=9000) > 0).astype(int)
    order, rotation = rng.permutation(4000), np.linalg.qr(rng.normal(size=(50, 50)))[0]

    def answers(space, trained_on):
        _, _, given = next(frozen_polarity(space[trained_on], labels[trained_on], space[4000:], []))
        return given

    answered = answers(vectors, np.arange(4000))
    assert (answers(vectors, order) == answered).all()
    assert (answers(vectors @ rotation, order) == answered).all()


def test_a_constant_encoder_says_the_majority_label_and_sees_no_flip():
    train, labels, vectors, asked = world(signal=0)
    labels[:20] = 1
    scores = frozen_scores(np.ones_like(train), labels, np.ones_like(vectors), asked)
    assert scores["fb_linear_pss"] == scores["fb_dnn_pss"] == 0.0
    assert scores["fb_linear_accuracy"] == scores["fb_dnn_accuracy"] == 0.5
