"""The additive baseline: by hand, any weighted bag found again, against the definition, and that it
sees no text.
"""

from collections import Counter

import numpy as np
import pytest
import scipy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_ext.data.words import random_strings
from harness_ext.encoders.additive_baseline import AdditiveBaseline, unit
from harness_ext.encoders.weighted_sums import RIDGE, Products, Sums, WeightedSums
from tests.planted import drawn_bag
from tests.planted_vectors import bag_of_words, drawn, vectors_of

TEXTS = ["a black box", "black box", "a box", "box", "a box of a box", "of black"]
EYE = {
    "a": [1.0, 0, 0, 0],
    "black": [0, 2.0, 0, 0],
    "box": [0, 0, 1.0, 0],
    "of": [0, 0, 0, 1.0],
    "qua": [0, 0, 0, 0],
}


def adds_up(weights, vectors=EYE):
    """Weighted words added up; a word alone is not weighted."""

    def vector(text):
        words = text.split()
        if len(words) == 1:
            return np.array(vectors[words[0]])
        total = np.zeros(4)
        for word in words:
            total += weights[word] * np.array(vectors[word])
        return total

    return vectors_of(vector)


def unweighted():
    return adds_up(dict.fromkeys(EYE, 1.0))


def cosines(one, other):
    one = np.asarray(one, dtype=np.float64)
    other = np.asarray(other, dtype=np.float64)
    products = (one * other).sum(axis=1)
    return products / lengths(one) / lengths(other)


def lengths(vectors):
    return np.linalg.norm(vectors, axis=1)


def fitted_bags(texts, encode):
    """The bags of an additive baseline and the fit."""
    return AdditiveBaseline(texts, encode(texts), encode).bags()


def test_weights_by_hand():
    """Texts are 1·a + 2·black + 4·box + 3·of, with words of length 1; bags are as long as texts on
    average.
    """
    encode = adds_up({"a": 1, "black": 1, "box": 4, "of": 3})  # black is 2 long
    vectors = encode(TEXTS)
    bags, fit = fitted_bags(TEXTS, encode)
    np.testing.assert_allclose(cosines(bags, vectors), 1, atol=1e-9)
    np.testing.assert_allclose(lengths(bags), lengths(vectors).mean())
    assert fit == pytest.approx(1, abs=1e-9)


def test_probes_are_cuts_of_permutations_and_no_compared_text_is_one():
    words = [f"w{place}" for place in range(101)]
    strings = random_strings(words, 5, 0)
    assert any(101 in places for places, _ in strings.values())
    n_strings = Counter(len(string.split()) for string in strings)
    assert set(n_strings) - {7} == {2, 3, 4, 5, 6}
    assert n_strings[7] <= 5  # only with a last word alone
    for permutation in range(5):
        cuts = []
        for string, (_, permutations) in strings.items():
            if permutation in permutations:
                cuts.append(string)
        assert sorted(" ".join(cuts).split()) == sorted(words)
    asked = []

    def encode(texts):
        asked.extend(texts)
        return vectors_of(drawn)(texts)

    some_strings = list(strings)[:3]
    texts = [*some_strings, " ".join(words)]
    AdditiveBaseline(texts, vectors_of(drawn)(texts), encode)
    assert len(asked) == len({*asked})
    assert not {*texts} & {*asked}
    assert {*words} < {*asked}
    n_letters = [len(text) for text in asked]
    assert n_letters == sorted(n_letters)  # in one call, the shortest first


def drawn_texts(generator, n_texts=150, n_words=60):
    words = [f"w{number}" for number in range(n_words)]
    frequencies = 1 / np.arange(1, n_words + 1)
    frequencies /= frequencies.sum()
    texts = {}
    for _ in range(n_texts):
        length = generator.integers(1, 12)
        chosen = generator.choice(words, length, p=frequencies)
        texts[" ".join(chosen)] = None
    return words, list(texts)


MOST_MISFIT = {
    "float16": 1e-5,
    "float32": 1e-7,
    "float64": 1e-7,
}


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
def test_any_weighted_bag_is_its_own_baseline(in_words, **kind):
    _, texts = drawn_texts(np.random.default_rng(kind["seed"]))
    # for then each word adds its share of the constant
    in_words = in_words or kind["pooled"] == "weighted mean"
    encode = drawn_bag(in_words=in_words, **kind).vectors_of
    vectors = encode(texts)
    bags, fit = fitted_bags(texts, encode)
    away = 1 - cosines(bags, vectors).mean()
    assert away < MOST_MISFIT[kind["dtype"]]
    assert fit == pytest.approx(1, abs=1e-5)
    assert bags.dtype == vectors.dtype == kind["dtype"]


def no_bag(seed=0, away=0.3, dimension=64):
    """A bag of drawn vectors, and a vector of each text: no bag fits it."""

    def vector(text):
        words = [drawn(word, seed, dimension) for word in text.split()]
        return np.mean(words, axis=0) + away * drawn(text, seed, dimension)

    return vectors_of(vector)


