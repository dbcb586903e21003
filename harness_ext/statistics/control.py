"""Correlations and residuals with another explanation held constant."""

from __future__ import annotations

import numpy as np

from harness_ext.arrays import Floats, Vectors
from harness_ext.statistics.correlation import ranks, rho_of_ranks

_ROUNDING = 1e-12
"""A smaller share of x and y left unexplained is rounding."""


def partial_rho(x: Vectors, y: Vectors, given: Vectors, times: Floats) -> Floats:
    """Compute Spearman's partial ρ of x and y: their ranks are regressed on the ranks of another explanation.

    Args:
        x: Shape (n,), without NaN.
        y: Shape (n,), without NaN.
        given: The other explanation, shape (n,), without NaN; one that does not vary changes nothing.
        times: The number of times that each place is in each sample, shape (m, n).

    Returns:
        In [-1, 1], shape (m,); NaN if x or y does not vary or follows from the explanation, or for fewer than three.

    Examples:
        >>> x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 1.0, 4.0, 3.0])
        >>> partial_rho(x, y, np.array([1.0, 1.0, 2.0, 2.0]), np.ones((1, 4))).round(6)
        array([-1.])
    """
    of_x, of_y, of_given = (ranks(values, times) for values in (x, y, given))
    x_given, y_given = (np.nan_to_num(rho_of_ranks(values, of_given, times)) for values in (of_x, of_y))
    unexplained = (1 - x_given**2) * (1 - y_given**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        partial = (rho_of_ranks(of_x, of_y, times) - x_given * y_given) / np.sqrt(unexplained)
    return np.where(unexplained > _ROUNDING, np.clip(partial, -1, 1), np.nan)


def residuals(values: Floats, *explaining: Floats) -> Floats:
    """Compute the residuals of a least-squares fit of the values by a constant and the explaining values.

    Args:
        values: Shape (n,).
        explaining: Each of shape (n,).

    Returns:
        Shape (n,), rounded to nine decimals, so that equally explained values are tied. NaN where any value is NaN; all
        NaN unless there are more known values than coefficients.

    Examples:
        >>> residuals(np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0])).tolist()
        [nan, nan, nan]
        >>> residuals(np.array([1.0, 2.0, 4.0, 4.0]), np.array([0.0, 0.0, 1.0, 1.0])).tolist()
        [-0.5, 0.5, 0.0, 0.0]
    """
    known = ~np.isnan(np.array([values, *explaining])).any(axis=0)
    design = np.column_stack([np.ones(known.sum()), *(each[known] for each in explaining)])
    left = np.full(len(values), np.nan)
    if len(design) > design.shape[1] + 1:
        coefficients = np.linalg.lstsq(design, values[known], rcond=None)[0]
        left[known] = (values[known] - design @ coefficients).round(9) + 0.0  # + 0: no -0
    return left
