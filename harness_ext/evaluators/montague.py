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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from harness_ext.arrays import Flags, Floats, Names
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.montague_items import TYPES, MontagueItems, PhraseRow, montague_fill, montague_plan
from harness_ext.evaluators.montague_pairs import pair_shares, ratio
from harness_ext.evaluators.scores import Axis, Scores, count, proportion
from harness_ext.evaluators.wording import Consequences, Wording
from harness_ext.statistics.bootstrap import N_RESAMPLES, SEED
from harness_ext.statistics.crossed import CrossedStatistic, draw_counts
from harness_ext.statistics.distance import at_most
from harness_ext.statistics.statistic import Statistic

TYPE = Axis("type", TYPES)
TYPE_PAIR = Axis("first_type", TYPES), Axis("second_type", TYPES)
TERM = Axis(
    "term",
    {"intersective": "intersectivity of phrases", "pair": "intersectivity of pairs", "non_subsective": "subsectivity"},
)

S_I, S_NI, NS_PL, NS_PR, _ = range(len(TYPES))


def type_means(
    values: Floats,
    members: Flags,
    adjective_weights: Floats | None = None,
    noun_weights: Floats | None = None,
) -> Floats:
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


def agreements(intersective: Floats, pair: Floats, non_subsective: Floats) -> Floats:
    """The three balanced agreements with set theory; ambiguous adjectives enter none.

    Args:
        intersective: Share of intersective `adjective noun` per type, shape (5, R).
        pair: Share of pairs per type of a2, a1 being intersective and ties counting ½, shape (5, R).
        non_subsective: Share of non-subsective `adjective noun` per type, shape (5, R).

    Returns:
        Values in [0, 1], a row for each of `TERM`, shape (3, R); NaN where a type has no share.
    """
    others = [S_NI, NS_PL, NS_PR]
    single = (intersective[S_I] + 1 - intersective[others].mean(axis=0)) / 2
    subset = (non_subsective[[NS_PL, NS_PR]].mean(axis=0) + 1 - non_subsective[[S_I, S_NI]].mean(axis=0)) / 2
    return np.array([single, pair[others].mean(axis=0), subset])


@dataclass(frozen=True)
class MontagueStatistic(CrossedStatistic):
    """A score of adjectives and nouns. Adjectives are drawn within their type, nouns independently of them.

    Attributes:
        items: The distances.
        types: The types of the adjectives that enter it.
        formula: Called as `formula(items, *weights)`, to return shape (R,). Weights are how often each adjective and
            each noun counts in each of R resamples, shapes (A, R) and (N, R); without them all count once, and R is 1.
    """

    items: MontagueItems
    types: tuple[str, ...]
    formula: Callable[..., Floats]

    @cached_property
    def units(self) -> Names:
        """The adjectives of these types with a distance, in the order of the vocabulary."""
        adjectives = self.items.adjectives
        in_pair = np.any([~np.isnan(with_noun).all(axis=0) for with_noun in self.items.noun_pairs[0]], axis=0)
        in_single = ~np.isnan(self.items.words().non_subsective).all(axis=1)
        units: Names = adjectives.adjective[(in_pair | in_single) & np.isin(adjectives.type, self.types)]
        return units

    @property
    def n_second(self) -> int:
        """The number of nouns."""
        return len(self.items.nouns)

    def value(self) -> float:
        """NaN where a type has nothing to compute from."""
        return float(self.formula(self.items)[0])

    def weights(self) -> tuple[Floats, Floats] | None:
        """Draw adjectives and nouns, shapes (A, `N_RESAMPLES`) and (N, `N_RESAMPLES`); None of fewer than two nouns."""
        n_nouns = self.n_second
        if n_nouns < 2:
            return None
        rng, members = np.random.default_rng(SEED), self.items.members()
        adjectives = np.zeros((members.shape[1], N_RESAMPLES))
        for inside in members[members.any(axis=1)]:
            adjectives[inside] = draw_counts(rng, int(inside.sum()))
        nouns = draw_counts(rng, n_nouns)
        while (alone := nouns.max(axis=0) == n_nouns).any():  # one noun makes no pair; of few it is often drawn alone
            nouns[:, alone] = draw_counts(rng, n_nouns, int(alone.sum()))
        return adjectives, nouns

    def score(self, first: Floats, second: Floats) -> Floats:
        """Weigh adjectives and nouns."""
        return self.formula(self.items, first, second)

    def restrict(self, names: Names) -> MontagueStatistic:
        """Other adjectives are not drawn any more; all nouns are."""
        return replace(self, items=self.items.restrict("adjective", names))


