"""Compares a main score with chance, the encoder's own words, a control, and encoders that know nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.results.entry import Entry
from harness_ext.results.reference_scores import control, lead

Outcome = Literal["above", "chance", "below"]

_WORST_FIRST: tuple[Outcome, ...] = ("below", "chance", "above")
_CHANCE = {"above": "above chance", "chance": "not told from chance", "below": "below chance"}
_OWN_WORDS = {
    "above": "beyond its words",
    "chance": "not told from its own words",
    "below": "less than its own words",
}


def outcome(entry: Entry, entries: Sequence[Entry] = ()) -> Outcome | None:
    """Compare the main score with its hardest reference: `above` is above chance, its control and all form.

    Args:
        entry: The entry.
        entries: The results beside it, which may have encoders that know nothing.

    Returns:
        The outcome; None without an interval or a value of chance.
    """
    ahead = lead(entry, entries)
    by_form: Outcome | None = None if ahead is None else "above" if ahead.is_beyond else "chance"
    outcomes = (_by_chance(entry), _by_control(entry, control(entry, entries)), by_form)
    return next((worst for worst in _WORST_FIRST if worst in outcomes), None)


def verdict(entry: Entry, entries: Sequence[Entry] = ()) -> str:
    """Say the outcome of the control, or else of chance, and whether form alone does as well.

    Empty if no outcome is known; arguments as in `outcome`.
    """
    if entry.knows_nothing:
        return "knows nothing"
    key = control(entry, entries)
    by_control, by_chance = _by_control(entry, key), _by_chance(entry)
    said = []
    if by_control is not None and key == gain_key(entry.measure.main):
        said.append(_OWN_WORDS[by_control])
        if entry.signature and entry.signature.prompt:  # even a bag of words gains: docs/words.md
            said.append("under an instruction")
    elif by_control is not None:
        said.append(f"controlled: {_CHANCE[by_control]}")
    elif by_chance is not None:
        said += [_CHANCE[by_chance], *(["exploratory"] if entry.measure.exploratory else [])]
    ahead = lead(entry, entries)
    if ahead is not None and not ahead.is_beyond:
        said.append(f"not above {ahead.best.name}{'' if ahead.paired else ' by intervals'}")
    return ", ".join(said)


def has_gained(entry: Entry) -> bool:
    """Whether the interval of the gain over the own words is above 0."""
    return _compared(entry.interval(gain_key(entry.measure.main)), (0, 0)) == "above"


def _by_chance(entry: Entry) -> Outcome | None:
    return _compared(entry.interval(), entry.chance())


def _by_control(entry: Entry, key: str | None) -> Outcome | None:
    if key is None:
        return None
    chance = entry.measure.declarations()[key][0].chance
    return None if chance is None else _compared(entry.interval(key), (chance, chance))


def _compared(interval: tuple[float, float] | None, reference: tuple[float, float] | None) -> Outcome | None:
    """Compare an interval with a reference interval."""
    if reference is None or interval is None:
        return None
    return "above" if interval[0] > reference[1] else "below" if interval[1] < reference[0] else "chance"
