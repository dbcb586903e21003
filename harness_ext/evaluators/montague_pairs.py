"""The pair test of Montague modifier consistency, without comparing all pairs.

Is d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)? An intersective a1 makes two different things alike, a *red dog* and a *red
chair*, more than another adjective a2 does. A adjectives and N nouns make A²N²/2 such comparisons; sorted for each
pair of nouns, they are counted in N²/2 · A log A steps, and with the same result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.distance import TIE, chord, cosine_distance_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_BLOCK_BYTES = 64 * 2**20


def pair_shares(
    vectors: NDArray[np.floating[Any]],
    phrase: NDArray[np.intp],
    members: NDArray[np.bool_],
    first_types: Sequence[int] | None = None,
    adjective_weights: NDArray[np.float64] | None = None,
    noun_weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How often d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2), over pairs of nouns and ordered pairs of adjectives a1 ≠ a2.

    Ties count as in `harness_ext.evaluators.distance.at_most`. Comparisons with a zero vector are left out. Memory
    grows with A, not with A².

    Args:
        vectors: Shape (n, d).
        phrase: The phrases `adjective noun`, as rows of `vectors`, shape (A, N).
        members: Which adjectives are of which type, shape (T, A).
        first_types: The F types that a1 may be of; by default all.
        adjective_weights: How often each adjective counts in each of R resamples, shape (A, R); by default once.
        noun_weights: How often each noun counts, shape (N, R); by default once.

    Returns:
        Two arrays of shares of shape (F, T, R), by the type of a1 and of a2: the mean over the nouns n1 of the mean
        over the n2 after n1; and the mean over all comparisons. NaN without comparisons.
    """
    n_adjectives, n_nouns = phrase.shape
    first_types = range(len(members)) if first_types is None else first_types
    adjective_weights = np.ones((n_adjectives, 1)) if adjective_weights is None else adjective_weights
    noun_weights = np.ones((n_nouns, 1)) if noun_weights is None else noun_weights
    shape = (len(first_types), len(members), adjective_weights.shape[1])
    means, n_means, holding, comparisons = np.zeros((4, *shape))
    for n1, lengths in _noun_pair_lengths(vectors, phrase):
        holding_n1, comparisons_n1 = np.zeros((2, *shape))
        for n2, length in enumerate(lengths, start=n1 + 1):
            holds, all_of_them = _count(length, members, first_types, adjective_weights)
            holding_n1 += noun_weights[n2] * holds
            comparisons_n1 += noun_weights[n2] * all_of_them
        means += noun_weights[n1] * np.nan_to_num(ratio(holding_n1, comparisons_n1))
        n_means += noun_weights[n1] * (comparisons_n1 > 0)
        holding += noun_weights[n1] * holding_n1
        comparisons += noun_weights[n1] * comparisons_n1
    return ratio(means, n_means), ratio(holding, comparisons)


def ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> NDArray[np.float64]:
    """Their quotient, NaN where the denominator is 0."""
    quotient: NDArray[np.float64] = numerator / np.where(denominator == 0, np.nan, denominator)
    return quotient


def _noun_pair_lengths(
    vectors: NDArray[np.floating[Any]], phrase: NDArray[np.intp]
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """For each noun n1 but the last: ‖a n1 - a n2‖ for the n2 after it and all adjectives a, shape (N - n1 - 1, A)."""
    n_adjectives, n_nouns = phrase.shape
    block = max(1, _BLOCK_BYTES // (8 * n_adjectives * n_nouns))
    for start in range(0, n_nouns - 1, block):
        stop = min(start + block, n_nouns - 1)
        lengths = np.empty((stop - start, n_nouns - start, n_adjectives))
        for adjective, rows in enumerate(phrase[:, start:]):
            lengths[..., adjective] = chord(cosine_distance_table(vectors, rows[: stop - start], rows))
        for offset in range(stop - start):
            yield start + offset, lengths[offset, offset + 1 :]


def _count(
    lengths: NDArray[np.float64],
    members: NDArray[np.bool_],
    first_types: Sequence[int],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How many (a1, a2), a1 ≠ a2, have length(a1) ≤ length(a2), and how many there are: shape (F, T, R) each."""
    if (missing := np.isnan(lengths)).any():
        weights = np.where(missing[:, None], 0, weights)
    order = np.argsort(lengths)
    lengths, weights = lengths[order], weights[order]
    of_type = members[:, order].astype(np.float64)
    totals = of_type @ weights
    holds, all_of_them = np.empty((2, len(first_types), *totals.shape))
    for row, first_type in enumerate(first_types):
        inside = np.flatnonzero(of_type[first_type])
        n_at_most = np.vstack([np.zeros_like(weights[:1]), np.cumsum(weights[inside], axis=0)])
        n_at_most = n_at_most[np.searchsorted(lengths[inside], lengths + TIE, side="right")]
        holds[row] = of_type @ (weights * n_at_most)
        all_of_them[row] = totals[first_type] * totals
        with_itself = np.square(weights[inside]).sum(axis=0)
        holds[row, first_type] -= with_itself
        all_of_them[row, first_type] -= with_itself
    return holds, all_of_them
