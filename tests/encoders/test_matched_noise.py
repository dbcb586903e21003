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
    total = np.zeros(DIMENSIONS)
    for word in text.split():
        total = total + drawn(word, dimensions=DIMENSIONS)
    return total


BAGS = 3 * vectors_of(bag)(TEXTS)


def directions(vectors):
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)


def cosines_with_bags(vectors, rows):
    products = directions(vectors[rows]) * directions(BAGS[rows])
    return products.sum(axis=1)


def draws(kind, fit=0.8):
    return list(matched_noise(kind, WORDS, BAGS, fit))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit", [0.99, 0.8, 0.5])
def test_noise_is_as_far_from_the_bags_as_the_encoder_is(kind, fit):
    of_several_words = [0, 1, 3]
    of_one_word_or_none = [2, 4]
    found = draws(kind, fit)
    assert len(found) == N_DRAWS == 9
    for noisy in found:
        cosines = cosines_with_bags(noisy, of_several_words)
        assert cosines.mean() == pytest.approx(fit, abs=1e-6)
        np.testing.assert_array_equal(noisy[of_one_word_or_none], BAGS[of_one_word_or_none])


def signs(seed, draw):
    """The random vector of a seed by its definition: a bit of the digest for each dimension."""
    n_bytes = 3  # 20 bits
    digest = hashlib.shake_128(seed.encode()).digest(9 * n_bytes)
    start = draw * n_bytes
    number = int.from_bytes(digest[start : start + n_bytes], "big")
    bits = f"{number:024b}"[:DIMENSIONS]
    ones = [1 if bit == "1" else -1 for bit in bits]
    return np.array(ones) / DIMENSIONS**0.5


def signs_of_pairs(*pairs, draw=0):
    """The sum of the random vectors of pairs of neighbors."""
    return sum(signs(f"neighbors|{pair}", draw) for pair in pairs)


@pytest.mark.parametrize("draw", [0, 8])
def test_vectors_by_hand(draw):
    steps = draws("text")[draw] - BAGS
    expected = signs("text|dogs chase cats", draw)
    np.testing.assert_allclose(directions(steps)[0], expected, atol=1e-6)
    steps = draws("neighbors")[draw] - BAGS
    pairs = signs_of_pairs("dogs\tchase", "chase\tcats", draw=draw)
    expected = pairs / np.linalg.norm(pairs)
    np.testing.assert_allclose(directions(steps)[0], expected, atol=1e-6)


def test_lengths_by_hand():
    """The sum of the vectors of three pairs is divided by √3: the step of every text has the same
    length on average.
    """
    of_two, of_three = relative_lengths("neighbors")
    two = signs_of_pairs("dogs\tchase", "chase\tcats")
    three = signs_of_pairs("dogs\tchase", "chase\tbig", "big\tcats")
    length_of_two = np.linalg.norm(two) / 2**0.5
    length_of_three = np.linalg.norm(three) / 3**0.5
    expected = length_of_three / length_of_two
    assert of_three / of_two == pytest.approx(expected, rel=1e-6)
    of_two, of_three = relative_lengths("text")
    assert of_three == pytest.approx(of_two, rel=1e-6)


def relative_lengths(kind):
    """The steps from the bags of texts with two pairs and with three, in lengths of these bags."""
    rows = [0, 3]
    steps = draws(kind)[0] - BAGS
    lengths = np.linalg.norm(steps[rows], axis=1)
    return lengths / np.linalg.norm(BAGS[rows], axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_words_counts(kind):
    one, other, *_ = draws(kind)[0]
    assert np.abs(one - other).max() > 0.1


@pytest.mark.parametrize("fit", [1.0, 1.0 + 2**-52], ids=["one", "a rounding error above one"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_that_is_its_own_baseline_has_no_noise(kind, fit):
    """Word vectors that are added up: their cosines with their bags may be rounded up."""
    for noisy in draws(kind, fit):
        np.testing.assert_array_equal(noisy, BAGS)


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_that_has_nothing_of_its_baseline_is_all_noise(kind):
    noisy = draws(kind, -0.5)[0]
    cosines = cosines_with_bags(noisy, [0, 1])
    assert np.abs(cosines).max() < 0.7
