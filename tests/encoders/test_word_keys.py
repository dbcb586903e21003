"""Words with one vector have one key: as all pairs of words say, in either search."""

import numpy as np
import pytest

from harness_ext.encoders import word_keys as module
from harness_ext.encoders.word_keys import word_keys
from tests.planted_vectors import drawn


def near(vector, tolerance, seed=0):
    """A vector whose cosine with another one is 1 minus the tolerance."""
    generator = np.random.default_rng(seed)
    side = generator.standard_normal(len(vector))
    side -= side @ vector * vector / (vector @ vector)
    angle = np.arccos(1 - tolerance)
    return np.cos(angle) * unit(vector) + np.sin(angle) * unit(side)


def unit(vector):
    return vector / np.linalg.norm(vector)


def keys_of(vectors, *, is_exact=True):
    words = sorted(vectors)
    rows = np.array([unit(vectors[word]) for word in words])
    return word_keys(words, rows, is_exact=is_exact)


def by_all_pairs(words, rows, bound):
    """The definition, word by word."""
    keys = {}
    for place, word in enumerate(words):
        keys[word] = word
        for number, earlier in enumerate(words[:place]):
            is_key = keys[earlier] == earlier
            if is_key and rows[number] @ rows[place] > bound:
                keys[word] = earlier
                break
    return keys


def test_an_encoder_without_case_has_one_key_for_the_and_one_with_case_has_two():
    words = ["The", "cat", "the"]
    without_case = {word: drawn(word.lower()) for word in words}
    assert keys_of(without_case).keys == {"The": "The", "cat": "cat", "the": "The"}
    with_case = {word: drawn(word) for word in words}
    assert keys_of(with_case).keys == {word: word for word in words}


@pytest.mark.parametrize(
    ("tolerance", "is_exact", "is_one"),
    [
        (0.9e-6, True, True),
        (1.1e-6, True, False),
        (0.9e-4, False, True),
        (1.1e-4, False, False),
    ],
)
def test_the_bound_is_that_of_the_bits(tolerance, is_exact, is_one):
    one = drawn("the")
    other = near(one, tolerance)
    found = keys_of({"The": one, "the": other}, is_exact=is_exact)
    assert (found.keys["the"] == "The") == is_one
    assert found.signature == ("one word within 1e-06" if is_exact else "one word within 0.0001")


def many_words(n_others):
    """200 words, some of which have nearly the vector of the word before, and two of one word."""
    vectors = {f"word{number:03d}": drawn(f"word {number}") for number in range(198)}
    vectors["Word000"] = near(vectors["word000"], 1e-5)
    vectors["word000,"] = near(vectors["word000"], 1e-5, seed=1)
    for number in range(n_others):
        earlier = f"word{2 * number + 10:03d}"
        later = f"word{2 * number + 11:03d}"
        vectors[later] = near(vectors[earlier], 1e-5)
    return vectors


@pytest.mark.parametrize(
    ("n_others", "tolerance", "n_keys"),
    [
        (2, 1e-4, 200 - 2 - 2),
        (3, 1e-6, 200),
    ],
)
def test_where_more_than_a_hundredth_of_other_words_would_share_a_key_none_does(
    n_others, tolerance, n_keys
):
    """Words that differ by case and marks alone do not count."""
    found = keys_of(many_words(n_others), is_exact=False)
    assert found.tolerance == tolerance
    assert len({*found.keys.values()}) == n_keys


def test_a_key_is_its_own_key_so_a_chain_has_two():
    """b is near a, and c near b but not near a: c is its own key."""
    a = turned(0.0)
    b = turned(0.012)
    c = turned(0.024)
    found = keys_of({"a": a, "a,": b, "b": c}, is_exact=False)
    assert found.keys["b"] == "b"
    rows = np.array([a, b, c])
    pairs = np.array([[1, 2], [1, 0]])
    bound = 1 - 1e-4
    assert module._by_pairs(rows, pairs, bound) == [0, 0, 2]
    assert module._by_blocks(rows, bound) == [0, 0, 2]


def turned(angle):
    return np.array([np.cos(angle), np.sin(angle), 0.0])


@pytest.mark.parametrize("n_candidates", [50, 0])
@pytest.mark.parametrize("crowd", [0.0, 30.0])
def test_both_searches_find_what_all_pairs_say(n_candidates, crowd, monkeypatch):
    """Also where all words have nearly one vector, or are compared in several blocks."""
    monkeypatch.setattr(module, "_MOST_CANDIDATES", n_candidates)
    monkeypatch.setattr(module, "_AT_ONCE", 7)
    generator = np.random.default_rng(0)
    centers = generator.standard_normal((40, 30))
    rows = centers[generator.integers(40, size=200)] + crowd
    step = generator.choice([0, 1e-4, 3e-2], size=(200, 1))
    rows += step * generator.standard_normal((200, 30))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    words = [f"w{number:03d}" for number in range(200)]
    for tolerance in (1e-6, 1e-4):
        expected = by_all_pairs(words, rows, 1 - tolerance)
        assert 1 < len({*expected.values()}) < 200
        assert module._keys(words, rows, tolerance) == expected