def _shares(items: MontagueItems, *weights: Floats) -> list[Floats]:
    """The shares of `agreements`, each of shape (5, R)."""
    members, words = items.members(), items.words()
    return [
        type_means(words.intersective, members, *weights),
        pair_shares(items.noun_pairs[0], members, [S_I], *weights, tie=0.5)[0][0],
        type_means(words.non_subsective, members, *weights),
    ]


def saturated(items: MontagueItems) -> Floats:
    """Whether each of `TERM` holds of everything, or of nothing, whatever the type of the adjective, shape (3,).

    0 or 1; NaN where a type has no share.
    """
    of_types = np.array(_shares(items))[:, : NS_PR + 1, 0]  # without the ambiguous ones
    constant = (of_types == 1).all(axis=1) | (of_types == 0).all(axis=1)
    return np.where(np.isnan(of_types).any(axis=1), np.nan, constant)


def _mean_of_terms(items: MontagueItems, terms: Flags) -> Statistic:
    def formula(items: MontagueItems, *weights: Floats) -> Floats:
        found = agreements(*_shares(items, *weights))[terms]
        return found.mean(axis=0) if len(found) else np.full(found.shape[1], np.nan)

    return MontagueStatistic(items, tuple(name for name in TYPES if name != "A"), formula)


def _consistency(items: MontagueItems, _: Mapping[str, str]) -> Statistic:
    return _mean_of_terms(items, np.full(len(TERM.values), True))


def _informative_consistency(items: MontagueItems, _: Mapping[str, str]) -> Statistic:
    informative = saturated(items) != 1
    if informative.all():
        return MONTAGUE.of_all_units(items, MONTAGUE.main)  # the same score, which is resampled once
    return _mean_of_terms(items, informative)


def _mean_of_type(name: str) -> Callable[[MontagueItems, Mapping[str, str]], Statistic]:
    """The mean over the phrases of a type of what `WordDistances` says under that name."""

    def statistic(items: MontagueItems, place: Mapping[str, str]) -> Statistic:
        def formula(items: MontagueItems, *weights: Floats) -> Floats:
            values = getattr(items.words(), name)
            found: Floats = type_means(values, items.members(), *weights)[TYPE.number(place["type"])]
            return found

        return MontagueStatistic(items, (place["type"],), formula)

    return statistic


def _pair(items: MontagueItems, place: Mapping[str, str]) -> Statistic:
    first, second = (axis.number(place[axis.name]) for axis in TYPE_PAIR)

    def formula(items: MontagueItems, *weights: Floats) -> Floats:
        found: Floats
        if weights:
            found = pair_shares(items.noun_pairs[0], items.members(), [first], *weights)[0][0, second]
        else:
            found = items.shares_of_pairs[0][0][first, second]
        return found

    return MontagueStatistic(items, tuple(place.values()), formula)


