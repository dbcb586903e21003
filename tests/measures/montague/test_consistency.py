"""The tests of `adjective noun` and `adj1 adj2 noun`, by hand and by brute force; the main score;
invariances.
"""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx

from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import Word, phrase_rows
from harness_ext.measures.montague.consistency import (
    Montague,
    TypeShares,
    agreements,
    phrase_non_subsectivity,
)
from harness_ext.measures.montague.items import TYPES, montague_plan
from harness_ext.measures.montague.pairs import pair_shares
from harness_ext.statistics.distance import TIE, at_most, cosine_distance
from tests.measures.given import Given, at, chosen


class ByHand(Montague):
    fewest_units = 1


MONTAGUE = ByHand()


def planned(types, n_nouns, *, double=False):
    """A plan of phrases of made-up words: adjectives a0, a1, …, nouns n0, n1, …, their synonyms b0,
    … and m0, ….
    """
    words = []
    for number, kind in enumerate(types):
        words.append(Word(f"a{number}", kind, f"b{number}"))
    for number in range(n_nouns):
        words.append(Word(f"n{number}", "N", f"m{number}"))
    rows = []
    for row in phrase_rows(words):
        if double or row["pattern"] == "AN":
            rows.append(row)
    return montague_plan(rows)


def items_of(vectors, plan):
    return MONTAGUE.fill(plan, Given(vectors.__getitem__))


def measured(vectors, plan):
    return MONTAGUE.flat_scores(items_of(vectors, plan))


def of_each_type(n):
    """The types of so many adjectives of each."""
    return np.repeat([*TYPES], n).tolist()


TWO_OF_EACH = of_each_type(2)


def random_vectors(plan, dimensions=6, seed=0):
    rng = np.random.default_rng(seed)
    return {text: rng.normal(size=dimensions) for text in plan.texts()}


def random_case(seed=0):
    plan = planned(TWO_OF_EACH, 4, double=True)
    return random_vectors(plan, seed=seed), plan


def test_one_phrase_by_hand():
    """Adjective at 0°, noun at 90°, phrase at 60°: nearer the noun, and nearer both than they are
    to each other.
    """
    vectors = {
        "a0": 3 * at(0),
        "n0": at(90),
        "a0 n0": 2 * at(60),
        "b0": 5 * at(180),
        "m0": at(270),
        "b0 m0": at(0),
    }
    items = items_of(vectors, planned(["S-I"], 1))
    words = items.words
    to_adjective = 1 - 1 / 2
    to_noun = 1 - np.sqrt(3) / 2
    assert words.to_adjective.item() == approx(to_adjective)
    assert words.to_noun.item() == approx(to_noun)
    assert words.between.item() == approx(1)
    weight = to_adjective / (to_adjective + to_noun)
    assert MONTAGUE.flat_scores(items) == {
        "adjective_weight_S-I": approx(weight),
        "intersective_S-I": 1,
        "non_subsective_S-I": 0,
        # synonyms at 180° and 270°: 120° and 150° away, but 90° apart
        "intersective_S-I_synonym": 0,
        "non_subsective_S-I_synonym": 1,
        "n_montague_consistency": 1,
        "n_montague_consistency_adjusted": 1,
        "n_excluded_zero_vector": 0,
        "n_excluded_zero_distance": 0,
    }


