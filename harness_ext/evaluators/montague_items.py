"""What Montague modifier consistency is computed from: how far phrases are from their words, and from other phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from harness_ext.arrays import Array, Flags, Floats, Names, Places, Vectors
from harness_ext.evaluators.items import Items, Table, column, distance_of
from harness_ext.evaluators.montague_pairs import NounPairs, pair_shares, ratio
from harness_ext.statistics.distance import TIE, at_most, chord, cosine_distance

if TYPE_CHECKING:
    NounDistances = Sequence[Floats] | NounPairs

TYPES = {
    "S-I": "subsective, intersective: a wild dog is a dog, and wild",
    "S-NI": "subsective, not intersective: a skilful king is a king, skilful as kings go",
    "NS-Pl": "plain non-subsective: an alleged king may be a king or not",
    "NS-Pr": "privative non-subsective: a fake dog is no dog",
    "A": "ambiguous: big, small, old",
}
"""The types of adjectives, and what they mean."""

_MAX_LISTED_PAIRS = 2_000_000
"""The words of more rows than these would take more memory than the vectors do."""


@dataclass(frozen=True)
class MontagueAdjectives(Table):
    """One row per adjective, in the order of the vocabulary."""

    adjective: Names = column("The adjective.", str)
    type: Names = column("What it does to a noun: S-I, S-NI, NS-Pl, NS-Pr or A.", str)
    synonym: Names = column("A synonym of it.", str)


@dataclass(frozen=True)
class MontagueNouns(Table):
    """One row per noun, in the order of the vocabulary."""

    noun: Names = column("The noun.", str)
    synonym: Names = column("A synonym of it.", str)


@dataclass(frozen=True)
class MontagueSingles(Table):
    """One row per phrase p of an adjective a and a noun n; a' and n' are synonyms of them."""

    adjective: Names = column("a: the adjective.", str)
    noun: Names = column("n: the noun.", str)
    to_adjective: Floats = distance_of("d(p, a), in [0, 2].", "{adjective} {noun}", "{adjective}")
    to_noun: Floats = distance_of("d(p, n), in [0, 2].", "{adjective} {noun}", "{noun}")
    between_words: Floats = distance_of("d(a, n), in [0, 2].", "{adjective}", "{noun}")
    to_adjective_synonym: Floats = distance_of("d(p, a'), in [0, 2].", "{adjective} {noun}", "{adjective}'")
    to_noun_synonym: Floats = distance_of("d(p, n'), in [0, 2].", "{adjective} {noun}", "{noun}'")
    between_synonyms: Floats = distance_of("d(a', n'), in [0, 2].", "{adjective}'", "{noun}'")


@dataclass(frozen=True)
class MontagueDoubles(Table):
    """One row per phrase p of two different adjectives and a noun."""

    first_adjective: Names = column("The first adjective.", str)
    second_adjective: Names = column("The second adjective.", str)
    noun: Names = column("The noun.", str)
    to_words: Floats = distance_of(
        "The greatest d(p, word) of its three words, in [0, 2].",
        "{first_adjective} {second_adjective} {noun}",
        "{first_adjective}",
        "{second_adjective}",
        "{noun}",
    )
    between_words: Floats = distance_of(
        "The least d(word, other word) of its words, in [0, 2].", "{first_adjective}", "{second_adjective}", "{noun}"
    )
    between_parts: Floats = distance_of(
        "The least d(word, the other two words), in [0, 2].",
        "{first_adjective}",
        "{second_adjective}",
        "{noun}",
        "{second_adjective} {noun}",
        "{first_adjective} {noun}",
        "{first_adjective} {second_adjective}",
    )
    to_synonyms: Floats = distance_of(
        "The greatest d(p, synonym of a word of it), in [0, 2].",
        "{first_adjective} {second_adjective} {noun}",
        "{first_adjective}'",
        "{second_adjective}'",
        "{noun}'",
    )
    between_synonyms: Floats = distance_of(
        "The least d(synonym, other synonym), in [0, 2].", "{first_adjective}'", "{second_adjective}'", "{noun}'"
    )


@dataclass(frozen=True)
class MontaguePairs(Table):
    """One row per adjective and pair of nouns, the first of which stands first in the vocabulary."""

    adjective: Names = column("a: the adjective.", str)
    noun: Names = column("n1: the first noun.", str)
    other_noun: Names = column("n2: the other noun.", str)
    distance: Floats = distance_of("d(a n1, a n2), in [0, 2].", "{adjective} {noun}", "{adjective} {other_noun}")
    synonym_distance: Floats = distance_of(
        "The same with the synonyms of all three words, in [0, 2].",
        "{adjective}' {noun}'",
        "{adjective}' {other_noun}'",
    )

    def by_noun(self, adjectives: MontagueAdjectives, nouns: MontagueNouns) -> tuple[NounDistances, NounDistances]:
        """The distances and those of the synonyms, each as `pair_shares` takes them."""
        n1, n2 = (places(names, nouns.noun) for names in (self.noun, self.other_noun))
        a = places(self.adjective, adjectives.adjective)
        n_nouns = len(nouns)
        table = np.full((2, n_nouns, n_nouns, len(adjectives)), np.nan)
        table[:, n1, n2, a] = self.distance, self.synonym_distance
        words, synonyms = ([part[n, n + 1 :] for n in range(n_nouns - 1)] for part in table)
        return words, synonyms


class UnlistedPairs(MontaguePairs):
    """Too many pairs to list. They have no columns; their distances are computed whenever they are asked for."""

    _by_noun: tuple[NounPairs, NounPairs]

    def __init__(self, words: NounPairs, synonyms: NounPairs) -> None:
        object.__setattr__(self, "_by_noun", (words, synonyms))

    def __len__(self) -> int:
        return len(self._by_noun[0])

    def values(self) -> dict[str, Array]:
        """None."""
        return {}

    def by_noun(self, adjectives: MontagueAdjectives, nouns: MontagueNouns) -> tuple[NounPairs, NounPairs]:
        """As of listed pairs."""
        return self._by_noun


@dataclass(frozen=True)
class WordDistances:
    """How far an `adjective noun` is from its words, and these from each other; each of shape (A, N)."""

    to_adjective: Floats
    to_noun: Floats
    between: Floats

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
        """The adjective's share in the phrase's distances from its words; NaN where the three are in one place."""
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
        inside: Flags = self.adjectives.type == np.array(list(TYPES))[:, None]
        return inside

    def words(self) -> WordDistances:
        """The distances of an `adjective noun` and its words."""
        table = self.singles
        return WordDistances(*self._by_adjective_and_noun(table.to_adjective, table.to_noun, table.between_words))

    def synonyms(self) -> WordDistances:
        """The distances of an `adjective noun` and the synonyms of its words."""
        table = self.singles
        return WordDistances(
            *self._by_adjective_and_noun(table.to_adjective_synonym, table.to_noun_synonym, table.between_synonyms)
        )

    @cached_property
    def noun_pairs(self) -> tuple[NounDistances, NounDistances]:
        """The distances of pairs and those of their synonyms, each as `pair_shares` takes them."""
        return self.pairs.by_noun(self.adjectives, self.nouns)

    @cached_property
    def shares_of_pairs(self) -> list[tuple[Floats, Floats]]:
        """`pair_shares` of the distances and of those of the synonyms, for all types at once."""
        return [pair_shares(distances, self.members()) for distances in self.noun_pairs]

    def _by_adjective_and_noun(self, *columns: Floats) -> Floats:
        table = np.full((len(columns), len(self.adjectives), len(self.nouns)), np.nan)
        a = places(self.singles.adjective, self.adjectives.adjective)
        table[:, a, places(self.singles.noun, self.nouns.noun)] = columns
        return table


@dataclass(frozen=True)
class MontaguePhrases:
    """What is compared, as rows of the vectors: A adjectives and N nouns, in the order of the vocabulary.

    Attributes:
        adjectives: The adjectives, with their types.
        nouns: The nouns.
        adjective: The adjectives alone, shape (A,).
        noun: The nouns alone, shape (N,).
        phrase: `adjective noun`, shape (A, N).
        adjective_synonym: A synonym of each adjective, shape (A,).
        noun_synonym: A synonym of each noun, shape (N,).
        phrase_synonym: `adjective noun`, made of the synonyms, shape (A, N).
        double: `adj1 adj2 noun`, shape (A, A, N), where adj1 ≠ adj2; None to leave these phrases out.
        both_adjectives: `adj1 adj2`, shape (A, A), where adj1 ≠ adj2; None only if `double` is.
    """

    adjectives: MontagueAdjectives
    nouns: MontagueNouns
    adjective: Places
    noun: Places
    phrase: Places
    adjective_synonym: Places
    noun_synonym: Places
    phrase_synonym: Places
    double: Places | None = None
    both_adjectives: Places | None = None


def montague_items(vectors: Vectors, phrases: MontaguePhrases) -> MontagueItems:
    """Compute the distances that the three tests and their synonym controls compare.

    Args:
        vectors: One vector per distinct text, shape (n, d).
        phrases: Which of them are compared.
    """
    return MontagueItems(
        adjectives=phrases.adjectives,
        nouns=phrases.nouns,
        singles=_singles(vectors, phrases),
        doubles=_doubles(vectors, phrases),
        pairs=_pairs(vectors, phrases),
    )


def places(names: Names, known: Names) -> Places:
    """Where each of the names stands in `known`, shape (m,).

    Raises:
        KeyError: It stands nowhere there; names it.
    """
    number = {name: place for place, name in enumerate(known.tolist())}
    return np.array([number[name] for name in names.tolist()], dtype=np.intp)


def _singles(vectors: Vectors, phrases: MontaguePhrases) -> MontagueSingles:
    adjectives, nouns = phrases.adjectives.adjective, phrases.nouns.noun

    def distances(adjective: Places, noun: Places) -> list[Floats]:
        pairs = ((phrases.phrase, adjective[:, None]), (phrases.phrase, noun), (adjective[:, None], noun))
        return [cosine_distance(vectors, *pair).ravel() for pair in pairs]

    return MontagueSingles(
        np.repeat(adjectives, len(nouns)),
        np.tile(nouns, len(adjectives)),
        *distances(phrases.adjective, phrases.noun),
        *distances(phrases.adjective_synonym, phrases.noun_synonym),
    )


def _doubles(vectors: Vectors, phrases: MontaguePhrases) -> MontagueDoubles:
    if phrases.double is None:
        return MontagueDoubles(*np.zeros((8, 0)))
    assert phrases.both_adjectives is not None
    different = ~np.eye(len(phrases.adjectives), dtype=bool)
    a1, a2, n = np.nonzero(np.broadcast_to(different[..., None], phrases.double.shape))
    words = np.array([phrases.adjective[a1], phrases.adjective[a2], phrases.noun[n]])
    synonyms = np.array([phrases.adjective_synonym[a1], phrases.adjective_synonym[a2], phrases.noun_synonym[n]])
    rests = np.array([phrases.phrase[a2, n], phrases.phrase[a1, n], phrases.both_adjectives[a1, a2]])
    to_parts = cosine_distance(vectors, phrases.double[a1, a2, n], np.array([words, synonyms]))
    to_words, to_synonyms = to_parts.max(axis=1)

    def nearest(parts: Places, others: Places) -> Floats:
        near: Floats = cosine_distance(vectors, parts, others).min(axis=0)
        return near

    return MontagueDoubles(
        first_adjective=phrases.adjectives.adjective[a1],
        second_adjective=phrases.adjectives.adjective[a2],
        noun=phrases.nouns.noun[n],
        to_words=to_words,
        between_words=nearest(words, np.roll(words, 1, axis=0)),
        between_parts=nearest(words, rests),
        to_synonyms=to_synonyms,
        between_synonyms=nearest(synonyms, np.roll(synonyms, 1, axis=0)),
    )


def _pairs(vectors: Vectors, phrases: MontaguePhrases) -> MontaguePairs:
    words, synonyms = NounPairs(vectors, phrases.phrase), NounPairs(vectors, phrases.phrase_synonym)
    if len(words) > _MAX_LISTED_PAIRS:
        return UnlistedPairs(words, synonyms)
    adjectives, nouns = phrases.adjectives.adjective, phrases.nouns.noun
    n1, n2 = np.triu_indices(len(nouns), 1)
    return MontaguePairs(
        adjective=np.tile(adjectives, len(n1)),
        noun=np.repeat(nouns[n1], len(adjectives)),
        other_noun=np.repeat(nouns[n2], len(adjectives)),
        distance=words.listed(),
        synonym_distance=synonyms.listed(),
    )
