"""An encoder's own words added up: the additive control of an encoder.

The bag of a text is the mean of the encoder's vectors of its words, each word encoded alone: the additive model of
Mitchell and Lapata (2010, *Composition in Distributional Models of Semantics*, Cognitive Science 34(8), 1388-1429) in
the space of the encoder itself. It knows the vocabulary that the encoder knows. It cannot know an idiom, the scope of a
modifier, or a negation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from harness_ext.arrays import Floats, Vectors


def bags(texts: list[str], encode: Callable[[list[str]], Vectors]) -> Vectors:
    """Average the vectors of the words of each text.

    Words are the parts of `text.split()`, with their punctuation and case. A word whose vector is zero adds nothing and
    does not count. Means are taken in float64 and rounded to the type of the words' vectors, so that an encoder that is
    itself a mean of word vectors is its own bag exactly.

    Args:
        texts: Shape (n,).
        encode: Distinct words -> a vector per word, shape (m, d). Called once.

    Returns:
        Shape (n, d); a zero vector for a text without a word, or with words of zero vectors only.

    Raises:
        ValueError: No text has a word.

    Examples:
        >>> vectors = {"black": [2.0, 0.0], "box": [0.0, 2.0], "of": [0.0, 0.0]}
        >>> bags(["black box", "box of box", "of"], lambda words: np.array([vectors[word] for word in words]))
        array([[1., 1.],
               [0., 2.],
               [0., 0.]])
    """
    words = {word: number for number, word in enumerate(dict.fromkeys(word for text in texts for word in text.split()))}
    if not words:
        raise ValueError("No text has a word.")
    vectors = encode(list(words))
    parts = [[words[word] for word in text.split()] for text in texts]
    ends = np.cumsum([0, *map(len, parts)])
    columns = np.concatenate([np.array(part, dtype=np.intp) for part in parts])
    counts = scipy.sparse.csr_array((np.ones(len(columns)), columns, ends), shape=(len(texts), len(words)))
    n_known = counts @ vectors.any(axis=1).astype(np.float64)
    sums: Floats = counts @ vectors.astype(np.float64)
    means: Vectors = (sums / np.maximum(n_known, 1)[:, None]).astype(vectors.dtype)
    return means
