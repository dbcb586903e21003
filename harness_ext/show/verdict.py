"""Where a main score lies: above chance, below it, or not told from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

Outcome = Literal["above", "chance", "below"]

_VERDICTS = {"above": "above chance", "chance": "not told from chance", "below": "below chance"}


def outcome(entry: Entry) -> Outcome | None:
    """Where the interval of the main score lies; None without an interval or a value of chance."""
    score, _ = entry.measure.declarations()[entry.measure.main]
    interval = entry.interval()
    if score.chance is None or interval is None:
        return None
    low, high = interval
    return "above" if low > score.chance else "below" if high < score.chance else "chance"


def verdict(entry: Entry) -> str:
    """The same in words; empty where it is not known."""
    found = outcome(entry)
    return "" if found is None else _VERDICTS[found]
