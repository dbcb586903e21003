"""The least squares of a weighted bag, their derivatives, and steps towards their minimum, for `bag_fit`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from scipy.sparse.linalg import LinearOperator, cg

from harness_ext.arrays import Flags, Floats, Places, Vectors

_RIDGE = 1e-3
"""The weight of the penalty, as a share of the mean diagonal of the normal equations."""

_NEAR = 0.1
"""For bags that miss less to a mean cosine of 1, the penalty is smaller in proportion: exact ones stay exact."""

_LEAST_DAMPING = 1e-6
"""Gauss-Newton steps may be as good as undamped; without any damping their equations are singular."""

_ACCURACY = 1e-2
"""Of a solution of the normal equations, relative."""

_MOST_ITERATIONS = 200
"""Of conjugate gradients in a round."""

BLOCK = 2**17
"""Numbers in a block of temporary vectors in double precision: 1 MiB."""

_MOST_PAIRS = 2**24
"""Pairs of words in one text, over all texts, up to which the products of their vectors are kept."""


class Constant(NamedTuple):
    """What an encoder adds to every text.

    Attributes:
        vector: Shape (d,).
        is_in_words: Whether each word's vector holds it too, so that a sum of words must lose it once for each.
    """

    vector: Floats
    is_in_words: bool

    def times(self, n_words: Floats) -> Floats:
        """How often the constant is in the bags of texts of so many words, shape (n,)."""
        return 1 - n_words * self.is_in_words

    def moved(self, change: Floats) -> Constant:
        """The constant after a step of its vector."""
        return self._replace(vector=self.vector + change)


@dataclass(frozen=True)
class State:
    """Weights and a constant, and what follows from them.

    Attributes:
        weights: Shape (m,).
        constant: The constant of all bags.
        cosines: Of bags and those texts that have a vector, shape (n,) at most.
        lengths: Of the bags, shape (n,).
        scales: Those of the texts that fit best, at least 0, shape (n,).
        along: Each word's vector along the bag of a text that it is in, times count and scale; has the places of the
            counts.
        slope: Minus half the derivative of the objective by the weights, without the penalty, shape (m,).
        constant_slope: The same by the constant, shape (d,).
    """

    weights: Floats
    constant: Constant
    cosines: Floats
    lengths: Floats
    scales: Floats
    along: scipy.sparse.csr_array
    slope: Floats
    constant_slope: Floats

    @property
    def cosine(self) -> float:
        """The mean cosine of vectors and bags."""
        return float(self.cosines.mean())

    @property
    def misfit(self) -> float:
        """What is missing to a mean cosine of 1."""
        return 1 - self.cosine

    def unexplained(self) -> float:
        """The sum of squared sines of texts and bags; 1 for a text that the bag points away from."""
        return float((1 - np.maximum(self.cosines, 0) ** 2).sum())


class Problem:
    """The objective of a fit, its derivatives, and steps towards its minimum.

    Attributes:
        words_per_text: Shape (n,).
        moves: Which weights are fitted, and which numbers of the constant after them, shape (m + d,).
        directions: Those of the bags of the last `state`, of length 1 or 0, shape (n, d): the one array of this size.
    """

    def __init__(
        self,
        counts: scipy.sparse.csr_array,
        words: Vectors,
        texts: Vectors,
        order: Places,
        moves: Flags,
    ) -> None:
        self.order = order
        self.has_direction: Flags = np.any(texts, axis=1)[order]
        self.counts = counts
        self.words_per_text: Floats = counts.sum(axis=1)
        self.words = words.astype(np.promote_types(words.dtype, np.float32), copy=False)
        self.texts = texts
        self.directions: Vectors = np.zeros(texts.shape, dtype=self.words.dtype)
        self.moves = moves
        self._squared_counts = counts.power(2)
        self._squared_lengths = _squared_lengths(self.words)
        self._products = self._word_products()

    def _word_products(self) -> scipy.sparse.csr_array | None:
        """Scalar products of the words that share a text, shape (m, m); None if there are too many."""
        lengths = np.diff(self.counts.indptr).astype(np.int64)
        if (lengths**2).sum() > _MOST_PAIRS:
            return None
        counts = self.counts.astype(self.words.dtype)
        products = counts.T @ counts
        row = np.repeat(np.arange(products.shape[0], dtype=np.int32), np.diff(products.indptr))
        step = max(1, BLOCK // self.words.shape[1])
        for start in range(0, products.nnz, step):
            part = slice(start, start + step)
            one, other = self.words[row[part]], self.words[products.indices[part]]
            products.data[part] = np.einsum("ij,ij->i", one, other)
        return products

    def state(self, weights: Floats, constant: Constant) -> State:
        """What follows from weights and constant; overwrites `directions`."""
        n_texts = len(self.texts)
        cosines, lengths, scales = np.zeros((3, n_texts))
        along, slopes = np.empty(self.counts.nnz), np.empty(self.counts.nnz)
        constant_slope, times = np.zeros_like(constant.vector), constant.times(self.words_per_text)
        for rows, places in self._blocks():
            columns, counts = self.counts.indices[places], self.counts.data[places]
            ends = self.counts.indptr[rows.start : rows.stop + 1] - places.start
            row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
            vectors = self.words[columns].astype(np.float64)
            added = scipy.sparse.csr_array(
                (counts * weights[columns], np.arange(len(columns)), ends), shape=(len(ends) - 1, len(columns))
            )
            bags, lengths[rows] = _directions(added @ vectors + times[rows, None] * constant.vector)
            targets, _ = _directions(self.texts[self.order[rows]].astype(np.float64))
            cosine = np.einsum("ij,ij->i", targets, bags)
            scale = cosine.clip(0) / np.where(lengths[rows] > 0, lengths[rows], 1)
            rest = scale[:, None] * (targets - cosine[:, None] * bags)
            cosines[rows], scales[rows] = cosine, scale
            self.directions[rows] = bags
            along[places] = counts * scale[row] * np.einsum("ij,ij->i", vectors, bags[row])
            slopes[places] = counts * np.einsum("ij,ij->i", vectors, rest[row])
            constant_slope += times[rows] @ rest
        return State(
            weights,
            constant,
            cosines[self.has_direction],
            lengths,
            scales,
            scipy.sparse.csr_array((along, self.counts.indices, self.counts.indptr), shape=self.counts.shape),
            np.bincount(self.counts.indices, slopes, minlength=len(weights)).astype(np.float64),
            constant_slope,
        )

    def _blocks(self) -> Iterator[tuple[slice, slice]]:
        """Texts, and the places of their words among all; at least one text, else at most `BLOCK` numbers."""
        ends, most = self.counts.indptr, max(1, BLOCK // self.words.shape[1])
        start = 0
        while start < len(self.texts):
            last = int(np.searchsorted(ends, ends[start] + most, side="right")) - 1
            stop = min(max(last, start + 1), start + most, len(self.texts))
            yield slice(start, stop), slice(int(ends[start]), int(ends[stop]))
            start = stop

    def ridge(self, state: State) -> float:
        """The weight of the penalty, for weights with a mean square of 1."""
        diagonal = (self._squared_counts.T @ state.scales**2) * self._squared_lengths
        ridge = _RIDGE * min(1.0, state.misfit / _NEAR) * diagonal.mean()
        return float(ridge * (state.weights**2).mean())

    def step(self, state: State, damping: float, ridge: float) -> tuple[State, float]:
        """Go on from `state`.

        Returns:
            The next state, and the damping for the step after it.
        """
        penalty = ridge / (state.weights**2).mean()
        spread = state.weights - state.weights.mean()
        slope = np.concatenate([state.slope - penalty * spread, state.constant_slope]) * self.moves
        objective = state.unexplained() + penalty * spread @ spread
        curvature = self._curvature(state)
        while True:
            change = self._solved(state, curvature, slope, damping, penalty)
            weights, constant = np.split(change, [len(state.weights)])
            then = self.state(state.weights + weights, state.constant.moved(constant))
            spread = then.weights - then.weights.mean()
            is_better = then.unexplained() + penalty * spread @ spread <= objective
            leaves_no_text = (then.cosines <= 0).sum() <= (state.cosines <= 0).sum()
            if is_better and (leaves_no_text or damping == 1):
                return then, max(damping / 4, _LEAST_DAMPING)
            state = self.state(state.weights, state.constant)  # for the directions
            if damping == 1:
                return state, 1.0  # a step as small as rounding
            damping = min(1, 8 * damping)

    def _curvature(self, state: State) -> scipy.sparse.csr_array | None:
        """The normal equations of the weights for fixed scales, without the penalty; None if they are not kept."""
        if self._products is None:
            return None
        scales = np.maximum(state.scales, 1e-9 * (state.scales.max() or 1))  # a 0 would leave out its products
        scaled = self.counts.astype(self.words.dtype)
        scaled.data *= np.repeat(scales.astype(scaled.dtype), np.diff(scaled.indptr))
        curvature = scaled.T @ scaled
        curvature.data *= self._products.data
        return curvature

    def _solved(
        self, state: State, curvature: scipy.sparse.csr_array | None, slope: Floats, damping: float, penalty: float
    ) -> Floats:
        """The change of weights and constant, by conjugate gradients."""
        squares, times = state.scales**2, state.constant.times(self.words_per_text)
        by_word: Floats = self.counts.T @ (squares * times)
        of_constant = float(squares @ times**2)
        n_words, words, dtype = len(by_word), self.words, self.words.dtype

        def by_weights(change: Floats) -> Floats:
            products: Floats
            if curvature is not None:
                products = curvature @ change
            else:
                added = self.counts @ (change[:, None].astype(dtype) * words)
                products = np.einsum("ij,ij->i", words, self.counts.T @ (squares[:, None] * added))
            return products

        def equations(change: Floats) -> Floats:
            change = change * self.moves
            weights, constant = change[:n_words], change[n_words:]
            single = constant.astype(dtype)
            along = state.along @ weights
            along += state.scales * times * (self.directions @ single)
            along *= 1 - damping
            of_weights = by_weights(weights) + by_word * (words @ single) - state.along.T @ along
            of_weights += penalty * (weights - weights.mean())
            of_numbers = (by_word * weights).astype(dtype) @ words + of_constant * constant
            of_numbers -= (state.scales * along * times).astype(dtype) @ self.directions
            return np.concatenate([of_weights, of_numbers]) * self.moves

        diagonal = (self._squared_counts.T @ squares) * self._squared_lengths + penalty
        diagonal = np.concatenate([diagonal, np.full(words.shape[1], of_constant)])
        inverse = np.divide(1, diagonal, where=diagonal > 0, out=np.zeros_like(diagonal))
        shape = (len(slope), len(slope))
        found, _ = cg(
            LinearOperator(shape, matvec=equations, dtype=np.float64),
            slope,
            rtol=_ACCURACY,
            maxiter=_MOST_ITERATIONS,
            M=LinearOperator(shape, matvec=lambda vector: inverse * vector, dtype=np.float64),
        )
        change: Floats = found
        return change


def _directions(vectors: Floats) -> tuple[Floats, Floats]:
    """Vectors of length 1, and the lengths before; a zero vector stays one."""
    lengths = np.linalg.norm(vectors, axis=1)
    return vectors / np.where(lengths > 0, lengths, 1)[:, None], lengths


def _squared_lengths(vectors: Vectors) -> Floats:
    squares: Floats = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return squares
