"""ε-compositionality of noun compounds, on NCIMP and on this project's own small dataset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from harness_ext.arrays import Floats
from harness_ext.data.agreement import with_article
from harness_ext.data.compounds import CompoundRow, slot_words
from harness_ext.data.word_frequencies import zipf_frequency
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.epsilon import (
    EPSILON,
    SLOT,
    EpsilonComparisons,
    EpsilonCompounds,
    EpsilonItems,
    epsilon_items,
)
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import task_metadata


class _AbsEpsilonCompositionality(AbsTaskCompositionality):
    measure = EPSILON

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> EpsilonItems:
        """See the base class."""
        in_context: list[CompoundRow] = rows  # type: ignore[assignment]
        table = TextTable()
        scored = [row for row in in_context if row["class"] is not None]
        comparisons = epsilon_comparisons(scored, table, agree=encode.hf_split.endswith("_agreed"))
        classes = {row["compound"]: row["class"] or "" for row in rows}
        compounds = EpsilonCompounds(
            np.array(list(classes)), np.array(list(classes.values())), *word_frequencies(in_context)
        )
        return epsilon_items(encode(table.texts), comparisons, compounds)


def word_frequencies(rows: list[CompoundRow]) -> Floats:
    """The Zipf frequencies of modifier, head and, as their mean, the synonyms of each compound, shape (3, k).

    Compounds are in the order of first occurrence; a compound has the words of all its rows.
    """
    slots: dict[str, list[dict[str, None]]] = {}
    for row in rows:
        own = slots.setdefault(row["compound"], [{}, {}])
        for seen, words in zip(own, slot_words(row), strict=False):
            seen.update(dict.fromkeys(words))
    found = np.full((3, len(slots)), np.nan)
    for column, own in enumerate(slots.values()):
        if all(own):
            (modifier, *first), (head, *second) = own
            synonyms = [zipf_frequency(word) for word in (*first, *second)]
            found[:, column] = zipf_frequency(modifier), zipf_frequency(head), np.mean(synonyms or [np.nan])
    return found


def epsilon_comparisons(rows: list[CompoundRow], table: TextTable, *, agree: bool = False) -> EpsilonComparisons:
    """List all samples of `rows`: a sentence, a slot of its compound, an ordered pair of synonyms for that slot.

    The synonyms of a slot are the distinct words at this place in the word-by-word replacements, without the compound's
    own word. A compound or a replacement that is not two words gives no sample.

    Args:
        rows: Compounds in sentences.
        table: Receives every compared text.
        agree: Whether the article before the compound follows the word after it.
    """

    def samples() -> Iterator[tuple[list[str], list[int]]]:
        for row in rows:
            for place, (slot, words) in enumerate(zip(SLOT.values, slot_words(row), strict=False)):
                word, *synonyms = words
                for a, other in permutations(synonyms, 2):
                    phrase = [table.add(text) for text in (word, a, other)]
                    context = [table.add(_with_word(row, place, text, agree)) for text in (word, a, other)]
                    yield [row["id"], row["compound"], slot, word, a, other], phrase + context

    found = list(samples())
    names = np.array([names for names, _ in found], dtype=str).reshape(-1, 6)
    numbers = np.array([numbers for _, numbers in found], dtype=np.intp).reshape(-1, 6)
    return EpsilonComparisons(names=names, phrase=numbers[:, :3], context=numbers[:, 3:])


def _with_word(row: CompoundRow, place: int, word: str, agree: bool) -> str:
    words, start = row["sentence"].split(), row["span"][0]
    original = words[start]
    words[start + place] = word
    return " ".join(with_article(words, start, original) if agree else words)


class EpsilonCompositionality(_AbsEpsilonCompositionality):
    """ε-compositionality on the naturalistic English sentences of NCIMP, as in the paper."""

    metadata = task_metadata("EpsilonCompositionality")


class EpsilonCompositionalityMini(_AbsEpsilonCompositionality):
    """ε-compositionality on `compound_mini`: 60 compounds, no download."""

    metadata = task_metadata("EpsilonCompositionalityMini")
