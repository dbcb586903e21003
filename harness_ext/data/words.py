"""The words of a text, in scripts with blanks between words and without."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import scipy

from harness_ext.data.normalization import WITHOUT_BLANKS

LONGEST = 7
"""Words of the longest random string."""


def words_of(text: str) -> list[str]:
    """Split a text into words.

    Words are the parts of `text.split()`, with their punctuation and case. Only a part with letters
    of a script without blanks is split further, by the word boundaries of ICU; punctuation in it is
    a word of its own.

    Examples:
        >>> words_of("The black  box, closed.")
        ['The', 'black', 'box,', 'closed.']
        >>> words_of("我们在北京。 It rains.")
        ['我们', '在', '北京', '。', 'It', 'rains.']
    """
    parts = text.split()
    if not WITHOUT_BLANKS.search(text):
        return parts
    from icu4py.breakers import WordBreaker  # not above: few texts need its 30 MB of tables

    words: list[str] = []
    for part in parts:
        if WITHOUT_BLANKS.search(part):
            words.extend(WordBreaker(part, "root"))
        else:
            words.append(part)
    return words


def word_counts(texts: Sequence[str]) -> tuple[list[str], scipy.sparse.csr_array]:
    """The distinct words of the texts, sorted, and how often each is in each text, shape (n, m).

    Raises:
        ValueError: No text has a word.
    """
    parts = [words_of(text) for text in texts]
    running_words = list(chain.from_iterable(parts))
    words = sorted(set(running_words))
    if not words:
        raise ValueError("No text has a word.")
    places = {word: place for place, word in enumerate(words)}
    # half the memory of int64 in all products
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int32)
    columns = np.array([places[word] for word in running_words], dtype=np.int32)
    ones = np.ones(len(columns))
    counts = scipy.sparse.csr_array((ones, columns, ends), shape=(len(texts), len(words)))
    counts.sum_duplicates()
    return words, counts


def segmenter(texts: Iterable[str]) -> str:
    """What split the texts, for signatures: `words of ICU` and its version if a script has no
    blanks, else nothing.
    """
    if not any(map(WITHOUT_BLANKS.search, texts)):
        return ""
    import icu4py

    return f"words of ICU {icu4py.icu_version}"


def joined(words: Sequence[str]) -> str:
    """Words as a text: with a blank between two of them, but not between two of scripts without
    blanks.

    Examples:
        >>> joined(["It", "我们", "在", "rains."])
        'It 我们在 rains.'
    """
    with_blanks = " ".join(words)
    if with_blanks.isascii():
        return with_blanks.strip()
    text = ""
    was_without = False
    for word in words:
        is_without = not word.isascii() and bool(WITHOUT_BLANKS.search(word))
        blank = "" if was_without and is_without else " "
        text += f"{blank}{word}"
        was_without = is_without
    return text.strip()


class RandomString(NamedTuple):
    """A string of words that was cut from random permutations of them.

    Attributes:
        places: `LONGEST` numbers: of each word, and then for no word as many as there are words.
        permutations: The numbers of the permutations that it was cut from.
    """

    places: list[int]
    permutations: set[int]


def random_strings(
    words: Sequence[str],
    n_permutations: int,
    seed: int,
) -> dict[str, RandomString]:
    """Cut random permutations of the words into strings of 2 to 6; a last word alone joins the
    string before it.

    Returns:
        Each distinct string, and how it was cut.
    """
    generator = np.random.default_rng(seed)
    drawn: dict[str, RandomString] = {}
    for permutation in range(n_permutations):
        order = generator.permutation(len(words)).tolist()
        start = 0
        while start < len(order):
            end = start + int(generator.integers(2, LONGEST))
            if len(order) - end <= 1:
                end = len(order)
            string = joined([words[place] for place in order[start:end]])
            nothing = [len(words)] * (LONGEST - (end - start))
            cut = RandomString([*order[start:end], *nothing], set())
            cut = drawn.setdefault(string, cut)
            cut.permutations.add(permutation)
            start = end
    return drawn
