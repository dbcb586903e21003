"""The pair test of Montague modifier consistency, without comparing all pairs.

Is d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2), their Eq. 5? An intersective a1 makes two different things
alike, a *red dog* and a *red chair*, more than another adjective a2 does. A adjectives and N nouns
make A²N²/2 such comparisons; sorted for each pair of nouns, they are counted in N²/2 · A log A
steps, and with the same result.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
    """How often d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2), MONT Eq. 5.

    Over pairs of nouns and ordered pairs of adjectives a1 ≠ a2.
    `harness_ext.statistics.distance.at_most` says what a tie is. Comparisons with a distance that
    is NaN are left out. Memory grows with A, not with A².

    Args:
        distances: For each noun n1 but the last, d(a n1, a n2) for the n2 after it and all a, shape
            (N - n1 - 1, A).
        members: Which adjectives are of which type, shape (T, A).
        first_types: The F types that a1 may be of; by default all.
        adjective_weights: How often each adjective counts in each of R resamples, shape (A, R); by
            default once.
        noun_weights: How often each noun counts, shape (N, R); by default once.
        tie: What a tie counts: 1, as Eq. 5 says, or ½.

    Returns:
        Two arrays of shares of shape (F, T, R), by the type of a1 and of a2: the mean over the
        nouns n1 of the mean over the n2 after n1; and the mean over all comparisons. NaN without
        comparisons.
    """
    if first_types is None:
        first_types = range(len(members))
    if adjective_weights is None:
        adjective_weights = np.ones((members.shape[1], 1))
    shape = (len(first_types), len(members), adjective_weights.shape[1])
    sum_of_means = np.zeros(shape)
    n_means = np.zeros(shape)
    holding = np.zeros(shape)
    comparisons = np.zeros(shape)
    for n1, with_n1 in enumerate(distances):
        holding_n1 = np.zeros(shape)
        comparisons_n1 = np.zeros(shape)
        for n2, with_n2 in enumerate(with_n1, start=n1 + 1):
            lengths = chord(with_n2)
            counts = _count(lengths, members, first_types, adjective_weights, tie)
            weight = 1 if noun_weights is None else noun_weights[n2]
            holding_n1 += weight * counts.holding
            comparisons_n1 += weight * counts.comparisons
        weight = 1 if noun_weights is None else noun_weights[n1]
        sum_of_means += weight * np.nan_to_num(ratio(holding_n1, comparisons_n1))
        n_means += weight * (comparisons_n1 > 0)
        holding += weight * holding_n1
        comparisons += weight * comparisons_n1
    return ratio(sum_of_means, n_means), ratio(holding, comparisons)


def type_means(
    values: Floats,
    members: Flags,
    adjective_weights: Floats | None = None,
    noun_weights: Floats | None = None,
) -> Floats:
    """Means of values, shape (A, N), per type of adjective, shape (T, R).

    For the other arguments see `pair_shares`. NaN values are left out; a type without values has
    NaN.
    """
    if adjective_weights is None:
        adjective_weights = np.ones((len(values), 1))
    if noun_weights is None:
        noun_weights = np.ones((values.shape[1], 1))
    is_known = ~np.isnan(values)
    sums_of_adjectives = adjective_weights * (np.where(is_known, values, 0) @ noun_weights)
    counts_of_adjectives = adjective_weights * (is_known @ noun_weights)
    return ratio(members @ sums_of_adjectives, members @ counts_of_adjectives)


def ratio(numerator: Array, denominator: Array) -> Floats:
    """Their quotient, NaN where the denominator is 0."""
    return numerator / np.where(denominator == 0, np.nan, denominator)


class _Counts(NamedTuple):
    """Of comparisons, in each of R resamples.

    Attributes:
        holding: How many hold, by the type of a1 and of a2, shape (F, T, R).
        comparisons: How many there are, of the same shape.
    """

    holding: Floats
    comparisons: Floats


def _count(
    lengths: Floats,
    members: Flags,
    first_types: Sequence[int],
    weights: Floats,
    tie: float,
) -> _Counts:
    """Count the (a1, a2), a1 ≠ a2, with length(a1) ≤ length(a2), for one pair of nouns."""
    is_missing = np.isnan(lengths)
    if is_missing.any():
        weights = np.where(is_missing[:, None], 0, weights)
    order = np.argsort(lengths)
    sorted_lengths = lengths[order]
    sorted_weights = weights[order]
    of_type = members[:, order].astype(np.float64)
    totals = of_type @ sorted_weights
    shape = (len(first_types), *totals.shape)
    holding = np.empty(shape)
    comparisons = np.empty(shape)
    for row, first_type in enumerate(first_types):
        places = np.flatnonzero(of_type[first_type])
        first_lengths = sorted_lengths[places]
        first_weights = sorted_weights[places]
        # how many of the first type stand before each place
        n_before = np.vstack([np.zeros_like(weights[:1]), np.cumsum(first_weights, axis=0)])
        at_most = np.searchsorted(first_lengths, sorted_lengths + TIE, side="right")
        n_holding = n_before[at_most]
        if tie != 1:
            less = np.searchsorted(first_lengths, sorted_lengths - TIE, side="left")
            n_holding = tie * n_holding + (1 - tie) * n_before[less]
        holding[row] = of_type @ (sorted_weights * n_holding)
        comparisons[row] = totals[first_type] * totals
        with_itself = np.square(first_weights).sum(axis=0)
        holding[row, first_type] -= tie * with_itself
        comparisons[row, first_type] -= with_itself
    return _Counts(holding, comparisons)
