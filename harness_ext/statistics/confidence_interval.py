"""The interval of a score."""

import math

import numpy as np
import scipy

from harness_ext.common.arrays import Floats
from harness_ext.statistics.bootstrap import percentile_interval
from harness_ext.statistics.statistic import Statistic, UnitStatistic, auc, unit_values
from harness_ext.statistics.threshold import ShareOfRows

_ROUNDING = 1e-12
"""Largest variance of resamples that are all alike."""


def confidence_interval(
    statistic: Statistic,
    level: float = 0.95,
) -> tuple[float, float]:
    """Compute an interval: expanded percentiles of the resamples, except near the ends of a scale.

    A share of units that are 0 or 1 has Wilson's interval. If the percentiles end at 0 or 1, other
    means of values from 0 to 1, and shares of rows below a threshold, have Wilson's interval too,
    and an AUC of values of units has Newcombe's. Percentiles would be too short there: the interval
    of an AUC of .95 of 20 units would hold it in 80 % only. Intervals of all levels come from the
    same resamples.
    Ends that are not defined are NaN, as where more than 1 % of the resamples are not defined.
    """
    values = unit_values(statistic)
    if values is not None and len(values) > 1 and is_binary(values):
        return _wilson_of_units(values, level)
    drawn = statistic.resamples()
    low, high = percentile_interval(drawn, statistic.effective_size, level)
    if np.isin((low, high), (0, 1)).any():
        if values is not None and ((values >= 0) & (values <= 1)).all():
            return _wilson_of_units(values, level)
        if isinstance(statistic, UnitStatistic) and statistic.formula is auc:
            value = statistic.value()
            n, m = (int(group.sum()) for group in statistic.groups)
            return _least_auc(value, n, m, level), 1 - _least_auc(1 - value, n, m, level)
        if isinstance(statistic, ShareOfRows):
            return _wilson_of_resamples(statistic, drawn, level)
    value = statistic.value()  # ρ of two halves without overlap is beside all its resamples
    return min(low, value), max(high, value)


def is_binary(values: Floats) -> bool:
    """Whether all are 0 or 1."""
    return bool(np.isin(values, (0, 1)).all())


def _wilson_of_units(
    values: Floats,
    level: float,
) -> tuple[float, float]:
    """Compute Wilson's interval of the mean of values from 0 to 1, shape (n,), for the units that
    give its variance.
    """
    n = len(values)
    mean = values.mean()
    variance = values.var()
    if variance:
        n = round(n * mean * (1 - mean) / variance)
    return _wilson(mean, n, level)


def _wilson_of_resamples(
    share: ShareOfRows,
    drawn: Floats,
    level: float,
) -> tuple[float, float]:
    """Compute Wilson's interval with Student's t, for the number of rows that gives the variance of
    the resamples.

    Dean and Pagano 2015, Journal of Survey Statistics and Methodology 3(4).
    """
    size = share.effective_size
    value = share.value()
    variance = np.nanvar(drawn) * size / (size - 1)
    n = size
    if variance > _ROUNDING:
        n = max(1, round(value * (1 - value) / variance))
    quantile = scipy.special.stdtrit(size - 1, (1 + level) / 2)
    normal_level = 2 * scipy.special.ndtr(quantile) - 1  # of the normal quantile that t's is
    return _wilson(value, n, float(normal_level))


def _wilson(
    mean: float,
    n: int,
    level: float,
) -> tuple[float, float]:
    """Compute Wilson's interval with the correction for continuity.

    Without it, the interval of a share of .95 of 20 units holds it in 92 % only.
    """
    right = round(mean * n, 6)
    lower = scipy.stats.binomtest(math.floor(right), n).proportion_ci(level, "wilsoncc")
    upper = scipy.stats.binomtest(math.ceil(right), n).proportion_ci(level, "wilsoncc")
    return float(lower.low), float(upper.high)


def most_of_none(n: int) -> float:
    """The upper end of the 95 % interval of a share of 0 of n units."""
    return _wilson(0.0, n, 0.95)[1]


def _least_auc(
    value: float,
    n: int,
    m: int,
    level: float,
) -> float:
    """Find the lower end of the interval of an AUC of n and m units.

    It is the least AUC whose standard error, after Hanley and McNeil, does not exclude the value:
    Newcombe 2006, Statistics in Medicine 25(4), method 5. The upper end mirrors it.
    """
    mean = (n + m) / 2 - 1
    quantile = scipy.special.ndtri((1 + level) / 2)

    def beyond(least: float) -> float:
        above = mean * (1 - least) / (2 - least)
        below = mean * least / (1 + least)
        variance = least * (1 - least) * (1 + above + below) / (n * m)
        return float(least - value + quantile * math.sqrt(variance))

    return float(scipy.optimize.brentq(beyond, 0, max(0, value - 1e-9)))
