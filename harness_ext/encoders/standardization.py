"""Standardised dimensions: each with mean 0 and standard deviation 1.

Timkey and van Schijndel 2021, *All Bark and No Bite: Rogue Dimensions in Transformer Language Models Obscure
Representational Quality*, EMNLP, 4527-4546: a few dimensions with large values decide the cosine similarities of a
model, and hardly change its behaviour.
"""

from __future__ import annotations

import numpy as np

from harness_ext.arrays import Vectors

_ROUNDING = 8
"""Standard deviations below this multiple of the rounding error of the mean are no spread."""


def standardized(vectors: Vectors, by: Vectors | None = None) -> Vectors:
    """Standardise each dimension by its mean and standard deviation.

    A dimension without spread becomes 0. Zero vectors have no direction: they stay zero vectors, and do not count.

    Args:
        vectors: Shape (n, d).
        by: The vectors that mean and standard deviation come from, shape (m, d); by default `vectors`.

    Returns:
        Shape (n, d), of the type of `vectors`.

    Examples:
        >>> standardized(np.array([[1.0, 5.0], [3.0, 5.0], [0.0, 0.0]]))
        array([[-1.,  0.],
               [ 1.,  0.],
               [ 0.,  0.]])
    """
    by = vectors if by is None else by
    by = by[by.any(axis=1)]
    if not len(by):
        return vectors
    means, deviations = by.mean(axis=0, dtype=np.float64), by.std(axis=0, dtype=np.float64)
    has_spread = deviations > _ROUNDING * np.finfo(by.dtype).eps * np.abs(means)
    scales = np.divide(1, deviations, where=has_spread, out=np.zeros_like(deviations))
    found: Vectors = ((vectors - means) * scales).astype(vectors.dtype)
    found[~vectors.any(axis=1)] = 0
    return found
