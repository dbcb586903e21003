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

_UNSEEN = str.maketrans("", "", "\u00ad\ufeff")  # soft hyphens and byte order marks


def normal(text: str) -> str:
    """A text as it is compared: in NFC, without soft hyphens and byte order marks.

    Examples:
        >>> normal("scho\u0308n") == "sch\u00f6n", normal("Draht\u00adesel")
        (True, 'Drahtesel')
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text.translate(_UNSEEN))


def compared(row: dict[str, Any]) -> dict[str, Any]:
    """A row with all its texts as they are compared; its id stays."""
    changed = {
        name: new for name, cell in row.items() if name != "id" and (new := _normal(cell)) != cell
    }
    return {**row, **changed} if changed else row


def _normal(cell: Any) -> Any:
    if isinstance(cell, str):
        return normal(cell)
    if isinstance(cell, list):
        return [*map(_normal, cell)]
    return (
        {name: _normal(part) for name, part in cell.items()} if isinstance(cell, Mapping) else cell
    )


def ends_word(text: str, place: int) -> bool:
    """Whether a word ends, or another begins, between `text[place - 1]` and `text[place]`.

    Letters with their marks, digits, `_` and hyphens make a word, but in a script without blanks
    each letter may.

    Examples:
        >>> ends_word("box's", 3), ends_word("boxes", 3), ends_word("黑匣子", 1)
        (True, False, True)
    """
    around = text[max(place - 1, 0) : place], text[place : place + 1]
    return any(not _joins(sign) or bool(WITHOUT_BLANKS.match(sign)) for sign in around)


def _joins(sign: str) -> bool:
    return bool(sign) and (
        sign.isalnum() or sign in "_-\u2010\u2011" or unicodedata.category(sign).startswith("M")
    )


def places(text: str, words: str) -> list[tuple[int, int]]:
    """Where words stand in a text, whatever their case, blanks and kind of apostrophe: first sign,
    and end.

    Examples:
        >>> places("A Black  box; no black boxes.", "black box")
        [(2, 12)]
    """
    pattern = r"\s+".join(
        re.sub("['\u2019]", "['\u2019]", re.escape(word)) for word in words.split()
    )
    spans = (match.span() for match in re.finditer(pattern, text, re.IGNORECASE))
    return [span for span in spans if all(ends_word(text, place) for place in span)]