@dataclass(frozen=True)
class MontagueScores(Scores):
    """The scores of Montague modifier consistency; arrays over `TYPE` or over `TYPE_PAIR`."""

    montague_consistency: float = proportion(
        "agreement with the set semantics of adjectives",
        "mean of ½·[intersective S-I + 1 − mean intersective S-NI, NS-Pl, NS-Pr], mean pair S-I_X over X in S-NI, "
        "NS-Pl, NS-Pr with ties ½, and ½·[mean non_subsective NS-Pl, NS-Pr + 1 − mean non_subsective S-I, S-NI]; "
        "resampled are adjectives within their type, and nouns",
        direction="higher",
        chance=0.5,
        source="this project, from MONT Eqs. 3, 5 and 7",
        interval=True,
        statistic=_consistency,
        smallest_effect=0.05,
    )
    montague_consistency_informative: float = proportion(
        "that agreement, without what holds of every phrase",
        "mean of the terms of montague_consistency that are not saturated",
        direction="higher",
        chance=0.5,
        source="this project",
        interval=True,
        statistic=_informative_consistency,
        smallest_effect=0.05,
    )
    saturated: Floats = proportion(
        "whether a term tells no adjectives apart",
        "1 if it holds of all phrases or pairs, or of none, whatever the type of the adjective; such a term is ½",
        source="this project",
        key="saturated_{term}",
        axes=(TERM,),
    )
    intersective: Floats = proportion(
        "intersectivity of a phrase with one adjective",
        "share of phrases p with d(p, adjective), d(p, noun) ≤ d(adjective, noun); set theory has it so for S-I alone",
        source="MONT Eq. 3, Table 2",
        key="intersective_{type}",
        axes=(TYPE,),
        statistic=_mean_of_type("intersective"),
    )
    intersective_synonym: Floats = proportion(
        "intersectivity of a phrase with one adjective, synonym control",
        "as intersective, with synonyms in the place of the words, not of the phrase",
        source="MONT Eq. 3, with synonyms",
        key="intersective_{type}_synonym",
        axes=(TYPE,),
    )
    intersective_double: Floats = proportion(
        "intersectivity of a phrase with two adjectives",
        "share of phrases p with every d(p, word) ≤ every d(word, other word)",
        source="MONT Eq. 3",
        key="intersective_{first_type}_{second_type}",
        axes=TYPE_PAIR,
    )
    intersective_double_synonym: Floats = proportion(
        "intersectivity of a phrase with two adjectives, synonym control",
        "as intersective, with synonyms in the place of the words, not of the phrase",
        source="MONT Eq. 3, with synonyms",
        key="intersective_{first_type}_{second_type}_synonym",
        axes=TYPE_PAIR,
    )
    partition: Floats = proportion(
        "intersectivity of a phrase with two adjectives, by its parts",
        "share of phrases p with every d(p, word) ≤ every d(word, the other two words as one text)",
        source="MONT Tables 3 and 6, as its code computes them",
        key="partition_{first_type}_{second_type}",
        axes=TYPE_PAIR,
    )
    pair: Floats = proportion(
        "intersectivity of pairs of phrases",
        "share of d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2), the mean over n1 of the mean over the later n2, a1 of the first "
        "type and a2 ≠ a1 of the second",
        source="MONT Eq. 5, Tables 4 and 7",
        key="pair_{first_type}_{second_type}",
        axes=TYPE_PAIR,
        statistic=_pair,
    )
    pair_synonym: Floats = proportion(
        "intersectivity of pairs of phrases, synonym control",
        "as pair, with phrases that are made of synonyms of the words",
        source="MONT Eq. 5, with synonyms",
        key="pair_{first_type}_{second_type}_synonym",
        axes=TYPE_PAIR,
    )
    pair_micro: Floats = proportion(
        "intersectivity of pairs of phrases, over all comparisons",
        "share of all comparisons with d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)",
        source="MONT Eq. 5",
        key="pair_{first_type}_{second_type}_micro",
        axes=TYPE_PAIR,
    )
    pair_micro_synonym: Floats = proportion(
        "intersectivity of pairs of phrases, over all comparisons, synonym control",
        "as pair …_micro, with phrases that are made of synonyms of the words",
        source="MONT Eq. 5, with synonyms",
        key="pair_{first_type}_{second_type}_micro_synonym",
        axes=TYPE_PAIR,
    )
    non_subsective: Floats = proportion(
        "non-subsectivity of a phrase with one adjective",
        "share of phrases p with d(p, adjective) ≤ d(p, noun); set theory has it so for NS-Pl and NS-Pr",
        source="MONT Eq. 7, Table 8",
        key="non_subsective_{type}",
        axes=(TYPE,),
        statistic=_mean_of_type("non_subsective"),
    )
    non_subsective_synonym: Floats = proportion(
        "non-subsectivity of a phrase with one adjective, synonym control",
        "as non_subsective, with synonyms in the place of the words, not of the phrase",
        source="MONT Eq. 7, with synonyms",
        key="non_subsective_{type}_synonym",
        axes=(TYPE,),
    )
    adjective_weight: Floats = proportion(
        "the adjective's share in the distances of a phrase from its words",
        "mean of d(p, adjective) / [d(p, adjective) + d(p, noun)]; below ½ the phrase is nearer its adjective",
        source="MONT",
        key="adjective_weight_{type}",
        axes=(TYPE,),
        statistic=_mean_of_type("adjective_weight"),
    )
    n_excluded_zero_vector: int = count(
        "phrases with a zero vector", "the vector of the phrase, or of a word of it, has no direction"
    )
    n_excluded_zero_distance: int = count(
        "phrases without an adjective weight",
        "the phrase with one adjective, the adjective and the noun have the same direction",
    )


