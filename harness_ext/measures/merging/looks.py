"""What two texts look like: an opposite of some kind, judged by their words alone.

A look is no verdict. It sorts the hits of a cache for a person who reads them: *number* and
*direction* are mostly right, and a replaced word may be a synonym. tests/measures/merging counts
both kinds of errors on this project's own pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import product, starmap

import numpy as np

SAME_TEXT = "the same text"
"""The look of texts with the same words in the same order."""

REPLACED = "replaced"
"""The look of texts that differ in one word."""

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w+(?:['’]\w+)?")

_FEWEST_COMMON = 0.5
"""Opposites have at least this share of the shorter text's words in common."""

_NEARLY_ALL_COMMON = 0.7
"""The same where a single word such as *may* makes the difference, which paraphrases change
too.
"""


def _set_of(words: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(words.split())


_NUMBER_WORDS = {
    "two": "2",
    "twice": "2",
    "three": "3",
    "third": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
}
_DAYS = _set_of(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june "
    "july august september october november december"
)
_NEGATIONS = _set_of(
    "no not never nobody nothing none neither nor without cannot dont doesnt didnt isnt arent "
    "wasnt werent wont cant couldnt shouldnt wouldnt hasnt havent hadnt mustnt"
)
_MARKERS = {
    "order": _set_of("before after until since"),
    "conditions": _set_of("if only unless even"),
    "quantifiers": _set_of(
        "all every each some any most few many least always sometimes often both"
    ),
    "hedges": _set_of(
        "may might must should probably certainly possibly definitely perhaps surely will"
    ),
}
"""Kind -> words, one of which makes an opposite of a text; the first kind counts."""

_UPDATES = _set_of("now still anymore again formerly moved switched longer former")
"""What marks a fact as later or earlier than another."""

_ANTONYM_PAIRS = frozenset(
    frozenset(pair.split("/"))
    for pair in _set_of(
        "on/off open/close open/closed buy/sell add/remove increase/decrease increase/reduce "
        "raise/lower rose/fell up/down start/stop begin/end first/last hot/cold high/low "
        "long/short big/small large/small good/bad best/worst more/less most/least "
        "maximum/minimum accept/reject accepted/rejected allow/forbid import/export "
        "upload/download upgrade/downgrade win/lose won/lost early/late old/new full/empty "
        "inside/outside with/without left/right right/wrong safe/dangerous cheap/expensive "
        "send/receive borrow/lend arrive/depart push/pull public/private encrypt/decrypt"
    )
)
_PREFIXES = ("un", "in", "im", "ir", "dis", "non", "de")
"""What makes a word its opposite."""

_UNSTRESSED = _set_of(
    "a an the his her its their my your our i you he she it we they to of in on at for do does did "
    "is are was were be been can could"
)
"""Words whose order says little."""


def look_of(
    first: str,
    second: str,
) -> str:
    """Tell what the second of two texts looks like.

    Returns:
        A kind of opposite, as `MERGE_OPPOSITES` has them, or `REPLACED`; `SAME_TEXT`; or empty,
        for texts that look like neither.

    Examples:
        >>> look_of("Fly from Rome to Oslo.", "Fly from Oslo to Rome.")
        'direction'
        >>> look_of("May I return it in 14 days?", "May I return it within 30 days?")
        'number'
        >>> look_of("How do I pay?", "Which payments do you take?")
        ''
    """
    words = _words(first)
    other_words = _words(second)
    if words == other_words:
        return SAME_TEXT
    common = _share_in_common(words, other_words)
    numbers = _numbers(words)
    other_numbers = _numbers(other_words)
    has_other_numbers = bool(numbers and other_numbers) and numbers != other_numbers
    if common < _FEWEST_COMMON:
        return "number" if has_other_numbers else ""
    is_near = common >= _NEARLY_ALL_COMMON
    if is_near and _count(words, _UPDATES) != _count(other_words, _UPDATES):
        return "update"
    if has_other_numbers:
        return "number"
    if _has_other_order(words, other_words):
        return _kind_of_order(words)
    if is_near and _n_negations(words) % 2 != _n_negations(other_words) % 2:
        return "negation"
    return _kind_of_difference(first, second, common)


def _kind_of_difference(
    first: str,
    second: str,
    common: float,
) -> str:
    """Tell what the words say that only one of two near texts has."""
    words = _words(first)
    other_words = _words(second)
    gone = set(words) - set(other_words)
    new = set(other_words) - set(words)
    if any(starmap(_are_antonyms, product(gone, new))):
        return "antonym"
    if common < _NEARLY_ALL_COMMON:
        return "entity" if _names(first, gone) and _names(second, new) else ""
    for kind, markers in _MARKERS.items():
        if _count(words, markers) != _count(other_words, markers):
            return kind
    if _names(first, gone) and _names(second, new):
        return "entity"
    changed = _changed_words(words, other_words)
    is_one_word = len(changed) == 1 and not changed[0] & _UNSTRESSED
    return REPLACED if is_one_word else ""


def _changed_words(
    words: Sequence[str],
    other_words: Sequence[str],
) -> list[set[str]]:
    """Both words at each place where another one stands; none, if the texts have different
    lengths.
    """
    if len(words) != len(other_words):
        return []
    return [{word, other} for word, other in zip(words, other_words, strict=True) if word != other]


def _words(text: str) -> list[str]:
    """The words of a text, in small letters and without apostrophes; numbers in digits."""
    words = [re.sub("['’]", "", word.casefold()) for word in _WORD.findall(text)]
    return [_NUMBER_WORDS.get(word, word) for word in words]


def _share_in_common(
    words: Collection[str],
    other_words: Collection[str],
) -> float:
    """The share of the distinct words of the shorter text that both have."""
    distinct = set(words)
    other_distinct = set(other_words)
    shorter = min(len(distinct), len(other_distinct))
    return len(distinct & other_distinct) / max(shorter, 1)


def _numbers(words: Sequence[str]) -> Counter[str]:
    """Numbers, days and months -> how often they occur."""
    return Counter(word for word in words if word[0].isdigit() or word in _DAYS)


def _count(
    words: Sequence[str],
    markers: Collection[str],
) -> Counter[str]:
    """Marker -> how often it occurs."""
    return Counter(word for word in words if word in markers)


def _n_negations(words: Sequence[str]) -> int:
    return _count(words, _NEGATIONS).total()


def _has_other_order(
    words: Sequence[str],
    other_words: Sequence[str],
) -> bool:
    """Whether texts have the same stressed words in another order."""
    stressed = [word for word in words if word not in _UNSTRESSED]
    other_stressed = [word for word in other_words if word not in _UNSTRESSED]
    return sorted(stressed) == sorted(other_stressed) and stressed != other_stressed


def _kind_of_order(words: Sequence[str]) -> str:
    """What changes with the order of words."""
    if "from" in words and "to" in words:
        return "direction"
    return "order" if _count(words, _MARKERS["order"]) else "roles"


def _are_antonyms(
    word: str,
    other: str,
) -> bool:
    """Whether one word is the opposite of the other, by a list or by its prefix."""
    if frozenset((word, other)) in _ANTONYM_PAIRS:
        return True
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) > 2 and any(longer == f"{prefix}{shorter}" for prefix in _PREFIXES)


