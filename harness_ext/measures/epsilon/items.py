"""What ε-compositionality is computed from: how far words of compounds, and sentences with them,
are from synonyms.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices, Names, Texts, positions
from harness_ext.data.compounds import CompoundRow, slot_words
from harness_ext.data.word_frequencies import zipf_frequency
from harness_ext.measures.core.items import Items, Table, column, distance, text
from harness_ext.measures.core.measure import Rows
from harness_ext.measures.core.scores import Axis
from harness_ext.statistics.correlation import members
from harness_ext.statistics.distance import NO_DISTANCE

SLOT = Axis(
    "slot",
    {"modifier": "only the compound's modifier is replaced", "head": "only its head is replaced"},
)


@dataclass(frozen=True)
class EpsilonSamples(Table):
    """One row per sample: a compound in a sentence, a slot of it, an ordered pair of synonyms for
    that slot.
    """

    row: Names = column("Id of the dataset's row: a compound in a sentence.")
    compound: Names = column("The compound.")
    slot: Names = column("Which word of the compound is replaced: modifier or head.")
    word: Names = column("b: the compound's own word in the slot.")
    synonym: Names = column("a: a synonym of it.")
    other_synonym: Names = column("a': another one.")
    with_word: Texts = text("bc: the sentence.")
    with_synonym: Texts = text("ac: the sentence with a in the slot.")
    with_other_synonym: Texts = text("a'c: the sentence with a' in the slot.")
    phrase_distance: Floats = distance("d(a, b) of the bare words, in [0, 2].", "synonym", "word")
    context_distance: Floats = distance(
        "d(ac, bc) of the sentences with them, in [0, 2].", "with_synonym", "with_word"
    )
    baseline_phrase_distance: Floats = distance(
        "d(a, a') of the bare words, in [0, 2].", "synonym", "other_synonym"
    )
    baseline_context_distance: Floats = distance(
        "d(ac, a'c) of the sentences with them, in [0, 2].", "with_synonym", "with_other_synonym"
    )

    @property
    def has_zero_vector(self) -> Flags:
        """Whether one of the sample's vectors is zero and has no direction, shape (m,)."""
        return np.isnan(
            self.phrase_distance
            + self.context_distance
            + self.baseline_phrase_distance
            + self.baseline_context_distance
        )

    @property
    def has_zero_distance(self) -> Flags:
        """Whether a and b, or a and a', have the same direction, so that there is no ε,
        shape (m,).
        """
        return np.minimum(self.phrase_distance, self.baseline_phrase_distance) <= NO_DISTANCE


@dataclass(frozen=True)
class EpsilonCompounds(Table):
    """One row per compound of the dataset, also of those without samples."""

    compound: Names = column("The compound.")
    class_: Names = column("C, PC or NC, from people's scores; empty where there are none.")
    zipf_modifier: Floats = column("Zipf frequency of its modifier; none where it is not listed.")
    zipf_head: Floats = column("That of its head.")
    zipf_synonyms: Floats = column("Mean of those of the synonyms of both words.")


@dataclass(frozen=True)
class EpsilonItems(Items):
    """The samples, and the compounds that they are of."""

    samples: EpsilonSamples
    compounds: EpsilonCompounds

    @cached_property
    def usable(self) -> EpsilonSamples:
        """The samples of which both ε are defined: no zero vector, bare words apart."""
        return self.samples[~(self.samples.has_zero_vector | self.samples.has_zero_distance)]

    def surface(self) -> list[Floats]:
        """What tells of each compound how the words look and how frequent they are, each of shape
        (k,).

        Letters of modifier and of head; mean Jaccard overlap of the character trigrams of a word
        and a synonym of it; Zipf frequency of modifier, head and synonyms.
        """
        compounds = self.compounds
        samples = self.samples
        looks = np.full((3, len(compounds)), np.nan)
        columns = (samples.slot.tolist(), samples.word.tolist(), samples.synonym.tolist())
        pairs = list(zip(*columns, strict=True))
        compound_of_sample = positions(samples.compound, compounds.compound)
        samples_of_compounds = members(compound_of_sample, len(compounds))
        for compound, places in enumerate(samples_of_compounds):
            if len(places):
                looks[:, compound] = _looks({pairs[place] for place in places})
        return [*looks, compounds.zipf_modifier, compounds.zipf_head, compounds.zipf_synonyms]

    @cached_property
    def compound_of_usable(self) -> Indices:
        """The place of the compound of each usable sample, shape (m,)."""
        return positions(self.usable.compound, self.compounds.compound)

    @cached_property
    def classes_of_usable(self) -> Names:
        """The class of the compound of each usable sample, shape (m,)."""
        return self.compounds.class_[self.compound_of_usable]


