"""What Montague modifier consistency is computed from: how far phrases are from their words, and from other phrases."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product, repeat

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Names, Texts, positions
from harness_ext.measures.core import items
from harness_ext.measures.core.items import Items, Table, column, distance, greatest_distance, least_distance, text
from harness_ext.measures.core.old_measure import Rows
from harness_ext.measures.core.view import View
from harness_ext.measures.montague.pairs import pair_shares, ratio, type_means
from harness_ext.statistics.distance import TIE, at_most, chord

TYPES = {
    "S-I": "subsective, intersective: a wild dog is a dog, and wild",
    "S-NI": "subsective, not intersective: a skilful king is a king, skilful as kings go",
    "NS-Pl": "plain non-subsective: an alleged king may be a king or not",
    "NS-Pr": "privative non-subsective: a fake dog is no dog",
    "A": "ambiguous: big, small, old",
}
"""The types of adjectives, and what they mean."""

S_I, S_NI, NS_PL, NS_PR, _ = range(len(TYPES))


@dataclass(frozen=True)
class MontagueAdjectives(Table):
    """One row per adjective, in the order of the vocabulary."""

    adjective: Names = column("The adjective.")
    type: Names = column("What it does to a noun: S-I, S-NI, NS-Pl, NS-Pr or A.")
    synonym: Names = column("A synonym of it.")


@dataclass(frozen=True)
class MontagueNouns(Table):
    """One row per noun, in the order of the vocabulary."""

    noun: Names = column("The noun.")
    synonym: Names = column("A synonym of it.")


@dataclass(frozen=True)
class MontagueSingles(Table):
    """One row per phrase p of an adjective a and a noun n; a' and n' are synonyms of them."""

    adjective: Names = column("a: the adjective.")
    noun: Names = column("n: the noun.")
    phrase: Texts = text("p: the phrase.")
    adjective_synonym: Texts = text("a'.")
    noun_synonym: Texts = text("n'.")
    to_adjective: Floats = distance("d(p, a), in [0, 2].", "phrase", "adjective")
    to_noun: Floats = distance("d(p, n), in [0, 2].", "phrase", "noun")
    between_words: Floats = distance("d(a, n), in [0, 2].", "adjective", "noun")
    to_adjective_synonym: Floats = distance("d(p, a'), in [0, 2].", "phrase", "adjective_synonym")
    to_noun_synonym: Floats = distance("d(p, n'), in [0, 2].", "phrase", "noun_synonym")
    between_synonyms: Floats = distance("d(a', n'), in [0, 2].", "adjective_synonym", "noun_synonym")


_WORDS = ("first_adjective", "second_adjective", "noun")
_SYNONYMS = ("first_synonym", "second_synonym", "noun_synonym")
_RESTS = ("without_first", "without_second", "without_noun")


@dataclass(frozen=True)
class MontagueDoubles(Table):
    """One row per phrase p of two different adjectives and a noun."""

    first_adjective: Names = column("The first adjective.")
    second_adjective: Names = column("The second adjective.")
    noun: Names = column("The noun.")
    phrase: Texts = text("p: the phrase.")
    first_synonym: Texts = text("A synonym of the first adjective.")
    second_synonym: Texts = text("A synonym of the second.")
    noun_synonym: Texts = text("A synonym of the noun.")
    without_first: Texts = text("The phrase without its first adjective.")
    without_second: Texts = text("The phrase without its second adjective.")
    without_noun: Texts = text("The two adjectives.")
    to_words: Floats = greatest_distance(
        "The greatest d(p, word) of its three words, in [0, 2].", *product(["phrase"], _WORDS)
    )
    between_words: Floats = least_distance(
        "The least d(word, other word) in the phrase, in [0, 2].", *combinations(_WORDS, 2)
    )
    between_parts: Floats = least_distance(
        "The least d(word, the other two words), in [0, 2].", *zip(_WORDS, _RESTS, strict=True)
    )
    to_synonyms: Floats = greatest_distance(
        "The greatest d(p, synonym of a word of it), in [0, 2].", *product(["phrase"], _SYNONYMS)
    )
    between_synonyms: Floats = least_distance(
        "The least d(synonym, other synonym), in [0, 2].", *combinations(_SYNONYMS, 2)
    )


@dataclass(frozen=True)
class MontaguePairs(Table):
    """One row per adjective and pair of nouns, the first of which stands first in the vocabulary."""

    adjective: Names = column("a: the adjective.")
    noun: Names = column("n1: the first noun.")
    other_noun: Names = column("n2: the other noun.")
    phrase: Texts = text("a n1.")
    other_phrase: Texts = text("a n2.")
    synonyms: Texts = text("The first phrase, made of synonyms.")
    other_synonyms: Texts = text("The other phrase, made of synonyms.")
    distance: Floats = items.distance("d(a n1, a n2), in [0, 2].", "phrase", "other_phrase")
    synonym_distance: Floats = items.distance(
        "The same with the synonyms of all three words, in [0, 2].", "synonyms", "other_synonyms"
    )


@dataclass(frozen=True)
class WordDistances:
    """How far an `adjective noun` is from either word, and these from each other; each of shape (A, N)."""

    to_adjective: Floats
    to_noun: Floats
    between: Floats

    @property
    def has_zero_vector(self) -> Flags:
        """Whether the vector of the phrase, or of a word of it, has no direction."""
        return np.isnan(self.to_adjective + self.to_noun)

    @property
    def intersective(self) -> Floats:
        """Eq. 3: 1 where it holds, else 0; NaN where a vector is zero."""
        return at_most(np.maximum(self.to_adjective, self.to_noun), self.between)

    @property
    def non_subsective(self) -> Floats:
        """Eq. 7: 1 where it holds, else 0; NaN where a vector is zero."""
        return at_most(self.to_adjective, self.to_noun)

    @property
    def adjective_weight(self) -> Floats:
        """The adjective's share in the phrase's distances from both words; NaN where the three are in one place."""
        both = self.to_adjective + self.to_noun
        return ratio(self.to_adjective, np.where(chord(both) > TIE, both, 0))


@dataclass(frozen=True)
class MontagueItems(Items):
    """The words, and the distances of all phrases that are made of them."""

    adjectives: MontagueAdjectives
    nouns: MontagueNouns
    singles: MontagueSingles
    doubles: MontagueDoubles
    pairs: MontaguePairs

    def members(self) -> Flags:
        """Which adjectives are of which type, shape (T, A)."""
        return self.adjectives.type == np.array(list(TYPES))[:, None]

    def words(self) -> WordDistances:
        """The distances of an `adjective noun` and both words."""
        table = self.singles
        return WordDistances(*self._by_adjective_and_noun(table.to_adjective, table.to_noun, table.between_words))

    def synonyms(self) -> WordDistances:
        """The distances of an `adjective noun` and the synonyms of both words."""
        table = self.singles
        return WordDistances(
            *self._by_adjective_and_noun(table.to_adjective_synonym, table.to_noun_synonym, table.between_synonyms)
        )

    @cached_property
    def noun_pairs(self) -> tuple[Sequence[Floats], Sequence[Floats]]:
        """The distances of pairs and those of their synonyms, each as `pair_shares` takes them."""
        n_nouns = len(self.nouns)
        n1, n2 = (positions(names, self.nouns.noun) for names in (self.pairs.noun, self.pairs.other_noun))
        a = positions(self.pairs.adjective, self.adjectives.adjective)
        table = np.full((2, n_nouns, n_nouns, len(self.adjectives)), np.nan)
        table[:, n1, n2, a] = self.pairs.distance, self.pairs.synonym_distance
        words, synonyms = ([part[n, n + 1 :] for n in range(n_nouns - 1)] for part in table)
        return words, synonyms

    @cached_property
    def shares_of_pairs(self) -> list[tuple[Floats, Floats]]:
        """`pair_shares` of the distances and of those of the synonyms, for all types at once."""
        return [pair_shares(distances, self.members()) for distances in self.noun_pairs]

    @cached_property
    def shares_of_doubles(self) -> dict[str, Floats]:
        """How often d(p, word) ≤ d between words, synonyms or parts of phrases of two adjectives, by their types.

        Each of shape (T, T); NaN without such phrases.
        """
        table, cells = self.doubles, len(TYPES) ** 2
        number = dict(zip(self.adjectives.adjective.tolist(), self.members().argmax(axis=0).tolist(), strict=True))
        first, second = (
            np.fromiter(map(number.get, names.tolist(), repeat(-1)), dtype=np.intp, count=len(names))
            for names in (table.first_adjective, table.second_adjective)
        )
        there = (first >= 0) & (second >= 0)  # where items are restricted, some adjectives are not there
        cell = first * len(TYPES) + second

        def shares(holds: Floats) -> Floats:
            known = there & ~np.isnan(holds)
            sums = np.bincount(cell[known], holds[known], cells)
            return ratio(sums, np.bincount(cell[known], minlength=cells)).reshape(len(TYPES), -1)

        return {
            "words": shares(at_most(table.to_words, table.between_words)),
            "synonyms": shares(at_most(table.to_synonyms, table.between_synonyms)),
            "parts": shares(at_most(table.to_words, table.between_parts)),
        }

    def shares(self, *weights: Floats) -> list[Floats]:
        """The shares of intersective phrases, of pairs and of non-subsective phrases per type, each of shape (T, R).

        Weights say how often each adjective and each noun counts in each of R resamples; by default all count once.
        """
        members, words = self.members(), self.words()
        return [
            type_means(words.intersective, members, *weights),
            pair_shares(self.noun_pairs[0], members, [S_I], *weights, tie=0.5)[0][0],
            type_means(words.non_subsective, members, *weights),
        ]

    @cached_property
    def saturated(self) -> Floats:
        """Whether each of `shares` is 1 for every type of adjective, or 0 for every type, shape (3,).

        0 or 1; NaN where a type has no share.
        """
        of_types = np.array(self.shares())[:, : NS_PR + 1, 0]  # without the ambiguous ones
        constant = (of_types == 1).all(axis=1) | (of_types == 0).all(axis=1)
        return np.where(np.isnan(of_types).any(axis=1), np.nan, constant)

    def _by_adjective_and_noun(self, *columns: Floats) -> Floats:
        table = np.full((len(columns), len(self.adjectives), len(self.nouns)), np.nan)
        a = positions(self.singles.adjective, self.adjectives.adjective)
        table[:, a, positions(self.singles.noun, self.nouns.noun)] = columns
        return table


def montague_plan(rows: Rows, _: str = "") -> MontagueItems:
    """Compare phrases with their words and with each other, by adjective and noun in the order of first appearance.

    Rows are `PhraseRow`s: all phrases with one adjective, and all or none with two.

    Raises:
        ValueError: A phrase is missing; names it.
    """
    phrases = {tuple(row["words"]): row["phrase"] for row in rows}
    single = [row for row in rows if row["pattern"] == "AN"]
    types = {row["words"][0]: row["types"][0] for row in single}
    a = {row["words"][0]: row["synonyms"][0] for row in single}
    n = {row["words"][1]: row["synonyms"][1] for row in single}

    def phrase(*words: str) -> str:
        try:
            return phrases[words]
        except KeyError:
            raise ValueError(f"montague: there is no row for the phrase {' '.join(words)!r}") from None

    singles = ((one, noun, phrase(one, noun), a[one], n[noun]) for one, noun in product(a, n))
    has_doubles = len(single) < len(rows)
    doubles = (
        (
            *(one, other, noun, phrase(one, other, noun)),
            *(a[one], a[other], n[noun], phrase(other, noun), phrase(one, noun), f"{one} {other}"),
        )
        for one, other, noun in product(a, a if has_doubles else [], n)
        if one != other
    )
    pairs = (
        (one, *two, *(phrase(one, noun) for noun in two), *(f"{a[one]} {n[noun]}" for noun in two))
        for two in combinations(n, 2)
        for one in a
    )
    return MontagueItems(
        adjectives=MontagueAdjectives.of_rows(zip(a, types.values(), a.values(), strict=True)),
        nouns=MontagueNouns.of_rows(n.items()),
        singles=MontagueSingles.of_rows(singles),
        doubles=MontagueDoubles.of_rows(doubles),
        pairs=MontaguePairs.of_rows(pairs),
    )


def montague_view(items: MontagueItems) -> View:
    """View phrases of an adjective and a noun: how many of the two tests of set theory each fails, and by how much."""
    singles = items.singles
    types = items.adjectives.type[positions(singles.adjective, items.adjectives.adjective)]
    farther = np.maximum(singles.to_adjective, singles.to_noun) - singles.between_words
    nearer_noun = singles.to_adjective - singles.to_noun
    by_type = np.where(types == "S-I", farther, -farther), np.where(np.char.startswith(types, "S-"), -1, 1)
    misses = np.array([by_type[0], by_type[1] * nearer_noun])
    wrong = np.where(types == "A", np.nan, misses.max(axis=0))
    figures = {
        "tests failed": np.where(np.isnan(wrong), np.nan, (misses > 0).sum(axis=0)),
        "d to adjective": singles.to_adjective,
        "d to noun": singles.to_noun,
        "d of adjective and noun": singles.between_words,
    }
    phrases = np.char.add(np.char.add(singles.adjective, " "), singles.noun)
    return View({"phrase": phrases, "type": types}, figures, wrong, None)
