"""The distance that all measures share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_DISTANCE = 1e-10
"""Two vectors nearer than this count as identical: float32 does not resolve less."""

_BLOCK_BYTES = 16 * 2**20


def cosine_distance(
    vectors: NDArray[np.floating[Any]], first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """D = 1 - cos = ½‖u - v‖² of the L2-normalised vectors, in float64, for many pairs.

    The squared form keeps the digits that `1 - cos` loses where two sentences differ by one word and d is near 1e-7.
    Equal pairs are computed once; memory beside the vectors does not grow with their dimension.

    Args:
        vectors: Shape (n, d).
        first: Rows of `vectors`, shape (m,).
        second: Rows of `vectors`, shape (m,).

    Returns:
        Distances in [0, 2], shape (m,); NaN where one of the two vectors is zero.
    """
    pairs, inverse = np.unique(np.sort(np.column_stack([first, second])), axis=0, return_inverse=True)
    distances = np.empty(len(pairs))
    block = max(1, _BLOCK_BYTES // (8 * vectors.shape[1]))
    for start in range(0, len(pairs), block):
        one, other = (_unit(vectors[rows]) for rows in pairs[start : start + block].T)
        distances[start : start + block] = 0.5 * np.square(one - other).sum(axis=1)
    return distances[inverse.reshape(-1)]


def _unit(vectors: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    with np.errstate(invalid="ignore"):  # 0 / 0: a zero vector has no direction
        unit: NDArray[np.float64] = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    return unit
