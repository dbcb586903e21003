from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from harness_ext.evaluators.type_token import CompoundVectors, Tokens, phrase_additivity, type_token


def rotated(degrees: float) -> list[float]:
    return [np.cos(np.radians(degrees)), np.sin(np.radians(degrees))]


def cos(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))


ALONE = CompoundVectors(np.array([0, 1, 2, 3]), np.array([4, 5] * 4), np.repeat(np.arange(4), 2))
"""Four compounds at rows 0 to 3, made of the same two words at rows 4 and 5."""


def test_phrase_additivity_by_hand() -> None:
    """The words sum to 45°; the compounds stand at 45, 55, 75 and 65 degrees."""
    vectors = np.array([*map(rotated, (45, 55, 75, 65)), [1, 0], [0, 1]])
    result = phrase_additivity(vectors, ALONE, np.array([5.0, 4.0, 1.0, 2.0]))
    np.testing.assert_allclose(result.per_compound["phrase_additivity"], [cos(a) for a in (0, 10, 30, 20)])
    assert result.scores["phrase_additivity_type_spearman"] == pytest.approx(1)
    swapped = phrase_additivity(vectors, ALONE, np.array([4.0, 5.0, 1.0, 2.0]))
    assert swapped.scores["phrase_additivity_type_spearman"] == pytest.approx(0.8)  # 1 - 6 * 2 / (4 * 15)


def test_the_words_vectors_are_added_as_they_are() -> None:
    vectors = np.array([[1, 1], [1, 1], [1, 1], [1, 1], [3, 0], [0, 1]], dtype=float)
    found = phrase_additivity(vectors, ALONE, np.arange(4.0)).per_compound["phrase_additivity"]
    np.testing.assert_allclose(found, 4 / np.sqrt(2 * 10))


def test_a_compound_with_unscored_type_and_a_zero_vector_are_left_out() -> None:
    vectors = np.array([*map(rotated, (45, 55, 75)), [0, 0], [1, 0], [0, 1]])
    scores = phrase_additivity(vectors, ALONE, np.array([5.0, 4.0, 1.0, 2.0])).scores
    assert scores["n_excluded_zero_vector_phrase"] == 1
    assert scores["phrase_additivity_type_spearman"] == pytest.approx(1)
    scores = phrase_additivity(vectors, ALONE, np.array([5.0, np.nan, 1.0, 2.0])).scores
    assert np.isnan(scores["phrase_additivity_type_spearman"])  # two are left


def hand_made() -> tuple[np.ndarray, CompoundVectors, Tokens, np.ndarray, np.ndarray]:
    """Three compounds, each alone at 0°, in sentences at the angles below; their words sum to 90°."""
    angles = [10, 20, 40, 5, 15, 35, 60, 62, 66]
    vectors = np.array([rotated(0), rotated(80), rotated(100), *map(rotated, angles)])
    alone = CompoundVectors(np.array([0, 0, 0]), np.array([1, 2] * 3), np.repeat(np.arange(3), 2))
    tokens = Tokens(
        span=np.arange(3, 12),
        compound=np.repeat(np.arange(3), 3),
        score=np.array([4.0, 3.0, 1.0, 5.0, 4.5, 4.4, 2.0, 2.0, 2.0]),
    )
    return vectors, alone, tokens, np.array([3.0, 4.0, 1.0]), np.array(["PC", "C", "NC"])


def test_inside_sentences_by_hand() -> None:
    vectors, alone, tokens, type_score, classes = hand_made()
    result = type_token(vectors, alone, tokens, type_score, classes)
    out = [cos(a) for a in (10, 20, 40, 5, 15, 35, 60, 62, 66)]
    np.testing.assert_allclose(result.per_compound["nc_out"], np.reshape(out, (3, 3)).mean(axis=1))
    assert result.scores["nc_out_type_spearman"] == pytest.approx(1)
    out_comp = np.sqrt(1 - np.square(out))  # cos(90° - a)
    np.testing.assert_allclose(result.per_compound["nc_out_comp"], out_comp.reshape(3, 3).mean(axis=1))
    assert result.scores["nc_out_comp_type_spearman"] == pytest.approx(-1)

    assert result.scores["nc_out_token_spearman"] == pytest.approx(spearmanr(out, tokens.score).statistic)


