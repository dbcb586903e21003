"""Weighted sums of vectors, fitted to directions: the objective, its gradient, and the search for
its minimum.

The sum s of words with vectors u_w, where N words count, has two constants, c and g:

    s = Σ_w b_w · u_w + c + (N - 1) · g

The fit minimizes, over the weights b and the constants, or over the constants alone, with the
target e of each sum,

    Σ sin²(e, s) + 10⁻⁵ · (Σ_w (b_w - 1)² + |c|² + |10 g|²)        sin² = 1 - max(cos, 0)²

The gradient, with |e| = 1, cos = e·s / |s| and p = max(cos, 0) / |s|:

    ∂ sin² / ∂s    = 2 · (p² · s - p · e)
    ∂ sin² / ∂b_w  = 2 · (p² · u_w·s - p · u_w·e)            over the places of u_w in all sums
    ∂ sin² / ∂c    = 2 · (p² · s - p · e)                    over all sums
    ∂ sin² / ∂10g  = 2 · (p² · s - p · e) · (N - 1) / 10     the same

No sum is formed. A sum has parts: its words, where their weights are fitted, or Σ_w b_w · u_w as
one part, where they stand. The products of parts with each other and with the target are computed
once. What depends on the constants is four products for each objective, and nothing else depends on
d:

    constants with words      c·u_w and g·u_w; those with parts follow from them
    constants with targets    c·e and g·e
    Σ (p² · s)                how often each word is in it, times the words
    Σ (p · e)                 by how much each target is in it, times the targets

Several fits over the same words and targets have these four in common: a pass over the vectors
gives them for all fits, in little more time than for one. So the searches for their minima run side
by side (`harness_ext.encoders.together`), each with its own steps and its own end.

Passes have the precision of the vectors, which halves their time in float32; all else is in
float64. Rounding in a pass grows with the constants, and would hide the last small decreases of an
objective. So a pass adds the products of what the constants moved to those of where a search began,
which are exact; and a search ends twice, early and late, and begins again in between. A test
compares the gradient with finite differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import scipy
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from harness_ext.common.arrays import Floats, Indices, Vectors
from harness_ext.encoders.together import Together

RIDGE = 1e-5
"""How much a weight that is not 1, or a constant that is not 0, costs."""

MAX_ROUNDS = 250
"""Rounds of L-BFGS, or half the evaluations, after which a search ends early."""

_LEAST_SQUARE = 1e-60
"""The least |s|², so that a sum of 0 has a direction."""

_IN_CACHE = 2**17
"""Numbers that a processor's cache holds."""

_FOR_ALL_CORES = 2**25
"""Numbers of vectors from which a pass is worth more than one thread."""

_LEAST_DECREASES = (1e-5, 1e-9)
"""Of an objective in one round, as a share of it: a smaller one ends a search, and another begins
there.
"""

_LEAST_SLOPE = 1e-7
"""The greatest number of a gradient that ends the search."""

_LEAST_CURVATURE = 1e-4
"""Along a mixture of the constants, as a share of the sum along both: all N may be the same."""

_N_CORRECTIONS = 20
"""Rounds of which L-BFGS remembers the gradients."""


