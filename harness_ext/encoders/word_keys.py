"""The words that an encoder tells apart: words with one vector have one key.

In the order of the sorted words, a word takes the key of the first earlier word that is its own key
and whose vector has a cosine above a bound with its own; else it is its own key. So *The* and *the*
have one key for an encoder without case.

The bound is for rounding. In bfloat16 two passes over one text differ by a cosine of 2·10⁻⁶.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from harness_ext.common.arrays import Indices, Vectors

EXACT = 1e-6
"""1 minus the bound, for vectors of 32 bits or more."""

ROUNDED = 1e-4
"""1 minus the bound, for vectors of fewer bits, and of endpoints."""

_MOST_OTHERS = 0.01
"""The greatest share of words that may take the key of a word that differs by more than case and
marks. Some encoders give all single words nearly one vector.
"""

_N_PROJECTIONS = 8
"""Projections only shorten, so words that are near stay near in them."""

_SEED = 0
"""Of the projections: any finds the same words."""

_SLACK = 1e-6
"""For the rounding of projections, in 32 bits or more."""

_MOST_CANDIDATES = 50
"""Per word. Where there are more, a search by projections saves nothing."""

_N_SAMPLE = 1000
"""Of how many words candidates are counted."""

_AT_ONCE = 1024
"""Words that are compared with all keys at once."""


@dataclass(frozen=True)
class WordKeys:
    """The keys of words.

    Attributes:
        keys: Word -> its key, a word.
        tolerance: 1 minus the bound by which they were made.
    """

    keys: Mapping[str, str]
    tolerance: float

    @property
    def signature(self) -> str:
        """How they were made."""
        return f"one word within {self.tolerance:g}"


def word_keys(
    words: Sequence[str],
    directions: Vectors,
    *,
    is_exact: bool,
) -> WordKeys:
    """Find the keys of words.

    Args:
        words: Distinct words, sorted, shape (m,).
        directions: Their vectors, each of length 1, shape (m, d).
        is_exact: Whether the vectors have 32 bits or more.
    """
    if not is_exact:
        keys = _keys(words, directions, ROUNDED)
        n_others = sum(_bare(word) != _bare(key) for word, key in keys.items())
        if n_others <= _MOST_OTHERS * len(words):
            return WordKeys(keys, ROUNDED)
    return WordKeys(_keys(words, directions, EXACT), EXACT)


def _bare(word: str) -> str:
    """A word without case, accents and punctuation."""
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(filter(str.isalnum, parts))


def _keys(
    words: Sequence[str],
    directions: Vectors,
    tolerance: float,
) -> dict[str, str]:
    """Word -> its key."""
    candidates = _candidates(directions, tolerance)
    if candidates is None:
        places = _by_blocks(directions, 1 - tolerance)
    else:
        places = _by_pairs(directions, candidates, 1 - tolerance)
    return {word: words[place] for word, place in zip(words, places, strict=True)}


def _candidates(directions: Vectors, tolerance: float) -> Indices | None:
    """The pairs that are near enough in a few dimensions, shape (k, 2); None if they are too many
    to look at one by one.
    """
    n_words, dimensions = directions.shape
    generator = np.random.default_rng(_SEED)
    drawn = generator.standard_normal((dimensions, min(dimensions, _N_PROJECTIONS)))
    orthonormal, _ = np.linalg.qr(drawn)
    projected = directions @ orthonormal.astype(directions.dtype)
    tree = cKDTree(projected)
    # |u - v|² = 2 - 2 cos
    radius = np.sqrt(2 * tolerance) + _SLACK
    sample = projected[:: -(-n_words // _N_SAMPLE)]
    n_candidates = tree.query_ball_point(sample, radius, return_length=True)
    if n_candidates.mean() > _MOST_CANDIDATES:
        return None
    pairs: Indices = tree.query_pairs(radius, output_type="ndarray")
    return pairs


def _by_pairs(
    directions: Vectors,
    pairs: Indices,
    bound: float,
) -> list[int]:
    """The place of each word's key, from the pairs of words that may have one key."""
    first, second = np.sort(pairs, axis=1).T
    cosines = np.einsum("ij,ij->i", directions[first], directions[second], dtype=np.float64)
    is_near = cosines > bound
    keys = [*range(len(directions))]
    # by the first word: its own key is known when it comes
    near = zip(first[is_near].tolist(), second[is_near].tolist(), strict=True)
    for earlier, later in sorted(near):
        if keys[earlier] == earlier and keys[later] == later:
            keys[later] = earlier
    return keys


def _by_blocks(directions: Vectors, bound: float) -> list[int]:
    """The place of each word's key, by a comparison with all keys before it."""
    keys = [*range(len(directions))]
    own: list[int] = []  # the places of words that are their own keys
    for start in range(0, len(directions), _AT_ONCE):
        block = directions[start : start + _AT_ONCE]
        is_near_key = block @ directions[own].T > bound
        is_near = block @ block.T > bound
        new: list[int] = []
        for row in range(len(block)):
            if is_near_key[row].any():
                keys[start + row] = own[int(is_near_key[row].argmax())]
                continue
            earlier = [place for place in new if is_near[place, row]]
            if earlier:
                keys[start + row] = start + earlier[0]
            else:
                new.append(row)
        own += [start + place for place in new]
    return keys
