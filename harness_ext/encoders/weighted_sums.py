"""Weighted sums of vectors, fitted to directions: the objective, its gradient, and the search for
its minimum.

The sum s of some parts u_w, of which N count as words, has two constants, c and g:

    s = Σ_w b_w · u_w + c + (N - 1) · g

The fit minimizes, over the weights b and the constants, or over the constants alone, with the
target e of each sum,

    Σ sin²(e, s) + 10⁻⁵ · (Σ_w (b_w - 1)² + |c|² + |10 g|²)        sin² = 1 - max(cos, 0)²

The gradient, with |e| = 1, cos = e·s / |s| and p = max(cos, 0) / |s|:

    ∂ sin² / ∂s    = 2 · (p² · s - p · e)
    ∂ sin² / ∂b_w  = 2 · (p² · u_w·s - p · u_w·e)            over the places of u_w in all sums
    ∂ sin² / ∂c    = 2 · (p² · s - p · e)                    over all sums
    ∂ sin² / ∂10g  = 2 · (p² · s - p · e) · (N - 1) / 10     the same

No sum is formed: u_w·s and |s|² follow from the products of parts with each other, which are
computed once. A test compares the gradient with finite differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from harness_ext.common.arrays import Floats, Indices

RIDGE = 1e-5
"""How much a weight that is not 1, or a constant that is not 0, costs."""

MAX_ROUNDS = 250
"""Rounds of L-BFGS, or half the evaluations, after which a fit ends early."""

_LEAST_SQUARE = 1e-60
"""The least |s|², so that a sum of 0 has a direction."""

_IN_CACHE = 2**17
"""Numbers that a processor's cache holds."""

_TOLERANCES: dict[str, Any] = {"maxcor": 20, "ftol": 1e-10, "gtol": 1e-7}


@dataclass(frozen=True)
class Numbers:
    """What is fitted.

    Attributes:
        weights: b, shape (m,).
        constants: c and 10 g, shape (2, d).
    """

    weights: Floats
    constants: Floats


@dataclass(frozen=True)
class FittedSums:
    """Sums after the fit.

    Attributes:
        weights: b, shape (m,); 1 where they are not fitted.
        constants: c + (N - 1) · g of each sum, shape (n, d).
        cosines: Of each sum with its target, shape (n,).
        packed: Weights and constants where the fit ended, for another fit to begin there.
    """

    weights: Floats
    constants: Floats
    cosines: Floats
    packed: Floats


@dataclass(frozen=True)
class _ComparedSums:
    """Sums, compared with their targets.

    Attributes:
        cosines: Of each sum s with its target, shape (n,).
        lengths: |s|, shape (n,).
        parts_with_sum: u_w·s of each of its parts, shape (n, k).
    """

    cosines: Floats
    lengths: Floats
    parts_with_sum: Floats


