"""Matched noise: the additive baseline, moved as far from itself as the encoder is, in directions
that mean nothing.

    noisy(t) = bag(t) + r · |bag(t)| · noise(t)

There are two kinds of noise. Both are functions of the words of a text, so that equal texts have
equal noise:

- *text*: a random vector per text;
- *neighbors*: a random vector per pair of neighboring words, added up and divided by √pairs. It
  sees the order of words.

A random vector has ±1/√d in each of its d dimensions. r makes the mean cosine of noisy(t) and
bag(t) over the texts of two words or more that of the encoder and its additive baseline. A text of
one word stays its bag.

Words to which the encoder gives one vector, such as *The* and *the* without case, are one word here
(`harness_ext.encoders.word_keys`): the noise knows no more of a text than the encoder does.
"""

from collections.abc import Iterator, Sequence
from hashlib import shake_128
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from harness_ext.common.arrays import Vectors

DEFINITION = 2
"""Of matched noise, in signatures. The first took *The* and *the* for two words of any encoder, and
has none there.
"""

TEXT = "text"
NEIGHBORS = "neighbors"
KINDS = (TEXT, NEIGHBORS)

N_DRAWS = 9
"""Of each kind."""

_NUMBERS = 2**22
"""In a block of random vectors."""

_LARGEST = 1e4
"""The greatest r."""

Noise = NDArray[np.float32]
"""Of texts, shape (n, d)."""


def matched_noise(
    kind: str,
    texts: Sequence[Sequence[str]],
    bags: Vectors,
    fit: float,
) -> Iterator[Vectors]:
    """Move the bags of an additive baseline away from themselves.

    Args:
        kind: Of `KINDS`.
        texts: The words of each text that have a vector, by their keys, shape (n,).
        bags: Those of the texts, shape (n, d).
        fit: The mean cosine of bags and the encoder's vectors, as `Bags.fit`.

    Yields:
        The noisy bags of each of the `N_DRAWS` draws, shape (n, d).
    """
    has_neighbors = np.array([len(words) > 1 for words in texts])
    rows = np.flatnonzero(bags.any(axis=1) & has_neighbors)
    seeds = [_seeds(kind, texts[row]) for row in rows.tolist()]
    moving = bags[rows]
    lengths = np.linalg.norm(moving, axis=1)
    for noise in _noise(seeds, bags.shape[1]):
        moved = bags.copy()
        moved[rows] += (_step(moving, lengths, noise, fit) * lengths)[:, None] * noise
        yield moved


def _seeds(kind: str, words: Sequence[str]) -> list[str]:
    """What the random vectors of a text are drawn from."""
    if kind == TEXT:
        return [f"{kind}|{' '.join(words)}"]
    return [f"{kind}|{first}\t{second}" for first, second in pairwise(words)]


def _noise(seeds: Sequence[Sequence[str]], dimensions: int) -> Iterator[Noise]:
    """The sums of the random vectors of each text's seeds, divided by √seeds, for each draw."""
    numbers: dict[str, int] = {}
    columns: list[int] = []
    counts: list[int] = []
    for seeds_of_text in seeds:
        columns += [numbers.setdefault(seed, len(numbers)) for seed in seeds_of_text]
        counts.append(len(seeds_of_text))
    shares = np.repeat(1 / np.sqrt(counts), counts).astype(np.float32)
    ends = np.cumsum([0, *counts])
    shape = (len(seeds), len(numbers))
    sums = scipy.sparse.csr_array((shares, columns, ends), shape=shape).tocsc()
    digests = _digests([*numbers], dimensions)
    n_at_once = max(1, _NUMBERS // dimensions)
    for draw in range(N_DRAWS):
        noise = np.zeros((len(seeds), dimensions), dtype=np.float32)
        for start in range(0, len(numbers), n_at_once):
            block = slice(start, start + n_at_once)
            noise += sums[:, block] @ _signs(digests[block, draw], dimensions)
        yield noise


def _digests(seeds: Sequence[str], dimensions: int) -> NDArray[np.uint8]:
    """The bits of the random vectors of each seed in each draw, eight in a number: shape (n,
    `N_DRAWS`, dimensions / 8).
    """
    n_bytes = -(-dimensions // 8)  # rounded up
    digests = bytearray()
    for seed in seeds:
        digests += shake_128(seed.encode()).digest(N_DRAWS * n_bytes)
    flat = np.frombuffer(digests, dtype=np.uint8)
    return flat.reshape(len(seeds), N_DRAWS, n_bytes)


def _signs(digests: NDArray[np.uint8], dimensions: int) -> Noise:
    """Random vectors of length 1, shape (n, d): 1/√d for a bit that is 1, -1/√d for one that is
    0.
    """
    every_byte = np.arange(2**8, dtype=np.uint8)[:, None]
    sign = 1 / np.float32(np.sqrt(dimensions))
    signs_of_byte = np.where(np.unpackbits(every_byte, axis=1), sign, -sign)
    signs = signs_of_byte.take(digests, axis=0)
    return signs.reshape(len(digests), -1)[:, :dimensions]


def _step(
    bags: Vectors,
    lengths: Vectors,
    noise: Noise,
    fit: float,
) -> float:
    """The step r along their noise for which the mean cosine of bags with themselves is `fit`, at
    most `_LARGEST`; 0 for an encoder that is its bags.

    Args:
        bags: Those that move, shape (k, d).
        lengths: Theirs, shape (k,).
        noise: Of each, shape (k, d).
        fit: The `fit` that `matched_noise` takes.
    """
    # bag · noise / |bag|, and |noise|²
    along = np.einsum("ij,ij->i", bags, noise, dtype=np.float64) / lengths
    squares = np.einsum("ij,ij->i", noise, noise, dtype=np.float64)

    def excess_cosine(r: float) -> float:
        noisy_lengths = np.sqrt(1 + 2 * r * along + r**2 * squares)
        cosines = (1 + r * along) / noisy_lengths
        return float(cosines.mean() - fit)

    if excess_cosine(0) <= 0:  # a fit of 1, or of a rounding error more
        return 0.0
    if excess_cosine(_LARGEST) >= 0:
        return _LARGEST
    return float(scipy.optimize.brentq(excess_cosine, 0, _LARGEST))
