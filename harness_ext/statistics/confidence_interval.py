"""The 95 % interval of a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from harness_ext.statistics.bootstrap import percentile_interval
from harness_ext.statistics.statistic import sample_size, unit_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from harness_ext.statistics.statistic import Statistic


def confidence_interval(statistic: Statistic, resamples: NDArray[np.float64] | None = None) -> tuple[float, float]:
    """Wilson's interval of a share of units that are 0 or 1; of all else expanded percentiles of the resamples.

    Wilson's has the correction for continuity: without it a share of .95 of 20 units is inside in 92 % only.

    Args:
        statistic: The score.
        resamples: Its resamples, where they are at hand.

    Returns:
        Both ends; NaN where they are not defined.
    """
    values = unit_values(statistic)
    if values is not None and len(values) > 1 and is_binary(values):
        found = stats.binomtest(int(values.sum()), len(values)).proportion_ci(method="wilsoncc")
        return float(found.low), float(found.high)
    drawn = statistic.resamples() if resamples is None else resamples
    return percentile_interval(drawn, sample_size(statistic))


def is_binary(values: NDArray[np.float64]) -> bool:
    """Whether all are 0 or 1."""
    return bool(np.isin(values, (0, 1)).all())