def _looks(pairs: Set[tuple[str, str, str]]) -> tuple[float, float, float]:
    """Letters of modifier and head, and mean trigram overlap, of one compound.

    Args:
        pairs: Slot, word and synonym of its samples.
    """
    # sorted: a sum must not depend on the order of a set
    in_order = sorted(pairs)
    overlaps = [trigram_overlap(word, synonym) for _, word, synonym in in_order]
    # of two forms of a word, the last in the alphabet
    word_of_slot = {slot: word for slot, word, _ in in_order}
    n_letters = [float(len(word_of_slot.get(slot, ""))) for slot in SLOT.values]
    return n_letters[0], n_letters[1], float(np.mean(overlaps))


def epsilon_plan(rows: Rows) -> EpsilonItems:
    """List all samples: a sentence, a slot of its compound, an ordered pair of synonyms for that
    slot.

    A word is put into the sentence as it is: sentences that the dataset's authors edited are not
    used. The synonyms of a slot are the distinct words at this place in the word-by-word
    replacements, without the compound's own word. A compound or a replacement that is not two words
    gives no sample.
    """
    in_context: list[CompoundRow] = rows  # type: ignore[assignment]
    samples: list[dict[str, Any]] = []
    for row in in_context:
        if row["class"] is not None:
            samples += _samples_of(row)
    return EpsilonItems(EpsilonSamples.of_rows(samples), _compounds_of(in_context))


def _samples_of(row: CompoundRow) -> Iterator[dict[str, Any]]:
    for place, (slot, words) in enumerate(zip(SLOT.values, slot_words(row), strict=False)):
        word, *synonyms = words
        for synonym, other_synonym in permutations(synonyms, 2):
            yield {
                "row": row["id"],
                "compound": row["compound"],
                "slot": slot,
                "word": word,
                "synonym": synonym,
                "other_synonym": other_synonym,
                "with_word": _with_word(row, place, word),
                "with_synonym": _with_word(row, place, synonym),
                "with_other_synonym": _with_word(row, place, other_synonym),
            }


def _compounds_of(rows: list[CompoundRow]) -> EpsilonCompounds:
    classes = {row["compound"]: row["class"] or "" for row in rows}
    zipf_modifier, zipf_head, zipf_synonyms = _word_frequencies(rows)
    return EpsilonCompounds.of_columns(
        compound=[*classes],
        class_=[*classes.values()],
        zipf_modifier=zipf_modifier,
        zipf_head=zipf_head,
        zipf_synonyms=zipf_synonyms,
    )


def _with_word(row: CompoundRow, place: int, word: str) -> str:
    words = row["sentence"].split()
    words[row["span"][0] + place] = word
    return " ".join(words)


def _word_frequencies(rows: list[CompoundRow]) -> Floats:
    """The Zipf frequencies of modifier, head and, as their mean, the synonyms of each compound,
    shape (3, k).

    Compounds are in the order of first occurrence; a compound has the words of all its rows.
    """
    slots_of_compounds: dict[str, list[dict[str, None]]] = {}
    for row in rows:
        slots = slots_of_compounds.setdefault(row["compound"], [{}, {}])
        for distinct, words in zip(slots, slot_words(row), strict=False):
            distinct.update(dict.fromkeys(words))
    frequencies = np.full((3, len(slots_of_compounds)), np.nan)
    for compound, slots in enumerate(slots_of_compounds.values()):
        if not all(slots):
            continue
        modifier, *modifier_synonyms = slots[0]
        head, *head_synonyms = slots[1]
        synonyms = [zipf_frequency(word) for word in (*modifier_synonyms, *head_synonyms)]
        mean = np.mean(synonyms or [np.nan])
        frequencies[:, compound] = (zipf_frequency(modifier), zipf_frequency(head), mean)
    return frequencies


def trigram_overlap(one: str, other: str) -> float:
    """The Jaccard overlap of the character trigrams of two words, each with a blank on either side,
    in [0, 1].

    Examples:
        >>> trigram_overlap("dark", "darker")  # " da" "dar" "ark" of seven trigrams
        0.42857142857142855
    """
    first = _trigrams(one)
    second = _trigrams(other)
    return len(first & second) / len(first | second)


@lru_cache(maxsize=2**14)
def _trigrams(word: str) -> frozenset[str]:
    padded = f" {word} "
    return frozenset(padded[start : start + 3] for start in range(len(word)))