def test_double_phrases_agree_with_the_definition():
    vectors, plan = random_case()
    adjectives = range(len(TWO_OF_EACH))
    ordered_pairs = itertools.permutations(adjectives, 2)
    doubles = list(itertools.product(ordered_pairs, range(4)))
    for (i, j), n in doubles:  # so that some comparisons hold
        vectors[f"a{i} a{j} n{n}"] += 2 * vectors[f"n{n}"] + vectors[f"a{i}"]

    def distance(text, other):
        u = vectors[text]
        v = vectors[other]
        product = u @ v
        return 1 - product / np.linalg.norm(u) / np.linalg.norm(v)

    def is_nearer(phrase, words, pairs):
        farthest = max(distance(phrase, word) for word in words)
        nearest = min(distance(*pair) for pair in pairs)
        return farthest <= nearest

    holds = defaultdict(list)
    for (i, j), n in doubles:
        phrase = f"a{i} a{j} n{n}"
        types = f"{TWO_OF_EACH[i]}_{TWO_OF_EACH[j]}"
        words = (f"a{i}", f"a{j}", f"n{n}")
        pairs = itertools.combinations(words, 2)
        holds[f"intersective_{types}"].append(is_nearer(phrase, words, pairs))
        rests = (f"a{j} n{n}", f"a{i} n{n}", f"a{i} a{j}")
        pairs = zip(words, rests, strict=True)
        holds[f"partition_{types}"].append(is_nearer(phrase, words, pairs))
        synonyms = (f"b{i}", f"b{j}", f"m{n}")
        pairs = itertools.combinations(synonyms, 2)
        holds[f"intersective_{types}_synonym"].append(is_nearer(phrase, synonyms, pairs))
    expected = {key: np.mean(of_phrases) for key, of_phrases in holds.items()}
    scores = measured(vectors, plan)
    assert len(expected) == 3 * 25
    assert len({*expected.values()}) > 5
    assert chosen(scores, expected) == approx(expected)


def of_types(*shares):
    """The share of each type, shape (types, 1)."""
    return np.array(shares)[:, None]


def test_agreements_by_hand():
    shares = TypeShares(
        intersective=of_types(0.9, 0.3, 0.2, 0.1, 0.77),
        pair=of_types(0.5, 0.6, 0.7, 0.8, 0.99),
        non_subsective=of_types(0.2, 0.4, 0.6, 1.0, 0.5),
    )
    found = agreements(shares)
    # (a) (0.9 + 1 - 0.2) / 2 = 0.85; (b) 0.7; (c) (0.8 + 1 - 0.3) / 2 = 0.75
    assert found.ravel() == approx([0.85, 0.7, 0.75])


@pytest.mark.parametrize(
    ("adjectives_differ", "nouns_differ"),
    [
        (False, False),
        (True, False),
        (False, True),
    ],
)
def test_the_interval_resamples_adjectives_and_nouns(adjectives_differ, nouns_differ):
    """Where the adjectives of a type are alike, and all nouns, nothing that is resampled makes a
    difference.
    """
    plan = planned(of_each_type(8), 10)
    vectors = random_vectors(plan, 3)

    def word_with_the_same_vector(word):
        kind = word[0]
        number = int(word[1:])
        is_adjective = kind in "ab"
        differs = adjectives_differ if is_adjective else nouns_differ
        if differs:
            return word
        first_of_type = number - number % 8 if is_adjective else 0
        return f"{kind}{first_of_type}"

    shared = {}
    for text in vectors:
        words = map(word_with_the_same_vector, text.split())
        shared[text] = vectors[" ".join(words)]
    scores = measured(shared, plan)
    width = scores["montague_consistency_ci_high"] - scores["montague_consistency_ci_low"]
    if adjectives_differ or nouns_differ:
        assert width > 0.05
    else:
        assert width == approx(0)


def test_a_missing_type_leaves_out_what_needs_it():
    plan = planned(["S-I", "S-I", "NS-Pr"], 3)
    scores = measured(random_vectors(plan), plan)
    assert "intersective_NS-Pr" in scores
    assert "pair_S-I_NS-Pr" in scores
    for key in ("montague_consistency", "intersective_A", "pair_NS-Pr_NS-Pr"):
        assert key not in scores


def test_zero_vectors_are_left_out_and_counted():
    vectors, plan = random_case()
    for text in ("a0 n0", "a0 a1 n0", "a0 a1 n1", "n3"):
        vectors[text] = np.zeros(6)
    items = items_of(vectors, plan)
    scores = MONTAGUE.flat_scores(items)
    # `adjective noun`: one, and the ten with noun 3; `adj1 adj2 noun`: two, and the ninety with
    # noun 3
    assert scores["n_excluded_zero_vector"] == 1 + 10 + 2 + 90
    assert scores["n_excluded_zero_distance"] == 0
    shares = phrase_non_subsectivity(items.words)
    of_first_type = shares[:2, :3].ravel()
    without_first_phrase = of_first_type[1:]
    assert scores["non_subsective_S-I"] == approx(without_first_phrase.mean())
    for value in scores.values():
        assert np.isfinite(value)


