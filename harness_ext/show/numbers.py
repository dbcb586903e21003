"""Writes numbers and intervals for tables and sentences."""

import math

from harness_ext.measures.core.scores import Score
from harness_ext.results.published import without_zero

DIRECTIONS = {"higher": "↑", "lower": "↓", "neither": ""}
"""Better direction -> its sign."""

PREDICTIONS = {
    "positive": "above 0",
    "negative": "below 0",
    "none": "no correlation",
}
"""What a paper predicts of a score -> the same in words."""

_ROUNDING = 1e-6
"""Numbers nearer to 0 are 0."""

_SMALLEST_P = 0.0005
"""A smaller p-value would be written as 0."""


def formatted(value: float) -> str:
    """Write a number with three digits after the point and no zero before it; an integer as it is.

    `-.000` is a number below 0; what rounding left of a 0 has no sign.

    Examples:
        >>> formatted(0.5), formatted(-2e-4), formatted(-1e-9), formatted(7)
        ('.500', '-.000', '.000', '7')
    """
    if isinstance(value, int):
        return str(value)
    if abs(value) < _ROUNDING:
        value = 0.0
    return without_zero(f"{value:.3f}")


def p_value(value: float) -> str:
    """Write a p-value as `.023`, or `<.001`; empty for NaN.

    Examples:
        >>> p_value(0.0234), p_value(2e-5)
        ('.023', '<.001')
    """
    if math.isnan(value):
        return ""
    return "<.001" if value < _SMALLEST_P else formatted(value)


def signed(value: float) -> str:
    """Write a difference with its sign; empty for NaN."""
    if math.isnan(value):
        return ""
    sign = "+" if value > 0 else ""
    return f"{sign}{formatted(value)}"


def between(interval: tuple[float, float] | None) -> str:
    """Write an interval as `.1 to .2`; empty without one."""
    if not interval:
        return ""
    low, high = interval
    return f"{formatted(low)} to {formatted(high)}"


def signed_between(low: float, high: float) -> str:
    """Write an interval of differences as `-.1 to +.2`; empty for NaN."""
    return "" if math.isnan(low) else f"{signed(low)} to {signed(high)}"


def with_interval(
    value: float | None,
    interval: tuple[float, float] | None = None,
) -> str:
    """Write a number as `.15 [.1, .2]`; empty without one."""
    if value is None:
        return ""
    if not interval:
        return formatted(value)
    low, high = interval
    return f"{formatted(value)} [{formatted(low)}, {formatted(high)}]"


def chance_and_ceiling(score: Score) -> str:
    """Write the values of chance and of people, if known."""
    values = [score.chance, score.ceiling]
    return ", people ".join(formatted(value) for value in values if value is not None)