def _double_means(items: MontagueItems, *holds: Floats) -> list[Floats]:
    """The share that holds, by the types of both adjectives, each of shape (5, 5)."""
    number = dict(zip(items.adjectives.adjective.tolist(), items.members().argmax(axis=0).tolist(), strict=True))
    doubles = items.doubles
    first, second = (
        np.fromiter(map(number.get, names.tolist(), repeat(-1)), dtype=np.intp, count=len(names))
        for names in (doubles.first_adjective, doubles.second_adjective)
    )
    there = (first >= 0) & (second >= 0)  # where items are restricted, some adjectives are not there
    cell, cells = first * len(TYPES) + second, len(TYPES) ** 2
    found = []
    for one in holds:
        known = there & ~np.isnan(one)
        sums, counts = np.bincount(cell[known], one[known], cells), np.bincount(cell[known], minlength=cells)
        found.append(ratio(sums, counts).reshape(len(TYPES), -1))
    return found


def _descriptives(items: MontagueItems) -> dict[str, Any]:
    words, synonyms, doubles = items.words(), items.synonyms(), items.doubles
    n_zero_vector = np.isnan(words.to_adjective + words.to_noun)
    (_, pair_micro), (pair_synonym, pair_micro_synonym) = items.shares_of_pairs
    double, double_synonym, partition = _double_means(
        items,
        at_most(doubles.to_words, doubles.between_words),
        at_most(doubles.to_synonyms, doubles.between_synonyms),
        at_most(doubles.to_words, doubles.between_parts),
    )
    return {
        "saturated": saturated(items),
        "intersective_synonym": type_means(synonyms.intersective, items.members())[:, 0],
        "intersective_double": double,
        "intersective_double_synonym": double_synonym,
        "partition": partition,
        "pair_synonym": pair_synonym[..., 0],
        "pair_micro": pair_micro[..., 0],
        "pair_micro_synonym": pair_micro_synonym[..., 0],
        "non_subsective_synonym": type_means(synonyms.non_subsective, items.members())[:, 0],
        "n_excluded_zero_vector": int(n_zero_vector.sum() + np.isnan(doubles.to_words).sum()),
        "n_excluded_zero_distance": int((np.isnan(words.adjective_weight) & ~n_zero_vector).sum()),
    }


_WORDING = Wording(
    question="A wild dog is a dog, a fake dog is none. Do the model's distances between phrases know that?",
    score="Its distances respect the set semantics of adjectives in {value} of all tests.",
    chance=Consequences(
        "Tossing a coin",
        above="Phrases lie where logic puts them more often than by chance.",
        below="Phrases lie where logic puts them less often than by chance.",
    ),
    right=(
        "A wild dog (S-I) should be nearer to both its words than they are to each other; phrases of other types "
        "should not. Subsective phrases (S-I, S-NI) should be nearer to the noun than to the adjective; others not."
    ),
)

MONTAGUE = Measure(
    name="montague",
    version=3,
    question="Do vectors of adjectives and nouns combine as the types of adjectives in set theory say?",
    needs=PhraseRow,
    plan=montague_plan,
    fill=montague_fill,
    main="montague_consistency",
    controlled="montague_consistency_informative",
    unit="adjective",
    drawn_with="noun",
    items=MontagueItems,
    scores=MontagueScores,
    descriptives=_descriptives,
    wording=_WORDING,
    examples=(  # of a vocabulary, of which all phrases are made
        {"word": "wild", "type": "S-I", "synonym": "feral"},
        {"word": "dog", "type": "N", "synonym": "hound"},
    ),
)
