"""The cosine distance of many pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine

from harness_ext.statistics import distance
from harness_ext.statistics.distance import cosine_distance

seeds = st.integers(0, 2**32 - 1)


def test_by_hand():
    vectors = np.array([[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0], [4.0, 4.0], [0.0, 0.0]])
    first = np.array([0, 0, 0, 0, 3, 4])
    second = np.array([0, 1, 2, 3, 0, 0])
    at_45_degrees = 1 - np.sqrt(0.5)
    expected = [0, 1, 2, at_45_degrees, at_45_degrees, np.nan]
    np.testing.assert_allclose(cosine_distance(vectors, first, second), expected, atol=1e-15)


@given(seed=seeds, scale=st.floats(1e-3, 1e3))
def test_is_scipys_and_does_not_depend_on_scale_or_rotation(seed, scale):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(6, 5))
    first, second = rng.integers(0, 6, (2, 20))
    distances = cosine_distance(vectors, first, second)
    expected = [cosine(*pair) for pair in zip(vectors[first], vectors[second], strict=True)]
    np.testing.assert_allclose(distances, expected, atol=1e-12)
    rotation = np.linalg.qr(rng.normal(size=(5, 5))).Q
    turned = scale * vectors @ rotation
    np.testing.assert_allclose(cosine_distance(turned, first, second), distances, atol=1e-12)


def test_keeps_the_digits_of_near_identical_vectors():
    angle = 1e-5
    pair = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    expected = 2 * np.sin(angle / 2) ** 2  # 1 - cos has five digits left
    (distance_of_pair,) = cosine_distance(pair, np.array([0]), np.array([1]))
    assert distance_of_pair == pytest.approx(expected, rel=1e-9, abs=0)


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(50, 7)).astype(np.float32)
    first, second = rng.integers(0, 50, (2, 300))
    whole = cosine_distance(vectors, first, second)
    monkeypatch.setattr(distance, "_BLOCK_BYTES", 8 * 7 * 11)
    np.testing.assert_array_equal(cosine_distance(vectors, first, second), whole)
