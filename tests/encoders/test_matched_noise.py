"""Matched noise: by hand, as far from its bags as is asked for, and a function of the words alone."""

import hashlib

import numpy as np
import pytest

from harness_ext.encoders.matched_noise import KINDS, N_DRAWS, matched_noise
from tests.planted_vectors import drawn, vectors_of

DIMENSIONS = 20
"""No multiple of 8: a digest has more bits than are used."""

TEXTS = ["dogs chase cats", "cats chase dogs", "dogs", "dogs chase big cats", ""]
WORDS = [text.split() for text in TEXTS]


def bag(text):
    return sum((drawn(word, dimensions=DIMENSIONS) for word in text.split()), np.zeros(DIMENSIONS))


BAGS = 3 * vectors_of(bag)(TEXTS)


def directions(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def draws(kind, fit=0.8):
    return [*matched_noise(kind, WORDS, BAGS, fit)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit", [0.99, 0.8, 0.5])
def test_noise_is_as_far_from_the_bags_as_the_encoder_is(kind, fit):
    several = [0, 1, 3]
    assert len(draws(kind, fit)) == N_DRAWS == 9
    for noisy in draws(kind, fit):
        cosines = (directions(noisy) * directions(BAGS)).sum(axis=1)
        assert cosines[several].mean() == pytest.approx(fit, abs=1e-6)
        np.testing.assert_array_equal(noisy[[2, 4]], BAGS[[2, 4]])  # one word, and none


def signs(seed, draw):
    """The random vector of a seed by its definition: a bit of the digest for each dimension."""
    n_bytes = 3  # 20 bits
    digest = hashlib.shake_128(seed.encode()).digest(9 * n_bytes)
    number = int.from_bytes(digest[draw * n_bytes : (draw + 1) * n_bytes], "big")
    bits = f"{number:024b}"[:DIMENSIONS]
    return np.array([1 if bit == "1" else -1 for bit in bits]) / DIMENSIONS**0.5


@pytest.mark.parametrize("draw", [0, 8])
def test_vectors_by_hand(draw):
    noise = directions(draws("text")[draw] - BAGS)[0]
    np.testing.assert_allclose(noise, signs("text|dogs chase cats", draw), atol=1e-6)
    noise = directions(draws("neighbors")[draw] - BAGS)[0]
    pairs = signs("neighbors|dogs\tchase", draw) + signs("neighbors|chase\tcats", draw)
    np.testing.assert_allclose(noise, directions(pairs[None])[0], atol=1e-6)


def test_lengths_by_hand():
    """The sum of the vectors of three pairs is divided by √3: the step of every text has the same
    length on average.
    """
    longer = [0, 3]
    bags = np.linalg.norm(BAGS[longer], axis=1)
    steps = (draws("neighbors")[0] - BAGS)[longer]
    of_two, of_three = np.linalg.norm(steps, axis=1) / bags
    two = signs("neighbors|dogs\tchase", 0) + signs("neighbors|chase\tcats", 0)
    three = (
        signs("neighbors|dogs\tchase", 0)
        + signs("neighbors|chase\tbig", 0)
        + signs("neighbors|big\tcats", 0)
    )
    expected = (np.linalg.norm(three) / 3**0.5) / (np.linalg.norm(two) / 2**0.5)
    assert of_three / of_two == pytest.approx(expected, rel=1e-6)
    steps = (draws("text")[0] - BAGS)[longer]
    of_two, of_three = np.linalg.norm(steps, axis=1) / bags
    assert of_three == pytest.approx(of_two, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_words_counts(kind):
    noisy = draws(kind)[0]
    assert np.abs(noisy[0] - noisy[1]).max() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_that_is_its_own_baseline_has_no_noise(kind):
    np.testing.assert_allclose(draws(kind, 1.0)[0], BAGS, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_that_has_nothing_of_its_baseline_is_all_noise(kind):
    noisy = draws(kind, -0.5)[0]
    assert np.abs((directions(noisy) * directions(BAGS)).sum(axis=1)[:2]).max() < 0.7
