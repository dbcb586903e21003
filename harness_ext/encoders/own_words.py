"""An encoder's own words: of all encoders that only add up weighted words, the one nearest to this encoder.

The bag of a text t is, with n_tw the count of the word w in it and E(w) the encoder's vector of the word alone,

    bag(t) = Σ_w n_tw · b_w · u_w + c + (N_t - 1) · g        u_w = E(w) / |E(w)|, N_t = Σ_w n_tw

The weights b, one per distinct word, and the vectors c and g minimise, over all texts that a measure compares,

    Σ_t sin²(E(t), bag(t)) + 10⁻⁵ · (Σ_w (b_w - 1)² + |c|² + |10 g|²)        sin² = 1 - max(cos, 0)²

No label and no comparison enters. c is what all texts share, g what all words share: so any constant with weighted
words, a sum or a mean, normalised or not, is its own bag. The penalty only breaks ties. Not convex, but every positive
start that was tried led to the same scores. The weights see the texts: a gain over own words is an upper reading.

This is the weighted additive model of Mitchell and Lapata (2010, *Composition in Distributional Models of Semantics*,
Cognitive Science 34(8), 1388-1429) in the encoder's own space. It cannot know an idiom, a scope, or a negation.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import scipy
from scipy.sparse.linalg import LinearOperator, cg
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from harness_ext.common.arrays import Array, Flags, Floats, Vectors
from harness_ext.encoders.words import word_counts

logger = logging.getLogger(__name__)

VERSION = 4  # in results of tasks that have no version of their own; raised with those of all measures
RIDGE, MAX_ROUNDS = 1e-5, 100
_ENOUGH, _EXACT = 1e-6, 1e-12  # the last round lowers the objective by less, as a share, or leaves less per text
_NUMBERS = 2**17  # in a block of vectors, which the cache of a processor holds
_MOST_PAIRS = 2**25  # of words in one text, over all texts, up to which the products of their vectors are kept


class OwnWords(NamedTuple):
    """The bags of texts, and how they were made.

    Attributes:
        bags: Shape (n, d), as long as the texts' vectors are on average; 0 for a text that is 0, or whose words are.
        weights: Word -> its weight, on average 1; without words that have a zero vector.
        words_fit: The mean cosine of bags and vectors: how much of the vectors is their words, at most 1.
    """

    bags: Vectors
    weights: dict[str, float]
    words_fit: float


def own_words(texts: list[str], vectors: Vectors, encode: Callable[[list[str]], Vectors], task: str) -> OwnWords:
    """Fit the bags of texts to their vectors; logs a warning if the minimum is not reached in `MAX_ROUNDS`.

    Args:
        texts: Distinct texts, shape (n,).
        vectors: The encoder's vectors of the texts, shape (n, d).
        encode: Distinct words -> a vector per word, shape (m, d). Called once.
        task: Named in the warning.

    Raises:
        ValueError: No text and word have vectors other than zero, a vector has a NaN or an infinity, or the vectors do
            not determine the weights.
    """
    words, counts = word_counts(texts)
    of_words = encode(words)
    if not (np.isfinite(of_words).all() and np.isfinite(vectors).all()):
        raise ValueError("A vector of a word or a text has a NaN or an infinity.")
    if len(known := np.flatnonzero(of_words.any(axis=1))) < len(words):  # others add nothing and do not count
        counts, of_words = counts[:, known], of_words[known]
    if not (problem := _Problem(counts, of_words, vectors)).has_say.any():
        raise ValueError("No text with a vector other than zero has a word with such a vector.")
    with threadpool_limits(1):  # products are small: more threads would wait for each other
        state = problem.minimum(task)
    bags, weights = problem.directions, problem.parts(state.numbers)[0]
    bags *= np.where(problem.has_say, problem.lengths[problem.has_say].mean(), 0)[:, None].astype(bags.dtype)
    of_word = dict(zip((words[place] for place in known), (weights / weights.mean()).tolist(), strict=True))
    return OwnWords(bags.astype(vectors.dtype, copy=False), of_word, float(state.cosines[problem.has_say].mean()))


class _State(NamedTuple):
    """b, c and 10 g, shape (m + 2 d,); cosines and lengths of bags, (n,); objective; texts turned away from bags."""

    numbers: Floats
    cosines: Floats
    lengths: Floats
    objective: float
    n_turned: int


class _Problem:
    """The objective, and steps to its minimum; `directions` are the bags of the last state, of length 1 or 0."""

    def __init__(self, counts: scipy.sparse.csr_array, words: Vectors, texts: Vectors) -> None:
        self.texts, self.words = texts, words.astype(np.promote_types(words.dtype, np.float32), copy=False)
        self.times, self.column, self.ends = counts.data, counts.indices, counts.indptr
        self.row = np.repeat(np.arange(len(texts), dtype=np.int32), np.diff(self.ends))
        self.word_lengths = lengths_of(words)
        self.scaled = self.times / self.word_lengths[self.column]  # counts of words of length 1
        n_words, self.lengths = counts.sum(axis=1), lengths_of(texts)
        self.shared: Floats = np.stack([np.ones(len(texts)), (n_words - 1) / 10], axis=1) * (n_words > 0)[:, None]
        self.has_say: Flags = (self.lengths > 0) & (n_words > 0)
        self.divisor: Floats = np.where(self.has_say, self.lengths, 1)
        self.along_texts = pair_products(texts, self.row, self.words, self.column) / self.divisor[self.row]
        self.start: Floats = np.concatenate([np.ones(len(words)), np.zeros(2 * words.shape[1])])
        self.products = None
        if (np.diff(self.ends).astype(np.int64) ** 2).sum() <= _MOST_PAIRS:
            self.products = self.like_counts(self.times).T @ self.like_counts(self.times)
            first = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(self.products.indptr))
            self.products.data[:] = pair_products(self.words, first, self.words, self.products.indices)

    def parts(self, numbers: Floats) -> tuple[Floats, Floats]:
        """The weights, shape (m,), and the two constants, shape (2, d)."""
        return numbers[: len(self.words)], numbers[len(self.words) :].reshape(2, -1)

    def like_counts(self, values: Floats) -> scipy.sparse.csr_array:
        """Values in the places of the counts, in the precision of the words."""
        shape = (len(self.texts), len(self.words))
        return scipy.sparse.csr_array((values.astype(self.words.dtype), self.column, self.ends), shape=shape)

    def state(self, numbers: Floats) -> _State:
        """Add up the bags."""
        (weights, constants), (cosines, lengths) = self.parts(numbers), np.zeros((2, len(self.texts)))
        self.directions: Vectors = np.zeros(0)  # frees the memory of the last ones
        self.directions = self.like_counts(self.scaled * weights[self.column]) @ self.words
        for part in blocks(*self.texts.shape):
            bags = self.directions[part] + self.shared[part] @ constants
            lengths[part] = np.maximum(lengths_of(bags), 1e-300)
            self.directions[part] = bags = bags / lengths[part, None]
            cosines[part] = self.has_say[part] * np.einsum("ij,ij->i", bags, self.texts[part]) / self.divisor[part]
        sines = self.has_say - np.maximum(cosines, 0) ** 2
        objective = float(sines.sum() + RIDGE * ((numbers - self.start) ** 2).sum())
        return _State(numbers, cosines, lengths, objective, int((cosines <= 0).sum()))

    def minimum(self, task: str) -> _State:
        """Go on from `start` until a round changes little."""
        state, damping, exact = self.state(self.start), 1.0, _EXACT * self.has_say.sum()
        n_equations = int((self.has_say & (np.diff(self.ends) > 1)).sum()) * (self.words.shape[1] - 1)
        if state.objective > exact and n_equations < len(self.start):
            raise ValueError(
                f"{len(self.start)} weights and numbers of constants are not determined by {n_equations} equations "
                "(texts of two words or more, times dimensions less one)."
            )
        for _ in tqdm(range(MAX_ROUNDS), "Own words: fitting", unit="round", delay=3, leave=False):
            if (before := state.objective) <= exact:
                return state
            state, damping = self.step(state, damping)
            if before - state.objective <= _ENOUGH * before:
                return state
        logger.warning("%s: the fit of own words has not settled in %d rounds.", task, MAX_ROUNDS)
        return state

    def step(self, state: _State, damping: float) -> tuple[_State, float]:
        """Go on to a state that is not worse; returns it and the next damping.

        The scale of each text is eliminated. Damping goes from Gauss-Newton steps (0) to alternation between scales
        and numbers (1). If it can be helped, no text turns away from its bag: it would have no slope to return by.
        """
        scales = np.maximum(state.cosines, 0) / state.lengths
        scaled, shared = self.scaled * scales[self.row], self.shared * scales[:, None]
        along = pair_products(self.directions, self.row, self.words, self.column)
        missing = scaled * (self.along_texts - state.cosines[self.row] * along)
        of_constants = sums_by(shared / self.divisor[:, None], self.texts)
        of_constants -= sums_by(shared * state.cosines[:, None], self.directions)
        slope = np.concatenate([np.bincount(self.column, missing, len(self.words)), of_constants.ravel()])
        slope -= RIDGE * (state.numbers - self.start)
        change = self.change(state, slope, self.like_counts(scaled * along), 1 - damping)
        for may_turn, share in product((False, True), 0.5 ** np.arange(6)):  # the change points downhill
            then = self.state(state.numbers + share * change)
            if then.objective <= state.objective and (may_turn or then.n_turned <= state.n_turned):
                return then, max(damping / 4, 1e-6) if share == 1 else min(1, 8 * damping)
        return self.state(state.numbers), 1.0  # the change was as small as rounding

    def change(self, state: _State, slope: Floats, along: scipy.sparse.csr_array, taken: float) -> Floats:
        """Solve the normal equations of fixed scales, with a share of what is along the bags taken out."""
        words, scales, (b, both) = self.words, np.maximum(state.cosines, 0) / state.lengths, self.parts(state.numbers)
        counts = self.like_counts(self.scaled * np.maximum(scales, 1e-9 * (scales.max() or 1))[self.row])
        gram = None
        if self.products is not None:
            gram = counts.T @ counts
            gram.data *= self.products.data  # in the same places: no scale is 0
        shared = self.shared * scales[:, None]
        by_word, of_both = counts.T @ shared, shared.T @ shared
        inverse = np.linalg.inv(of_both + RIDGE * np.eye(2))
        squares = np.bincount(self.column, (self.times * scales[self.row]) ** 2, len(words)) + RIDGE
        shares = np.einsum("wi,ij,wj->w", by_word, inverse, by_word) * self.word_lengths**2
        diagonal = np.maximum(squares - shares - taken * along.power(2).sum(axis=0), 0.05 * squares)
        per_length = shared / np.maximum(state.cosines, 1e-300)[:, None]  # of a bag, whose length is in the scale

        def applied(numbers: Floats) -> Floats:
            weights, constants = self.parts(numbers)
            to_words = products_with(words, constants)
            to_bags = counts @ (b[:, None] * to_words) + shared @ (both @ constants.T)
            away = taken * (along @ weights + (per_length * to_bags).sum(axis=1))
            of_weights = (by_word * to_words).sum(axis=1) - along.T @ away
            if gram is None:
                of_weights += np.einsum("ij,ij->i", words, counts.T @ (counts @ (weights[:, None] * words)))
            else:
                of_weights += gram @ weights.astype(words.dtype)
            by_bag = per_length * away[:, None]
            of_constants = of_both @ constants - (by_bag.T @ shared) @ both
            of_constants += sums_by(by_word * weights[:, None] - b[:, None] * (counts.T @ by_bag), words)
            return np.concatenate([of_weights, of_constants.ravel()]) + RIDGE * numbers

        def nearly_solved(numbers: Floats) -> Floats:  # constants eliminated, then the diagonal
            weights, constants = self.parts(numbers)
            constants = inverse @ constants
            weights = (weights - (by_word * products_with(words, constants)).sum(axis=1)) / diagonal
            constants = constants - inverse @ sums_by(by_word * weights[:, None], words)
            return np.concatenate([weights, constants.ravel()])

        size = (len(slope), len(slope))
        system, inverted = (LinearOperator(size, matvec, dtype=np.float64) for matvec in (applied, nearly_solved))
        return np.asarray(cg(system, slope, rtol=5e-2, maxiter=300, M=inverted)[0])


def blocks(n: int, dimensions: int) -> Iterator[slice]:
    """The slices of n vectors."""
    step = max(1, _NUMBERS // dimensions)
    return (slice(start, start + step) for start in range(0, n, step))


def pair_products(first: Vectors, rows: Array, second: Vectors, others: Array) -> Floats:
    """The scalar products of `first[rows]` and `second[others]`, shape (k,), in double precision."""
    products = np.empty(len(rows))
    for part in blocks(len(rows), first.shape[1]):
        products[part] = np.einsum("ij,ij->i", first[rows[part]], second[others[part]], dtype=np.float64)
    return products


def lengths_of(vectors: Vectors) -> Floats:
    """Shape (n,), in double precision."""
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))


def products_with(vectors: Vectors, others: Floats) -> Floats:
    """The scalar products of (n, d) vectors with a few others, (k, d): shape (n, k).

    One by one, as in `sums_by`: BLAS copies all vectors before it multiplies them with two at once.
    """
    return np.stack([vectors @ other for other in others.astype(vectors.dtype)], axis=1)


def sums_by(weights: Floats, vectors: Vectors) -> Floats:
    """The sums of (n, d) vectors by a few weights of each, (n, k): shape (k, d)."""
    return np.stack([by @ vectors for by in weights.T.astype(vectors.dtype)])
