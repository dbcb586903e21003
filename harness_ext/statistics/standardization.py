"""Standardised dimensions: each with mean 0 and standard deviation 1.

Timkey and van Schijndel 2021, *All Bark and No Bite: Rogue Dimensions in Transformer Language
Models Obscure Representational Quality*, EMNLP, 4527-4546: a few dimensions with large values
decide the cosine similarities of a model, and hardly change its behavior.
"""

import numpy as np

from harness_ext.common.arrays import Floats, Vectors

_ROUNDING = 8
"""Standard deviations below this multiple of the rounding error of the mean are no spread."""


def z_scores(vectors: Vectors, by: Vectors) -> Floats:
    """Standardise each dimension by the mean and the standard deviation of other vectors, shapes
    (n, d) and (m, d).

    A dimension without spread becomes 0.

    Examples:
        >>> z_scores(np.array([[5.0, 5.0]]), by=np.array([[1.0, 5.0], [3.0, 5.0]]))
        array([[3., 0.]])
    """
    means = by.mean(axis=0, dtype=np.float64)
    deviations = by.std(axis=0, dtype=np.float64)
    rounding_errors = np.finfo(by.dtype).eps * np.abs(means)
    has_spread = deviations > _ROUNDING * rounding_errors
    scales = np.divide(1, deviations, where=has_spread, out=np.zeros_like(deviations))
    return (vectors - means) * scales


def standardized(vectors: Vectors, by: Vectors | None = None) -> Vectors:
    """Standardise vectors as `z_scores` does, by default by themselves; zero vectors stay, and do
    not count.

    Examples:
        >>> standardized(np.array([[0.0, 5.0], [2.0, 5.0], [0.0, 0.0]]))
        array([[-1.,  0.],
               [ 1.,  0.],
               [ 0.,  0.]])
    """
    by = vectors if by is None else by
    by = by[by.any(axis=1)]
    if not len(by):
        return vectors
    scores: Vectors = z_scores(vectors, by).astype(vectors.dtype)
    scores[~vectors.any(axis=1)] = 0
    return scores
