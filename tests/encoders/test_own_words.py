"""Fitted bags: by hand, any weighted bag found again, against the definition, bad input refused."""

from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_ext.encoders import own_words as module
from harness_ext.encoders.words import word_counts
from tests.planted import drawn_bag

TEXTS = ["a black box", "black box", "a box", "box", "a box of a box", "of black"]
EYE = {"a": [1.0, 0, 0, 0], "black": [0, 1.0, 0, 0], "box": [0, 0, 1.0, 0], "of": [0, 0, 0, 1.0]}


own_words = partial(module.own_words, task="task")


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


def test_vectors_by_hand():
    """Vectors are 1·a + 2·black + 4·box + 3·of, of any length; bags are as long as these on average."""
    vectors = np.array([[1.0, 2, 4, 0], [0, 1, 2, 0], [3, 0, 12, 0], [0, 0, 5, 0], [2, 0, 8, 3], [0, 2, 0, 3]])
    found = own_words(TEXTS, vectors, lookup(EYE))
    assert np.mean(list(found.weights.values())) == pytest.approx(1)
    np.testing.assert_allclose(cosines(found.bags, vectors), 1, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(found.bags, axis=1), np.linalg.norm(vectors, axis=1).mean())
    assert found.words_fit == pytest.approx(1, abs=1e-9)


def test_a_plain_mean_is_its_own_bag_to_the_last_bit_of_its_weights():
    vectors = plain_means(TEXTS, EYE)
    found = own_words(TEXTS, vectors, lookup(EYE))
    assert set(found.weights.values()) == {1.0}
    np.testing.assert_allclose(cosines(found.bags, vectors), 1, rtol=1e-15)


def drawn_texts(generator, n_texts=150, n_words=60):
    words = [f"w{number}" for number in range(n_words)]
    frequencies = 1 / np.arange(1, n_words + 1)
    texts = (
        " ".join(generator.choice(words, generator.integers(1, 12), p=frequencies / frequencies.sum()))
        for _ in range(n_texts)
    )
    return words, list(dict.fromkeys(texts))


@settings(max_examples=6, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**16),
    dimension=st.sampled_from([8, 50, 384, 1024]),
    dtype=st.sampled_from(["float16", "float32", "float64"]),
    constant=st.sampled_from([0.0, 1.0, 5.0]),
    in_words=st.booleans(),
    pooled=st.sampled_from(["sum", "mean", "weighted mean"]),
    normalised=st.booleans(),
)
def test_any_weighted_bag_is_its_own_bag(in_words, constant, **kind):
    _, texts = drawn_texts(np.random.default_rng(kind["seed"]))
    in_words = in_words or kind["pooled"] == "weighted mean"  # for then each word adds its share of the constant
    of_texts, of_words = drawn_bag(constant=constant, **kind), drawn_bag(constant=constant * in_words, **kind)
    vectors = of_texts.vectors_of(texts)
    found = own_words(texts, vectors, of_words.vectors_of)
    misfit = 1 - cosines(found.bags, vectors).mean()
    assert misfit < {"float16": 1e-5, "float32": 1e-7, "float64": 1e-7}[kind["dtype"]]
    assert found.bags.dtype == vectors.dtype == kind["dtype"]


def no_bag(generator, noise=1.0, dimension=16):
    """Texts, their vectors, of which a part is their words, and the vectors of these."""
    words, texts = drawn_texts(generator)
    of_words = dict(zip(words, generator.normal(size=(len(words), dimension)), strict=True))
    return texts, noise * generator.normal(size=(len(texts), dimension)) + plain_means(texts, of_words), of_words


@settings(max_examples=3, derandomize=True)
@given(seed=st.integers(0, 2**16), scale=st.sampled_from([7.0, 1e-3]))
def test_the_order_of_texts_and_lengths_change_nothing_and_a_second_fit_is_the_same(seed, scale):
    generator = np.random.default_rng(seed)
    texts, vectors, of_words = no_bag(generator, noise=0.3, dimension=64)
    one, again = (own_words(texts, vectors, lookup(of_words)) for _ in range(2))
    np.testing.assert_array_equal(one.bags, again.bags)
    assert one.weights == again.weights
    assert 0.3 < one.words_fit < 0.999
    order = generator.permutation(len(texts))
    other = own_words([texts[place] for place in order], vectors[order], lookup(of_words))
    np.testing.assert_allclose(other.bags, one.bags[order], atol=1e-3)
    assert other.weights == pytest.approx(one.weights, abs=1e-3)
    lengths = generator.lognormal(size=(len(texts), 1))
    longer = {word: scale * generator.lognormal() * vector for word, vector in of_words.items()}
    other = own_words(texts, lengths * vectors, lookup(longer))
    np.testing.assert_allclose(cosines(one.bags, other.bags), 1, atol=1e-6)


