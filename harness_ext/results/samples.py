"""Scores of entries, resampled once: comparisons, ranks and verdicts ask for the same ones."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from harness_ext.results.entry import Entry
from harness_ext.statistics.paired_difference import Difference, Sample, differences
from harness_ext.statistics.statistic import DifferenceStatistic, Statistic

_SAMPLES: WeakKeyDictionary[Entry, dict[str, Sample]] = WeakKeyDictionary()
"""Entry -> key -> its score, resampled."""


def sample_of(entry: Entry, key: str, statistic: Statistic | None = None) -> Sample:
    """Resample a score of an entry, the first time it is asked for.

    Args:
        entry: The entry.
        key: Of the score.
        statistic: What `entry.statistic(key)` gave, if it was asked already.

    Raises:
        ItemsError: As of `Entry.statistic`.
    """
    of_entry = _SAMPLES.setdefault(entry, {})
    if key not in of_entry:
        of_entry[key] = Sample.of(entry.statistic(key) if statistic is None else statistic)
    return of_entry[key]


def paired_difference(one: Entry, other: Entry, key: str) -> Difference:
    """How a score differs from that of another entry, over the units that both have.

    Raises:
        ItemsError: As of `Entry.statistic`.
    """
    samples = sample_of(one, key), sample_of(other, key)
    if not np.array_equal(samples[0].names, samples[1].names):
        common = DifferenceStatistic.of(one.statistic(key), other.statistic(key))
        samples = Sample.of(common.one), Sample.of(common.other)
    return differences(samples[0], [samples[1]])[0]
