"""The pair test by sorting against the definition, comparison by comparison."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from harness_ext.evaluators.montague_pairs import pair_shares
from harness_ext.statistics.distance import TIE, cosine_distance

N_TYPES = 3


def brute_force(vectors, phrase, types, adjective_weights, noun_weights, tie):
    """Every comparison of the definition, one by one, in plain Python: (macro, micro), shape (T, T) each."""

    def length(row, other):
        u, v = (vectors[i] / np.linalg.norm(vectors[i]) for i in (row, other))
        return np.linalg.norm(u - v)

    n_nouns = phrase.shape[1]
    micro, macro = np.full((2, N_TYPES, N_TYPES), np.nan)
    for t1 in range(N_TYPES):
        for t2 in range(N_TYPES):
            per_first_noun, all_of_them = [], np.zeros(2)
            for n1 in range(n_nouns):
                counts = np.zeros(2)
                for n2 in range(n1 + 1, n_nouns):
                    for a1 in np.flatnonzero(types == t1):
                        for a2 in np.flatnonzero(types == t2):
                            rows = [phrase[a1, n1], phrase[a1, n2], phrase[a2, n1], phrase[a2, n2]]
                            if a1 == a2 or not vectors[rows].any(axis=1).all():
                                continue
                            weight = noun_weights[n2] * adjective_weights[a1] * adjective_weights[a2]
                            longer = length(*rows[:2]) - length(*rows[2:])
                            holds = tie if abs(longer) <= TIE else longer < 0
                            counts += weight * np.array([holds, 1])
                if counts[1] > 0:
                    per_first_noun.append((counts[0] / counts[1], noun_weights[n1]))
                all_of_them += noun_weights[n1] * counts
            if all_of_them[1] > 0:
                shares, weights = np.transpose(per_first_noun)
                macro[t1, t2] = np.average(shares, weights=weights)
                micro[t1, t2] = all_of_them[0] / all_of_them[1]
    return macro, micro


def by_noun(vectors, phrase):
    """The distances of pairs of nouns, as `pair_shares` takes them."""
    return [cosine_distance(vectors, phrase[:, [n]], phrase[:, n + 1 :]).T for n in range(phrase.shape[1] - 1)]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(2, 5), st.booleans(), st.sampled_from([1, 0.5]))
def test_agrees_with_brute_force_on_vectors_with_many_ties_and_zeros(seed, n_adjectives, n_nouns, resampled, tie):
    rng = np.random.default_rng(seed)
    phrase = rng.permutation(n_adjectives * n_nouns).reshape(n_adjectives, n_nouns)
    vectors = rng.integers(-1, 2, size=(phrase.size, 3)).astype(np.float32)
    types = rng.integers(0, N_TYPES, n_adjectives)
    members = types == np.arange(N_TYPES)[:, None]
    adjective_weights = rng.integers(0, 3, n_adjectives) if resampled else np.ones(n_adjectives)
    noun_weights = rng.integers(0, 3, n_nouns) if resampled else np.ones(n_nouns)
    weights = adjective_weights[:, None].astype(float), noun_weights[:, None].astype(float)
    macro, micro = pair_shares(by_noun(vectors, phrase), members, None, *weights, tie=tie)
    expected_macro, expected_micro = brute_force(vectors, phrase, types, adjective_weights, noun_weights, tie)
    np.testing.assert_array_equal(micro[..., 0], expected_micro)
    np.testing.assert_allclose(macro[..., 0], expected_macro, rtol=1e-15)


def test_resamples_are_independent_of_each_other():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(30, 8))
    phrase = np.arange(30).reshape(6, 5)
    members = np.repeat([0, 1, 2], 2) == np.arange(N_TYPES)[:, None]
    adjectives, nouns = rng.integers(1, 4, (6, 3)).astype(float), rng.integers(1, 4, (5, 3)).astype(float)
    together = pair_shares(by_noun(vectors, phrase), members, [1], adjectives, nouns)
    for i in range(3):
        alone = pair_shares(by_noun(vectors, phrase), members, [1], adjectives[:, [i]], nouns[:, [i]])
        for both, one in zip(together, alone, strict=True):
            assert both.shape == (1, N_TYPES, 3)
            np.testing.assert_allclose(both[..., [i]], one)
