"""What Montague modifier consistency is computed from: the distances of phrases.

How far phrases are from their words, and from other phrases.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices, Names, Texts, positions
from harness_ext.measures.core import items
from harness_ext.measures.core.items import (
    Items,
    Table,
    column,
    distance,
    greatest_distance,
    least_distance,
    text,
)
from harness_ext.measures.core.measure import Rows
from harness_ext.measures.montague.pairs import pair_shares

TYPES = {
    "S-I": "subsective, intersective: a wild dog is a dog, and wild",
    "S-NI": "subsective, not intersective: a skilful king is a king, skilful as kings go",
    "NS-Pl": "plain non-subsective: an alleged king may be a king or not",
    "NS-Pr": "privative non-subsective: a fake dog is no dog",
    "A": "ambiguous: big, small, old",
}
"""The types of adjectives, and what they mean."""

AMBIGUOUS = "A"
UNAMBIGUOUS = tuple(name for name in TYPES if name != AMBIGUOUS)
"""The types that set theory says something of; they stand first in `TYPES`."""

S_I, S_NI, NS_PL, NS_PR = range(len(UNAMBIGUOUS))
"""The places of these types."""


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
    between_synonyms: Floats = distance(
        "d(a', n'), in [0, 2].",
        "adjective_synonym",
        "noun_synonym",
    )


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
    """One row per adjective and pair of nouns, the first of which is earlier in the vocabulary."""

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
    """How far each `adjective noun` is from both words, and these from each other.

    Attributes:
        to_adjective: d(p, a), in [0, 2]; NaN where a vector is zero. Shape (A, N).
        to_noun: d(p, n), of the same range and shape.
        between: d(a, n), of the same range and shape.
    """

    to_adjective: Floats
    to_noun: Floats
    between: Floats

    @property
    def has_zero_vector(self) -> Flags:
        """Whether the vector of the phrase, or of a word of it, has no direction, shape (A, N)."""
        return np.isnan(self.to_adjective + self.to_noun)


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

    @cached_property
    def words(self) -> WordDistances:
        """The distances of an `adjective noun` and both words."""
        table = self.singles
        return WordDistances(
            to_adjective=self._by_adjective_and_noun(table.to_adjective),
            to_noun=self._by_adjective_and_noun(table.to_noun),
            between=self._by_adjective_and_noun(table.between_words),
        )

    def synonyms(self) -> WordDistances:
        """The distances of an `adjective noun` and the synonyms of both words."""
        table = self.singles
        return WordDistances(
            to_adjective=self._by_adjective_and_noun(table.to_adjective_synonym),
            to_noun=self._by_adjective_and_noun(table.to_noun_synonym),
            between=self._by_adjective_and_noun(table.between_synonyms),
        )

    @cached_property
    def noun_pairs(self) -> Sequence[Floats]:
        """The distances of pairs, as `pair_shares` takes them."""
        return self._by_noun_pair(self.pairs.distance)

    @cached_property
    def synonym_pairs(self) -> Sequence[Floats]:
        """The distances of pairs of phrases made of synonyms, as `pair_shares` takes them."""
        return self._by_noun_pair(self.pairs.synonym_distance)

    @cached_property
    def shares_of_pairs(self) -> tuple[Floats, Floats]:
        """`pair_shares` of the distances, for all types at once."""
        return pair_shares(self.noun_pairs, self.members())

    @cached_property
    def shares_of_synonym_pairs(self) -> tuple[Floats, Floats]:
        """`pair_shares` of the distances of synonyms, for all types at once."""
        return pair_shares(self.synonym_pairs, self.members())

    def doubles_of(self, first_type: str, second_type: str) -> MontagueDoubles:
        """The phrases of an adjective of the first type, then one of the second, and a noun."""
        types = (first_type, second_type)
        if types not in self._doubles_of_types:
            first_types, second_types = self._types_of_doubles
            is_of_types = (first_types == first_type) & (second_types == second_type)
            self._doubles_of_types[types] = self.doubles[is_of_types]
        return self._doubles_of_types[types]

    @cached_property
    def _doubles_of_types(self) -> dict[tuple[str, str], MontagueDoubles]:
        """What `doubles_of` has returned: several scores ask for it."""
        return {}

    @cached_property
    def _types_of_doubles(self) -> tuple[Names, Names]:
        """The type of the first and of the second adjective of each double, shapes (m,).

        Empty where items are restricted to other adjectives.
        """
        adjectives = self.adjectives
        types = dict(zip(adjectives.adjective.tolist(), adjectives.type.tolist(), strict=True))
        first = [types.get(adjective, "") for adjective in self.doubles.first_adjective.tolist()]
        second = [types.get(adjective, "") for adjective in self.doubles.second_adjective.tolist()]
        return np.array(first, dtype=str), np.array(second, dtype=str)

    def _by_adjective_and_noun(self, values: Floats) -> Floats:
        table = np.full((len(self.adjectives), len(self.nouns)), np.nan)
        table[self._place_of_singles] = values
        return table

    @cached_property
    def _place_of_singles(self) -> tuple[Indices, Indices]:
        """The numbers of the adjective and of the noun of each single, shapes (n,)."""
        adjective = positions(self.singles.adjective, self.adjectives.adjective)
        return adjective, positions(self.singles.noun, self.nouns.noun)

    def _by_noun_pair(self, values: Floats) -> list[Floats]:
        n_nouns = len(self.nouns)
        first: Indices = positions(self.pairs.noun, self.nouns.noun)
        second: Indices = positions(self.pairs.other_noun, self.nouns.noun)
        adjective = positions(self.pairs.adjective, self.adjectives.adjective)
        table = np.full((n_nouns, n_nouns, len(self.adjectives)), np.nan)
        table[first, second, adjective] = values
        return [table[noun, noun + 1 :] for noun in range(n_nouns - 1)]


def montague_plan(rows: Rows) -> MontagueItems:
    """Compare phrases with their words and with each other.

    Adjectives and nouns are in the order of their first appearance. Rows are `PhraseRow`s: all
    phrases with one adjective, and all or none with two.

    Raises:
        ValueError: A phrase is missing; names it.
    """
    single = [row for row in rows if row["pattern"] == "AN"]
    has_doubles = len(single) < len(rows)
    vocabulary = _Vocabulary(phrases={}, types={}, adjectives={}, nouns={})
    for row in rows:
        words = tuple(row["words"])
        vocabulary.phrases[words] = row["phrase"]
    for row in single:
        adjective, noun = row["words"]
        adjective_synonym, noun_synonym = row["synonyms"]
        vocabulary.types[adjective] = row["types"][0]
        vocabulary.adjectives[adjective] = adjective_synonym
        vocabulary.nouns[noun] = noun_synonym
    return MontagueItems(
        adjectives=MontagueAdjectives.of_columns(
            adjective=list(vocabulary.adjectives),
            type=list(vocabulary.types.values()),
            synonym=list(vocabulary.adjectives.values()),
        ),
        nouns=MontagueNouns.of_columns(
            noun=list(vocabulary.nouns),
            synonym=list(vocabulary.nouns.values()),
        ),
        singles=MontagueSingles.of_rows(vocabulary.singles()),
        doubles=MontagueDoubles.of_rows(vocabulary.doubles() if has_doubles else []),
        pairs=MontaguePairs.of_rows(vocabulary.pairs()),
    )


@dataclass(frozen=True)
class _Vocabulary:
    """The words of a plan, and its phrases.

    Attributes:
        phrases: The words of a phrase -> the phrase.
        types: An adjective -> its type.
        adjectives: An adjective -> a synonym of it.
        nouns: A noun -> a synonym of it.
    """

    phrases: dict[tuple[str, ...], str]
    types: dict[str, str]
    adjectives: dict[str, str]
    nouns: dict[str, str]

    def phrase(self, *words: str) -> str:
        if words not in self.phrases:
            raise ValueError(f"montague: there is no row for the phrase {' '.join(words)!r}")
        return self.phrases[words]

    def singles(self) -> Iterator[dict[str, Any]]:
        """The rows of `MontagueSingles`."""
        for adjective, noun in product(self.adjectives, self.nouns):
            yield {
                "adjective": adjective,
                "noun": noun,
                "phrase": self.phrase(adjective, noun),
                "adjective_synonym": self.adjectives[adjective],
                "noun_synonym": self.nouns[noun],
            }

    def doubles(self) -> Iterator[dict[str, Any]]:
        """The rows of `MontagueDoubles`."""
        for first, second, noun in product(self.adjectives, self.adjectives, self.nouns):
            if first == second:
                continue
            yield {
                "first_adjective": first,
                "second_adjective": second,
                "noun": noun,
                "phrase": self.phrase(first, second, noun),
                "first_synonym": self.adjectives[first],
                "second_synonym": self.adjectives[second],
                "noun_synonym": self.nouns[noun],
                "without_first": self.phrase(second, noun),
                "without_second": self.phrase(first, noun),
                "without_noun": f"{first} {second}",
            }

    def pairs(self) -> Iterator[dict[str, Any]]:
        """The rows of `MontaguePairs`."""
        for noun, other_noun in combinations(self.nouns, 2):
            for adjective, synonym in self.adjectives.items():
                yield {
                    "adjective": adjective,
                    "noun": noun,
                    "other_noun": other_noun,
                    "phrase": self.phrase(adjective, noun),
                    "other_phrase": self.phrase(adjective, other_noun),
                    "synonyms": f"{synonym} {self.nouns[noun]}",
                    "other_synonyms": f"{synonym} {self.nouns[other_noun]}",
                }
