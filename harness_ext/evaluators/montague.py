"""Montague modifier consistency: do the distances between phrases respect the set semantics of their adjectives?

Carvalho, Manino, Rozanova, Cordeiro, Freitas: *Montague semantics and modifier consistency measurement in neural
language models*, COLING 2025, pp. 5515-5529. A *wild dog* is a wild thing and a dog; a *skilful king* is a king,
skilful as kings go; a *fake dog* is no dog. Read as distances d between the vectors of a phrase p and of its adjectives
a and nouns n:

    intersectivity, single phrase     every d(p, word) ≤ every d(word, word')       (their Eq. 3)
    intersectivity, pair              d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)             (Eq. 5; see montague_pairs.py)
    non-subsectivity                  d(p, a) ≤ d(p, n)                             (Eq. 7)

`≤` holds for ties, see `at_most`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.distance import TIE, at_most, chord, cosine_distance
from harness_ext.evaluators.montague_pairs import pair_shares, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

TYPES = ("S-I", "S-NI", "NS-Pl", "NS-Pr", "A")
"""Subsective intersective, subsective non-intersective, non-subsective plain, non-subsective privative, ambiguous."""

S_I, S_NI, NS_PL, NS_PR, _ = range(len(TYPES))

MAIN_SCORE = "montague_consistency"

_N_RESAMPLES = 2000
_SEED = 42


@dataclass(frozen=True)
class MontaguePhrases:
    """What is compared, as rows of the vectors: A adjectives and N nouns, in the order of the vocabulary.

    Attributes:
        types: The type of each adjective, one of `TYPES`, shape (A,).
        adjective: The adjectives alone, shape (A,).
        noun: The nouns alone, shape (N,).
        phrase: `adjective noun`, shape (A, N).
        adjective_synonym: A synonym of each adjective, shape (A,).
        noun_synonym: A synonym of each noun, shape (N,).
        phrase_synonym: `adjective noun`, made of the synonyms, shape (A, N).
        double: `adj1 adj2 noun`, shape (A, A, N), where adj1 ≠ adj2; None to leave these phrases out.
        adjectives: `adj1 adj2`, shape (A, A), where adj1 ≠ adj2; None only if `double` is.
    """

    types: NDArray[np.str_]
    adjective: NDArray[np.intp]
    noun: NDArray[np.intp]
    phrase: NDArray[np.intp]
    adjective_synonym: NDArray[np.intp]
    noun_synonym: NDArray[np.intp]
    phrase_synonym: NDArray[np.intp]
    double: NDArray[np.intp] | None = None
    adjectives: NDArray[np.intp] | None = None


@dataclass(frozen=True)
class WordDistances:
    """How far an `adjective noun` is from its words, and these from each other; each of shape (A, N)."""

    to_adjective: NDArray[np.float64]
    to_noun: NDArray[np.float64]
    between: NDArray[np.float64]

    @property
    def intersective(self) -> NDArray[np.float64]:
        """Eq. 3: 1 where it holds, else 0; NaN where a vector is zero."""
        return at_most(np.maximum(self.to_adjective, self.to_noun), self.between)

    @property
    def non_subsective(self) -> NDArray[np.float64]:
        """Eq. 7: 1 where it holds, else 0; NaN where a vector is zero."""
        return at_most(self.to_adjective, self.to_noun)

    @property
    def adjective_weight(self) -> NDArray[np.float64]:
        """The adjective's share in the phrase's distances from its words; NaN where the three are in one place."""
        both = self.to_adjective + self.to_noun
        return ratio(self.to_adjective, np.where(chord(both) > TIE, both, 0))


@dataclass(frozen=True)
class MontagueResult:
    """What `montague_consistency` returns: result key -> value, and the distances of the `adjective noun`."""

    scores: dict[str, float]
    distances: WordDistances


def montague_consistency(vectors: NDArray[np.floating[Any]], phrases: MontaguePhrases) -> MontagueResult:
    """Run the three tests, their synonym controls, and the main score with its interval.

    Args:
        vectors: One vector per distinct text, shape (n, d).
        phrases: What is compared.

    Returns:
        All keys of the task, without those that nothing is left to compute from. Shares of the comparisons that hold,
        adjective weights and the main score are in [0, 1]; `n_excluded_*` are counts of phrases.
    """
    members = phrases.types == np.array(TYPES)[:, None]
    words = _word_distances(vectors, phrases.phrase, phrases.adjective, phrases.noun)
    synonyms = _word_distances(vectors, phrases.phrase, phrases.adjective_synonym, phrases.noun_synonym)
    scores = _by_type("adjective_weight", type_means(words.adjective_weight, members))
    n_zero_vector = np.isnan(words.to_adjective + words.to_noun)
    for suffix, distances, phrase in (("", words, phrases.phrase), ("_synonym", synonyms, phrases.phrase_synonym)):
        macro, micro = pair_shares(vectors, phrase, members)
        scores |= _by_type("intersective", type_means(distances.intersective, members), suffix)
        scores |= _by_type("non_subsective", type_means(distances.non_subsective, members), suffix)
        scores |= _by_types("pair", macro[..., 0], suffix) | _by_types("pair", micro[..., 0], f"_micro{suffix}")
    n_excluded = {
        "n_excluded_zero_vector": int(n_zero_vector.sum()),
        "n_excluded_zero_distance": int((np.isnan(words.adjective_weight) & ~n_zero_vector).sum()),
    }
    if phrases.double is not None:
        double_scores, n_double_zero_vector = _double_scores(vectors, phrases)
        scores |= double_scores
        n_excluded["n_excluded_zero_vector"] += n_double_zero_vector
    scores |= _main_scores(vectors, phrases, members, words)
    return MontagueResult({key: float(x) for key, x in scores.items() if not np.isnan(x)} | n_excluded, words)


def type_means(
    values: NDArray[np.float64],
    members: NDArray[np.bool_],
    adjective_weights: NDArray[np.float64] | None = None,
    noun_weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Means per type of adjective, once for each of R resamples.

    Args:
        values: Shape (A, N); NaN is left out.
        members: Which adjectives are of which type, shape (T, A).
        adjective_weights: How often each adjective counts, shape (A, R); by default once.
        noun_weights: How often each noun counts, shape (N, R); by default once.

    Returns:
        Shape (T, R); NaN for a type without values.
    """
    adjective_weights = np.ones((len(values), 1)) if adjective_weights is None else adjective_weights
    noun_weights = np.ones((values.shape[1], 1)) if noun_weights is None else noun_weights
    known = ~np.isnan(values)
    sums, counts = (
        members @ (adjective_weights * (cells @ noun_weights)) for cells in (np.where(known, values, 0), known)
    )
    return ratio(sums, counts)


