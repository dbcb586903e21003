"""Matched noise: the additive baseline, moved as far from itself as the encoder is, in directions
that mean nothing.

    noisy(t) = bag(t) + r · |bag(t)| · noise(t)

There are two kinds of noise, each of the text alone:

- a random vector per text;
- a random vector per pair of neighboring words, added up and divided by √pairs. It sees the order
  of words.

r makes the mean cosine of noisy(t) and bag(t) over the texts of two words or more that of the
encoder and its additive baseline. A text of one word stays its bag.
"""

from collections.abc import Iterator, Set
from itertools import chain, pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from harness_ext.common.arrays import Floats, Vectors
from harness_ext.common.seeds import seed_of
from harness_ext.data.words import words_of

N_DRAWS = 9
_NUMBERS = 2**22  # in a block of random vectors
_LARGEST = 1e4  # r


def matched_noise(
    texts: list[str], bags: Vectors, fit: float, words: Set[str]
) -> Iterator[Iterator[Vectors]]:
    """Move the bags of an additive baseline, shape (n, d), away from themselves.

    The texts are distinct. Words without a vector are no neighbors. The fit is that of `Bags`.

    Yields:
        The noisy bags of each kind, a draw after the other, each of shape (n, d).
    """
    known = [[word for word in words_of(text) if word in words] for text in texts]
    rows = np.flatnonzero(bags.any(axis=1) & np.array([len(of_text) > 1 for of_text in known]))
    pairs = [[f"{one}\t{other}" for one, other in pairwise(known[row])] for row in rows]
    # words of seeds
    for kind, keys in (("text", [[texts[row]] for row in rows]), ("neighbours", pairs)):
        yield (_moved(bags, rows, noise, fit) for noise in _noise(kind, keys, bags.shape[1]))


def _noise(kind: str, keys: list[list[str]], dimensions: int) -> Iterator[NDArray[np.float32]]:
    """The sums of the random vectors of each text's keys, divided by √keys, shape (n, d), for each
    draw.
    """
    places = {key: place for place, key in enumerate(dict.fromkeys(chain(*keys)))}
    counts = np.array([len(of_text) for of_text in keys])
    columns, ends = [places[key] for of_text in keys for key in of_text], np.cumsum([0, *counts])
    shares = np.repeat(1 / np.sqrt(counts), counts).astype(np.float32)
    sums = scipy.sparse.csr_array((shares, columns, ends), shape=(len(keys), len(places))).tocsc()
    distinct, step = [*places], max(1, _NUMBERS // dimensions)
    for draw in range(N_DRAWS):
        noise = np.zeros((len(keys), dimensions), dtype=np.float32)
        for start in range(0, len(distinct), step):
            block = [
                random_vector(f"{draw}|{kind}|{key}", dimensions)
                for key in distinct[start : start + step]
            ]
            noise += sums[:, start : start + step] @ np.array(block)
        yield noise


def random_vector(seed: str, dimensions: int) -> NDArray[np.float32]:
    """Normal, of a length of about 1, shape (d,); of the first 8 bytes of the seed's SHA-256."""
    drawn: Floats = np.random.default_rng(seed_of(seed, "little")).standard_normal(
        dimensions
    ) / np.sqrt(dimensions)
    return drawn.astype(np.float32)


def _moved(
    bags: Vectors, rows: NDArray[np.intp], noise: NDArray[np.float32], fit: float
) -> Vectors:
    """Move the bags of some rows along their noise, shape (k, d), until the mean cosine with
    themselves is `fit`.
    """
    lengths = np.linalg.norm(bags[rows], axis=1)
    along = np.einsum("ij,ij->i", bags[rows], noise, dtype=np.float64) / lengths
    squares = np.einsum("ij,ij->i", noise, noise, dtype=np.float64)

    def beyond(r: float) -> float:
        return float(((1 + r * along) / np.sqrt(1 + 2 * r * along + r**2 * squares)).mean() - fit)

    r = scipy.optimize.brentq(beyond, 0, _LARGEST) if beyond(_LARGEST) < 0 else _LARGEST
    moved = bags.copy()
    moved[rows] += r * lengths[:, None] * noise
    return moved