def _names(
    text: str,
    words: Collection[str],
) -> list[str]:
    """Those of the words that are written as names: capitalized, and not at the beginning."""
    names: list[str] = []
    for place, word in enumerate(_WORD.findall(text)):
        if place and word[0].isupper() and word.casefold() in words:
            names.append(word)
    return names


def sample_by_look(
    looks: Sequence[str],
    size: int,
    seed: int = 0,
) -> list[int]:
    """Draw places for a person to read: as many of each look as far as there are, in random order
    within a look.

    Args:
        looks: What is at each place; `SAME_TEXT` is never drawn.
        size: How many places at most.
        seed: Of the draw.

    Returns:
        Sorted places. All looks take turns, so rare kinds are drawn whole, and hits that look like
        no opposite are drawn too: a look misses some.
    """
    generator = np.random.default_rng(seed)
    places_of_looks: dict[str, list[int]] = {}
    for place in generator.permutation(len(looks)):
        look = looks[place]
        if look != SAME_TEXT:
            places_of_looks.setdefault(look, []).append(int(place))
    in_turns = _in_turns([*places_of_looks.values()])
    drawn = [place for place, _ in zip(in_turns, range(size), strict=False)]
    return sorted(drawn)


def _in_turns(lists: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the first of each list, then the second of each, and so on."""
    longest = max(map(len, lists), default=0)
    for turn in range(longest):
        for places in lists:
            if turn < len(places):
                yield places[turn]
