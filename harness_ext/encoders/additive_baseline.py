"""The additive baseline of an encoder: a weighted sum of word vectors, whose weights see no compared text.

The bag of a text t is, with n_tw the count of the word w in it and E(w) the encoder's vector of the word alone,

    bag(t) = Σ_w n_tw · b_w · u_w + c + (N_t - 1) · g        u_w = E(w) / |E(w)|, N_t = Σ_w n_tw

and u_w for a text of one word. Words with a zero vector are left out. It is fitted in two steps:

1. The weights b, with constants that are dropped, minimize over probes p, which are random strings of the words,

       Σ_p sin²(E(p), bag(p)) + 10⁻⁵ · (Σ_w (b_w - 1)² + |c|² + |10 g|²)        sin² = 1 - max(cos, 0)²

2. b is divided by its mean. Then c and g minimize the same sum over the compared texts of two words or more. A text of
   one word is its own bag, so distances of words are the encoder's.

A probe has nothing to compose, so no weight can learn an idiom, a role or a negation of the compared texts; nor can two
vectors that all texts share. Any weighted bag, a sum or a mean, with or without a constant, normalized after it or not,
is its own baseline, unless a fit ends early (MAX_ROUNDS). It is the weighted additive model of Mitchell and Lapata
(2010, *Composition in Distributional Models of Semantics*, Cognitive Science 34(8), 1388-1429) in the encoder's space.
"""

import functools
from collections.abc import Callable, Iterator, Set
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from harness_ext.common.arrays import Flags, Floats, Indices, Vectors
from harness_ext.data.words import LONGEST, random_strings, segmenter, word_counts

SEED, RIDGE, MAX_ROUNDS = 0, 1e-5, 250
FEWEST, _MOST, _WORDS = 4, 32, 20_000  # permutations; words of all probes
Encode = Callable[[list[str]], Vectors]


class Bags(NamedTuple):
    """The bags of texts.

    Attributes:
        vectors: Shape (n, d), as long as the texts' vectors are on average; 0 for a text that is 0, or whose words are.
        fit: The mean cosine of bags and vectors of the texts of two words or more; NaN if there are none.
    """

    vectors: Vectors
    fit: float


class AdditiveBaseline:
    """The words and probes of some texts, encoded once; bags are fitted when they are asked for.

    Attributes:
        words: Those that have a vector.
        signature: How many permutations of the words are cut into probes, by which seed; what found the words.
    """

    def __init__(self, texts: list[str], vectors: Vectors, encode: Encode, fewest: int = FEWEST) -> None:
        """Encode words and probes.

        Args:
            texts: Distinct texts, shape (n,).
            vectors: The encoder's vectors of the texts, finite, shape (n, d).
            encode: Distinct words and probes, the shortest first -> such vectors, shape (m, d). Called once.
            fewest: The least number of permutations.

        Raises:
            ValueError: No text has a word, or one with a vector, or the probes do not determine the weights.
        """
        (words, self._counts), compared = word_counts(texts), {*texts}
        self._n_drawn = min(_MOST, max(fewest, round(_WORDS / len(words))))
        self.signature = ", ".join(filter(None, (f"probes {self._n_drawn}", f"seed {SEED}", segmenter(texts))))
        drawn = random_strings(words, self._n_drawn, SEED)
        drawn = {string: drawn[string] for string in drawn if string not in compared}
        asked = sorted({*words, *drawn}, key=lambda text: (len(text), text))
        row = {text: number for number, text in enumerate(asked)}
        encoded = np.append(unit(encode(asked)), np.zeros((1, vectors.shape[1])), axis=0)
        self._units = encoded[[*(row[word] for word in words), -1]]  # the last is nothing, for probes of fewer words
        self._probes = encoded[[row[string] for string in drawn]]
        self._members = np.array([places for places, _ in drawn.values()], dtype=np.intp).reshape(-1, LONGEST)
        self._drawn_in = [drawn_in for _, drawn_in in drawn.values()]
        self._counts.resize(len(texts), len(self._units))
        self._known: Flags = np.any(self._units, axis=1)  # other words add nothing and do not count
        self.words = {word for word, is_known in zip(words, self._known[:-1], strict=True) if is_known}
        self._vectors, of_known = vectors, self._counts @ self._known
        self._has_say: Flags = np.logical_and(vectors.any(axis=1), of_known > 0)
        if not self._has_say.any():
            raise ValueError("No text with a vector other than zero has a word with such a vector.")
        self._longer: Flags = np.logical_and(self._has_say, of_known > 1)
        self._targets, self._n_longer = unit(vectors[self._longer]), of_known[self._longer]
        self._n_words = self._known[self._members].sum(axis=1)
        m, d, n = self._known.sum(), vectors.shape[1], (self._n_words > 1).sum()
        self._found = [np.repeat([1.0, 0.0], [k, 2 * d]) for k in (len(self._units), self._longer.sum())]
        if self._longer.any() and n * (d - 1) < m + 2 * d:
            raise ValueError(f"{m} weights and two vectors are not determined by {n} probes in {d} dimensions.")

    def bags(self, permutations: Set[int] | None = None) -> Bags:
        """Fit the bags, by the probes of all permutations or of some."""
        bags, fit = self._counts @ self._units, np.nan
        if self._longer.any():
            with threadpool_limits(1):  # products are small: more threads would wait for each other
                rows = self._probes.any(axis=1) & (self._n_words > 0)
                rows &= [permutations is None or not permutations.isdisjoint(one) for one in self._drawn_in]
                drawn = self._probes[rows], self._units, self._members[rows], self._n_words[rows]
                nearest(*drawn, self._found[0], weighs=True)
                weights = self._found[0][: len(self._units)]
                sums = self._counts[self._longer] @ (weights[:, None] / weights[self._known].mean() * self._units)
                each = np.arange(len(sums))[:, None]
                constants, cosines = nearest(self._targets, sums, each, self._n_longer, self._found[1], weighs=False)
            bags[self._longer], fit = sums + constants, float(cosines.mean())
        length = np.linalg.norm(self._vectors[self._has_say].astype(np.float64), axis=1).mean()
        return Bags((length * self._has_say[:, None] * unit(bags)).astype(self._vectors.dtype), fit)

    def halves(self) -> Iterator[tuple[Bags, Bags]]:
        """Split the permutations at random, and fit the bags by either half; three times."""
        generator, middle = np.random.default_rng(SEED + 1), self._n_drawn // 2
        bags = functools.cache(self.bags)  # four permutations have three splits: one may come again
        for order in (generator.permutation(self._n_drawn).tolist() for _ in range(3)):
            yield bags(frozenset(order[:middle])), bags(frozenset(order[middle:]))


