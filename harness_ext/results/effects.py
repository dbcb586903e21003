"""How far a score is from a reference: above, below, equivalent, or inconclusive."""

import math
from dataclasses import dataclass
from enum import StrEnum

from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE, has_first_noise
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
    NOT_ABOVE = "not above"
    """Of matched noise, which is the stronger of two kinds: nothing else can be said of it."""
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
        only_above: Whether a score is above the reference or not, and nothing else.
    """

    low: float
    high: float
    narrow: tuple[float, float]
    smallest: float
    only_above: bool = False

    @property
    def outcome(self) -> Outcome:
        """What the intervals show: that of 95 % which side, that of 90 % whether it is small."""
        if self.only_above:
            return Outcome.ABOVE if self.low > 0 else Outcome.NOT_ABOVE
        is_small = -self.smallest < self.narrow[0] and self.narrow[1] < self.smallest
        if max(-self.low, self.high) < NO_DIFFERENCE:
            return Outcome.EQUIVALENT
        if self.low > 0:
            return Outcome.ABOVE_SMALL if is_small else Outcome.ABOVE
        if self.high < 0:
            return Outcome.BELOW_SMALL if is_small else Outcome.BELOW
        return Outcome.EQUIVALENT if is_small else Outcome.INCONCLUSIVE


def effect(
    entry: Entry,
    reference: Reference,
) -> Effect | None:
    """Hold an entry against a reference.

    Args:
        entry: The entry; its items are read where only they can show that an effect is small.
        reference: What its main score is held against.

    Returns:
        None without an interval, or where the reference is unknown or is matched noise of version
        1.0, which shows nothing.
    """
    measure = entry.measure
    is_noise = reference is Reference.NOISE
    if is_noise and has_first_noise(entry.scores, measure.main):
        return None
    key = measure.main
    bounds = entry.chance()
    baseline = _BASELINES.get(reference)
    if baseline:
        key = baseline.difference_key(measure.main)
        bounds = (0.0, 0.0)
    wide = entry.interval(key)
    if wide is None or bounds is None:
        return None
    score, _ = measure.declarations[key]
    smallest = score.smallest_effect
    low = _beyond(wide[0], bounds)
    high = _beyond(wide[1], bounds)
    narrow = (low, high)
    middle = _beyond(entry.scores.get(key, entry.main_score), bounds)
    # else the 95 % interval shows it: it holds that of 90 %
    if max(-low, high) >= smallest > abs(middle):
        start, end = _resampled(entry, key, wide)
        narrow = (_beyond(start, bounds), _beyond(end, bounds))
    return Effect(low, high, narrow, smallest, only_above=is_noise)


def _beyond(
    value: float,
    bounds: tuple[float, float],
) -> float:
    """How far a value lies above (positive) or below (negative) a reference with two bounds; 0
    within it.
    """
    lowest, highest = bounds
    return max(value - highest, 0.0) + min(value - lowest, 0.0)


def _resampled(
    entry: Entry,
    key: str,
    wide: tuple[float, float],
) -> tuple[float, float]:
    """Return the 90 % interval from the resamples; the 95 % interval, which is wider, where there
    are no items.
    """
    try:
        interval = entry.interval_at(_LEVEL, key)
    except ItemsError:
        return wide
    is_defined = not any(map(math.isnan, interval))
    return interval if is_defined else wide
