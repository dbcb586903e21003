"""How far a score is from a reference: above, below, equivalent, or inconclusive."""

import math
from dataclasses import dataclass
from enum import StrEnum

from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE
from harness_ext.results.entry import Entry
from harness_ext.store.item_files import ItemsError

_LEVEL = 0.90
"""Of the interval that shows an effect to be small: two one-sided tests at .05 (Schuirmann
1987).
"""

NO_DIFFERENCE = 0.0005
"""A difference within it is none, and prints as .000. Additive baselines are fitted to
about 10⁻⁵.
"""


class Reference(StrEnum):
    """What a score is held against; the value is its name in sentences."""

    CHANCE = "chance"
    ADDITIVE = "its additive baseline"
    NOISE = "matched noise"


_BASELINES = {Reference.ADDITIVE: ADDITIVE, Reference.NOISE: NOISE}


class Outcome(StrEnum):
    """What the intervals of a difference show; the value is how it is written. From the worst to
    the best.
    """

    BELOW = "below"
    BELOW_SMALL = "below (small)"
    """Below, by less than the smallest effect of interest."""
    INCONCLUSIVE = "inconclusive"
    """There may be no difference, or one that matters."""
    EQUIVALENT = "equivalent"
    """Any difference is smaller than the smallest effect of interest."""
    ABOVE_SMALL = "above (small)"
    """Above, by less than the smallest effect of interest."""
    ABOVE = "above"

    @property
    def is_above(self) -> bool:
        """Whether the score is significantly above the reference."""
        return self in {Outcome.ABOVE, Outcome.ABOVE_SMALL}


@dataclass(frozen=True)
class Effect:
    """The difference of a score from a reference; more is better.

    Attributes:
        low, high: The ends of its 95 % interval.
        narrow: Its 90 % interval.
        smallest: The smallest effect of interest.
    """

    low: float
    high: float
    narrow: tuple[float, float]
    smallest: float

    @property
    def outcome(self) -> Outcome:
        """What the intervals show: that of 95 % which side, that of 90 % whether it is small."""
        is_small = -self.smallest < self.narrow[0] and self.narrow[1] < self.smallest
        if max(-self.low, self.high) < NO_DIFFERENCE:
            return Outcome.EQUIVALENT
        if self.low > 0:
            return Outcome.ABOVE_SMALL if is_small else Outcome.ABOVE
        if self.high < 0:
            return Outcome.BELOW_SMALL if is_small else Outcome.BELOW
        return Outcome.EQUIVALENT if is_small else Outcome.INCONCLUSIVE


def effect(entry: Entry, reference: Reference) -> Effect | None:
    """Hold an entry against a reference; None without an interval, or where the reference is
    unknown.
    """
    measure = entry.measure
    key, against = measure.main, entry.chance()
    if baseline := _BASELINES.get(reference):
        key, against = baseline.difference_key(measure.main), (0.0, 0.0)
    wide = entry.interval(key)
    if wide is None or against is None:
        return None
    score, _ = measure.declarations[key]

    def beyond(interval: tuple[float, float]) -> tuple[float, float]:
        # 0 within the reference
        low, high = (max(end - against[1], 0.0) + min(end - against[0], 0.0) for end in interval)
        return low, high

    low, high = beyond(wide)
    narrow = low, high
    middle, _ = beyond((entry.scores.get(key, entry.main_score),) * 2)
    # else the 95 % interval shows it: it holds that of 90 %
    if max(-low, high) >= score.smallest_effect > abs(middle):
        narrow = beyond(_resampled(entry, key, wide))
    return Effect(low, high, narrow, score.smallest_effect)


def _resampled(entry: Entry, key: str, wide: tuple[float, float]) -> tuple[float, float]:
    """Return the 90 % interval from the resamples; the 95 % interval, which is wider, where there
    are no items.
    """
    try:
        interval = entry.interval_at(_LEVEL, key)
    except ItemsError:
        return wide
    return wide if any(map(math.isnan, interval)) else interval