class WeightedSums:
    """Sums with targets: an objective to be minimized."""

    def __init__(
        self,
        targets: Floats,
        parts: Floats,
        members: Indices,
        n_words: Floats | Indices,
        *,
        weighs: bool,
    ) -> None:
        """Compute the products of parts.

        Args:
            targets: e of each sum, of length 1, shape (n, d).
            parts: u, shape (m, d).
            members: Which parts are in each sum, shape (n, k).
            n_words: N of each sum, shape (n,).
            weighs: Whether the weights are fitted; else they stay 1.
        """
        self._targets = targets
        self._parts = parts
        self._members = members
        self._weighs = weighs
        # of c and of 10 g
        times_of_c = np.ones(len(n_words))
        times_of_g = (n_words - 1) / 10
        self._times = np.stack([times_of_c, times_of_g], axis=1)
        self._with_target, self._products = _products(targets, parts, members)
        self._n_parts, self._dimensions = parts.shape
        # A constant is in all sums, a weight in those of its word alone, so the objective is more
        # curved along a constant. √(sums of a part / all sums) evens this out for L-BFGS.
        sums_of_a_part = n_words.sum() / self._n_parts
        self._scale = np.sqrt(sums_of_a_part / len(members))
        sizes = [self._n_parts, 2 * self._dimensions]
        self.neutral = np.repeat([1.0, 0.0], sizes)
        scales = np.repeat([1.0, self._scale**2], sizes)
        self._ridge = RIDGE * scales

    def fit(self, start: Floats | None = None) -> FittedSums:
        """Find the minimum by L-BFGS, from weights of 1 and constants of 0, or from where another
        fit ended.
        """
        options = {
            "maxiter": MAX_ROUNDS,
            "maxfun": 2 * MAX_ROUNDS,
            **_TOLERANCES,
        }
        minimum = minimize(
            self.value_and_gradient,
            self.neutral if start is None else start,
            jac=True,
            method="L-BFGS-B",
            options=options,
        )
        numbers = self._unpacked(minimum.x)
        compared = self._compared(numbers)
        constants = self._times @ numbers.constants
        return FittedSums(
            weights=numbers.weights,
            constants=constants,
            cosines=compared.cosines,
            packed=minimum.x,
        )

    def value_and_gradient(self, packed: Floats) -> tuple[float, Floats]:
        """The objective, and its gradient.

        Args:
            packed: The weights, then the constants c and 10 g divided by `_scale`, shape
                (m + 2 d,).
        """
        numbers = self._unpacked(packed)
        compared = self._compared(numbers)
        positive = np.maximum(compared.cosines, 0)
        p = (positive / compared.lengths)[:, None]
        by_weights = np.zeros(self._n_parts)
        if self._weighs:
            by_places = p**2 * compared.parts_with_sum - p * self._with_target
            by_weights = self._added_up(by_places)
        by_constants = self._scale * self._by_constants(numbers, p)
        away = packed - self.neutral
        misfit = (1 - positive**2).sum()
        penalty = self._ridge @ away**2
        # of all terms, without their common 2
        slopes = np.concatenate([by_weights, by_constants.ravel()])
        gradient = 2 * (slopes + self._ridge * away)
        return float(misfit + penalty), gradient

    def _unpacked(self, packed: Floats) -> Numbers:
        weights = packed[: self._n_parts]
        scaled = packed[self._n_parts :].reshape(2, self._dimensions)
        return Numbers(weights, self._scale * scaled)

    def _compared(self, numbers: Numbers) -> _ComparedSums:
        """Compare each sum with its target, without forming it.

        u·s   = Σ_w b_w · u·u_w + c·u + (N - 1) · g·u              of each part u
        c·s   = Σ_w b_w · c·u_w + c·c + (N - 1) · c·g              and g·s likewise
        |s|²  = Σ_w b_w · u_w·s + c·s + (N - 1) · g·s
        e·s   = Σ_w b_w · u_w·e + c·e + (N - 1) · g·e
        """
        weights = numbers.weights[self._members]
        constants = numbers.constants
        constants_with_parts = (self._parts @ constants.T)[self._members]
        parts_with_sum = np.einsum("nij,nj->ni", self._products, weights)
        parts_with_sum += np.einsum("nij,nj->ni", constants_with_parts, self._times)
        constants_with_sum = np.einsum("ni,nij->nj", weights, constants_with_parts)
        constants_with_sum += self._times @ (constants @ constants.T)
        squares = (weights * parts_with_sum).sum(axis=1)
        squares = squares + (self._times * constants_with_sum).sum(axis=1)
        lengths = np.sqrt(np.maximum(squares, _LEAST_SQUARE))
        targets_with_constants = self._targets @ constants.T
        target_with_sum = (weights * self._with_target).sum(axis=1)
        target_with_sum = target_with_sum + (self._times * targets_with_constants).sum(axis=1)
        return _ComparedSums(target_with_sum / lengths, lengths, parts_with_sum)

    def _by_constants(self, numbers: Numbers, p: Floats) -> Floats:
        """Half the gradient of Σ sin² by c and by 10 g, before `_scale`, shape (2, d): Σ (p² · s -
        p · e), with s as parts and constants, times how often they are in.

        Args:
            numbers: Weights and constants.
            p: max(cos, 0) / |s| of each sum, shape (n, 1).
        """
        weights = numbers.weights[self._members]
        squares = p**2 * self._times
        weights_of_parts = []
        for square in squares.T:
            weighted = square[:, None] * weights
            weights_of_parts.append(self._added_up(weighted))
        share_of_parts = np.stack(weights_of_parts) @ self._parts
        share_of_constants = squares.T @ self._times @ numbers.constants
        share_of_targets = (p * self._times).T @ self._targets
        by_constants: Floats = share_of_parts + share_of_constants - share_of_targets
        return by_constants

    def _added_up(self, values: Floats) -> Floats:
        """The sum over the places of each part, shape (n, k) -> (m,)."""
        places = self._members.ravel()
        added_up = np.bincount(places, values.ravel(), self._n_parts)
        return added_up.astype(np.float64, copy=False)


def _products(
    targets: Floats,
    parts: Floats,
    members: Indices,
) -> tuple[Floats, Floats]:
    """The products of the parts of each sum with its target, and with each other, shapes (n, k) and
    (n, k, k).
    """
    n, k = members.shape
    with_target = np.empty((n, k))
    with_each_other = np.empty((n, k, k))
    n_at_once = max(1, _IN_CACHE // k // parts.shape[1])
    for block in _blocks(n, n_at_once):
        vectors = parts[members[block]]
        columns = targets[block, :, None]
        with_target[block] = (vectors @ columns)[..., 0]
        with_each_other[block] = vectors @ vectors.transpose(0, 2, 1)
    return with_target, with_each_other


def _blocks(n: int, size: int) -> Iterator[slice]:
    for first in range(0, n, size):
        yield slice(first, first + size)
