"""Matched noise: by hand, as far from its bags as is asked for, and a function of the text
alone.
"""

import hashlib

import numpy as np
import pytest

from harness_ext.encoders.matched_noise import N_DRAWS, matched_noise
from tests.planted import drawn, vectors_of

TEXTS = [
    "dogs chase cats",
    "cats chase dogs",
    "dogs",
    "dogs chase big cats",
    "the dogs chase cats",
    "",
]
WORDS = {word for text in TEXTS for word in text.split()} - {"the"}
BAGS = 3 * vectors_of(lambda text: sum((drawn(word) for word in text.split()), np.zeros(24)))(TEXTS)
BAGS[4] = BAGS[0]  # nothing has a vector but known words


def directions(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def draws(fit=0.8, texts=TEXTS, bags=BAGS):
    return [[*kind] for kind in matched_noise(texts, bags, fit, WORDS)]


@pytest.mark.parametrize("fit", [0.99, 0.8, 0.5])
def test_noise_is_as_far_from_the_bags_as_the_encoder_is(fit):
    several = [0, 1, 3, 4]
    for kind in draws(fit):
        assert len(kind) == N_DRAWS
        for noisy in kind:
            cosines = (directions(noisy) * directions(BAGS)).sum(axis=1)
            assert cosines[several].mean() == pytest.approx(fit, abs=1e-6)
            np.testing.assert_array_equal(noisy[[2, 5]], BAGS[[2, 5]])  # one word, and none


def test_vectors_by_hand():
    def random(kind, key):
        seed = int.from_bytes(hashlib.sha256(f"2|{kind}|{key}".encode()).digest()[:8], "little")
        return np.random.default_rng(seed).standard_normal(24) / 24**0.5

    of_text, of_neighbors = (directions(kind[2] - BAGS) for kind in draws())
    expected = directions(np.array([random("text", "dogs chase cats")]))[0]
    np.testing.assert_allclose(of_text[0], expected, atol=1e-6)
    pairs = random("neighbours", "dogs\tchase") + random("neighbours", "chase\tcats")
    np.testing.assert_allclose(of_neighbors[0], directions(pairs[None])[0], atol=1e-6)


def test_neighbors_are_known_words_and_their_order_counts():
    of_text, of_neighbors = (kind[0] for kind in draws())
    np.testing.assert_allclose(of_neighbors[0], of_neighbors[4], atol=1e-6)  # `the` has no vector
    assert np.abs(of_text[0] - of_text[4]).max() > 0.1
    for noisy in (of_text, of_neighbors):
        assert np.abs(noisy[0] - noisy[1]).max() > 0.1  # the same words in another order


def test_an_encoder_that_is_its_own_baseline_has_no_noise():
    for kind in draws(1.0):
        np.testing.assert_allclose(kind[0], BAGS, atol=1e-9)


def test_an_encoder_that_has_nothing_of_its_baseline_is_all_noise():
    for kind in draws(-0.5):
        assert np.abs((directions(kind[0]) * directions(BAGS)).sum(axis=1)[:2]).max() < 0.7