def nearest(
    targets: Floats, parts: Floats, members: Indices, n_words: Floats, found: Floats, *, weighs: bool
) -> tuple[Floats, Floats]:
    """Fit sums of weighted parts and of constants to directions, by products of parts: no sum is formed.

    Args:
        targets: Vectors of length 1, shape (n, d).
        parts: Vectors, shape (m, d).
        members: The parts of each sum, shape (n, k).
        n_words: N of each sum, shape (n,).
        found: The weights and what makes the constants, shape (m + 2 d,): where the fit begins, then where it ends.
        weighs: Whether the weights are fitted; else they stay.

    Returns:
        The constants of each sum, shape (n, d), and its cosine with the target, shape (n,).
    """
    (n, k), (m, d), times = members.shape, parts.shape, np.stack([np.ones(len(n_words)), (n_words - 1) / 10], axis=1)
    along, products, cosines = np.empty((n, k)), np.empty((n, k, k)), np.empty(n)
    for first in range(0, n, step := max(1, 2**17 // k // d)):  # a processor's cache holds so many numbers
        vectors = parts[members[block := slice(first, first + step)]]
        along[block] = (vectors @ targets[block, :, None])[..., 0]
        products[block] = vectors @ vectors.transpose(0, 2, 1)
    scale = np.sqrt(n_words.sum() / m / n)  # of constants, so that the loss is as curved along them as along weights
    start, ridge = np.repeat([1.0, 0.0], [m, 2 * d]), RIDGE * np.repeat([1.0, scale**2], [m, 2 * d])

    def loss(numbers: Floats) -> tuple[float, Floats]:
        weights, constants = numbers[:m], scale * numbers[m:].reshape(2, d)
        own, constant = weights[members], (parts @ constants.T)[members]
        of_parts = np.einsum("nij,nj->ni", products, own) + np.einsum("nij,nj->ni", constant, times)  # times the sum
        of_constants = np.einsum("ni,nij->nj", own, constant) + times @ (constants @ constants.T)
        lengths = np.sqrt(np.maximum((own * of_parts).sum(axis=1) + (times * of_constants).sum(axis=1), 1e-60))
        cosines[:] = ((own * along).sum(axis=1) + (times * (targets @ constants.T)).sum(axis=1)) / lengths
        shares = np.maximum(cosines, 0)[:, None] / lengths[:, None]
        slopes = np.bincount(members.ravel(), (shares**2 * of_parts - shares * along).ravel(), m)
        pulls = [np.bincount(members.ravel(), (one[:, None] * own).ravel(), m) for one in (shares**2 * times).T]
        of_both = pulls @ parts + (shares**2 * times).T @ times @ constants - (shares * times).T @ targets
        slope = 2 * (np.concatenate([weighs * slopes, scale * of_both.ravel()]) + ridge * (numbers - start))
        return float((1 - np.maximum(cosines, 0) ** 2).sum() + ridge @ (numbers - start) ** 2), slope

    options: Any = {"maxiter": MAX_ROUNDS, "maxfun": 2 * MAX_ROUNDS, "maxcor": 20, "ftol": 1e-10, "gtol": 1e-7}
    found[:] = minimize(loss, found, jac=True, method="L-BFGS-B", options=options).x
    loss(found)  # the last round may have tried other numbers
    return scale * times @ found[m:].reshape(2, d), cosines


def unit(vectors: Vectors) -> Floats:
    """The directions of vectors; 0 for 0."""
    wide: Floats = vectors.astype(np.float64)
    wide /= np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-300)
    return wide
