"""Montague modifier consistency: do distances between phrases respect the sets of adjectives?

Carvalho, Manino, Rozanova, Cordeiro, Freitas: *Montague semantics and modifier consistency
measurement in neural language models*, COLING 2025, pp. 5515-5529. A *wild dog* is a wild thing and
a dog; a *skilful king* is a king, skilful as kings go; a *fake dog* is no dog. Read as distances d
between the vectors of a phrase p and of its adjectives a and nouns n:

    intersectivity, single phrase    every d(p, word) ≤ every d(word, word')   (their Eq. 3)
    intersectivity, pair             d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)         (Eq. 5; pairs.py)
    non-subsectivity                 d(p, a) ≤ d(p, n)                         (Eq. 7)

`≤` holds for ties, see `at_most`; in the pair term of the main score a tie counts ½, so that an
encoder that gives every text the same vector is at chance.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Names, positions
from harness_ext.data.rows import PhraseRow, Word
from harness_ext.data.tables import Line
from harness_ext.measures.core.measure import EncoderMeasure, Rows
from harness_ext.measures.core.scores import COUNT, Axis, number, score
from harness_ext.measures.core.view import View
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.montague.items import (
    AMBIGUOUS,
    NS_PL,
    NS_PR,
    S_I,
    S_NI,
    TYPES,
    UNAMBIGUOUS,
    MontagueItems,
    WordDistances,
    montague_plan,
)
from harness_ext.measures.montague.pairs import pair_shares, ratio, type_means
from harness_ext.statistics.correlation import known_mean
from harness_ext.statistics.crossed import CrossedStatistic
from harness_ext.statistics.distance import TIE, at_most, chord
from harness_ext.statistics.paired_difference import equality_p_value
from harness_ext.statistics.statistic import Statistic

TYPE = Axis("type", TYPES)
FIRST_TYPE = Axis("first_type", TYPES)
SECOND_TYPE = Axis("second_type", TYPES)
TEST = Axis(
    "test",
    {"intersective": "intersectivity of phrases", "non_subsective": "non-subsectivity"},
)
TERM = Axis(
    "term",
    {
        "intersective": "intersectivity of phrases",
        "pair": "intersectivity of pairs",
        "non_subsective": "subsectivity",
    },
)


def is_intersective(to_words: Floats, between_words: Floats) -> Floats:
    """Every d(p, word) ≤ every d(word, word'), MONT Eq. 3.

    Args:
        to_words: The greatest d(p, word) of each phrase, in [0, 2].
        between_words: The least d(word, word') in it, in [0, 2], of the same shape.

    Returns:
        1 where it holds, else 0; NaN where a distance is NaN. Of the same shape.

    Examples:
        >>> is_intersective(np.array([0.3, 0.8]), np.array([0.5, 0.5]))
        array([1., 0.])
    """
    return at_most(to_words, between_words)


def is_non_subsective(to_adjective: Floats, to_noun: Floats) -> Floats:
    """d(p, a) ≤ d(p, n), MONT Eq. 7.

    Args:
        to_adjective: d(p, a) of each phrase, in [0, 2].
        to_noun: d(p, n), in [0, 2], of the same shape.

    Returns:
        1 where it holds, else 0; NaN where a distance is NaN. Of the same shape.

    Examples:
        >>> is_non_subsective(np.array([0.3, 0.8]), np.array([0.5, 0.5]))
        array([1., 0.])
    """
    return at_most(to_adjective, to_noun)


def adjective_share(to_adjective: Floats, to_noun: Floats) -> Floats:
    """d(p, a) / [d(p, a) + d(p, n)]: in [0, 1]; NaN where phrase and words have one direction.

    For the arguments see `is_non_subsective`.
    """
    both = to_adjective + to_noun
    return ratio(to_adjective, np.where(chord(both) > TIE, both, 0))


def phrase_intersectivity(words: WordDistances) -> Floats:
    """`is_intersective` of each `adjective noun`, shape (A, N)."""
    to_words = np.maximum(words.to_adjective, words.to_noun)
    return is_intersective(to_words, words.between)


def phrase_non_subsectivity(words: WordDistances) -> Floats:
    """`is_non_subsective` of each `adjective noun`, shape (A, N)."""
    return is_non_subsective(words.to_adjective, words.to_noun)


def phrase_adjective_share(words: WordDistances) -> Floats:
    """`adjective_share` of each `adjective noun`, shape (A, N)."""
    return adjective_share(words.to_adjective, words.to_noun)


class TypeShares(NamedTuple):
    """How often a test holds, per type of adjective, in each of R resamples.

    Attributes:
        intersective: Share of intersective `adjective noun`, shape (5, R).
        pair: Share of pairs, a1 being intersective and a2 of the type, ties counting ½, shape
            (5, R).
        non_subsective: Share of non-subsective `adjective noun`, shape (5, R).
    """

    intersective: Floats
    pair: Floats
    non_subsective: Floats


def type_shares(items: MontagueItems, *weights: Floats) -> TypeShares:
    """The shares of each type; NaN for a type without any.

    Weights say how often each adjective and each noun counts in each of R resamples; by default all
    count once.
    """
    members = items.members()
    words = items.words
    shares_of_pairs, _ = pair_shares(items.noun_pairs, members, [S_I], *weights, tie=0.5)
    return TypeShares(
        intersective=type_means(phrase_intersectivity(words), members, *weights),
        pair=shares_of_pairs[0],
        non_subsective=type_means(phrase_non_subsectivity(words), members, *weights),
    )


def agreements(shares: TypeShares) -> Floats:
    """The three balanced agreements with set theory; ambiguous adjectives enter none.

    Returns:
        Values in [0, 1], a row for each of `TERM`, shape (3, R); NaN where a type has no share.
    """
    others = [S_NI, NS_PL, NS_PR]
    of_intersective = shares.intersective[S_I]
    of_others = shares.intersective[others].mean(axis=0)
    of_non_subsective = shares.non_subsective[[NS_PL, NS_PR]].mean(axis=0)
    of_subsective = shares.non_subsective[[S_I, S_NI]].mean(axis=0)
    return np.array(
        [
            (of_intersective + 1 - of_others) / 2,
            shares.pair[others].mean(axis=0),
            (of_non_subsective + 1 - of_subsective) / 2,
        ]
    )


def saturated_terms(items: MontagueItems) -> Floats:
    """Whether each of `type_shares` is 1 for every type of adjective, or 0 for every type.

    Returns:
        0 or 1, a value for each of `TERM`, shape (3,); NaN where a type has no share.
    """
    shares = np.array(type_shares(items))[:, : len(UNAMBIGUOUS), 0]
    is_constant = (shares == 1).all(axis=1) | (shares == 0).all(axis=1)
    return np.where(np.isnan(shares).any(axis=1), np.nan, is_constant)


def crossed_statistic(
    items: MontagueItems,
    types: Collection[str],
    formula: Callable[..., Floats],
) -> CrossedStatistic:
    """A score of adjectives and nouns.

    Adjectives are drawn independently of nouns. The units are the adjectives of some types that
    have a distance. For `formula(items, *weights)` see `CrossedStatistic`.
    """
    adjectives = items.adjectives
    is_in_pair = np.any([~np.isnan(pairs).all(axis=0) for pairs in items.noun_pairs], axis=0)
    is_in_single = ~np.isnan(phrase_non_subsectivity(items.words)).all(axis=1)
    is_of_types = np.isin(adjectives.type, [*types])

    def formula_of_items(*weights: Floats) -> Floats:
        return formula(items, *weights)

    def statistic_of_units(names: Names) -> CrossedStatistic:
        return crossed_statistic(items.restrict("adjective", names), types, formula)

    return CrossedStatistic(
        units=adjectives.adjective[(is_in_pair | is_in_single) & is_of_types],
        first=adjectives.adjective,
        second=items.nouns.noun,
        formula=formula_of_items,
        of_units=statistic_of_units,
    )


def mean_of_terms(items: MontagueItems, terms: Flags) -> Statistic:
    """The mean of some of `agreements`; `terms` says which, shape (3,)."""

    def formula(items: MontagueItems, *weights: Floats) -> Floats:
        values = agreements(type_shares(items, *weights))[terms]
        return values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan)

    return crossed_statistic(items, UNAMBIGUOUS, formula)


def mean_of_type(
    items: MontagueItems,
    type_: str,
    values_of: Callable[[WordDistances], Floats],
) -> Statistic:
    """The mean over the phrases of a type of their values, which are of shape (A, N)."""

    def formula(items: MontagueItems, *weights: Floats) -> Floats:
        means = type_means(values_of(items.words), items.members(), *weights)
        return means[TYPE.index(type_)]

    return crossed_statistic(items, [type_], formula)


def synonym_mean_of_type(items: MontagueItems, type_: str, values: Floats) -> float:
    """The mean of values over the phrases of a type; of synonyms, so without resamples."""
    means = type_means(values, items.members())
    return float(means[TYPE.index(type_), 0])


def share_of_pairs(items: MontagueItems, first_type: str, second_type: str) -> Statistic:
    """How often a pair of an adjective of the first type is nearer than one of the second."""
    first = FIRST_TYPE.index(first_type)
    second = SECOND_TYPE.index(second_type)

    def formula(items: MontagueItems, *weights: Floats) -> Floats:
        if not weights:
            means, _ = items.shares_of_pairs  # of all types at once, and computed once
            return means[first, second]
        means, _ = pair_shares(items.noun_pairs, items.members(), [first], *weights)
        return means[0, second]

    return crossed_statistic(items, [first_type, second_type], formula)


def at_types(shares: Floats, first_type: str, second_type: str) -> float:
    """The share of two types of adjectives, of shares of shape (T, T, 1)."""
    first = FIRST_TYPE.index(first_type)
    second = SECOND_TYPE.index(second_type)
    return float(shares[first, second].item())


class Montague(EncoderMeasure[MontagueItems]):
    """Montague modifier consistency (Carvalho et al.)."""

    name = "montague"
    version = 7
    question = (
        "A wild dog is a dog, a fake dog is none. Do the model's distances between phrases know "
        "that?"
    )
    package = __package__
    published = "published.csv"
    row = PhraseRow
    line = Word
    items = MontagueItems
    unit = "adjective"
    main = "montague_consistency"
    adjusted = "montague_consistency_adjusted"
    examples = (
        {"word": "wild", "type": "S-I", "synonym": "feral"},
        {"word": "dog", "type": "N", "synonym": "hound"},
    )

    def rows_of(
        self,
        lines: Iterable[Line],
        file: str,
    ) -> Iterable[PhraseRow]:
        """Make all phrases of the words of a vocabulary."""
        from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import (
            phrase_rows,
            vocabulary_of,
        )

        return phrase_rows(vocabulary_of(lines, file))

    def plan(self, rows: Rows, split: str) -> MontagueItems:
        """Compare phrases with their words and with each other, see `montague_plan`."""
        return montague_plan(rows)

    def shortage(self, items: MontagueItems) -> str:
        """Name the types that no adjective is of."""
        types = items.adjectives.type.tolist()
        missing = [name for name in UNAMBIGUOUS if name not in types]
        if not missing:
            return ""
        return (
            f"No adjective is of type {' or '.join(missing)}: the score compares adjectives of "
            f"{', '.join(UNAMBIGUOUS)}."
        )

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score="Its distances respect the set semantics of adjectives in {value} of all tests.",
            chance=Consequences(
                "Tossing a coin",
                above="Phrases lie where logic puts them more often than by chance.",
                below="Phrases lie where logic puts them less often than by chance.",
            ),
            right=(
                "A wild dog (S-I) should be nearer to both words than they are to each other; "
                "phrases of other types should not. Subsective phrases (S-I, S-NI) should be "
                "nearer to the noun than to the adjective; others not."
            ),
        )

    @score(
        title="agreement with the set semantics of adjectives",
        formula=(
            "mean of ½·[intersective S-I + 1 − mean intersective S-NI, NS-Pl, NS-Pr], mean pair "
            "S-I_X over X in S-NI, NS-Pl, NS-Pr with ties ½, and ½·[mean non_subsective NS-Pl, "
            "NS-Pr + 1 − mean non_subsective S-I, S-NI]; resampled are adjectives and nouns"
        ),
        range=(0, 1),
        better="higher",
        chance=0.5,
        source="this project, from MONT Eqs. 3, 5 and 7",
        interval=True,
        smallest_effect=0.05,
    )
    def montague_consistency(self, items: MontagueItems) -> Statistic:
        return mean_of_terms(items, np.full(len(TERM.values), True))

    @score(
        like=montague_consistency,
        title="that agreement, without what holds of every phrase",
        formula="mean of the terms of montague_consistency that are not saturated",
        source="this project",
    )
    def montague_consistency_adjusted(self, items: MontagueItems) -> Statistic:
        is_informative = saturated_terms(items) != 1
        if is_informative.all():
            return self.of_all_units(items, self.main)  # the same score, which is resampled once
        return mean_of_terms(items, is_informative)

    @number(
        key="saturated_{term}",
        axes=[TERM],
        title="whether a term tells no adjectives apart",
        formula=(
            "1 if it holds of all phrases or pairs, or of none, whatever the type of the "
            "adjective; such a term is ½"
        ),
        range=(0, 1),
    )
    def saturated(self, items: MontagueItems, term: str) -> float:
        return float(saturated_terms(items)[TERM.index(term)])

    @score(
        key="intersective_{type}",
        axes=[TYPE],
        title="intersectivity of a phrase with one adjective",
        formula=(
            "share of phrases p with d(p, adjective), d(p, noun) ≤ d(adjective, noun); set theory "
            "has it so for S-I alone"
        ),
        range=(0, 1),
        source="MONT Eq. 3, Table 2",
    )
    def intersective(self, items: MontagueItems, type_: str) -> Statistic:
        return mean_of_type(items, type_, phrase_intersectivity)

    @number(
        like=intersective,
        key="intersective_{type}_synonym",
        title="intersectivity of a phrase with one adjective, synonym control",
        formula="as intersective, with synonyms in the place of the words, not of the phrase",
        source="MONT Eq. 3, with synonyms",
    )
    def intersective_synonym(self, items: MontagueItems, type_: str) -> float:
        return synonym_mean_of_type(items, type_, phrase_intersectivity(items.synonyms()))

    @number(
        key="intersective_{first_type}_{second_type}",
        axes=[FIRST_TYPE, SECOND_TYPE],
        title="intersectivity of a phrase with two adjectives",
        formula="share of phrases p with every d(p, word) ≤ every d(word, other word)",
        range=(0, 1),
        source="MONT Eq. 3",
    )
    def intersective_double(
        self,
        items: MontagueItems,
        first_type: str,
        second_type: str,
    ) -> float:
        doubles = items.doubles_of(first_type, second_type)
        return known_mean(is_intersective(doubles.to_words, doubles.between_words))

    @number(
        like=intersective_double,
        key="intersective_{first_type}_{second_type}_synonym",
        title="intersectivity of a phrase with two adjectives, synonym control",
        formula="as intersective, with synonyms in the place of the words, not of the phrase",
        source="MONT Eq. 3, with synonyms",
    )
    def intersective_double_synonym(
        self,
        items: MontagueItems,
        first_type: str,
        second_type: str,
    ) -> float:
        doubles = items.doubles_of(first_type, second_type)
        return known_mean(is_intersective(doubles.to_synonyms, doubles.between_synonyms))

    @number(
        like=intersective_double,
        key="partition_{first_type}_{second_type}",
        title="intersectivity of a phrase with two adjectives, by its parts",
        formula=(
            "share of phrases p with every d(p, word) ≤ every d(word, the other two words as one "
            "text)"
        ),
        source="MONT Tables 3 and 6, as its code computes them",
    )
    def partition(
        self,
        items: MontagueItems,
        first_type: str,
        second_type: str,
    ) -> float:
        doubles = items.doubles_of(first_type, second_type)
        return known_mean(is_intersective(doubles.to_words, doubles.between_parts))

    @score(
        key="pair_{first_type}_{second_type}",
        axes=[FIRST_TYPE, SECOND_TYPE],
        title="intersectivity of pairs of phrases",
        formula=(
            "share of d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2), the mean over n1 of the mean over the "
            "later n2, a1 of the first type and a2 ≠ a1 of the second"
        ),
        range=(0, 1),
        source="MONT Eq. 5, Tables 4 and 7",
    )
    def pair(
        self,
        items: MontagueItems,
        first_type: str,
        second_type: str,
    ) -> Statistic:
        return share_of_pairs(items, first_type, second_type)

    @number(
        like=pair,
        key="pair_{first_type}_{second_type}_synonym",
        title="intersectivity of pairs of phrases, synonym control",
        formula="as pair, with phrases that are made of synonyms of the words",
        source="MONT Eq. 5, with synonyms",
    )
    def pair_synonym(
        self,
        items: MontagueItems,
        first_type: str,
        second_type: str,
    ) -> float:
        means, _ = items.shares_of_synonym_pairs
        return at_types(means, first_type, second_type)

    @number(
        like=pair,
        key="pair_{first_type}_{second_type}_micro",
        title="intersectivity of pairs of phrases, over all comparisons",
        formula="share of all comparisons with d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)",
        source="MONT Eq. 5",
    )
    def pair_micro(
        self,
        items: MontagueItems,
        first_type: str,
        second_type: str,
    ) -> float:
        _, shares = items.shares_of_pairs
        return at_types(shares, first_type, second_type)

    @number(
        like=pair_micro,
        key="pair_{first_type}_{second_type}_micro_synonym",
        title="intersectivity of pairs of phrases, over all comparisons, synonym control",
        formula="as pair …_micro, with phrases that are made of synonyms of the words",
        source="MONT Eq. 5, with synonyms",
    )
    def pair_micro_synonym(
        self,
        items: MontagueItems,
        first_type: str,
        second_type: str,
    ) -> float:
        _, shares = items.shares_of_synonym_pairs
        return at_types(shares, first_type, second_type)

    @score(
        key="non_subsective_{type}",
        axes=[TYPE],
        title="non-subsectivity of a phrase with one adjective",
        formula=(
            "share of phrases p with d(p, adjective) ≤ d(p, noun); set theory has it so for NS-Pl "
            "and NS-Pr"
        ),
        range=(0, 1),
        source="MONT Eq. 7, Table 8",
    )
    def non_subsective(self, items: MontagueItems, type_: str) -> Statistic:
        return mean_of_type(items, type_, phrase_non_subsectivity)

    @number(
        like=non_subsective,
        key="non_subsective_{type}_synonym",
        title="non-subsectivity of a phrase with one adjective, synonym control",
        formula="as non_subsective, with synonyms in the place of the words, not of the phrase",
        source="MONT Eq. 7, with synonyms",
    )
    def non_subsective_synonym(self, items: MontagueItems, type_: str) -> float:
        return synonym_mean_of_type(items, type_, phrase_non_subsectivity(items.synonyms()))

    @number(
        key="{test}_types_p",
        axes=[TEST],
        title="whether types of adjectives differ within the model",
        formula=(
            "p of equal shares for S-I, S-NI, NS-Pl and NS-Pr: how often resamples scatter as far "
            "from the shares as these from each other; the three adjectives of A are too few"
        ),
        range=(0, 1),
        source=(
            'this project; MONT: "no statistically significant difference between different '
            'adjective categories"'
        ),
    )
    def types_p(self, items: MontagueItems, test: str) -> float:
        statistics = [self.of_all_units(items, f"{test}_{type_}") for type_ in UNAMBIGUOUS]
        values = [statistic.value() for statistic in statistics]
        resamples = [statistic.resamples() for statistic in statistics]
        return equality_p_value(values, resamples)

    @score(
        key="adjective_weight_{type}",
        axes=[TYPE],
        title="the adjective's share in the distances of a phrase from adjective and noun",
        formula=(
            "mean of d(p, adjective) / [d(p, adjective) + d(p, noun)]; below ½ the phrase is "
            "nearer its adjective"
        ),
        range=(0, 1),
        source="MONT, by the experiment AdjectiveTypeWeight of the authors' code",
    )
    def adjective_weight(self, items: MontagueItems, type_: str) -> Statistic:
        return mean_of_type(items, type_, phrase_adjective_share)

    @number(
        title="phrases with a zero vector",
        formula="the vector of the phrase, or of a word of it, has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: MontagueItems) -> int:
        n_singles = items.words.has_zero_vector.sum()
        n_doubles = np.isnan(items.doubles.to_words).sum()
        return int(n_singles + n_doubles)

    @number(
        title="phrases without an adjective weight",
        formula="the phrase with one adjective, the adjective and the noun have the same direction",
        range=COUNT,
    )
    def n_excluded_zero_distance(self, items: MontagueItems) -> int:
        words = items.words
        has_no_weight = np.isnan(phrase_adjective_share(words))
        return int((has_no_weight & ~words.has_zero_vector).sum())

    def view(self, items: MontagueItems) -> View:
        """View phrases: how many of the two tests of set theory each fails, and by how much."""
        singles = items.singles
        types = items.adjectives.type[positions(singles.adjective, items.adjectives.adjective)]
        to_words = np.maximum(singles.to_adjective, singles.to_noun)
        farther = to_words - singles.between_words
        nearer_noun = singles.to_adjective - singles.to_noun
        is_subsective = np.char.startswith(types, "S-")
        misses = np.array(
            [
                np.where(types == "S-I", farther, -farther),
                np.where(is_subsective, -nearer_noun, nearer_noun),
            ]
        )
        wrong = np.where(types == AMBIGUOUS, np.nan, misses.max(axis=0))
        n_failed = (misses > 0).sum(axis=0)
        return View(
            facts={
                "phrase": np.char.add(np.char.add(singles.adjective, " "), singles.noun),
                "type": types,
            },
            figures={
                "tests failed": np.where(np.isnan(wrong), np.nan, n_failed),
                "d to adjective": singles.to_adjective,
                "d to noun": singles.to_noun,
                "d of adjective and noun": singles.between_words,
            },
            wrong=wrong,
            rows=None,
        )


MONTAGUE = Montague()