def test_across_sentences_by_hand() -> None:
    """First compound: pairs 10°, 30°, 20° apart with differences 1, 3, 2. Second: 10°, 30°, 20° with .5, .6, .1."""
    vectors, alone, tokens, type_score, classes = hand_made()
    result = type_token(vectors, alone, tokens, type_score, classes)
    np.testing.assert_allclose(result.per_compound["cross_sentence_spearman"], [-1, -0.5, np.nan])
    scores = result.scores
    assert scores["cross_sentence_spearman_mean"] == pytest.approx(-0.75)
    assert scores["cross_sentence_spearman_std"] == pytest.approx(np.std([-1, -0.5], ddof=1))
    assert scores["cross_sentence_spearman_mean_PC"] == pytest.approx(-1)
    assert scores["cross_sentence_spearman_mean_C"] == pytest.approx(-0.5)
    assert np.isnan(scores["cross_sentence_spearman_mean_NC"])  # its three scores are the same
    assert scores["n_excluded_cross_sentence"] == 1
    spread = [np.std([cos(a), cos(b), cos(c)], ddof=1) for a, b, c in ((10, 30, 20), (10, 30, 20), (2, 6, 4))]
    np.testing.assert_allclose(result.per_compound["spread_of_cosines"], spread)
    np.testing.assert_allclose(
        result.per_compound["spread_of_scores"], [np.std(s, ddof=1) for s in tokens.score.reshape(3, 3)], atol=1e-12
    )


def test_equal_differences_are_ties() -> None:
    """2.8 - 2.55 and 2.55 - 2.3 differ in binary; as people's scores they do not."""
    vectors = np.array([rotated(0), *map(rotated, (10, 20, 40))])
    alone = CompoundVectors(np.array([0]), np.array([0]), np.array([0]))
    tokens = Tokens(np.array([1, 2, 3]), np.zeros(3, int), np.array([2.8, 2.55, 2.3]))
    result = type_token(vectors, alone, tokens, np.array([2.0]), np.array(["PC"]))
    # differences .25 .5 .25 -> ranks 1.5 3 1.5; cosines of 10° 30° 20° -> ranks 3 1 2
    assert result.scores["cross_sentence_spearman_mean"] == pytest.approx(np.corrcoef([1.5, 3, 1.5], [3, 1, 2])[0, 1])


def test_fewer_than_three_sentences_and_zero_vectors_are_counted() -> None:
    vectors, alone, tokens, type_score, classes = hand_made()
    tokens = Tokens(tokens.span[1:], tokens.compound[1:], tokens.score[1:])
    scores = type_token(vectors, alone, tokens, type_score, classes).scores
    assert scores["n_excluded_cross_sentence"] == 2
    vectors[5] = 0
    scores = type_token(vectors, alone, tokens, type_score, classes).scores
    assert scores["n_excluded_zero_vector"] == 1


def world(seed: int, k: int = 15) -> tuple[np.ndarray, CompoundVectors, Tokens, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    alone = CompoundVectors(np.arange(k), rng.integers(k, 2 * k, 2 * k), np.repeat(np.arange(k), 2))
    tokens = Tokens(2 * k + np.arange(3 * k), np.repeat(np.arange(k), 3), rng.uniform(0, 5, 3 * k).round(2))
    classes = np.array(["NC", "PC", "C"] * (k // 3))
    return rng.normal(size=(5 * k, 6)), alone, tokens, rng.uniform(0, 5, k), classes


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(0.01, 100))
def test_rotation_scale_and_order_change_nothing(seed: int, scale: float) -> None:
    vectors, alone, tokens, type_score, classes = world(seed)
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    order = rng.permutation(len(tokens.span))
    shuffled = Tokens(tokens.span[order], tokens.compound[order], tokens.score[order])
    before = type_token(vectors, alone, tokens, type_score, classes).scores
    after = type_token(scale * vectors @ rotation, alone, shuffled, type_score, classes).scores
    assert after == pytest.approx(before, nan_ok=True)


def test_main_scores_have_intervals() -> None:
    vectors, alone, tokens, type_score, classes = world(1, k=60)
    vectors[alone.compound, 0] = 0
    scores = type_token(vectors, alone, tokens, type_score, classes).scores
    scores |= phrase_additivity(vectors, alone, type_score).scores
    for main in ("nc_out_type_spearman", "phrase_additivity_type_spearman"):
        assert scores[f"{main}_ci_low"] < scores[main] < scores[f"{main}_ci_high"]
