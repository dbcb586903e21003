"""What an encoder does beyond adding up its words: its main score minus that of its own words.

The own words of an encoder are its additive control (`harness_ext.encoders.own_words`). They are compared in the same
way on the same data, so the difference is what the encoder makes of a text beyond the words in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from harness_ext.measures.core.gain_keys import gain_key, p_value_key, words_key
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import interval_keys
from harness_ext.statistics.paired_difference import Sample, differences
from harness_ext.statistics.statistic import DifferenceStatistic


def gain_statistic(measure: Measure[Any], items: Items, words: Items) -> DifferenceStatistic:
    """The gain as a statistic of the units that both sets of items have; arguments as of `gain_scores`."""
    statistic = DifferenceStatistic.of(*(measure.statistic(compared, measure.main) for compared in (items, words)))
    return measure.of_enough_units(statistic)


def gain_scores(measure: Measure[Any], items: Items, words: Items) -> dict[str, float]:
    """Main score of the own words, gain, its 95 % interval and its p-value, by their keys (`gain_keys`).

    Args:
        measure: How both are scored.
        items: Those of the encoder.
        words: Those of its own words.

    Returns:
        Nothing of a score that is not defined.
    """
    main = measure.main
    statistic = gain_statistic(measure, items, words)
    one, other = Sample.of(statistic.one), Sample.of(statistic.other)
    (difference,) = differences(one, [other])
    gain = gain_key(main)
    scores = {
        words_key(main): other.value,
        gain: difference.value,
        **dict(zip(interval_keys(gain), (difference.low, difference.high), strict=True)),
        p_value_key(gain): difference.p_value,
    }
    return {key: value for key, value in scores.items() if not np.isnan(value)}