class Products(NamedTuple):
    """Of the parts of some sums.

    Attributes:
        with_target: u·e of each part with the target of its sum, shape (n, k).
        with_each_other: u·u of the parts of each sum, shape (n, k, k).
    """

    with_target: Floats
    with_each_other: Floats

    @classmethod
    def of_members(
        cls,
        targets: Vectors,
        words: Vectors,
        members: Indices,
    ) -> Self:
        """Of sums whose parts are words.

        Args:
            targets: e of each sum, of length 1, shape (n, d).
            words: u_w, shape (m, d).
            members: Which words are in each sum, shape (n, k).
        """
        n, k = members.shape
        with_target = np.empty((n, k))
        with_each_other = np.empty((n, k, k))
        for block in blocks(n, k * words.shape[1]):
            vectors = words[members[block]].astype(np.float64)
            columns = targets[block, :, None].astype(np.float64)
            with_target[block] = (vectors @ columns)[..., 0]
            with_each_other[block] = vectors @ vectors.transpose(0, 2, 1)
        return cls(with_target, with_each_other)

    @classmethod
    def of_sums(
        cls,
        targets: Vectors,
        words: Vectors,
        weights: scipy.sparse.csr_array,
    ) -> Self:
        """Of sums that are one part each.

        Args:
            targets: e of each sum, of length 1, shape (n, d).
            words: u_w, shape (m, d).
            weights: Of each word in each sum, shape (n, m).
        """
        n = len(targets)
        with_target = np.empty((n, 1))
        with_each_other = np.empty((n, 1, 1))
        narrow = weights.astype(words.dtype)
        for block in blocks(n, words.shape[1]):
            sums = (narrow[block] @ words).astype(np.float64)
            with_target[block, 0] = np.einsum("nd,nd->n", sums, targets[block])
            with_each_other[block, 0, 0] = np.einsum("nd,nd->n", sums, sums)
        return cls(with_target, with_each_other)

    def of_rows(self, rows: Indices) -> Products:
        """Those of some of the sums."""
        return Products(self.with_target[rows], self.with_each_other[rows])


@dataclass(frozen=True)
class FittedSums:
    """Where a fit ended.

    Attributes:
        weights: b, shape (m,); empty where they stand.
        constants: c and 10 g, shape (2, d).
        cosines: Of each sum with its target, shape (n,).
    """

    weights: Floats
    constants: Floats
    cosines: Floats


class ValueAndGradient(NamedTuple):
    """Of an objective."""

    value: float
    gradient: Floats


@dataclass(frozen=True)
class _WithConstants:
    """The products of the constants of one fit.

    Attributes:
        words: With words, shape (m, 2).
        targets: With the target of each sum, shape (n, 2).
        each_other: Shape (2, 2).
    """

    words: Floats
    targets: Floats
    each_other: Floats


@dataclass(frozen=True)
class _Slopes:
    """An objective without its penalty, and half its gradient.

    Attributes:
        misfit: Σ sin².
        by_weights: ∂ by b, shape (m,); empty where they stand.
        words: How often each word is in the gradient by c and by 10 g, shape (2, m).
        targets: How often each target is, shape (2, n).
        constants: How often each constant is, shape (2, 2).
    """

    misfit: float
    by_weights: Floats
    words: Floats
    targets: Floats
    constants: Floats


@dataclass(frozen=True)
class _ComparedSums:
    """Sums, compared with their targets.

    Attributes:
        cosines: Of each sum s with its target, shape (n,).
        lengths: |s|, shape (n,).
        parts_with_sum: u·s of each of its parts, shape (n, k).
    """

    cosines: Floats
    lengths: Floats
    parts_with_sum: Floats


