"""The cosine distance of all measures."""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from harness_ext.common.arrays import Floats, Vectors

NO_DISTANCE = 1e-10
"""Two vectors nearer than this count as identical: float32 does not resolve less, and nothing can
be divided by it.
"""

TIE = 1e-5
"""Two lengths ‖u - v‖ nearer than this count as equal. Other batches move a float32 vector of
length 1 by 2e-6.
"""

_BLOCK_BYTES = 2**20  # what a processor's cache holds


def cosine_distance(
    vectors: Vectors, first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]
) -> Floats:
    """Compute d = 1 - cos = ½‖u - v‖² of L2-normalized vectors, in float64, for many pairs.

    The squared form keeps the digits that `1 - cos` loses if two sentences differ by one word and d
    is near 1e-7. Equal pairs are computed once; memory beside the vectors does not grow with their
    dimension.

    Args:
        vectors: Shape (n, d).
        first: Rows of `vectors`, any shape.
        second: Rows of `vectors`, of a shape that broadcasts with the shape of `first`.

    Returns:
        Distances in [0, 2], of the broadcast shape; NaN where one of the two vectors is zero.
    """
    n, dimensions = vectors.shape
    first, second = np.broadcast_arrays(first, second)
    keys = np.minimum(first, second).astype(np.int64) * n + np.maximum(first, second)
    pairs, inverse = np.unique(keys, return_inverse=True)
    rows, others = np.divmod(pairs, n)
    block = max(1, _BLOCK_BYTES // (8 * dimensions))
    lengths = _lengths(vectors, np.concatenate([rows, others]), block)
    distances = np.empty(len(pairs))
    with np.errstate(invalid="ignore"):  # 0 / 0: a zero vector has no direction
        for start in range(0, len(pairs), block):
            part = slice(start, start + block)
            row = rows[part]
            other = others[part]
            unit = vectors[row] / lengths[row, None]
            difference = unit - vectors[other] / lengths[other, None]
            distances[part] = 0.5 * np.einsum("ij,ij->i", difference, difference)
    return distances[inverse].reshape(first.shape)


def cosine_distance_table(
    vectors: Vectors, first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]
) -> Floats:
    """Compute the `cosine_distance` of each row `first` of vectors from each row `second`: (m,) and
    (k,) -> (m, k).
    """
    rows = _unit(vectors[first])
    others = _unit(vectors[second])
    return 0.5 * scipy.spatial.distance.cdist(rows, others, "sqeuclidean")


def chord(distance: Floats) -> Floats:
    """Compute ‖u - v‖ = √(2d). Rounding of u and v changes it by the same amount at all distances
    d.
    """
    return np.sqrt(2 * distance)


def at_most(distance: Floats, other: Floats) -> Floats:
    """Return 1 where `distance` ≤ `other`, ties included; 0 where it is greater; NaN where one of
    them is NaN.

    Encoders that average words produce true ties, and rounding must not decide them. So a
    difference below `TIE` in ‖u - v‖ is a tie.

    Examples:
        >>> at_most(np.array([0.5, 0.5 + 1e-8, 0.6, np.nan]), np.array([0.5, 0.5, 0.5, 0.5]))
        array([ 1.,  1.,  0., nan])
    """
    is_unknown = np.isnan(distance) | np.isnan(other)
    is_at_most = chord(distance) <= chord(other) + TIE
    return np.where(is_unknown, np.nan, is_at_most)


def nearer(distance: Floats, other: Floats) -> Floats:
    """Return 1 where `distance` < `other`, 0 where it is greater, ½ for a tie in `at_most`; NaN
    where one is NaN.

    Examples:
        >>> nearer(np.array([0.4, 0.5 + 1e-8, 0.6]), np.array([0.5, 0.5, 0.5]))
        array([1. , 0.5, 0. ])
    """
    return (1 + at_most(distance, other) - at_most(other, distance)) / 2


def _lengths(
    vectors: Vectors,
    rows: NDArray[np.integer[Any]],
    block: int,
) -> Floats:
    """Compute the lengths of the vectors at `rows`, shape (n,); other values are undefined."""
    used = np.zeros(len(vectors), dtype=bool)
    used[rows] = True
    numbers = np.flatnonzero(used)
    lengths = np.empty(len(vectors))
    for start in range(0, len(numbers), block):
        part = numbers[start : start + block]
        lengths[part] = np.linalg.norm(vectors[part].astype(np.float64), axis=1)
    return lengths


def _unit(vectors: Vectors) -> Floats:
    wide = vectors.astype(np.float64)
    with np.errstate(invalid="ignore"):  # 0 / 0: a zero vector has no direction
        unit: Floats = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    return unit
