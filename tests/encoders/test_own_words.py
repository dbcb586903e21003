"""Fitted bags: by hand, any weighted bag found again, what is given kept, bad input refused."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_ext.encoders.bag_equations import Constant
from harness_ext.encoders.bag_fit import UndeterminedError
from harness_ext.encoders.own_words import own_words

TEXTS = ["a black box", "black box", "a box", "box", "a box of a box", "of black"]
EYE = {"a": [1.0, 0, 0, 0], "black": [0, 1.0, 0, 0], "box": [0, 0, 1.0, 0], "of": [0, 0, 0, 1.0]}


def lookup(vectors):
    return lambda words: np.array([vectors[word] for word in words])


def plain_means(texts, vectors):
    """The mean of the vectors of a text's words; words of zero vectors do not count, and nothing is the zero vector."""
    found = np.zeros((len(texts), len(next(iter(vectors.values())))))
    for place, text in enumerate(texts):
        if known := [vectors[word] for word in text.split() if np.any(vectors[word])]:
            found[place] = np.mean(known, axis=0)
    return found


def cosines(one, other):
    one, other = (np.asarray(each, dtype=np.float64) for each in (one, other))
    return (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)


def test_weights_by_hand():
    """Vectors are 1·a + 2·black + 4·box + 3·of, of any length."""
    vectors = np.array([[1.0, 2, 4, 0], [0, 1, 2, 0], [3, 0, 12, 0], [0, 0, 5, 0], [2, 0, 8, 3], [0, 2, 0, 3]])
    found = own_words(TEXTS, vectors, lookup(EYE))
    weights = {word: weight / found.weights["a"] for word, weight in found.weights.items()}
    assert weights == pytest.approx({"a": 1, "black": 2, "box": 4, "of": 3}, abs=1e-5)
    assert np.mean(list(found.weights.values())) == pytest.approx(1)
    np.testing.assert_allclose(cosines(found.bags, vectors), 1, atol=1e-12)
    np.testing.assert_allclose(found.constant.vector, 0, atol=1e-5)
    assert found.words_fit == pytest.approx(1, abs=1e-12)
    assert found.settled


def test_a_plain_mean_is_its_own_bag_to_the_last_bit_of_its_weights():
    vectors = plain_means(TEXTS, EYE)
    found = own_words(TEXTS, vectors, lookup(EYE))
    assert set(found.weights.values()) == {1.0}
    assert not found.constant.vector.any()
    assert found.rounds == 0
    np.testing.assert_allclose(found.bags, vectors, rtol=1e-15)


def drawn_texts(generator, n_texts=150, n_words=60):
    words = [f"w{number}" for number in range(n_words)]
    frequencies = 1 / np.arange(1, n_words + 1)
    texts = (
        " ".join(generator.choice(words, generator.integers(1, 12), p=frequencies / frequencies.sum()))
        for _ in range(n_texts)
    )
    return words, list(dict.fromkeys(texts))


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**16),
    dimension=st.sampled_from([8, 50, 384, 1024]),
    dtype=st.sampled_from(["float16", "float32", "float64"]),
    sign=st.booleans(),
    constant=st.sampled_from([0.0, 1.0, 5.0]),
    pooled=st.sampled_from(["sum", "mean", "weighted mean"]),
    normalised=st.booleans(),
)
def test_any_weighted_bag_is_its_own_bag(seed, dimension, dtype, sign, constant, pooled, normalised):
    generator = np.random.default_rng(seed)
    words, texts = drawn_texts(generator)
    of_words = dict(zip(words, generator.normal(size=(len(words), dimension)), strict=True))
    weights = dict(zip(words, generator.lognormal(sigma=0.7, size=len(words)), strict=True))
    if sign and pooled != "weighted mean":
        weights = {word: weight * generator.choice([-1, 1]) for word, weight in weights.items()}
    shift = constant * generator.normal(size=dimension)

    def encode(some):
        vectors = np.empty((len(some), dimension))
        for place, text in enumerate(some):
            parts = text.split()
            total = {"sum": 1, "mean": len(parts), "weighted mean": sum(weights[word] for word in parts)}[pooled]
            vectors[place] = sum(weights[word] * of_words[word] for word in parts) / total + shift
        if normalised:
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors.astype(dtype)

    vectors = encode(texts)
    found = own_words(texts, vectors, encode)
    misfit = 1 - cosines(found.bags, vectors).mean()
    assert misfit < {"float16": 1e-5, "float32": 1e-9, "float64": 1e-9}[dtype]
    assert found.bags.dtype == vectors.dtype
    assert found.settled