@pytest.mark.slow
@settings(max_examples=3, derandomize=True)
@given(
    seed=st.integers(0, 2**16),
    scale=st.sampled_from([7.0, 1e-3]),
)
def test_the_order_of_texts_and_lengths_change_nothing_and_a_second_fit_is_the_same(seed, scale):
    generator = np.random.default_rng(seed)
    encode = no_bag(seed)
    _, texts = drawn_texts(generator)
    one = fitted_bags(texts, encode)
    again = fitted_bags(texts, encode)
    np.testing.assert_array_equal(one.vectors, again.vectors)
    assert 0.3 < one.fit < 0.999
    order = generator.permutation(len(texts))
    texts_there = [texts[place] for place in order]
    other = fitted_bags(texts_there, encode)
    np.testing.assert_allclose(other.vectors, one.vectors[order], atol=1e-4)

    def longer(some):
        times = np.random.default_rng(1).lognormal(size=(len(some), 1))
        return encode(some) * (scale * times)

    other = fitted_bags(texts, longer)
    np.testing.assert_allclose(cosines(one.vectors, other.vectors), 1, atol=1e-6)


def misfit(cosines_of_sums):
    return (1 - np.maximum(cosines_of_sums, 0) ** 2).sum()


def objective(sums, targets, n_words, constants, weights=1.0):
    """The definition, in the fewest words."""
    of_text, of_word = constants
    bags = sums + of_text + (n_words - 1)[:, None] * of_word
    penalty = (
        np.square(weights - 1.0).sum() + np.square(of_text).sum() + np.square(10 * of_word).sum()
    )
    return misfit(cosines(bags, targets)) + RIDGE * penalty


def test_no_step_from_the_minimum_lowers_the_definition():
    """Its objective, written down once more: it is not lower anywhere around what a fit finds."""
    generator = np.random.default_rng(4)
    units = unit(generator.normal(size=(13, 16)))
    units[-1] = 0  # no word: a sum of three
    members = draws_without_repetition(generator, n_draws=40, size=4, population=12)
    members[::2, 3] = 12
    n_words = (members < 12).sum(axis=1)

    def sums(weights):
        weighted = weights[members][..., None] * units[members]
        return weighted.sum(axis=1)

    bags = sums(generator.lognormal(size=13))
    targets = unit(bags + generator.normal(size=(40, 16)) / 4)
    fit = free(targets, units, members, n_words)
    (fitted,) = WeightedSums(targets, units, [fit]).fit()
    weights = fitted.weights
    both = fitted.constants / [[1], [10]]
    times = np.stack([np.ones(40), n_words - 1], axis=1)
    expected = cosines(sums(weights) + times @ both, targets)
    np.testing.assert_allclose(fitted.cosines, expected, rtol=1e-9)
    least = objective(sums(weights), targets, n_words, both, weights)
    for step in (0.1, 0.01, 0.003):
        for _ in range(30):
            other_weights = weights + step * generator.normal(size=13)
            other_both = both + step * generator.normal(size=(2, 16))
            bags = sums(other_weights)
            around = objective(bags, targets, n_words, other_both, other_weights)
            assert around > least * (1 - 1e-6)


def draws_without_repetition(generator, n_draws, size, population):
    """Rows of distinct integers below a number."""
    return np.array([generator.permutation(population)[:size] for _ in range(n_draws)])


def free(targets, words, members, n_words, rows=None):
    """The sums of a fit of weights, of some rows."""
    if rows is None:
        rows = np.arange(len(members))
    products = Products.of_members(targets, words, members)
    return Sums(
        products.of_rows(rows),
        n_words[rows],
        rows,
        members=members[rows],
        n_weights=len(words),
    )


def standing(targets, words, weights, n_words):
    """The sums of a fit whose weights stand."""
    products = Products.of_sums(targets, words, weights)
    rows = np.arange(len(n_words))
    return Sums(products, n_words, rows, weights=weights)


def drawn_fits(generator, dtype=np.float64):
    """Words, targets, and three fits over them: of all rows, of some, and with standing weights."""
    words = unit(generator.normal(size=(9, 7)).astype(dtype))
    members = draws_without_repetition(generator, n_draws=24, size=3, population=9)
    noise = generator.normal(size=(24, 7)).astype(dtype)
    targets = unit(words[members].sum(axis=1) + noise)
    n_words = generator.integers(2, 6, size=24)
    weights = scipy.sparse.random_array((24, 9), density=0.4, rng=generator, format="csr")
    some_rows = np.arange(3, 20)
    fits = [
        free(targets, words, members, n_words),
        free(targets, words, members, n_words, some_rows),
        standing(targets, words, weights, n_words),
    ]
    return words, targets, fits


