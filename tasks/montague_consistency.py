"""Montague modifier consistency, on all phrases of the released vocabulary or on the phrases with one adjective."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.montague import MONTAGUE
from harness_ext.evaluators.montague_items import (
    MontagueAdjectives,
    MontagueItems,
    MontagueNouns,
    MontaguePhrases,
    montague_items,
)
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import task_metadata


class _AbsMontagueConsistency(AbsTaskCompositionality):
    measure = MONTAGUE
    text_column = "phrase"
    label_column = "pattern"

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> MontagueItems:
        """See the base class."""
        table = TextTable()
        phrases = montague_phrases(rows, table)
        return montague_items(encode(table.texts), phrases)


def montague_phrases(rows: list[dict[str, Any]], table: TextTable) -> MontaguePhrases:
    """Arrange the rows by adjective and noun, each in the order of first appearance.

    Args:
        rows: Rows of `modifier_phrases`; all phrases with one adjective, and all or none with two.
        table: Receives every compared text.

    Raises:
        ValueError: A phrase is missing; names it.
    """
    numbers = {tuple(row["words"]): table.add(row["phrase"]) for row in rows}
    single = [row for row in rows if row["pattern"] == "AN"]
    types = {row["words"][0]: row["types"][0] for row in single}
    adjectives = {row["words"][0]: row["synonyms"][0] for row in single}
    nouns = {row["words"][1]: row["synonyms"][1] for row in single}

    def number(*words: str) -> int:
        try:
            return numbers[words]
        except KeyError:
            raise ValueError(f"modifier_phrases: there is no row for the phrase {' '.join(words)!r}") from None

    def add(*words: str) -> int:
        return table.add(" ".join(words))

    double = None
    stacked = None
    if len(single) < len(rows):
        double = [[[number(a, b, n) if a != b else -1 for n in nouns] for b in adjectives] for a in adjectives]
        stacked = [[add(a, b) if a != b else -1 for b in adjectives] for a in adjectives]
    return MontaguePhrases(
        adjectives=MontagueAdjectives(
            np.array(list(adjectives)), np.array(list(types.values())), np.array(list(adjectives.values()))
        ),
        nouns=MontagueNouns(np.array(list(nouns)), np.array(list(nouns.values()))),
        adjective=np.array([add(word) for word in adjectives]),
        noun=np.array([add(word) for word in nouns]),
        phrase=np.array([[number(a, n) for n in nouns] for a in adjectives]),
        adjective_synonym=np.array([add(word) for word in adjectives.values()]),
        noun_synonym=np.array([add(word) for word in nouns.values()]),
        phrase_synonym=np.array([[add(a, n) for n in nouns.values()] for a in adjectives.values()]),
        double=None if double is None else np.array(double),
        both_adjectives=None if stacked is None else np.array(stacked),
    )


class MontagueConsistency(_AbsMontagueConsistency):
    """All three tests on all 44 652 phrases; needs no download."""

    metadata = task_metadata("MontagueConsistency")


class MontagueConsistencyFast(_AbsMontagueConsistency):
    """The tests of the 732 phrases with one adjective; the main score needs no others."""

    metadata = task_metadata("MontagueConsistencyFast")

    def dataset_transform(self, num_proc: int | None = None, **kwargs: Any) -> None:
        """Keep only the phrases with one adjective."""
        assert self.dataset is not None
        self.dataset = {
            split: rows.filter(lambda pattern: pattern == "AN", input_columns="pattern")
            for split, rows in self.dataset.items()
        }
