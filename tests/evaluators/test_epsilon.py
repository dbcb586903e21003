"""ε-compositionality of given vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from harness_ext.evaluators.epsilon import EpsilonSamples, epsilon_compositionality, signed_rank_share

seeds = st.integers(0, 2**32 - 1)


def at(degrees):
    """A unit vector in the plane; two of them an angle θ apart have d = 1 - cos θ."""
    return [np.cos(np.radians(degrees)), np.sin(np.radians(degrees))]


def world(rng, n_compounds=12, n_synonyms=3, dimensions=8):
    """Random vectors for every word and sentence of some compounds, and all ordered pairs of synonyms."""
    samples = []
    n_texts = 0
    for compound in range(n_compounds):
        for is_head in (False, True):
            word, *synonyms = range(n_texts, n_texts + n_synonyms + 1)
            in_context = {text: text + n_synonyms + 1 for text in (word, *synonyms)}
            n_texts += 2 * (n_synonyms + 1)
            for a in synonyms:
                for other in synonyms:
                    if a != other:
                        phrase = (word, a, other)
                        samples.append((*phrase, *(in_context[text] for text in phrase), compound, is_head))
    columns = np.array(samples)
    classes = np.array([("C", "PC", "NC")[number % 3] for number in range(n_compounds)])
    vectors = rng.normal(size=(n_texts, dimensions))
    return vectors, EpsilonSamples(columns[:, :3], columns[:, 3:6], columns[:, 6], columns[:, 7].astype(bool)), classes


def test_one_sample_by_hand():
    """b, a, a' at 0, 60, 90 degrees; bc, ac, a'c at 0, 60, 120.

    d(ac, bc) / d(a, b) = (1 - cos 60) / (1 - cos 60) = 1, so idiomaticity-ε = 0;
    d(ac, a'c) / d(a, a') = (1 - cos 60) / (1 - cos 30) = 0.5 / 0.1340, so baseline-ε = 2.7321.
    """
    vectors = np.array([at(degrees) for degrees in (0, 60, 90, 0, 60, 120)])
    samples = EpsilonSamples(np.array([[0, 1, 2]]), np.array([[3, 4, 5]]), np.array([0]), np.array([False]))
    result = epsilon_compositionality(vectors, samples, np.array(["NC"]))
    assert result.idiomaticity[0] == pytest.approx(0, abs=1e-12)
    assert result.baseline[0] == pytest.approx(0.5 / (1 - np.cos(np.pi / 6)) - 1)
    assert result.rank_share[0] == 0
    assert result.scores["rank_share_NC"] == result.scores["rank_share_modifier_NC"] == 0
    assert result.scores["rank_biserial_NC"] == -1
    assert result.scores["phrase_distance_mean"] == pytest.approx((0.5 + 1 - np.cos(np.pi / 6)) / 2)
    assert result.scores["context_distance_mean"] == pytest.approx(0.5)
    assert result.scores["n_pairs_NC"] == result.scores["n_compounds_NC"] == 1


def test_what_cannot_be_computed_is_nan():
    vectors = np.array([at(degrees) for degrees in (0, 60, 90, 0, 60, 120)])
    samples = EpsilonSamples(np.array([[0, 1, 2]]), np.array([[3, 4, 5]]), np.array([0]), np.array([False]))
    scores = epsilon_compositionality(vectors, samples, np.array(["NC"])).scores
    assert np.isnan(scores["auc_nc_vs_c"])  # there is no C to compare with
    assert np.isnan([scores["rank_share_head_NC"], scores["rank_share_C"], scores["p_value_PC"]]).all()
    assert scores["n_pairs_C"] == scores["n_compounds_C"] == 0


def test_no_samples_at_all():
    none = np.zeros((0, 3), dtype=int)
    samples = EpsilonSamples(none, none, np.zeros(0, dtype=int), np.zeros(0, dtype=bool))
    result = epsilon_compositionality(np.ones((1, 2)), samples, np.array(["C", "NC"]))
    assert result.scores["n_excluded_no_pairs"] == 2
    assert np.isnan(result.scores["phrase_distance_mean"])


def test_signed_rank_share_is_the_definition():
    differences = np.array([0.5, -0.1, 0.3, -0.4, 0.2])
    ranks = stats.rankdata(np.abs(differences))
    assert signed_rank_share(differences) == ranks[differences > 0].sum() / ranks.sum()


@pytest.mark.parametrize(("differences", "share"), [([1.0, 2.0], 1), ([-1.0], 0), ([0.0, 0.0, 0.0], 0.5)])
def test_signed_rank_share_at_its_ends(differences, share):
    assert signed_rank_share(np.array(differences)) == share


def test_class_scores_are_scipys_test_on_the_class():
    vectors, samples, classes = world(np.random.default_rng(3))
    result = epsilon_compositionality(vectors, samples, classes)
    b, a, other = (vectors[rows] / np.linalg.norm(vectors[rows], axis=1, keepdims=True) for rows in samples.phrase.T)
    bc, ac, other_c = (
        vectors[rows] / np.linalg.norm(vectors[rows], axis=1, keepdims=True) for rows in samples.context.T
    )
    cosine = lambda x, y: (x * y).sum(axis=1)  # noqa: E731
    idiomaticity = (1 - cosine(ac, bc)) / (1 - cosine(a, b)) - 1
    baseline = (1 - cosine(ac, other_c)) / (1 - cosine(a, other)) - 1
    for klass in ("C", "PC", "NC"):
        inside = classes[samples.compound] == klass
        test = stats.wilcoxon(idiomaticity[inside], baseline[inside], alternative="greater")
        assert result.scores[f"p_value_{klass}"] == pytest.approx(test.pvalue)
        n = inside.sum()
        assert result.scores[f"rank_share_{klass}"] == pytest.approx(test.statistic / (n * (n + 1) / 2))
    pairs = [
        (x > y) + (x == y) / 2 for x in result.rank_share[classes == "NC"] for y in result.rank_share[classes == "C"]
    ]
    assert result.scores["auc_nc_vs_c"] == pytest.approx(np.mean(pairs))


@settings(max_examples=10, deadline=None)
@given(seed=seeds, scale=st.floats(1e-3, 1e3))
def test_rotation_scale_and_order_change_nothing(seed, scale):
    rng = np.random.default_rng(seed)
    vectors, samples, classes = world(rng, n_compounds=6)
    expected = epsilon_compositionality(vectors, samples, classes).scores
    rotation = np.linalg.qr(rng.normal(size=(8, 8))).Q
    permuted = samples[rng.permutation(len(samples.compound))]
    changed = epsilon_compositionality(scale * vectors @ rotation, permuted, classes).scores
    assert changed.keys() == expected.keys()
    for key, value in expected.items():
        assert changed[key] == pytest.approx(value, abs=1e-6), key


def test_identical_vectors_are_counted_and_left_out():
    vectors, samples, classes = world(np.random.default_rng(4))
    word, synonym = samples.phrase[0, :2]
    vectors[word] = 2 * vectors[synonym]  # the same direction: d = 0 up to rounding
    scores = epsilon_compositionality(vectors, samples, classes).scores
    affected = (samples.phrase[:, 0] == word) & (samples.phrase[:, 1] == synonym)
    assert scores["n_excluded_zero_distance"] == affected.sum() == 2
    assert scores["n_pairs_C"] + scores["n_pairs_PC"] + scores["n_pairs_NC"] == len(samples.compound) - 2


def test_zero_vectors_are_counted_and_left_out():
    vectors, samples, classes = world(np.random.default_rng(5))
    vectors[samples.context[0, 0]] = 0
    scores = epsilon_compositionality(vectors, samples, classes).scores
    assert scores["n_excluded_zero_vector"] == 6  # all ordered pairs of three synonyms use that sentence
    assert all(np.isfinite(value) for value in scores.values())


def test_a_sentence_that_does_not_change_is_chance():
    """An encoder that ignores the compound: every ε is -1, every difference 0, every share ½."""
    vectors, samples, classes = world(np.random.default_rng(6))
    vectors[samples.context] = 1.0
    scores = epsilon_compositionality(vectors, samples, classes).scores
    assert scores["auc_nc_vs_c"] == scores["auc_nc_vs_c_ci_low"] == scores["auc_nc_vs_c_ci_high"] == 0.5
    assert {scores[f"rank_share_{klass}"] for klass in ("C", "PC", "NC")} == {0.5}


def test_the_interval_resamples_compounds_not_rows():
    """Copying every sample makes rows, not evidence: the interval of the main score must not shrink."""
    vectors, samples, classes = world(np.random.default_rng(7), n_compounds=30)
    twice = samples[np.repeat(np.arange(len(samples.compound)), 2)]
    once, copied = (epsilon_compositionality(vectors, each, classes).scores for each in (samples, twice))
    assert 0 < once["auc_nc_vs_c_ci_low"] < once["auc_nc_vs_c"] < once["auc_nc_vs_c_ci_high"] < 1
    width = [each["auc_nc_vs_c_ci_high"] - each["auc_nc_vs_c_ci_low"] for each in (once, copied)]
    assert width[1] == pytest.approx(width[0], abs=0.05)
