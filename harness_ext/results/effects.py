"""How far a score is from a reference: shown, shown to be small, or more than its units can tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

from harness_ext.measures.core.baseline_keys import gain_key
from harness_ext.measures.core.measure import unit_count_key
from harness_ext.results.entry import Entry
from harness_ext.statistics.bootstrap import DETECTED
from harness_ext.store.item_files import ItemsError

_LEVEL = 0.90
"""Of the interval that shows an effect to be small: two one-sided tests at .05 (Schuirmann 1987)."""

_Z = NormalDist().inv_cdf(0.975)

NO_DIFFERENCE = 0.0005
"""A difference within it is none, and prints as .000. Additive baselines are fitted to about 10⁻⁵."""


class Reference(StrEnum):
    """What a score is held against; the value is its name in sentences."""

    CHANCE = "chance"
    BASELINE = "its additive baseline"
    CONTROL = "chance under the control"
    PEOPLE = "people's agreement"


class Outcome(StrEnum):
    """What an interval shows of an effect."""

    ABOVE = "above"
    SMALL = "small"
    """Neither above nor below, and shown to be smaller than the smallest effect of interest; or no difference."""
    OPEN = "open"
    """It cannot be told."""
    BELOW = "below"


@dataclass(frozen=True)
class Effect:
    """The difference of a score from a reference; more is better.

    Attributes:
        low, high: Its 95 % interval.
        narrow: Its 90 % interval.
        smallest: The smallest effect of interest.
        n: The number of units; None if unknown.
        unit: The name of a unit.
    """

    reference: Reference
    low: float
    high: float
    narrow: tuple[float, float]
    smallest: float
    n: int | None = None
    unit: str = ""

    @property
    def outcome(self) -> Outcome:
        """What the intervals show."""
        if max(-self.low, self.high) < NO_DIFFERENCE:
            return Outcome.SMALL
        if self.low > 0:
            return Outcome.ABOVE
        if self.high < 0:
            return Outcome.BELOW
        return Outcome.SMALL if self.is_small else Outcome.OPEN

    @property
    def is_small(self) -> bool:
        """Whether it is shown to be smaller than the smallest effect of interest, in either direction."""
        return -self.smallest < self.narrow[0] and self.narrow[1] < self.smallest

    @property
    def times_as_many(self) -> float:
        """How many times as many units are needed to find the smallest effect of interest in 80 % of all samples."""
        return (DETECTED * (self.high - self.low) / (2 * _Z) / self.smallest) ** 2


def effect(entry: Entry, reference: Reference) -> Effect | None:
    """Hold an entry against a reference; None without an interval, or where the reference is unknown."""
    measure = entry.measure
    main, _ = measure.declarations()[measure.main]
    key, against = measure.main, entry.chance()
    if reference is Reference.PEOPLE:
        against = None if main.ceiling is None else (main.ceiling, main.ceiling)
    elif reference in {Reference.BASELINE, Reference.CONTROL}:
        key = gain_key(measure.main) if reference is Reference.BASELINE else measure.controlled
        chance = measure.declarations()[key][0].chance if key in entry.scores else None
        against = None if chance is None else (chance, chance)
    wide = entry.interval(key) if key else None
    if wide is None or against is None:
        return None
    score, _ = measure.declarations()[key]
    sign = -1 if score.direction == "lower" else 1

    def beyond(interval: tuple[float, float]) -> tuple[float, float]:
        ends = (max(end - against[1], 0.0) + min(end - against[0], 0.0) for end in interval)  # 0 within the reference
        low, high = sorted(sign * end for end in ends)
        return low, high

    low, high = beyond(wide)
    narrow = low, high
    n = entry.scores.get(unit_count_key(measure.controlled if reference is Reference.CONTROL else measure.main))
    middle, _ = beyond((entry.scores.get(key, entry.main_score),) * 2)
    if max(-low, high) >= score.smallest_effect > abs(middle):  # else the 95 % interval shows it: it holds that of 90 %
        narrow = beyond(_resampled(entry, key, wide))
    return Effect(reference, low, high, narrow, score.smallest_effect, None if n is None else int(n), measure.unit)


def _resampled(entry: Entry, key: str, wide: tuple[float, float]) -> tuple[float, float]:
    """Return the 90 % interval from the resamples; the 95 % interval, which is wider, where there are no items."""
    try:
        interval = entry.interval_at(_LEVEL, key)
    except ItemsError:
        return wide
    return wide if any(map(math.isnan, interval)) else interval