class Sums:
    """The sums of one fit, known by products alone.

    Attributes:
        rows: Which of the targets each has, shape (n,).
        n_weights: How many weights are fitted: m, or 0.
        mixing: What L-BFGS moves -> the constants, shape (2, 2).
    """

    def __init__(
        self,
        products: Products,
        n_words: Floats | Indices,
        rows: Indices,
        *,
        members: Indices | None = None,
        n_weights: int = 0,
        weights: scipy.sparse.csr_array | None = None,
    ) -> None:
        """Describe n sums of k parts.

        Args:
            products: Of the parts.
            n_words: N of each sum, shape (n,).
            rows: Which of the targets each has, shape (n,).
            members: Where the weights are fitted, which words are in each sum, shape (n, k).
            n_weights: Their number, m.
            weights: Where they stand, those of each word in each sum, shape (n, m).
        """
        n = len(n_words)
        self.rows = rows
        self.n_weights = n_weights
        self._products = products
        self._members = np.arange(n)[:, None] if members is None else members
        self._weights = weights
        # of c and of 10 g
        times_of_c = np.ones(n)
        times_of_g = (n_words - 1) / 10
        self._times = np.stack([times_of_c, times_of_g], axis=1)
        self._n_parts = n if members is None else n_weights
        self.mixing = self._mixing(n_words.sum() / self._n_parts)

    def _mixing(self, sums_of_a_part: float) -> Floats:
        """The mixing for which the objective is about as curved along all that L-BFGS moves.

        A constant is in all sums, a weight in those of its word alone; and c and 10 g do nearly the
        same, since N differs little between sums.
        """
        curvature = self._times.T @ self._times / sums_of_a_part
        floor = _LEAST_CURVATURE * np.trace(curvature) * np.eye(2)
        mixing: Floats = np.linalg.cholesky(np.linalg.inv(curvature + floor))
        return mixing

    def cosines(
        self,
        weights: Floats,
        products: _WithConstants,
    ) -> Floats:
        """Of each sum with its target, shape (n,)."""
        return self._compared(weights, products).cosines

    def slopes(
        self,
        weights: Floats,
        products: _WithConstants,
    ) -> _Slopes:
        """The objective and its gradient, but for the penalty.

        Args:
            weights: b, shape (m,); empty where they stand.
            products: Of the constants.
        """
        compared = self._compared(weights, products)
        positive = np.maximum(compared.cosines, 0)
        p = (positive / compared.lengths)[:, None]
        squares = p**2 * self._times
        by_weights = weights
        if self.n_weights:
            by_places = p**2 * compared.parts_with_sum - p * self._products.with_target
            by_weights = self._added_up(by_places)
        return _Slopes(
            misfit=float((1 - positive**2).sum()),
            by_weights=by_weights,
            words=self._in_words(weights, squares),
            targets=(p * self._times).T,
            constants=squares.T @ self._times,
        )

    def _in_words(
        self,
        weights: Floats,
        squares: Floats,
    ) -> Floats:
        """How often each word is in Σ p² · s, and in the sum times (N - 1) / 10, shape (2, m)."""
        if self._weights is not None:
            return (self._weights.T @ squares).T
        in_words = []
        for square in squares.T:
            weighted = square[:, None] * weights[self._members]
            in_words.append(self._added_up(weighted))
        return np.stack(in_words)

    def _compared(
        self,
        weights: Floats,
        products: _WithConstants,
    ) -> _ComparedSums:
        """Compare each sum with its target, without forming it.

        u·s   = Σ_w b_w · u·u_w + c·u + (N - 1) · g·u              of each part u
        c·s   = Σ_w b_w · c·u_w + c·c + (N - 1) · c·g              and g·s likewise
        |s|²  = Σ_w b_w · u_w·s + c·s + (N - 1) · g·s
        e·s   = Σ_w b_w · u_w·e + c·e + (N - 1) · g·e
        """
        if self._weights is None:
            of_parts = weights[self._members]
            constants_with_parts = products.words[self._members]
        else:
            of_parts = np.ones((len(self._times), 1))
            constants_with_parts = (self._weights @ products.words)[:, None]
        parts_with_sum = np.einsum("nij,nj->ni", self._products.with_each_other, of_parts)
        parts_with_sum += np.einsum("nij,nj->ni", constants_with_parts, self._times)
        constants_with_sum = np.einsum("ni,nij->nj", of_parts, constants_with_parts)
        constants_with_sum += self._times @ products.each_other
        squares = (of_parts * parts_with_sum).sum(axis=1)
        squares = squares + (self._times * constants_with_sum).sum(axis=1)
        lengths = np.sqrt(np.maximum(squares, _LEAST_SQUARE))
        target_with_sum = (of_parts * self._products.with_target).sum(axis=1)
        target_with_sum = target_with_sum + (self._times * products.targets).sum(axis=1)
        return _ComparedSums(target_with_sum / lengths, lengths, parts_with_sum)

    def _added_up(self, values: Floats) -> Floats:
        """The sum over the places of each part, shape (n, k) -> (m,)."""
        places = self._members.ravel()
        added_up = np.bincount(places, values.ravel(), self._n_parts)
        return added_up.astype(np.float64, copy=False)


