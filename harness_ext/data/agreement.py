"""Agreement of the replacements of a compound in an English sentence: `a` or `an` before them, and their number."""

from __future__ import annotations

import re

from harness_ext.data.compounds import CompoundRow, Probe

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


def with_agreed_article(words: list[str], start: int, original: str) -> list[str]:
    """Correct the article before a replacement, if the replacement needs another article than the original.

    Args:
        words: The sentence with the replacement.
        start: The place of the first word of the replacement.
        original: The first word of the original.

    Examples:
        >>> with_agreed_article(["An", "dark", "box"], 1, "old")
        ['A', 'dark', 'box']
    """
    before = words[start - 1] if start else ""
    needed = article(words[start])
    if before.lower() not in {"a", "an"} or needed == article(original):
        return words
    return [*words[: start - 1], needed.capitalize() if before[0].isupper() else needed, *words[start:]]


def agreed_row(row: CompoundRow) -> CompoundRow:
    """Bring every probe of a row into agreement; its own sentence stays unchanged."""
    own, base = row["surface"].split(), row["compound"].split()[-1].lower()
    is_plural = own[-1].lower() != base and own[-1].lower() == plural(base)

    def agreed(probe: Probe, *, has_head: bool = True) -> Probe:
        start, end = probe["span"]
        words = probe["sentence"].split()
        if is_plural and has_head:
            words[end - 1] = plural(words[end - 1])
        words = with_agreed_article(words, start, own[0])
        return Probe(expression=" ".join(words[start:end]), sentence=" ".join(words), span=[start, end])

    return {
        **row,
        "syn": agreed(row["syn"]),
        "head": agreed(row["head"]),
        "modifier": agreed(row["modifier"], has_head=False),
        "words_syn": [agreed(probe) for probe in row["words_syn"]],
        "rand": [agreed(probe) for probe in row["rand"]],
    }