def main_score(
    intersective: NDArray[np.float64], pair: NDArray[np.float64], non_subsective: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean of three balanced agreements with set theory; ambiguous adjectives enter none.

    Args:
        intersective: Share of intersective `adjective noun` per type, shape (5, R).
        pair: Share of pairs per type of a2, a1 being intersective, shape (5, R).
        non_subsective: Share of non-subsective `adjective noun` per type, shape (5, R).

    Returns:
        Values in [0, 1], shape (R,); NaN where a type has no share.
    """
    others = [S_NI, NS_PL, NS_PR]
    single = (intersective[S_I] + 1 - intersective[others].mean(axis=0)) / 2
    subset = (non_subsective[[NS_PL, NS_PR]].mean(axis=0) + 1 - non_subsective[[S_I, S_NI]].mean(axis=0)) / 2
    score: NDArray[np.float64] = (single + pair[others].mean(axis=0) + subset) / 3
    return score


def _main_scores(
    vectors: NDArray[np.floating[Any]],
    phrases: MontaguePhrases,
    members: NDArray[np.bool_],
    words: WordDistances,
) -> dict[str, float]:
    """The main score and its percentile interval; adjectives are resampled within their type, and nouns."""

    def main(*weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return main_score(
            type_means(words.intersective, members, *weights),
            pair_shares(vectors, phrases.phrase, members, [S_I], *weights)[0][0],
            type_means(words.non_subsective, members, *weights),
        )

    value = main()[0]
    if np.isnan(value):
        return {}
    rng = np.random.default_rng(_SEED)
    adjective_weights = np.zeros((len(phrases.types), _N_RESAMPLES))
    for inside in members[members.any(axis=1)]:
        adjective_weights[inside] = _draws(rng, int(inside.sum()))
    low, high = np.nanpercentile(main(adjective_weights, _draws(rng, len(phrases.noun))), [2.5, 97.5])
    return {MAIN_SCORE: value, f"{MAIN_SCORE}_ci_low": low, f"{MAIN_SCORE}_ci_high": high}


def _draws(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """How often each of n items is drawn in n draws with replacement, shape (n, resamples)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=_N_RESAMPLES).T.astype(np.float64)


