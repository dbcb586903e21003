"""The pair test of Montague modifier consistency, without comparing all pairs.

Is d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)? An intersective a1 makes two different things alike, a *red dog* and a *red
chair*, more than another adjective a2 does. A adjectives and N nouns make A²N²/2 such comparisons; sorted for each
pair of nouns, they are counted in N²/2 · A log A steps, and with the same result.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from harness_ext.common.arrays import Array, Flags, Floats
from harness_ext.statistics.distance import TIE, chord


def pair_shares(
    distances: Iterable[Floats],
    members: Flags,
    first_types: Sequence[int] | None = None,
    adjective_weights: Floats | None = None,
    noun_weights: Floats | None = None,
    *,
    tie: float = 1,
) -> tuple[Floats, Floats]:
    """How often d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2), over pairs of nouns and ordered pairs of adjectives a1 ≠ a2.

    `harness_ext.statistics.distance.at_most` says what a tie is. Comparisons with a distance that is NaN
    are left out. Memory grows with A, not with A².

    Args:
        distances: For each noun n1 but the last, d(a n1, a n2) for the n2 after it and all a, shape (N - n1 - 1, A).
        members: Which adjectives are of which type, shape (T, A).
        first_types: The F types that a1 may be of; by default all.
        adjective_weights: How often each adjective counts in each of R resamples, shape (A, R); by default once.
        noun_weights: How often each noun counts, shape (N, R); by default once.
        tie: What a tie counts: 1, as Eq. 5 says, or ½.

    Returns:
        Two arrays of shares of shape (F, T, R), by the type of a1 and of a2: the mean over the nouns n1 of the mean
        over the n2 after n1; and the mean over all comparisons. NaN without comparisons.
    """
    first_types = range(len(members)) if first_types is None else first_types
    adjective_weights = np.ones((members.shape[1], 1)) if adjective_weights is None else adjective_weights
    shape = (len(first_types), len(members), adjective_weights.shape[1])
    means, n_means, holding, comparisons = np.zeros((4, *shape))
    for n1, with_n1 in enumerate(distances):
        holding_n1, comparisons_n1 = np.zeros((2, *shape))
        for n2, with_n2 in enumerate(with_n1, start=n1 + 1):
            holds, all_of_them = _count(chord(with_n2), members, first_types, adjective_weights, tie)
            weight = 1 if noun_weights is None else noun_weights[n2]
            holding_n1 += weight * holds
            comparisons_n1 += weight * all_of_them
        weight = 1 if noun_weights is None else noun_weights[n1]
        means += weight * np.nan_to_num(ratio(holding_n1, comparisons_n1))
        n_means += weight * (comparisons_n1 > 0)
        holding += weight * holding_n1
        comparisons += weight * comparisons_n1
    return ratio(means, n_means), ratio(holding, comparisons)


def type_means(
    values: Floats,
    members: Flags,
    adjective_weights: Floats | None = None,
    noun_weights: Floats | None = None,
) -> Floats:
    """Means of values, shape (A, N), per type of adjective, shape (T, R); from the arguments of `pair_shares`.

    NaN values are left out; a type without values has NaN.
    """
    adjective_weights = np.ones((len(values), 1)) if adjective_weights is None else adjective_weights
    noun_weights = np.ones((values.shape[1], 1)) if noun_weights is None else noun_weights
    known = ~np.isnan(values)
    sums, counts = (
        members @ (adjective_weights * (cells @ noun_weights)) for cells in (np.where(known, values, 0), known)
    )
    return ratio(sums, counts)


def ratio(numerator: Array, denominator: Array) -> Floats:
    """Their quotient, NaN where the denominator is 0."""
    return numerator / np.where(denominator == 0, np.nan, denominator)


def _count(
    lengths: Floats, members: Flags, first_types: Sequence[int], weights: Floats, tie: float
) -> tuple[Floats, Floats]:
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
        n_before = np.vstack([np.zeros_like(weights[:1]), np.cumsum(weights[inside], axis=0)])
        at_most = np.searchsorted(lengths[inside], lengths + TIE, side="right")
        n_holding = n_before[at_most]
        if tie != 1:
            less = np.searchsorted(lengths[inside], lengths - TIE, side="left")
            n_holding = tie * n_holding + (1 - tie) * n_before[less]
        holds[row] = of_type @ (weights * n_holding)
        all_of_them[row] = totals[first_type] * totals
        with_itself = np.square(weights[inside]).sum(axis=0)
        holds[row, first_type] -= tie * with_itself
        all_of_them[row, first_type] -= with_itself
    return holds, all_of_them
