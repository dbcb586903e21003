"""An encoder's own words added up: the additive control of an encoder.

What could an encoder say if it only added up its words? Its bag of a text is a weighted sum of its vectors of the words
in it, each encoded alone:

    bag(t) = c + Σ_w n_tw · (a_w · E(w) − γ · c)

n_tw counts the word in the text. The weight a_w is one number per distinct word, the constant c is a vector; all are
fitted by least squares to the encoder's own vectors of all texts that a measure compares. γ is 0, but for an encoder
that plainly is a sum of words and a constant: each E(w) then holds the constant too, and γ = 1 takes it out again
(where that leaves less than a tenth of what γ = 0 leaves). No label and no comparison enters. Minimised is

    Σ_t ‖ê(t) − s_t · bag(t)‖² + λ Σ_w (a_w − ā)²

with ê(t) the vector of the text scaled to length 1, s_t ≥ 0 free for each text, because encoders normalise, and λ a
thousandth of the mean diagonal of the normal equations (less for bags that are nearly exact). The fit starts from the
plain sum and ends when a round adds less than a twentieth of what the mean cosine misses to 1. So any encoder that is a
weighted sum or mean of word vectors, with a constant or without, normalised or not, is its own bag.

This is the weighted additive model of Mitchell and Lapata (2010, *Composition in Distributional Models of Semantics*,
Cognitive Science 34(8), 1388-1429) in the space of the encoder itself. It knows the vocabulary that the encoder knows,
and how much the encoder makes of each word. It cannot know an idiom, the scope of a modifier, or a negation.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from harness_ext.arrays import Flags, Floats, Vectors
from harness_ext.encoders.bag_equations import Constant
from harness_ext.encoders.bag_fit import fit
from harness_ext.encoders.words import words_of

logger = logging.getLogger(__name__)

VERSION = 3
"""Of the definition, in results of tasks that have no version of their own; raised with those of all measures.

1 was a plain mean, 2 had a second constant.
"""


@dataclass(frozen=True)
class OwnWords:
    """The bags of texts, and how they were made.

    Attributes:
        bags: Of the type of the texts' vectors, shape (n, d); a zero vector for a text whose own vector is zero. As
            long as `_scaled` makes them.
        weights: Word -> its weight; without words that have a zero vector.
        constant: c and γ.
        words_fit: The mean cosine of bags and vectors: how much of the vectors is their words, at most 1.
        rounds: How many rounds the fit took.
        settled: Whether more rounds would not have changed the fit.
    """

    bags: Vectors
    weights: dict[str, float]
    constant: Constant
    words_fit: float
    rounds: int
    settled: bool

    def warn_if_not_settled(self, task: str) -> None:
        """Log a warning about a fit that more rounds would have changed."""
        if not self.settled:
            logger.warning("%s: the fit of own words has not settled in %d rounds.", task, self.rounds)


def own_words(
    texts: list[str],
    vectors: Vectors,
    encode: Callable[[list[str]], Vectors],
    *,
    weights: Mapping[str, float] | None = None,
    constant: Constant | None = None,
) -> OwnWords:
    """Fit the bags of texts to their vectors.

    The order of the texts changes nothing.

    Args:
        texts: Distinct texts, shape (n,).
        vectors: The encoder's vectors of the texts, shape (n, d).
        encode: Distinct words -> a vector per word, shape (m, d). Called once.
        weights: Words with weights that are given; all others are fitted.
        constant: By default it is fitted.

    Raises:
        ValueError: No text has a word with a vector other than zero, a vector has a NaN or an infinity, or the vectors
            do not determine the weights.

    Examples:
        >>> words = {"black": [1.0, 0, 0, 0], "box": [0, 1.0, 0, 0], "a": [0, 0, 1.0, 0]}
        >>> texts = ["a black box", "black box", "a box", "a black"]
        >>> vectors = np.array([[2.0, 4, 1, 0], [2, 4, 0, 0], [0, 4, 1, 0], [2, 0, 1, 0]])
        >>> found = own_words(texts, vectors, lambda some: np.array([words[word] for word in some]))
        >>> {word: round(weight / found.weights["a"], 3) for word, weight in found.weights.items()}
        {'a': 1.0, 'black': 2.0, 'box': 4.0}
        >>> round(found.words_fit, 6)
        1.0
    """
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.intp)
    words, counts = word_counts([texts[place] for place in order])
    of_words = encode(words)
    if not (np.isfinite(of_words).all() and np.isfinite(vectors).all()):
        raise ValueError("A vector of a word or a text has a NaN or an infinity.")
    has_vector: Flags = np.any(of_words, axis=1)
    if not has_vector.any():
        raise ValueError("No word has a vector other than zero.")
    if not vectors.any():
        raise ValueError("No text has a vector other than zero.")
    if not has_vector.all():  # such words add nothing and do not count
        words = [word for word, counts_too in zip(words, has_vector, strict=True) if counts_too]
        counts, of_words = counts[:, has_vector], of_words[has_vector]
    given = None if weights is None else np.array([weights.get(word, np.nan) for word in words])
    found = fit(counts, of_words, vectors, order=order, weights=given, constant=constant)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    n_words, total = np.zeros((2, len(texts)))
    n_words[order], total[order] = counts.sum(axis=1), counts @ found.weights
    bags = found.directions
    bags *= _scaled(found.lengths, n_words, total, lengths)[:, None].astype(bags.dtype)
    return OwnWords(
        bags.astype(vectors.dtype, copy=False),
        dict(zip(words, found.weights.tolist(), strict=True)),
        found.constant,
        found.cosine,
        found.rounds,
        found.settled,
    )


def _scaled(bags: Floats, n_words: Floats, total: Floats, vectors: Floats) -> Floats:
    """The lengths of bags that an encoder would give them, for classifiers: they see lengths, and cosines do not.

    Encoders have vectors of length 1, sums, means, or weighted means. The one with lengths most like the vectors' is
    taken, and no length of a single text.

    Args:
        bags: Lengths of sums, shape (n,).
        n_words: Of each text, shape (n,).
        total: The sum of the weights of each text's words, shape (n,).
        vectors: The lengths of the texts' vectors, shape (n,).

    Returns:
        Shape (n,); 0 where a vector is zero.
    """
    ways = [np.ones_like(bags), bags, bags / np.maximum(n_words, 1), bags / np.where(total > 0, total, np.inf)]
    ways = [np.where(vectors > 0, way, 0) for way in ways]
    likeness = [round(float(way @ vectors) / max(float(np.linalg.norm(way)), 1e-300), 12) for way in ways]
    best: Floats = ways[int(np.argmax(likeness))]
    scaled: Floats = best * (float(best @ vectors) / max(float(best @ best), 1e-300))
    return scaled


def word_counts(texts: list[str]) -> tuple[list[str], scipy.sparse.csr_array]:
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
