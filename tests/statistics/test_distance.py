"""The cosine distance of many pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx
from scipy.spatial.distance import cosine
from scipy.stats import ortho_group

from harness_ext.statistics import distance
from harness_ext.statistics.distance import cosine_distance

DISTANCE_AT_45_DEGREES = 1 - math.sqrt(0.5)


FIRST = np.array([0])
SECOND = np.array([1])
"""The places of the two vectors of a pair."""


@pytest.mark.parametrize(
    ("vector", "expected"),
    [
        pytest.param([1.0, 0.0], 0, id="itself"),
        pytest.param([0.0, 2.0], 1, id="at a right angle"),
        pytest.param([-3.0, 0.0], 2, id="opposite"),
        pytest.param([4.0, 4.0], DISTANCE_AT_45_DEGREES, id="at 45 degrees"),
        pytest.param([0.0, 0.0], math.nan, id="no direction"),
    ],
)
def test_by_hand(vector, expected):
    pair = np.array([[1.0, 0.0], vector])
    assert_allclose(cosine_distance(pair, FIRST, SECOND), expected, atol=1e-15)
    assert_allclose(cosine_distance(pair, SECOND, FIRST), expected, atol=1e-15)


@given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.floats(1e-3, 1e3),
)
def test_is_scipys_and_does_not_depend_on_scale_or_rotation(seed, scale):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(6, 5))
    first, second = rng.integers(0, 6, (2, 20))
    distances = cosine_distance(vectors, first, second)
    expected = list(map(cosine, vectors[first], vectors[second]))
    assert_allclose(distances, expected, atol=1e-12)
    rotation = ortho_group.rvs(5, random_state=rng)
    turned = scale * vectors @ rotation
    of_turned = cosine_distance(turned, first, second)
    assert_allclose(of_turned, distances, atol=1e-12)


def test_keeps_the_digits_of_near_identical_vectors():
    angle = 1e-5
    near = [math.cos(angle), math.sin(angle)]
    pair = np.array([[1.0, 0.0], near])
    half_chord = math.sin(angle / 2)
    expected = 2 * half_chord**2  # 1 - cos has five digits left
    (distance_of_pair,) = cosine_distance(pair, FIRST, SECOND)
    assert distance_of_pair == approx(expected, rel=1e-9, abs=0)


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    normal = rng.normal(size=(50, 7))
    vectors = normal.astype(np.float32)
    first, second = rng.integers(0, 50, (2, 300))
    whole = cosine_distance(vectors, first, second)
    monkeypatch.setattr(distance, "_BLOCK_BYTES", 8 * 7 * 11)
    in_blocks = cosine_distance(vectors, first, second)
    assert_array_equal(in_blocks, whole)
