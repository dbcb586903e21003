"""What an encoder is asked to encode: a text, words inside a sentence, or several whose vectors are
added up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from harness_ext.common.arrays import Array, Texts


@dataclass(frozen=True)
class Span:
    """The words `[start, end)` of a sentence, split at blanks and counted from 0, as they are
    encoded inside it.
    """

    sentence: str
    start: int
    end: int

    @classmethod
    def whole(cls, sentence: str) -> Span:
        """All words of a sentence."""
        return cls(sentence, 0, len(sentence.split()))


@dataclass(frozen=True)
class Sum:
    """Texts whose vectors, as the encoder gives them, are added up: all plain texts, or all
    spans.
    """

    parts: tuple[str | Span, ...]


Text = str | Span | Sum


def parts(text: Text) -> tuple[str | Span, ...]:
    """What is encoded for a text."""
    return text.parts if isinstance(text, Sum) else (text,)


def is_inside(text: Text) -> bool:
    """Whether a text consists of words inside a sentence."""
    return isinstance(parts(text)[0], Span)


def as_texts(texts: Iterable[Text] | Array) -> Texts:
    """The texts as an array, shape (n,)."""
    listed = texts.tolist() if isinstance(texts, np.ndarray) else list(texts)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array
