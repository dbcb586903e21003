"""Montague modifier consistency: do the distances between phrases respect the set semantics of their adjectives?

Carvalho, Manino, Rozanova, Cordeiro, Freitas: *Montague semantics and modifier consistency measurement in neural
language models*, COLING 2025, pp. 5515-5529. A *wild dog* is a wild thing and a dog; a *skilful king* is a king,
skilful as kings go; a *fake dog* is no dog. Read as distances d between the vectors of a phrase p and of its adjectives
a and nouns n:

    intersectivity, single phrase     every d(p, word) ≤ every d(word, word')       (their Eq. 3)
    intersectivity, pair              d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)             (Eq. 5; see montague_pairs.py)
    non-subsectivity                  d(p, a) ≤ d(p, n)                             (Eq. 7)

`≤` holds for ties, see `at_most`; in the pair term of the main score a tie counts ½, so that an encoder that gives
every text the same vector is at chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.montague_items import TYPES, MontagueItems
from harness_ext.evaluators.montague_pairs import pair_shares, ratio
from harness_ext.evaluators.scores import COUNT, Axis, Scores, declared
from harness_ext.evaluators.statistics.bootstrap import N_RESAMPLES, SEED
from harness_ext.evaluators.statistics.distance import at_most

if TYPE_CHECKING:
    from numpy.typing import NDArray

TYPE = Axis("type", TYPES)
TYPE_PAIR = Axis("first_type", TYPES), Axis("second_type", TYPES)

S_I, S_NI, NS_PL, NS_PR, _ = range(len(TYPES))


@dataclass(frozen=True)
class MontagueScores(Scores):
    """The scores of Montague modifier consistency; arrays over `TYPE` or over `TYPE_PAIR`."""

    montague_consistency: float = declared(
        "agreement with the set semantics of adjectives",
        "mean of ½·[intersective S-I + 1 − mean intersective S-NI, NS-Pl, NS-Pr], mean pair S-I_X over X in S-NI, "
        "NS-Pl, NS-Pr with ties ½, and ½·[mean non_subsective NS-Pl, NS-Pr + 1 − mean non_subsective S-I, S-NI]",
        range=(0, 1),
        direction="higher",
        chance=0.5,
        source="this project, from MONT Eqs. 3, 5 and 7",
        interval=True,
    )
    intersective: NDArray[np.float64] = declared(
        "intersectivity of a phrase with one adjective",
        "share of phrases p with d(p, adjective), d(p, noun) ≤ d(adjective, noun); set theory has it so for S-I alone",
        range=(0, 1),
        source="MONT Eq. 3, Table 2",
        key="intersective_{type}",
        axes=(TYPE,),
        resampled=True,
    )
    intersective_synonym: NDArray[np.float64] = declared(
        "intersectivity of a phrase with one adjective, synonym control",
        "as intersective, with synonyms in the place of the words, not of the phrase",
        range=(0, 1),
        source="MONT Eq. 3, with synonyms",
        key="intersective_{type}_synonym",
        axes=(TYPE,),
    )
    intersective_double: NDArray[np.float64] = declared(
        "intersectivity of a phrase with two adjectives",
        "share of phrases p with every d(p, word) ≤ every d(word, other word)",
        range=(0, 1),
        source="MONT Eq. 3",
        key="intersective_{first_type}_{second_type}",
        axes=TYPE_PAIR,
    )
    intersective_double_synonym: NDArray[np.float64] = declared(
        "intersectivity of a phrase with two adjectives, synonym control",
        "as intersective, with synonyms in the place of the words, not of the phrase",
        range=(0, 1),
        source="MONT Eq. 3, with synonyms",
        key="intersective_{first_type}_{second_type}_synonym",
        axes=TYPE_PAIR,
    )
    partition: NDArray[np.float64] = declared(
        "intersectivity of a phrase with two adjectives, by its parts",
        "share of phrases p with every d(p, word) ≤ every d(word, the other two words as one text)",
        range=(0, 1),
        source="MONT Tables 3 and 6, as its code computes them",
        key="partition_{first_type}_{second_type}",
        axes=TYPE_PAIR,
    )
    pair: NDArray[np.float64] = declared(
        "intersectivity of pairs of phrases",
        "share of d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2), the mean over n1 of the mean over the later n2, a1 of the first "
        "type and a2 ≠ a1 of the second",
        range=(0, 1),
        source="MONT Eq. 5, Tables 4 and 7",
        key="pair_{first_type}_{second_type}",
        axes=TYPE_PAIR,
        resampled=True,
    )
    pair_synonym: NDArray[np.float64] = declared(
        "intersectivity of pairs of phrases, synonym control",
        "as pair, with phrases that are made of synonyms of the words",
        range=(0, 1),
        source="MONT Eq. 5, with synonyms",
        key="pair_{first_type}_{second_type}_synonym",
        axes=TYPE_PAIR,
    )
    pair_micro: NDArray[np.float64] = declared(
        "intersectivity of pairs of phrases, over all comparisons",
        "share of all comparisons with d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)",
        range=(0, 1),
        source="MONT Eq. 5",
        key="pair_{first_type}_{second_type}_micro",
        axes=TYPE_PAIR,
    )
    pair_micro_synonym: NDArray[np.float64] = declared(
        "intersectivity of pairs of phrases, over all comparisons, synonym control",
        "as pair …_micro, with phrases that are made of synonyms of the words",
        range=(0, 1),
        source="MONT Eq. 5, with synonyms",
        key="pair_{first_type}_{second_type}_micro_synonym",
        axes=TYPE_PAIR,
    )
    non_subsective: NDArray[np.float64] = declared(
        "non-subsectivity of a phrase with one adjective",
        "share of phrases p with d(p, adjective) ≤ d(p, noun); set theory has it so for NS-Pl and NS-Pr",
        range=(0, 1),
        source="MONT Eq. 7, Table 8",
        key="non_subsective_{type}",
        axes=(TYPE,),
        resampled=True,
    )
    non_subsective_synonym: NDArray[np.float64] = declared(
        "non-subsectivity of a phrase with one adjective, synonym control",
        "as non_subsective, with synonyms in the place of the words, not of the phrase",
        range=(0, 1),
        source="MONT Eq. 7, with synonyms",
        key="non_subsective_{type}_synonym",
        axes=(TYPE,),
    )
    adjective_weight: NDArray[np.float64] = declared(
        "the adjective's share in the distances of a phrase from its words",
        "mean of d(p, adjective) / [d(p, adjective) + d(p, noun)]; below ½ the phrase is nearer its adjective",
        range=(0, 1),
        source="MONT",
        key="adjective_weight_{type}",
        axes=(TYPE,),
        resampled=True,
    )
    n_excluded_zero_vector: int = declared(
        "phrases with a zero vector",
        "the vector of the phrase, or of a word of it, has no direction",
        range=COUNT,
        source="this project",
    )
    n_excluded_zero_distance: int = declared(
        "phrases without an adjective weight",
        "the phrase with one adjective, the adjective and the noun have the same direction",
        range=COUNT,
        source="this project",
    )


def montague_consistency(items: MontagueItems) -> MontagueScores:
    """Run the three tests and their synonym controls.

    Args:
        items: The distances.

    Returns:
        All scores, NaN for those that nothing is left to compute from.
    """
    members = items.members()
    words, synonyms, doubles = items.words(), items.synonyms(), items.doubles
    n_zero_vector = np.isnan(words.to_adjective + words.to_noun)
    pairs, synonym_pairs = items.pairs.by_noun(items.adjectives, items.nouns)
    (pair, pair_micro), (pair_synonym, pair_micro_synonym) = (
        [shares[..., 0] for shares in pair_shares(distances, members)] for distances in (pairs, synonym_pairs)
    )
    return MontagueScores(
        montague_consistency=float(_main_scores(items)[0]),
        intersective=type_means(words.intersective, members)[:, 0],
        intersective_synonym=type_means(synonyms.intersective, members)[:, 0],
        intersective_double=_double_means(items, at_most(doubles.to_words, doubles.between_words)),
        intersective_double_synonym=_double_means(items, at_most(doubles.to_synonyms, doubles.between_synonyms)),
        partition=_double_means(items, at_most(doubles.to_words, doubles.between_parts)),
        pair=pair,
        pair_synonym=pair_synonym,
        pair_micro=pair_micro,
        pair_micro_synonym=pair_micro_synonym,
        non_subsective=type_means(words.non_subsective, members)[:, 0],
        non_subsective_synonym=type_means(synonyms.non_subsective, members)[:, 0],
        adjective_weight=type_means(words.adjective_weight, members)[:, 0],
        n_excluded_zero_vector=int(n_zero_vector.sum() + np.isnan(doubles.to_words).sum()),
        n_excluded_zero_distance=int((np.isnan(words.adjective_weight) & ~n_zero_vector).sum()),
    )


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
        pair: Share of pairs per type of a2, a1 being intersective and ties counting ½, shape (5, R).
        non_subsective: Share of non-subsective `adjective noun` per type, shape (5, R).

    Returns:
        Values in [0, 1], shape (R,); NaN where a type has no share.
    """
    others = [S_NI, NS_PL, NS_PR]
    single = (intersective[S_I] + 1 - intersective[others].mean(axis=0)) / 2
    subset = (non_subsective[[NS_PL, NS_PR]].mean(axis=0) + 1 - non_subsective[[S_I, S_NI]].mean(axis=0)) / 2
    score: NDArray[np.float64] = (single + pair[others].mean(axis=0) + subset) / 3
    return score


