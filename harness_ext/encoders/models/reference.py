"""Control encoders. They have no meaning, so a score that they reach needs none.

They need no weights and give the same vectors everywhere. Their names are `compositionality/…`.
"""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness_ext.common.arrays import Floats
from harness_ext.common.seeds import seed_of
from harness_ext.encoders.models.text_encoder import TextEncoder

WORD_DIMENSIONS = 300
"""Of the random vector of a word."""

TRIGRAM_DIMENSIONS = 1024
"""Into which trigrams are hashed."""

_KINDS = "abcdefghijklmnopqrstuvwxyz"
"""The letters that are counted each; behind them other letters, digits, other marks."""


def random_words(texts: Sequence[str]) -> NDArray[np.float32]:
    """Average the vectors of the words of each text, in lower case, shape (n, 300).

    The vector of a word is standard normal, drawn by numpy's `default_rng`, seeded by the first 8
    bytes of the word's SHA-256 (big-endian). A word that occurs twice counts twice, so that this
    encoder is the mean of word vectors.
    """
    means = np.zeros((len(texts), WORD_DIMENSIONS))
    drawn = cache(_normal)
    for mean, text in zip(means, texts, strict=True):
        words = text.lower().split()
        for word in words:
            mean += drawn(word) / len(words)
    return means.astype(np.float32)


def _normal(key: str) -> Floats:
    """A standard normal vector of its own for each key, shape (300,)."""
    generator = np.random.default_rng(seed_of(key))
    drawn: Floats = generator.standard_normal(WORD_DIMENSIONS)
    return drawn


def bigrams(texts: Sequence[str]) -> NDArray[np.float32]:
    """Add to `random_words` a vector for each pair of neighbors, drawn alike, divided by √pairs,
    shape (n, 300).

    It sees the order of words, and nothing of what they mean.
    """
    vectors = random_words(texts)
    drawn = cache(_normal)
    for vector, text in zip(vectors, texts, strict=True):
        words = text.lower().split()
        pairs = [*pairwise(words)]
        divisor = np.sqrt(len(pairs))
        for pair in pairs:
            vector += drawn("\t".join(pair)) / divisor
    return vectors


def untrained(texts: Sequence[str]) -> NDArray[np.float32]:
    """Pass `random_words` through a random layer with ReLU, as a network without training does,
    shape (n, 300).
    """
    generator = np.random.default_rng(0)
    drawn = generator.standard_normal((WORD_DIMENSIONS, WORD_DIMENSIONS))
    layer = drawn / np.sqrt(WORD_DIMENSIONS)
    positive = np.maximum(random_words(texts) @ layer, 0)
    vectors: NDArray[np.float32] = positive.astype(np.float32)
    return vectors


def letters(texts: Sequence[str]) -> NDArray[np.float32]:
    """Count a to z, other letters, digits, and other marks but blanks, shape (n, 29)."""
    n_kinds = len(_KINDS) + 3
    counts = np.zeros((len(texts), n_kinds), dtype=np.float32)
    for row, text in zip(counts, texts, strict=True):
        for character in text.lower():
            if not character.isspace():
                row[_kind(character)] += 1
    return counts


def _kind(character: str) -> int:
    if character in _KINDS:
        return _KINDS.index(character)
    category = unicodedata.category(character)
    after_letters = {"L": 0, "N": 1}.get(category[0], 2)
    return len(_KINDS) + after_letters


def trigrams(texts: Sequence[str]) -> NDArray[np.float32]:
    """Count the character trigrams of each text with a blank on either side, hashed (SHA-256),
    shape (n, 1024).
    """
    places: dict[str, int] = {}
    shape = (len(texts), TRIGRAM_DIMENSIONS)
    counts = np.zeros(shape, dtype=np.float32)
    for row, text in zip(counts, texts, strict=True):
        padded = f" {text} "
        for start in range(len(padded) - 2):
            trigram = padded[start : start + 3]
            if trigram not in places:
                places[trigram] = seed_of(trigram) % TRIGRAM_DIMENSIONS
            row[places[trigram]] += 1
    return counts


def length(texts: Sequence[str]) -> NDArray[np.float32]:
    """Count letters and words, and add a 1, shape (n, 3)."""
    counts = np.ones((len(texts), 3), dtype=np.float32)
    for row, text in zip(counts, texts, strict=True):
        row[0] = sum(character.isalpha() for character in text)
        row[1] = len(text.split())
    return counts


Encode = Callable[[Sequence[str]], NDArray[np.float32]]

ENCODERS: dict[str, Encode] = {
    "random-words": random_words,
    "letters": letters,
    "trigrams": trigrams,
    "length": length,
    "bigrams": bigrams,
    "untrained": untrained,
}


class ReferenceEncoder(TextEncoder):
    """One of `ENCODERS` as an mteb model."""

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Take the encoder `compositionality/NAME`, NAME of `ENCODERS`; its revision is that of the
        definition.
        """
        super().__init__(model_name, revision)
        self._encode = ENCODERS[model_name.rpartition("/")[2]]

    def encode_sentences(
        self,
        texts: Sequence[str],
        **_: Any,
    ) -> NDArray[np.float32]:
        """Encode each text as one vector; in the order of the texts, shape (n, d)."""
        return self._encode(texts)
