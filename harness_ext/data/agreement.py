"""Agreement in English: `a` or `an` before a word, and plurals."""

from __future__ import annotations

import re

_CONSONANT = re.compile(r"eu|ew|one(?!r)|once|ubi|ura|uri|us[aeiu]|ut[eio]|uni(?!n|m|d)|uk|ufo")  # said with y or w
_VOWEL = re.compile(r"[aeiou]|hour|honou?r|honest|heir|8|11\b|18\b")
_PLURALS_WITHOUT_S = {"cattle", "children", "dice", "feet", "fish", "folk", "geese", "men", "mice", "oxen", "people",
                      "police", "sheep", "teeth", "women"}  # fmt: skip


def article(word: str) -> str:
    """Choose `a` or `an` by the first sound of a word.

    Examples:
        >>> [article(word) for word in ("box", "apple", "hour", "unit", "uninvited", "one-way")]
        ['a', 'an', 'an', 'a', 'an', 'a']
    """
    word = word.lower()
    return "an" if _VOWEL.match(word) and not _CONSONANT.match(word) else "a"


def plural(noun: str) -> str:
    """Form the plural of a noun; a plural stays unchanged.

    Examples:
        >>> [plural(noun) for noun in ("box", "lady", "toy", "men", "chessmen", "effigies")]
        ['boxes', 'ladies', 'toys', 'men', 'chessmen', 'effigies']
    """
    if (noun.endswith(("s", "men")) and not noun.endswith("ss")) or noun.lower() in _PLURALS_WITHOUT_S:
        return noun
    if re.search(r"(ss|sh|ch|x|z)$", noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def with_article(phrase: str) -> str:
    """Put *a* or *an* before a phrase.

    Examples:
        >>> with_article("old unit")
        'an old unit'
    """
    return f"{article(phrase)} {phrase}"
