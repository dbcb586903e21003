"""The pair test by sorting against the definition, comparison by comparison."""

from itertools import combinations, permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from harness_ext.evaluators.montague_pairs import pair_shares
from harness_ext.statistics.distance import TIE, cosine_distance

N_TYPES = 3


def brute_force(vectors, phrase, types, adjective_weights, noun_weights, tie):
    """Every comparison of the definition, one by one, in plain Python: (macro, micro), shape (T, T) each."""
    n_adjectives, n_nouns = phrase.shape
    holding, compared = counts = np.zeros((2, N_TYPES, N_TYPES, n_nouns))
    for n1, n2 in combinations(range(n_nouns), 2):
        for a1, a2 in permutations(range(n_adjectives), 2):
            four = vectors[phrase[[a1, a1, a2, a2], [n1, n2, n1, n2]]]
            if not four.any(axis=1).all():
                continue
            u, v, other_u, other_v = four / np.linalg.norm(four, axis=1, keepdims=True)
            longer = np.linalg.norm(u - v) - np.linalg.norm(other_u - other_v)
            holds = tie if abs(longer) <= TIE else longer < 0
            weight = noun_weights[n2] * adjective_weights[a1] * adjective_weights[a2]
            counts[:, types[a1], types[a2], n1] += weight * np.array([holds, 1])
    with np.errstate(invalid="ignore"):
        macro = np.nansum(noun_weights * holding / compared, axis=-1) / ((compared > 0) @ noun_weights)
        return macro, (holding @ noun_weights) / (compared @ noun_weights)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(2, 5), st.sampled_from([1, 0.5]))
def test_agrees_with_brute_force_on_vectors_with_many_ties_and_zeros(seed, n_adjectives, n_nouns, tie):
    """Each adjective and noun counts once, and so many times in each of two resamples."""
    rng = np.random.default_rng(seed)
    phrase = rng.permutation(n_adjectives * n_nouns).reshape(n_adjectives, n_nouns)
    vectors = rng.integers(-1, 2, size=(phrase.size, 3)).astype(np.float64)
    types = rng.integers(0, N_TYPES, n_adjectives)
    members = types == np.arange(N_TYPES)[:, None]
    distances = [cosine_distance(vectors, phrase[:, [n]], phrase[:, n + 1 :]).T for n in range(n_nouns - 1)]
    times = rng.integers(0, 3, (n_adjectives, 2)).astype(float), rng.integers(0, 3, (n_nouns, 2)).astype(float)
    for drawn, weights in (([], np.ones((n_adjectives + n_nouns, 1))), (times, np.concatenate(times))):
        macro, micro = pair_shares(distances, members, None, *drawn, tie=tie)
        for place, each in enumerate(weights.T):
            by_hand = brute_force(vectors, phrase, types, each[:n_adjectives], each[n_adjectives:], tie)
            np.testing.assert_allclose(macro[..., place], by_hand[0], rtol=1e-12)
            np.testing.assert_array_equal(micro[..., place], by_hand[1])
    (only, _), (all_first, _) = (pair_shares(distances, members, first, *times) for first in ([1], None))
    np.testing.assert_array_equal(only, all_first[[1]])
