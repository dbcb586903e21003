"""How texts are compared, and where a word ends: the one rule of the package for both."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

WITHOUT_BLANKS = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Chinese characters
    "]"
)
"""A letter of a script that puts no blanks between words, and for which ICU has a dictionary."""

_WORD_SIGNS = "_-\u2010\u2011"
"""Signs that are a part of a word: the underscore and hyphens."""

_APOSTROPHE = "['\u2019]"

_UNSEEN = str.maketrans("", "", "\u00ad\ufeff")  # soft hyphens and byte order marks


def normal(text: str) -> str:
    """A text as it is compared: in NFC, without soft hyphens and byte order marks.

    Examples:
        >>> normal("scho\u0308n") == "sch\u00f6n", normal("Draht\u00adesel")
        (True, 'Drahtesel')
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text.translate(_UNSEEN))


def with_normal_texts(row: dict[str, Any]) -> dict[str, Any]:
    """A row with all its texts as they are compared; its id stays."""
    changed = {}
    for name, cell in row.items():
        normalized = cell if name == "id" else _normal(cell)
        if normalized is not cell:
            changed[name] = normalized
    return {**row, **changed} if changed else row


def _normal(cell: Any) -> Any:
    if isinstance(cell, str):
        return normal(cell)
    if isinstance(cell, list):
        return [*map(_normal, cell)]
    if isinstance(cell, Mapping):
        return {name: _normal(part) for name, part in cell.items()}
    return cell


def ends_word(
    text: str,
    place: int,
) -> bool:
    """Whether a word ends, or another begins, between `text[place - 1]` and `text[place]`.

    Letters with their marks, digits, `_` and hyphens make a word, but in a script without blanks
    each letter may.

    Examples:
        >>> ends_word("box's", 3), ends_word("boxes", 3), ends_word("黑匣子", 1)
        (True, False, True)
    """
    before = text[max(place - 1, 0) : place]
    after = text[place : place + 1]
    return not (_joins(before) and _joins(after))


def _joins(sign: str) -> bool:
    """Whether a letter, if it is one, is of one word with those around it."""
    if not sign or WITHOUT_BLANKS.match(sign):
        return False
    is_mark = unicodedata.category(sign).startswith("M")
    return sign.isalnum() or is_mark or sign in _WORD_SIGNS


def places(
    text: str,
    words: str,
) -> list[tuple[int, int]]:
    """Where words stand in a text, whatever their case, blanks and kind of apostrophe: first sign,
    and end.

    Examples:
        >>> places("A Black  box; no black boxes.", "black box")
        [(2, 12)]
    """
    patterns: list[str] = []
    for word in words.split():
        patterns.append(re.sub(_APOSTROPHE, _APOSTROPHE, re.escape(word)))
    spans: list[tuple[int, int]] = []
    for match in re.finditer(r"\s+".join(patterns), text, re.IGNORECASE):
        if ends_word(text, match.start()) and ends_word(text, match.end()):
            spans.append(match.span())
    return spans