def no_bag(generator):
    """Texts, their vectors, of which a half is their words, and the vectors of these."""
    words, texts = drawn_texts(generator)
    of_words = dict(zip(words, generator.normal(size=(len(words), 16)), strict=True))
    return texts, generator.normal(size=(len(texts), 16)) + plain_means(texts, of_words), of_words


@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**16))
def test_the_order_of_texts_changes_nothing_and_a_second_fit_is_the_same(seed):
    generator = np.random.default_rng(seed)
    texts, vectors, of_words = no_bag(generator)
    one, again = (own_words(texts, vectors, lookup(of_words)) for _ in range(2))
    np.testing.assert_array_equal(one.bags, again.bags)
    assert one.weights == again.weights
    assert 0.3 < one.words_fit < 0.99
    order = generator.permutation(len(texts))
    other = own_words([texts[place] for place in order], vectors[order], lookup(of_words))
    np.testing.assert_allclose(other.bags, one.bags[order], atol=1e-9)
    assert other.weights == pytest.approx(one.weights, abs=1e-9)


def test_given_weights_and_constant_stay(seed=3):
    generator = np.random.default_rng(seed)
    words, texts = drawn_texts(generator)
    of_words = dict(zip(words, generator.normal(size=(len(words), 32)), strict=True))
    weights = dict(zip(words, generator.lognormal(size=len(words)), strict=True))
    constant = Constant(generator.normal(size=32), is_in_words=True)
    each = -constant.vector
    vectors = np.array([sum((weights[word] * of_words[word] + each for word in text.split()), -each) for text in texts])
    known = {word: weights[word] for word in words[:20]}
    found = own_words(texts, vectors, lookup(of_words), weights=known, constant=constant)
    assert {word: found.weights[word] for word in known} == known
    np.testing.assert_array_equal(found.constant.vector, constant.vector)
    assert found.weights == pytest.approx({word: weights[word] for word in found.weights}, rel=1e-5)


def test_texts_without_words_or_vectors_and_words_without_vectors():
    texts = [*TEXTS, "", "qua box", "qua"]
    of_words = {**EYE, "qua": [0.0, 0, 0, 0]}
    vectors = plain_means(texts, of_words) * 3
    found = own_words(texts, vectors, lookup(of_words))
    np.testing.assert_allclose(found.bags, vectors, atol=1e-12)
    assert not found.bags[[texts.index(""), texts.index("qua")]].any()
    assert found.words_fit == pytest.approx(1)
    with pytest.raises(ValueError, match="No text has a word"):
        own_words(["", " "], np.ones((2, 3)), lookup({}))
    with pytest.raises(ValueError, match="No word has a vector"):
        own_words(["qua"], np.ones((1, 4)), lookup(of_words))


def test_words_with_the_same_vector_share_their_weight():
    of_words = {**EYE, "of": EYE["a"]}
    vectors = np.array([[1.0, 2, 4, 0], [0, 1, 2, 0], [3, 0, 12, 0], [0, 0, 5, 0], [3, 0, 8, 0], [1, 2, 0, 0]])
    found = own_words(TEXTS, vectors, lookup(of_words))
    assert found.weights["a"] == pytest.approx(found.weights["of"], rel=1e-3)
    assert found.words_fit == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("dimension", [1, 2])
def test_vectors_that_do_not_determine_the_weights_are_refused(dimension):
    generator = np.random.default_rng(1)
    of_words = {f"w{number}": generator.normal(size=dimension) for number in range(30)}
    texts = [f"w{number} w{number + 1} w{number + 2}" for number in range(0, 27, 3)]
    with pytest.raises(UndeterminedError, match="are not determined by"):
        own_words(texts, generator.normal(size=(len(texts), dimension)), lookup(of_words))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_refused(value):
    vectors = plain_means(TEXTS, EYE)
    with pytest.raises(ValueError, match="NaN or an infinity"):
        own_words(TEXTS, vectors, lookup({**EYE, "box": [0, value, 0, 0]}))
    with pytest.raises(ValueError, match="NaN or an infinity"):
        own_words(TEXTS, np.where(vectors == 0, value, vectors), lookup(EYE))


def test_more_pairs_of_words_than_are_kept_give_the_same_fit(monkeypatch):
    texts, vectors, of_words = no_bag(np.random.default_rng(5))
    kept = own_words(texts, vectors, lookup(of_words))
    monkeypatch.setattr("harness_ext.encoders.bag_equations._MOST_PAIRS", 0)
    without = own_words(texts, vectors, lookup(of_words))
    assert without.words_fit == pytest.approx(kept.words_fit, abs=1e-6)
    assert without.weights == pytest.approx(kept.weights, abs=1e-3)
