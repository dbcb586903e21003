"""What an encoder does beyond adding up its words: its main score minus that of its own words.

The own words of an encoder are its additive control (`harness_ext.encoders.own_words`). They are compared in the same
way on the same data, so the difference is what the encoder makes of a text beyond the words in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.scores import Score, interval_keys
from harness_ext.evaluators.statistics.paired_difference import Sample, differences
from harness_ext.evaluators.statistics.statistic import DifferenceStatistic

if TYPE_CHECKING:
    from harness_ext.evaluators.items import Items
    from harness_ext.evaluators.measure import Measure


def words_key(main: str) -> str:
    """The key of the main score of the encoder's own words."""
    return f"words_{main}"


def gain_key(main: str) -> str:
    """The key of the gain over the encoder's own words."""
    return f"gain_{main}"


def p_value_key(key: str) -> str:
    """The key of a score's two-sided p-value."""
    return f"{key}_p"


def gain_declarations(measure: Measure[Any]) -> dict[str, Score]:
    """The keys that the own words add to the scores of a measure -> their declarations, made from the main score's."""
    main = measure.main
    score, _ = measure.scores.by_key()[main]
    low, high = score.range
    source = "Mitchell and Lapata 2010 (the additive model), this project (the control)"
    words = replace(
        score,
        key=words_key(main),
        title=f"{score.title}, of the encoder's own words added up",
        formula=f"{main}, with the mean of the encoder's vectors of the words of a text in the place of its own vector",
        source=source,
        axes=(),
        interval=False,
        statistic=None,
    )
    gain = Score(
        key=gain_key(main),
        title=f"{score.title}, beyond the encoder's own words",
        formula=f"{main} minus {words.key}, over the units that have both; the resamples of both are aligned",
        range=(low - high, high - low),
        direction=score.direction,
        chance=0.0,
        source=source,
        interval=True,
    )
    p_value = Score(
        key=p_value_key(gain.key),
        title=f"{gain.key}: p-value",
        formula="two-sided, that there is no gain: by sign flips if the score is a mean of units, else by resamples",
        range=(0, 1),
        direction="neither",
        chance=None,
        source="this project",
    )
    return {words.key: words, gain.key: gain, **dict.fromkeys(interval_keys(gain.key), gain), p_value.key: p_value}


def gain_statistic(measure: Measure[Any], items: Items, words: Items) -> DifferenceStatistic:
    """The gain as a statistic of the units that both sets of items have; arguments as of `gain_scores`."""
    return DifferenceStatistic.of(*(measure.statistic(each, measure.main) for each in (items, words)))


def gain_scores(measure: Measure[Any], items: Items, words: Items) -> dict[str, float]:
    """Main score of the own words, gain, its 95 % interval and its p-value, by the keys of `gain_declarations`.

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
    found = {
        words_key(main): other.value,
        gain: difference.value,
        **dict(zip(interval_keys(gain), (difference.low, difference.high), strict=True)),
        p_value_key(gain): difference.p_value,
    }
    return {key: value for key, value in found.items() if not np.isnan(value)}
