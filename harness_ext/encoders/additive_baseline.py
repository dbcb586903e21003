"""The additive baseline of an encoder: a weighted sum of word vectors, whose weights see no
compared text.

The bag of a text t is, with n_tw the count of the word w in it and E(w) the encoder's vector of the
word alone,

    bag(t) = Σ_w n_tw · b_w · u_w + c + (N_t - 1) · g        u_w = E(w) / |E(w)|, N_t = Σ_w n_tw

and u_w for a text of one word. Words with a zero vector are left out. It is fitted in two steps:

1. The weights b, with constants that are dropped, minimize over probes p, which are random strings
   of the words,

       Σ_p sin²(E(p), bag(p)) + 10⁻⁵ · (Σ_w (b_w - 1)² + |c|² + |10 g|²)

   with sin² = 1 - max(cos, 0)².

2. b is divided by its mean. Then c and g minimize the same sum over the compared texts of two words
   or more. A text of one word is its own bag, so distances of words are the encoder's.

A probe has nothing to compose, so no weight can learn an idiom, a role or a negation of the
compared texts; nor can two vectors that all texts share. Any weighted bag, a sum or a mean, with or
without a constant, normalized after it or not, is its own baseline, unless a fit ends early
(MAX_ROUNDS). It is the weighted additive model of Mitchell and Lapata (2010, *Composition in
Distributional Models of Semantics*, Cognitive Science 34(8), 1388-1429) in the encoder's space. The
fit itself stands in `harness_ext.encoders.weighted_sums`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Self

import numpy as np
import scipy

from harness_ext.common.arrays import Flags, Floats, Indices, Vectors
from harness_ext.data.words import LONGEST, RandomString, random_strings, segmenter, word_counts
from harness_ext.encoders.weighted_sums import FittedSums, Products, Sums, WeightedSums, blocks

SEED = 0
"""Of the permutations of the words. The seed after it splits them into halves."""

FEWEST = 4
"""The least number of permutations."""

FEWEST_OF_QUICK = 16
"""The same of a small task: its score is of few units, and depends more on probes."""

_MOST = 32
"""The greatest number of permutations."""

_WORDS = 20_000
"""Words of all probes together, where the number of permutations allows it."""

_LEAST_LENGTH = 1e-300
"""By which a vector of 0 is divided."""

Encode = Callable[[list[str]], Vectors]


class Bags(NamedTuple):
    """The bags of texts.

    Attributes:
        vectors: Shape (n, d), as long as the texts' vectors are on average; 0 for a text that is 0,
            or whose words are.
        fit: The mean cosine of bags and vectors of the texts of two words or more; NaN if there are
            none.
    """

    vectors: Vectors
    fit: float


@dataclass(frozen=True)
class Probes:
    """What is encoded for the additive baseline of some texts.

    Attributes:
        words: The distinct words of the texts, sorted, shape (m,).
        counts: How often each word is in each text, shape (n, m).
        n_permutations: How many permutations of the words are cut into probes.
        drawn: Each probe, and how it was cut; no text is one.
    """

    words: list[str]
    counts: scipy.sparse.csr_array
    n_permutations: int
    drawn: Mapping[str, RandomString]

    @classmethod
    def of(
        cls,
        texts: list[str],
        fewest: int = FEWEST,
    ) -> Self:
        """Draw the probes of distinct texts, of at least so many permutations.

        Raises:
            ValueError: No text has a word.
        """
        words, counts = word_counts(texts)
        wanted = round(_WORDS / len(words))
        n_permutations = min(_MOST, max(fewest, wanted))
        compared = {*texts}
        drawn = random_strings(words, n_permutations, SEED)
        probes = {}
        for string, cut in drawn.items():
            if string not in compared:
                probes[string] = cut
        return cls(words, counts, n_permutations, probes)

    def strings(self) -> list[str]:
        """The distinct words and probes, the shortest first."""
        strings = sorted({*self.words, *self.drawn})
        return sorted(strings, key=len)


@dataclass(frozen=True)
class _EncodedProbes:
    """The encoded probes.

    Attributes:
        directions: E(p) / |E(p)| of each, 0 for 0, shape (n, d).
        members: The numbers of the words in each, and behind them that of the row of zeros, shape
            (n, `LONGEST`).
        n_words: How many of them have a vector, shape (n,).
        permutations: Which permutations each was cut from.
    """

    directions: Vectors
    members: Indices
    n_words: Indices
    permutations: Sequence[Set[int]]

    @cached_property
    def _is_usable(self) -> Flags:
        """Which probes have a direction and a word with one."""
        has_direction = self.directions.any(axis=1)
        return np.logical_and(has_direction, self.n_words > 0)

    def usable(self, permutations: Set[int] | None) -> Indices:
        """The numbers of the usable probes that were cut from some permutations; None for all."""
        is_usable = self._is_usable.copy()
        if permutations is not None:
            is_usable &= [not permutations.isdisjoint(cut_from) for cut_from in self.permutations]
        return np.flatnonzero(is_usable)


@dataclass(frozen=True)
class _Texts:
    """The compared texts.

    Attributes:
        vectors: The encoder's, shape (n, d).
        counts: n_tw, with a column for the row of zeros, shape (n, m + 1).
        n_words: N_t, without words that have no vector, shape (n,).
    """

    vectors: Vectors
    counts: scipy.sparse.csr_array
    n_words: Floats

    @cached_property
    def has_bag(self) -> Flags:
        """Which texts have a vector, and a word with one, shape (n,)."""
        has_vector = self.vectors.any(axis=1)
        return np.logical_and(has_vector, self.n_words > 0)

    @cached_property
    def is_longer(self) -> Flags:
        """Which of them have two such words or more, shape (n,)."""
        return np.logical_and(self.has_bag, self.n_words > 1)

    @cached_property
    def directions(self) -> Vectors:
        """E(t) / |E(t)| of the longer texts, shape (number of longer texts, d)."""
        return unit(self.vectors[self.is_longer])

    @cached_property
    def mean_length(self) -> float:
        """The mean length of the vectors of texts that have a bag."""
        return float(_lengths(self.vectors)[self.has_bag].mean())


@dataclass(frozen=True)
class _Fit:
    """Where the fits of weights and of constants ended, for fits by fewer probes to begin there.

    Attributes:
        by_probes: The weights, with constants that are dropped.
        weights: b of each word, divided by their mean, shape (m + 1,).
        by_texts: The constants of the texts.
    """

    by_probes: FittedSums
    weights: Floats
    by_texts: FittedSums


class AdditiveBaseline:
    """The words and probes of some texts, encoded once; bags are fitted when they are asked for.

    Attributes:
        words: Those that have a vector, sorted, shape (m,).
        directions: Of the vectors of these words, shape (m, d).
        signature: How many permutations of the words are cut into probes, by which seed; what found
            the words.
    """

    def __init__(
        self,
        texts: list[str],
        vectors: Vectors,
        encode: Encode,
        fewest: int = FEWEST,
    ) -> None:
        """Encode words and probes.

        Args:
            texts: Distinct texts, shape (n,).
            vectors: The encoder's vectors of the texts, finite, shape (n, d).
            encode: Distinct words and probes, the shortest first -> such vectors, shape (m, d).
                Called once.
            fewest: The least number of permutations.

        Raises:
            ValueError: No text has a word, or one with a vector, or the probes do not determine the
                weights.
        """
        probes = Probes.of(texts, fewest)
        self._n_permutations = probes.n_permutations
        self.signature = _signature(probes.n_permutations, segmenter(texts))
        strings = probes.strings()
        encoded = encode(strings)
        numbers = {string: number for number, string in enumerate(strings)}
        units = unit(encoded[[numbers[word] for word in probes.words]])
        nothing = np.zeros((1, encoded.shape[1]), units.dtype)
        self._units: Vectors = np.concatenate([units, nothing])
        # other words add nothing and do not count
        self._is_known: Flags = np.any(self._units, axis=1)
        self.words = [
            word for word, is_known in zip(probes.words, self._is_known, strict=False) if is_known
        ]
        members = np.array([probe.places for probe in probes.drawn.values()], dtype=np.intp)
        members = members.reshape(-1, LONGEST)
        self._probes = _EncodedProbes(
            directions=unit(encoded[[numbers[string] for string in probes.drawn]]),
            members=members,
            n_words=self._is_known[members].sum(axis=1),
            permutations=[probe.permutations for probe in probes.drawn.values()],
        )
        counts = probes.counts
        counts.resize(len(texts), len(self._units))
        self._texts = _Texts(vectors, counts, counts @ self._is_known)
        self._check_determined()

    def _check_determined(self) -> None:
        """Refuse texts without any bag, and probes that leave weights open."""
        if not self._texts.has_bag.any():
            raise ValueError("No text with a vector other than zero has a word with such a vector.")
        n_weights = int(self._is_known.sum())
        n_probes = int((self._probes.n_words > 1).sum())
        dimensions = self._units.shape[1]
        n_equations = n_probes * (dimensions - 1)
        n_unknowns = n_weights + 2 * dimensions
        if self._texts.is_longer.any() and n_equations < n_unknowns:
            raise ValueError(
                f"{n_weights} weights and two vectors are not determined by {n_probes} probes in "
                f"{dimensions} dimensions."
            )

    @property
    def directions(self) -> Vectors:
        """Of the vectors of the words, shape (m, d)."""
        return self._units[self._is_known]

    def bags(self) -> Bags:
        """Fit the bags, by the probes of all permutations."""
        return self._bags(self._fit)

    def halves(self) -> Iterator[tuple[Bags, Bags]]:
        """Split the permutations at random, and fit the bags by either half; three times.

        A probe that was cut from permutations of both halves is in both.
        """
        generator = np.random.default_rng(SEED + 1)
        middle = self._n_permutations // 2
        splits = []
        for _ in range(3):
            order = generator.permutation(self._n_permutations).tolist()
            splits.append((frozenset(order[:middle]), frozenset(order[middle:])))
        # four permutations have three splits: one may come again
        halves = list(dict.fromkeys(chain.from_iterable(splits)))
        fits: dict[frozenset[int], _Fit | None] = dict.fromkeys(halves)
        if self._fit is not None:
            fits |= zip(halves, self._fitted(halves, self._fit), strict=True)
        for first, second in splits:
            yield self._bags(fits[first]), self._bags(fits[second])

    @cached_property
    def _fit(self) -> _Fit | None:
        """By the probes of all permutations; None where no text has two words."""
        if not self._texts.is_longer.any():
            return None
        (fit,) = self._fitted([None])
        return fit

    def _fitted(
        self,
        subsets: Sequence[Set[int] | None],
        start: _Fit | None = None,
    ) -> list[_Fit]:
        """Fit the weights to the probes of some permutations, and then the constants to all longer
        texts, for several subsets of the permutations at once.
        """
        probes = self._probes
        sums_of_probes = []
        for permutations in subsets:
            rows = probes.usable(permutations)
            sums = Sums(
                self._products_of_probes.of_rows(rows),
                probes.n_words[rows],
                rows,
                members=probes.members[rows],
                n_weights=len(self._units),
            )
            sums_of_probes.append(sums)
        search = WeightedSums(probes.directions, self._units, sums_of_probes)
        by_probes = search.fit(start.by_probes if start else None)
        weights = [self._divided_by_mean(fitted.weights) for fitted in by_probes]
        is_longer = self._texts.is_longer
        n_words = self._texts.n_words[is_longer]
        directions = self._texts.directions
        sums_of_texts = []
        for weights_of_fit in weights:
            weighted = (self._texts.counts[is_longer] * weights_of_fit).tocsr()
            sums = Sums(
                Products.of_sums(directions, self._units, weighted),
                n_words,
                np.arange(len(n_words)),
                weights=weighted,
            )
            sums_of_texts.append(sums)
        search = WeightedSums(directions, self._units, sums_of_texts)
        by_texts = search.fit(start.by_texts if start else None)
        return [_Fit(*fitted) for fitted in zip(by_probes, weights, by_texts, strict=True)]

    @cached_property
    def _products_of_probes(self) -> Products:
        return Products.of_members(self._probes.directions, self._units, self._probes.members)

    def _divided_by_mean(self, weights: Floats) -> Floats:
        divided: Floats = weights / weights[self._is_known].mean()
        return divided

    def _bags(self, fit: _Fit | None) -> Bags:
        texts = self._texts
        weighted = texts.counts.copy()
        times = np.zeros((len(texts.vectors), 2))
        constants = np.zeros((2, self._units.shape[1]))
        cosine = np.nan
        if fit is not None:
            is_weighted = np.repeat(texts.is_longer, np.diff(weighted.indptr))
            weighted.data *= np.where(is_weighted, fit.weights[weighted.indices], 1)
            times[:, 0] = 1
            times[:, 1] = (texts.n_words - 1) / 10
            times *= texts.is_longer[:, None]
            constants = fit.by_texts.constants
            cosine = float(fit.by_texts.cosines.mean())
        narrow = weighted.astype(self._units.dtype)
        lengths = texts.mean_length * texts.has_bag
        bags = np.empty_like(texts.vectors)
        for block in blocks(*bags.shape):
            sums = narrow[block] @ self._units + times[block] @ constants
            bags[block] = lengths[block, None] * unit(sums)
        return Bags(bags, cosine)


def _signature(n_permutations: int, found_words: str) -> str:
    parts = [f"probes {n_permutations}", f"seed {SEED}", found_words]
    return ", ".join(part for part in parts if part)


def unit(vectors: Vectors) -> Vectors:
    """The directions of vectors, in 32 bits or more; 0 for 0."""
    directions = vectors.astype(np.result_type(vectors.dtype, np.float32))
    for block in blocks(*vectors.shape):
        lengths = np.linalg.norm(directions[block].astype(np.float64), axis=1, keepdims=True)
        directions[block] /= np.maximum(lengths, _LEAST_LENGTH)
    return directions


def _lengths(vectors: Vectors) -> Floats:
    lengths = np.empty(len(vectors))
    for block in blocks(*vectors.shape):
        lengths[block] = np.linalg.norm(vectors[block].astype(np.float64), axis=1)
    return lengths
