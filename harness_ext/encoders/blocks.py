"""Products of many vectors, some at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness_ext.arrays import Array, Floats, Vectors

_NUMBERS = 2**17
"""In a block, which the cache of a processor holds."""


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