def test_an_encoder_that_gives_every_text_the_same_vector_is_at_chance_exactly():
    """Every comparison is a tie: single phrases and non-subsectivity are ½ balanced, and pairs as
    ties count ½.

    Of two nouns often only one is drawn, which makes no pair; such resamples are left out.
    """
    plan = planned(of_each_type(3), 2)
    rng = np.random.default_rng(0)
    vector = rng.normal(size=384).astype(np.float32)
    items = items_of(dict.fromkeys(plan.texts(), vector), plan)
    scores = MONTAGUE.flat_scores(items)
    assert scores["montague_consistency"] == 0.5
    statistic = MONTAGUE.statistic(items, "montague_consistency")
    resamples = statistic.resamples()
    is_defined = np.isfinite(resamples)
    assert set(resamples[is_defined]) == {0.5}
    expected = {
        "intersective_S-I": 1,
        "non_subsective_S-I": 1,
        "pair_S-I_S-NI": 1,
        "n_excluded_zero_distance": 30,
    }
    assert chosen(scores, expected) == expected
    assert "adjective_weight_S-I" not in scores


def test_saturated_terms_tell_nothing_and_are_left_out():
    """Every text but the nouns has one vector: all phrases are at their adjectives, and all pairs
    tie.
    """
    plan = planned(TWO_OF_EACH, 3)
    vectors = dict.fromkeys(plan.texts(), (1, 1))
    vectors["n0"] = (1, 0)
    vectors["n1"] = (0.9, 0.1)
    vectors["n2"] = (0.8, 0.2)
    scores = measured(vectors, plan)
    expected = {
        "saturated_intersective": 1,
        "saturated_non_subsective": 1,
        "saturated_pair": 0,  # ties count half
        "montague_consistency_adjusted": 0.5,
    }
    assert chosen(scores, expected) == expected
    scores = measured(*random_case(3))
    for term in ("intersective", "pair", "non_subsective"):
        assert scores[f"saturated_{term}"] == 0
    assert scores["montague_consistency_adjusted"] == scores["montague_consistency"]


def test_the_units_are_the_adjectives_of_the_main_score():
    vectors, plan = random_case()
    for text in vectors:
        if text == "a5" or text.startswith("a3 n"):  # a5's make pairs
            vectors[text] = np.zeros(6)
    items = items_of(vectors, plan)
    statistic = MONTAGUE.statistic(items, MONTAGUE.main)
    expected = ["a0", "a1", "a2", "a4", "a5", "a6", "a7"]  # a8 and a9 are ambiguous
    assert statistic.units.tolist() == expected


def test_small_differences_are_not_ties():
    """Distances that all lie below 1e-4, as in encoders whose vectors fill a narrow cone, are still
    compared.
    """
    larger = np.array([1.01e-5, 1e-7])
    smaller = np.array([1e-5, 0.9e-7])
    assert_array_equal(at_most(larger, smaller), [0, 0])