def test_the_gradients_are_those_of_finite_differences():
    generator = np.random.default_rng(7)
    words, targets, fits = drawn_fits(generator)
    sums = WeightedSums(targets, words, fits)
    numbers = {
        number: neutral + 0.1 * generator.normal(size=len(neutral))
        for number, neutral in enumerate(sums.neutral)
    }
    found = sums.values_and_gradients(numbers)
    step = 1e-6
    for number, packed in numbers.items():
        for place in range(len(packed)):
            away = np.zeros(len(packed))
            away[place] = step
            above = value_of(sums, number, packed + away)
            below = value_of(sums, number, packed - away)
            expected = (above - below) / (2 * step)
            gradient = found[number].gradient[place]
            assert gradient == pytest.approx(expected, rel=1e-5, abs=1e-7)


def value_of(sums, number, packed):
    found = sums.values_and_gradients({number: packed})
    return found[number].value


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [
        (np.float32, 2e-3),
        (np.float64, 1e-4),
    ],
)
def test_fits_side_by_side_end_where_each_ends_alone(dtype, tolerance):
    generator = np.random.default_rng(8)
    words, targets, fits = drawn_fits(generator, dtype)
    together = WeightedSums(targets, words, fits).fit()
    misfits = [misfit(fitted.cosines) for fitted in together]
    for fitted, fit in zip(together, fits, strict=True):
        for precision in (dtype, np.float64):
            sums = WeightedSums(targets.astype(precision), words.astype(precision), [fit])
            (alone,) = sums.fit()
            np.testing.assert_allclose(fitted.cosines, alone.cosines, atol=tolerance)
            assert misfit(fitted.cosines) == pytest.approx(misfit(alone.cosines), rel=1e-5)
    assert len({round(each, 3) for each in misfits}) == 3


def test_texts_without_words_or_vectors_and_words_without_vectors():
    texts = [*TEXTS, "", "qua box", "qua"]
    encode = unweighted()
    vectors = encode(texts)
    baseline = AdditiveBaseline(texts, vectors, encode)
    bags, fit = baseline.bags()
    some = vectors.any(axis=1)
    np.testing.assert_allclose(cosines(bags[some], vectors[some]), 1, atol=1e-6)
    assert not bags[texts.index("")].any()
    assert not bags[texts.index("qua")].any()
    assert fit == pytest.approx(1, abs=1e-6)
    assert baseline.words == ["a", "black", "box", "of"]
    np.testing.assert_array_equal(baseline.directions, np.eye(4))
    with pytest.raises(ValueError, match="No text has a word"):
        AdditiveBaseline(["", " "], np.ones((2, 3)), encode)
    with pytest.raises(
        ValueError, match="No text with a vector other than zero has a word with such a vector"
    ):
        AdditiveBaseline(["qua"], np.ones((1, 4)), encode)


def test_texts_of_one_word_are_their_words_and_nothing_is_fitted():
    baseline = AdditiveBaseline(["box", "black"], np.ones((2, 4)), unweighted())
    bags, fit = baseline.bags()
    box, black = bags
    np.testing.assert_allclose(box, [0, 0, 2, 0])
    np.testing.assert_allclose(black, [0, 2, 0, 0])
    assert np.isnan(fit)


def test_probes_that_do_not_determine_the_weights_are_refused():
    _, texts = drawn_texts(np.random.default_rng(1))
    encode = no_bag(dimension=1)
    with pytest.raises(ValueError, match="60 weights and two vectors are not determined by"):
        AdditiveBaseline(texts, encode(texts), encode)


def test_no_weight_learns_from_a_compared_text():
    """The words of an idiom weigh three times as much inside it alone: their bags stay as if they
    did not.
    """
    _, texts = drawn_texts(np.random.default_rng(2), n_texts=400)
    idioms = [f"idiom{number} word{number}" for number in range(60)]
    texts += [f"{idiom} {text}" for idiom, text in zip(idioms, texts, strict=False)]
    plain = vectors_of(bag_of_words())

    def idioms_in(text):
        return " ".join(idiom for idiom in idioms if idiom in text)

    def knowing(some):
        return plain(some) + 2 * plain([idioms_in(text) for text in some])

    one = fitted_bags(texts, plain)
    other = fitted_bags(texts, knowing)
    cosines_of_bags = cosines(one.vectors, other.vectors)
    cosines_of_texts = cosines(plain(texts), knowing(texts))
    assert cosines_of_bags[-60:].min() > 0.99
    assert cosines_of_texts[-60:].min() < 0.8


def test_halves_of_the_permutations_say_how_much_depends_on_the_probes():
    _, texts = drawn_texts(np.random.default_rng(3), n_words=40)
    for away, least, most in ((0, 0, 1e-6), (0.5, 1e-4, 0.1)):
        encode = no_bag(away=away)
        baseline = AdditiveBaseline(texts, encode(texts), encode, 6)
        baseline.bags()
        distances = []
        for one, other in baseline.halves():
            cosine = cosines(one.vectors, other.vectors).mean()
            distances.append(1 - cosine)
        assert len(distances) == 3
        assert least <= min(distances)
        assert max(distances) <= most
