"""The words of a text, in scripts with blanks between words and without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import scipy

from harness_ext.data.normalization import WITHOUT_BLANKS


def words_of(text: str) -> list[str]:
    """Split a text into words.

    Words are the parts of `text.split()`, with their punctuation and case. Only a part with letters of a script without
    blanks is split further, by the word boundaries of ICU; punctuation in it is a word of its own.

    Examples:
        >>> words_of("The black  box, closed.")
        ['The', 'black', 'box,', 'closed.']
        >>> words_of("我们在北京。 It rains.")
        ['我们', '在', '北京', '。', 'It', 'rains.']
    """
    parts = text.split()
    if not WITHOUT_BLANKS.search(text):
        return parts
    from icu4py.breakers import WordBreaker  # not above: only such texts need it

    return [word for part in parts for word in (WordBreaker(part, "root") if WITHOUT_BLANKS.search(part) else [part])]


def word_counts(texts: Sequence[str]) -> tuple[list[str], scipy.sparse.csr_array]:
    """The distinct words of the texts, sorted, and how often each is in each text, shape (n, m).

    Raises:
        ValueError: No text has a word.
    """
    parts = [words_of(text) for text in texts]
    words = sorted({word for part in parts for word in part})
    if not words:
        raise ValueError("No text has a word.")
    places = {word: place for place, word in enumerate(words)}
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int32)  # half the memory of int64 in all products
    columns = np.array([places[word] for part in parts for word in part], dtype=np.int32)
    counts = scipy.sparse.csr_array((np.ones(len(columns)), columns, ends), shape=(len(texts), len(words)))
    counts.sum_duplicates()
    return words, counts


def segmenter(texts: Iterable[str]) -> str:
    """The name of what splits the texts into words, for signatures.

    Returns:
        `words of ICU` and its version if any text is in a script without blanks, else nothing.
    """
    if not any(map(WITHOUT_BLANKS.search, texts)):
        return ""
    from icu4py import icu_version

    return f"words of ICU {icu_version}"
