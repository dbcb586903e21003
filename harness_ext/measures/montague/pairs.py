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
    kinds = _Kinds(members.astype(np.float64), first_types, tie)
    comparisons_of_pair = kinds.comparisons(adjective_weights)  # of two nouns without a NaN
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
            weights = adjective_weights
            n_comparisons = comparisons_of_pair
            is_missing = np.isnan(lengths)
            if is_missing.any():
                weights = np.where(is_missing[:, None], 0, weights)
                n_comparisons = kinds.comparisons(weights)
            weight = 1 if noun_weights is None else noun_weights[n2]
            holding_n1 += weight * kinds.holding(lengths, weights)
            comparisons_n1 += weight * n_comparisons
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


class _Kinds(NamedTuple):
    """What is counted of the comparisons of a pair of nouns.

    Attributes:
        members: 1 for each adjective of a type, else 0, shape (T, A).
        first_types: The F types that a1 may be of.
        tie: What a tie counts: 1 or ½.
    """

    members: Floats
    first_types: Sequence[int]
    tie: float

    def comparisons(self, weights: Floats) -> Floats:
        """How many (a1, a2), a1 ≠ a2, there are in each of R resamples, by the type of a1 and of
        a2: shape (A, R) -> shape (F, T, R). The weight of an adjective without a distance is 0.
        """
        totals = self.members @ weights
        with_itself = self.members @ np.square(weights)
        comparisons = totals[[*self.first_types], None] * totals
        for row, first_type in enumerate(self.first_types):
            comparisons[row, first_type] -= with_itself[first_type]
        return comparisons

    def holding(self, lengths: Floats, weights: Floats) -> Floats:
        """How many of them have length(a1) ≤ length(a2), of the same shape; lengths of shape
        (A,).
        """
        holding = np.empty((len(self.first_types), len(self.members), weights.shape[1]))
        for row, first_type in enumerate(self.first_types):
            places = np.flatnonzero(self.members[first_type])
            places = places[np.argsort(lengths[places])]
            first_lengths = lengths[places]
            first_weights = weights[places]
            # how many of the first type stand before each place
            n_before = np.vstack([np.zeros_like(weights[:1]), np.cumsum(first_weights, axis=0)])
            at_most = np.searchsorted(first_lengths, lengths + TIE, side="right")
            if self.tie == 1:
                n_holding = n_before[at_most]
            else:
                less = np.searchsorted(first_lengths, lengths - TIE, side="left")
                n_holding = (self.tie * n_before)[at_most]
                n_holding += ((1 - self.tie) * n_before)[less]
            n_holding *= weights
            holding[row] = self.members @ n_holding
            holding[row, first_type] -= self.tie * np.square(first_weights).sum(axis=0)
        return holding