def objective(counts, vectors, of_words, numbers):
    """The definition, in the fewest words."""
    n_words, dimension = of_words.shape
    weights, constant, each = numbers[:n_words], *numbers[n_words:].reshape(2, dimension)
    unit = of_words / np.linalg.norm(of_words, axis=1, keepdims=True)
    bags = counts @ (weights[:, None] * unit) + constant + (counts.sum(axis=1) - 1)[:, None] * each
    penalty = ((weights - 1) ** 2).sum() + (constant**2).sum() + (10 * each @ (10 * each))
    return (1 - np.maximum(cosines(bags, vectors), 0) ** 2).sum() + 1e-5 * penalty


def test_no_step_from_the_minimum_lowers_the_definition():
    """Its objective, written down once more: that of the fit, and not lower anywhere around it."""
    generator = np.random.default_rng(4)
    texts, vectors, vectors_of = no_bag(generator)
    words, counts = word_counts(texts)
    of_words = lookup(vectors_of)(words)
    state = module._Problem(counts, of_words, vectors).minimum("task")
    numbers = state.numbers.copy()
    numbers[len(words) + 16 :] /= 10  # 10 g is fitted
    least = objective(counts.toarray(), vectors, of_words, numbers)
    assert state.objective == pytest.approx(least, rel=1e-9)
    for step in (0.1, 0.01, 0.003):
        for _ in range(30):
            change = step * generator.normal(size=len(numbers))
            assert objective(counts.toarray(), vectors, of_words, numbers + change) > least * (1 - 1e-5)


def test_texts_without_words_or_vectors_and_words_without_vectors():
    texts = [*TEXTS, "", "qua box", "qua"]
    of_words = {**EYE, "qua": [0.0, 0, 0, 0]}
    vectors = plain_means(texts, of_words) * 3
    found = own_words(texts, vectors, lookup(of_words))
    some = vectors.any(axis=1)
    np.testing.assert_allclose(cosines(found.bags[some], vectors[some]), 1, atol=1e-9)
    assert not found.bags[[texts.index(""), texts.index("qua")]].any()
    assert found.words_fit == pytest.approx(1)
    with pytest.raises(ValueError, match="No text has a word"):
        own_words(["", " "], np.ones((2, 3)), lookup({}))
    with pytest.raises(ValueError, match="No text with a vector other than zero has a word with such a vector"):
        own_words(["qua"], np.ones((1, 4)), lookup(of_words))


def test_vectors_that_do_not_determine_the_weights_and_values_that_are_no_numbers_are_refused():
    texts, vectors, of_words = no_bag(np.random.default_rng(1), dimension=2)
    with pytest.raises(ValueError, match="are not determined by"):
        own_words(texts[:9], vectors[:9], lookup(of_words))
    vectors = plain_means(TEXTS, EYE)
    with pytest.raises(ValueError, match="NaN or an infinity"):
        own_words(TEXTS, vectors, lookup({**EYE, "box": [0, np.nan, 0, 0]}))
    with pytest.raises(ValueError, match="NaN or an infinity"):
        own_words(TEXTS, np.where(vectors == 0, np.inf, vectors), lookup(EYE))


def test_more_pairs_of_words_than_are_kept_give_the_same_fit(monkeypatch):
    texts, vectors, of_words = no_bag(np.random.default_rng(5))
    kept = own_words(texts, vectors, lookup(of_words))
    monkeypatch.setattr("harness_ext.encoders.own_words._MOST_PAIRS", 0)
    without = own_words(texts, vectors, lookup(of_words))
    assert without.words_fit == pytest.approx(kept.words_fit, abs=1e-6)
    assert without.weights == pytest.approx(kept.weights, abs=1e-3)