def _main_scores(items: MontagueItems, *weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The main score, once for each of R resamples given by their weights, shapes (A, R) and (N, R)."""
    members, words = items.members(), items.words()
    pairs, _ = items.pairs.by_noun(items.adjectives, items.nouns)
    return main_score(
        type_means(words.intersective, members, *weights),
        pair_shares(pairs, members, [S_I], *weights, tie=0.5)[0][0],
        type_means(words.non_subsective, members, *weights),
    )


def _double_means(items: MontagueItems, holds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share that holds, by the types of both adjectives, shape (5, 5)."""
    number = dict(zip(items.adjectives.adjective.tolist(), items.members().argmax(axis=0).tolist(), strict=True))
    doubles = items.doubles
    first, second = (
        np.array([number.get(name, -1) for name in names.tolist()], dtype=np.intp)
        for names in (doubles.first_adjective, doubles.second_adjective)
    )
    known = ~np.isnan(holds) & (first >= 0) & (second >= 0)  # where items are restricted, some adjectives are not there
    cell, cells = (first * len(TYPES) + second)[known], len(TYPES) ** 2
    sums, counts = np.bincount(cell, holds[known], cells), np.bincount(cell, minlength=cells)
    return ratio(sums, counts).reshape(len(TYPES), -1)


def montague_resamples(items: MontagueItems, key: str) -> NDArray[np.float64]:
    """A score on resamples of the adjectives, which are drawn within their type, and of the nouns.

    Returns:
        Shape (`N_RESAMPLES`,); NaN where it is not defined.
    """
    if len(items.nouns) < 2:
        return np.full(N_RESAMPLES, np.nan)
    weights = _draws(items)
    if key == MONTAGUE.main:
        return _main_scores(items, *weights)
    score, place = MontagueScores.by_key()[key]
    members, words = items.members(), items.words()
    by_type = {
        "intersective_{type}": words.intersective,
        "non_subsective_{type}": words.non_subsective,
        "adjective_weight_{type}": words.adjective_weight,
    }
    found: NDArray[np.float64]
    if score.key in by_type:
        found = type_means(by_type[score.key], members, *weights)[TYPE.number(place["type"])]
    else:
        first, second = (axis.number(place[axis.name]) for axis in TYPE_PAIR)
        pairs, _ = items.pairs.by_noun(items.adjectives, items.nouns)
        found = pair_shares(pairs, members, [first], *weights)[0][0, second]
    return found


def _draws(items: MontagueItems) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How often each adjective and each noun is drawn, shapes (A, `N_RESAMPLES`) and (N, `N_RESAMPLES`)."""
    rng = np.random.default_rng(SEED)
    members, n_nouns = items.members(), len(items.nouns)
    adjectives = np.zeros((members.shape[1], N_RESAMPLES))
    for inside in members[members.any(axis=1)]:
        adjectives[inside] = _drawn(rng, int(inside.sum()), N_RESAMPLES)
    nouns = _drawn(rng, n_nouns, N_RESAMPLES)
    while (alone := nouns.max(axis=0) == n_nouns).any():  # one noun makes no pair; of few nouns it is often drawn alone
        nouns[:, alone] = _drawn(rng, n_nouns, int(alone.sum()))
    return adjectives, nouns


def _drawn(rng: np.random.Generator, n: int, n_resamples: int) -> NDArray[np.float64]:
    """How often each of n units is drawn in n draws with replacement, shape (n, n_resamples)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).T.astype(np.float64)


def montague_units(items: MontagueItems) -> NDArray[np.str_]:
    """The adjectives that enter the main score, in the order of the vocabulary."""
    adjectives, pairs = items.adjectives, items.pairs
    in_pair = np.isin(adjectives.adjective, pairs.adjective[~np.isnan(pairs.distance)])
    in_single = ~np.isnan(items.words().non_subsective).all(axis=1)
    units: NDArray[np.str_] = adjectives.adjective[(in_pair | in_single) & (adjectives.type != "A")]
    return units


MONTAGUE = Measure(
    name="montague",
    version=1,
    main="montague_consistency",
    unit="adjective",
    items=MontagueItems,
    scores=MontagueScores,
    score=montague_consistency,
    resamples=montague_resamples,
    units=montague_units,
)