@dataclass(frozen=True)
class _Start:
    """Where a search began, with products in float64, for passes to add those of what it moved.

    Attributes:
        constants: c and 10 g, shape (2, d).
        with_words: Their products with words, shape (m, 2).
        with_targets: Their products with targets, shape (n, 2).
    """

    constants: Floats
    with_words: Floats
    with_targets: Floats


class WeightedSums:
    """Fits over the same words and targets: objectives to be minimized."""

    def __init__(
        self,
        targets: Vectors,
        words: Vectors,
        fits: Sequence[Sums],
    ) -> None:
        """Lay out the numbers of all fits.

        Args:
            targets: e of each sum, of length 1, shape (n, d).
            words: u_w, shape (m, d).
            fits: The sums of each fit.
        """
        self._targets = targets
        self._words = words
        self._fits = fits
        self._dimensions = words.shape[1]
        self.neutral: list[Floats] = []
        for sums in fits:
            sizes = [sums.n_weights, 2 * self._dimensions]
            self.neutral.append(np.repeat([1.0, 0.0], sizes))
        self._starts = [self._start(number, neutral) for number, neutral in enumerate(self.neutral)]

    def fit(self, start: FittedSums | None = None) -> list[FittedSums]:
        """Find the minimum of each fit by L-BFGS, from weights of 1 and constants of 0, or from
        where another fit ended.
        """
        n_numbers = self._words.size + self._targets.size
        together = Together(len(self._fits), self.values_and_gradients)
        # small products are slower with more threads, which would wait for each other
        with threadpool_limits(None if n_numbers > _FOR_ALL_CORES else 1):
            return together.run(partial(self._fitted, start, together))

    def _fitted(
        self,
        start: FittedSums | None,
        together: Together[Floats, ValueAndGradient],
        number: int,
    ) -> FittedSums:
        """Search the minimum of one fit."""
        sums = self._fits[number]
        packed = self.neutral[number]
        if start is not None:
            moved = np.linalg.solve(sums.mixing, start.constants)
            packed = np.concatenate([start.weights, moved.ravel()])
        for least_decrease in _LEAST_DECREASES:
            self._starts[number] = self._start(number, packed)
            options: dict[str, Any] = {
                "maxiter": MAX_ROUNDS,
                "maxfun": 2 * MAX_ROUNDS,
                "maxcor": _N_CORRECTIONS,
                "ftol": least_decrease,
                "gtol": _LEAST_SLOPE,
            }
            minimum = minimize(
                partial(together.ask, number),
                packed,
                jac=True,
                method="L-BFGS-B",
                options=options,
            )
            packed = minimum.x
        weights, constants = self._unpacked(number, packed)
        at_end = self._start(number, packed)
        products = _WithConstants(
            words=at_end.with_words,
            targets=at_end.with_targets[sums.rows],
            each_other=constants @ constants.T,
        )
        return FittedSums(weights, constants, sums.cosines(weights, products))

    def values_and_gradients(self, asked: Mapping[int, Floats]) -> dict[int, ValueAndGradient]:
        """The objectives of some fits, and their gradients, by the number of the fit.

        Args:
            asked: Number of a fit -> the weights, then what is mixed into the constants: shape
                (m + 2 d,).
        """
        numbers = {}
        for number, packed in asked.items():
            numbers[number] = self._unpacked(number, packed)
        constants = {number: constants for number, (_, constants) in numbers.items()}
        products = self._with_constants(constants)
        slopes = {}
        for number, (weights, _) in numbers.items():
            slopes[number] = self._fits[number].slopes(weights, products[number])
        by_constants = self._by_constants(slopes, constants)
        found = {}
        for number, (weights, constants_of_fit) in numbers.items():
            away = weights - 1
            penalty = RIDGE * (np.square(away).sum() + np.square(constants_of_fit).sum())
            # half the gradient
            by_weights = slopes[number].by_weights + RIDGE * away
            by_constants_of_fit = by_constants[number] + RIDGE * constants_of_fit
            by_moved = self._fits[number].mixing.T @ by_constants_of_fit
            gradient = 2 * np.concatenate([by_weights, by_moved.ravel()])
            found[number] = ValueAndGradient(slopes[number].misfit + float(penalty), gradient)
        return found

    def _unpacked(
        self,
        number: int,
        packed: Floats,
    ) -> tuple[Floats, Floats]:
        """The weights and the constants of a fit."""
        sums = self._fits[number]
        moved = packed[sums.n_weights :].reshape(2, self._dimensions)
        return packed[: sums.n_weights], sums.mixing @ moved

    def _start(
        self,
        number: int,
        packed: Floats,
    ) -> _Start:
        _, constants = self._unpacked(number, packed)
        return _Start(
            constants,
            _exact_product(self._words, constants.T),
            _exact_product(self._targets, constants.T),
        )

    def _with_constants(self, constants: Mapping[int, Floats]) -> dict[int, _WithConstants]:
        """The products of the constants of some fits: a pass over words, and one over targets."""
        moves = []
        for number, constants_of_fit in constants.items():
            moves.append(constants_of_fit - self._starts[number].constants)
        columns = np.concatenate(moves).T.astype(self._words.dtype)
        with_words = self._words @ columns
        with_targets = self._targets @ columns
        products = {}
        for place, (number, constants_of_fit) in enumerate(constants.items()):
            start = self._starts[number]
            rows = self._fits[number].rows
            two = slice(2 * place, 2 * place + 2)
            products[number] = _WithConstants(
                words=start.with_words + with_words[:, two],
                targets=start.with_targets[rows] + with_targets[rows, two],
                each_other=constants_of_fit @ constants_of_fit.T,
            )
        return products

    def _by_constants(
        self,
        slopes: Mapping[int, _Slopes],
        constants: Mapping[int, Floats],
    ) -> dict[int, Floats]:
        """Half the gradient of Σ sin² by c and by 10 g, shape (2, d), of some fits: a pass over
        words, and one over targets.
        """
        narrow = self._words.dtype
        in_words = np.concatenate([slopes_of_fit.words for slopes_of_fit in slopes.values()])
        in_targets = np.zeros((len(in_words), len(self._targets)), narrow)
        for place, (number, slopes_of_fit) in enumerate(slopes.items()):
            two = slice(2 * place, 2 * place + 2)
            in_targets[two, self._fits[number].rows] = slopes_of_fit.targets
        of_vectors = in_words.astype(narrow) @ self._words - in_targets @ self._targets
        by_constants = {}
        for place, (number, slopes_of_fit) in enumerate(slopes.items()):
            of_constants = slopes_of_fit.constants @ constants[number]
            two = slice(2 * place, 2 * place + 2)
            by_constants[number] = of_constants + of_vectors[two]
        return by_constants


def _exact_product(
    vectors: Vectors,
    columns: Floats,
) -> Floats:
    """In float64, without a copy of the vectors."""
    product = np.zeros((len(vectors), columns.shape[1]))
    if columns.any():
        for block in blocks(*vectors.shape):
            product[block] = vectors[block].astype(np.float64) @ columns
    return product


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices of n rows, of so many numbers each, that a processor's cache holds."""
    n_at_once = max(1, _IN_CACHE // size)
    for first in range(0, n, n_at_once):
        yield slice(first, first + n_at_once)