def _word_distances(
    vectors: NDArray[np.floating[Any]],
    phrase: NDArray[np.intp],
    adjective: NDArray[np.intp],
    noun: NDArray[np.intp],
) -> WordDistances:
    return WordDistances(
        cosine_distance(vectors, phrase, adjective[:, None]),
        cosine_distance(vectors, phrase, noun),
        cosine_distance(vectors, adjective[:, None], noun),
    )


def _double_scores(vectors: NDArray[np.floating[Any]], phrases: MontaguePhrases) -> tuple[dict[str, float], int]:
    """The tests of `adj1 adj2 noun`, and how many of these phrases have a zero vector in them."""
    assert phrases.double is not None
    assert phrases.adjectives is not None
    different = ~np.eye(len(phrases.types), dtype=bool)
    a1, a2, n = np.nonzero(np.broadcast_to(different[..., None], phrases.double.shape))
    words = np.array([phrases.adjective[a1], phrases.adjective[a2], phrases.noun[n]])
    synonyms = np.array([phrases.adjective_synonym[a1], phrases.adjective_synonym[a2], phrases.noun_synonym[n]])
    rests = np.array([phrases.phrase[a2, n], phrases.phrase[a1, n], phrases.adjectives[a1, a2]])
    to_parts = cosine_distance(vectors, phrases.double[a1, a2, n], np.array([words, synonyms]))
    to_word, to_synonym = to_parts.max(axis=1)

    def nearest(parts: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.float64]:
        near: NDArray[np.float64] = cosine_distance(vectors, parts, others).min(axis=0)
        return near

    kind = np.array([TYPES.index(name) for name in phrases.types])
    cell = kind[a1] * len(TYPES) + kind[a2]

    def means(holds: NDArray[np.float64]) -> NDArray[np.float64]:
        known = ~np.isnan(holds)
        cells = len(TYPES) ** 2
        sums, counts = np.bincount(cell[known], holds[known], cells), np.bincount(cell[known], minlength=cells)
        return ratio(sums, counts).reshape(len(TYPES), -1)

    scores: dict[str, float] = {}
    for key, suffix, far, near in (
        ("intersective", "", to_word, nearest(words, np.roll(words, 1, axis=0))),
        ("intersective", "_synonym", to_synonym, nearest(synonyms, np.roll(synonyms, 1, axis=0))),
        ("partition", "", to_word, nearest(words, rests)),
    ):
        scores |= _by_types(key, means(at_most(far, near)), suffix)
    return scores, int(np.isnan(to_word).sum())


def _by_type(key: str, values: NDArray[np.float64], suffix: str = "") -> dict[str, float]:
    return {f"{key}_{name}{suffix}": value for name, value in zip(TYPES, values[:, 0], strict=True)}


def _by_types(key: str, values: NDArray[np.float64], suffix: str = "") -> dict[str, float]:
    return {
        f"{key}_{first}_{second}{suffix}": values[i, j]
        for i, first in enumerate(TYPES)
        for j, second in enumerate(TYPES)
    }
