"""Where a main score lies: beside the score of the encoder's own words, else beside chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from harness_ext.evaluators.gain_keys import gain_key

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

Outcome = Literal["above", "chance", "below"]

_CHANCE = {"above": "above chance", "chance": "not told from chance", "below": "below chance"}
_OWN_WORDS = {
    "above": "beyond its words",
    "chance": "not told from its own words",
    "below": "less than its own words",
}


def outcome(entry: Entry) -> Outcome | None:
    """Where the interval of the main score lies, by the harder reference: `above` is above chance and above own words.

    Returns:
        None without an interval or a value of chance.
    """
    found = [one for one in (_by_chance(entry), _by_own_words(entry)) if one is not None]
    return next((which for which in ("below", "chance", "above") if which in found), None)


def verdict(entry: Entry) -> str:
    """The gain over the own words in words, else the place of the score beside chance; empty where neither is known."""
    by_own_words, by_chance = _by_own_words(entry), _by_chance(entry)
    if by_own_words is not None:
        return _OWN_WORDS[by_own_words]
    exploratory = ", exploratory" if entry.measure.exploratory else ""
    return "" if by_chance is None else f"{_CHANCE[by_chance]}{exploratory}"


def _by_chance(entry: Entry) -> Outcome | None:
    return _beside(entry.interval(), entry.chance())


def _by_own_words(entry: Entry) -> Outcome | None:
    return _beside(entry.interval(gain_key(entry.measure.main)), (0, 0))


def _beside(interval: tuple[float, float] | None, reference: tuple[float, float] | None) -> Outcome | None:
    """Where one interval lies beside another."""
    if reference is None or interval is None:
        return None
    return "above" if interval[0] > reference[1] else "below" if interval[1] < reference[0] else "chance"
