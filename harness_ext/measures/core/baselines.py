"""What an encoder does beyond its baselines: its main score minus theirs, on the same units.

A baseline is made of the encoder itself, such as the additive baseline (`harness_ext.encoders.additive_baseline`), and
compared in the same way on the same data. So the difference is what the encoder does that the baseline does not.
"""

from typing import Any

import numpy as np

from harness_ext.measures.core.baseline_keys import Baseline, p_value_key
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import interval_keys
from harness_ext.statistics.paired_difference import difference_of
from harness_ext.statistics.statistic import DifferenceStatistic


def difference_statistic(measure: Measure[Any], items: Items, of_baseline: Items, error: float) -> DifferenceStatistic:
    """The difference as a statistic of the units that both sets of items have; arguments as of `baseline_scores`."""
    one, other = (measure.statistic(compared, measure.main) for compared in (items, of_baseline))
    return measure.of_enough_units(DifferenceStatistic.of(one, other, error))


def baseline_scores(
    measure: Measure[Any], baseline: Baseline, items: Items, of_baseline: Items, error: float
) -> dict[str, float]:
    """Main score of a baseline, the difference from it, its 95 % interval and its p-value, by their keys, if defined.

    `error` is a standard error of the baseline's score that its items do not show.
    """
    statistic = difference_statistic(measure, items, of_baseline, error)
    difference, key = difference_of(statistic), baseline.difference_key(measure.main)
    scores = {
        baseline.score_key(measure.main): statistic.other.value(),
        key: difference.value,
        **dict(zip(interval_keys(key), (difference.low, difference.high), strict=True)),
        p_value_key(key): difference.p_value,
    }
    return {key: value for key, value in scores.items() if not np.isnan(value)}