def brute_force(vectors, phrase, types, adjective_weights, noun_weights, tie):
    """Every comparison of the definition, one by one, in plain Python: (macro, micro), shape (T, T)
    each.
    """
    n_adjectives, n_nouns = phrase.shape
    shape = (len(TYPES), len(TYPES), n_nouns)
    holding = np.zeros(shape)
    compared = np.zeros(shape)

    def chord(adjective, noun, other_noun):
        """Between two phrases of an adjective on the unit sphere; NaN without a direction."""
        u = vectors[phrase[adjective, noun]]
        v = vectors[phrase[adjective, other_noun]]
        if not (u.any() and v.any()):
            return np.nan
        unit_u = u / np.linalg.norm(u)
        unit_v = v / np.linalg.norm(v)
        return np.linalg.norm(unit_u - unit_v)

    for n1, n2 in itertools.combinations(range(n_nouns), 2):
        for a1, a2 in itertools.permutations(range(n_adjectives), 2):
            longer = chord(a1, n1, n2) - chord(a2, n1, n2)
            if np.isnan(longer):
                continue
            holds = tie if abs(longer) <= TIE else longer < 0
            weight = noun_weights[n2] * adjective_weights[a1] * adjective_weights[a2]
            place = (types[a1], types[a2], n1)
            holding[place] += weight * holds
            compared[place] += weight
    with np.errstate(invalid="ignore"):
        share_of_noun = holding / compared
        sum_of_nouns = np.nansum(noun_weights * share_of_noun, axis=-1)
        weight_of_nouns = (compared > 0) @ noun_weights
        macro = sum_of_nouns / weight_of_nouns
        micro = (holding @ noun_weights) / (compared @ noun_weights)
    return macro, micro


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_adjectives=st.integers(1, 7),
    n_nouns=st.integers(2, 5),
    tie=st.sampled_from([1, 0.5]),
)
def test_agrees_with_brute_force_on_vectors_with_many_ties_and_zeros(
    seed, n_adjectives, n_nouns, tie
):
    """Each adjective and noun counts once, and so many times in each of two resamples."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_adjectives * n_nouns)
    phrase = order.reshape(n_adjectives, n_nouns)
    small_numbers = rng.integers(-1, 2, size=(phrase.size, 3))
    vectors = small_numbers.astype(np.float64)
    types = rng.integers(0, len(TYPES), n_adjectives)
    members = np.equal.outer(np.arange(len(TYPES)), types)
    distances = []
    for noun in range(n_nouns - 1):
        of_noun = phrase[:, [noun]]
        of_later_nouns = phrase[:, noun + 1 :]
        distance = cosine_distance(vectors, of_noun, of_later_nouns)
        distances.append(distance.T)
    adjective_counts = rng.integers(0, 3, (n_adjectives, 2))
    noun_counts = rng.integers(0, 3, (n_nouns, 2))
    times = (adjective_counts.astype(float), noun_counts.astype(float))

    def assert_is_brute_force(shares, adjective_weights, noun_weights):
        macro, micro = shares
        for place in range(adjective_weights.shape[1]):
            expected_macro, expected_micro = brute_force(
                vectors,
                phrase,
                types,
                adjective_weights[:, place],
                noun_weights[:, place],
                tie,
            )
            assert_allclose(macro[..., place], expected_macro, rtol=1e-12)
            assert_array_equal(micro[..., place], expected_micro)

    once = pair_shares(distances, members, None, tie=tie)
    each_adjective_once = np.ones((n_adjectives, 1))
    each_noun_once = np.ones((n_nouns, 1))
    assert_is_brute_force(once, each_adjective_once, each_noun_once)
    resampled = pair_shares(distances, members, None, *times, tie=tie)
    assert_is_brute_force(resampled, *times)
    of_second_type, _ = pair_shares(distances, members, [1], *times)
    of_all_types, _ = pair_shares(distances, members, None, *times)
    assert_array_equal(of_second_type, of_all_types[[1]])


@pytest.mark.parametrize("nearer_adjective", ["NS-Pr", ""])
def test_types_of_adjectives_differ_within_a_model_where_one_is_planted_to(nearer_adjective):
    """Phrases lie at random between their words, but those of one type at their adjective."""
    plan = planned(of_each_type(12), 10)
    vectors = random_vectors(plan, dimensions=30)
    rng = np.random.default_rng(1)
    table = plan.adjectives
    types = dict(zip(table.adjective, table.type, strict=True))
    phrases = [text for text in vectors if " " in text]
    for phrase in phrases:
        adjective, noun = phrase.split()
        is_nearer = types.get(adjective) == nearer_adjective
        weight = 0.9 if is_nearer else rng.uniform()
        of_adjective = weight * vectors[adjective]
        of_noun = (1 - weight) * vectors[noun]
        vectors[phrase] = of_adjective + of_noun
    scores = measured(vectors, plan)
    types_differ = scores["non_subsective_types_p"] < 0.01
    assert types_differ == bool(nearer_adjective)
    # of all types alike: each phrase lies between the words
    assert scores["intersective_types_p"] == 1
