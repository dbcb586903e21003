"""Affinity and Scaled Similarity of noun compounds, on NCIMP and on this project's own small dataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from harness_ext.arrays import Vectors
from harness_ext.data.compounds import CompoundRow, Probe, words_of
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.texts import SpanTable, TextTable
from harness_ext.evaluators.affinity import AFFINITY
from harness_ext.evaluators.scaled_similarity import SCALED_SIMILARITY
from harness_ext.evaluators.similarity import (
    SimilarityComparisons,
    SimilarityCompounds,
    SimilarityItems,
    SimilaritySentences,
    similarity_items,
)
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import task_metadata


class _AbsNounCompoundSimilarity(AbsTaskCompositionality):
    label_column = "expert_class"
    with_words = False
    """Whether the compound's single words are probes too, and vectors are also standardised (rogue dimensions)."""

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> SimilarityItems:
        """See the base class."""
        in_context: list[CompoundRow] = rows  # type: ignore[assignment]
        table = SpanTable()
        comparisons = similarity_comparisons(in_context, table, self.with_words)
        sentences = SimilaritySentences(
            row=np.array([row["id"] for row in in_context]),
            compound=np.array([row["compound"] for row in in_context]),
            # all neutral sentences have one frame
            length=np.array([len(row["sentence"].split()) for row in in_context], dtype=float)
            if encode.hf_split == "naturalistic"
            else np.full(len(rows), np.nan),
        )
        vectors = dict(levels(table, encode))
        compounds = similarity_compounds(in_context)
        return similarity_items(vectors, comparisons, sentences, compounds, standardise=self.with_words)


def levels(table: SpanTable, encode: TaskEncoder) -> Iterator[tuple[str, Vectors]]:
    """Yield each level of the model's vectors: its name, and one vector per place in the table, (n, d)."""
    sentences = TextTable()
    rows = [sentences.add(sentence) for sentence in table.sentences]
    if encode.has_spans:
        of_sentences, of_spans = encode.with_spans(sentences.texts, table)
        yield from (("sentence", of_sentences[rows]), ("span", of_spans))
    else:
        yield "sentence", encode(sentences.texts)[rows]


def similarity_comparisons(rows: list[CompoundRow], table: SpanTable, with_words: bool) -> SimilarityComparisons:
    """List the probes to compare with each row.

    Args:
        rows: Compounds in sentences.
        table: Receives every compared sentence.
        with_words: Whether the head alone and the modifier alone are compared.
    """

    def probes(row: CompoundRow) -> Iterator[tuple[str, Probe]]:
        yield "syn", row["syn"]
        yield "words_syn", row["words_syn"][0]
        yield from (("rand", probe) for probe in row["rand"])
        if with_words:
            yield from (("head", row["head"]), ("modifier", row["modifier"]))

    names, numbers = [], []
    for row in rows:
        original = table.add(row["sentence"], row["span"])
        for kind, probe in probes(row):
            names.append([row["id"], row["compound"], kind, probe["expression"]])
            numbers.append([original, table.add(probe["sentence"], probe["span"])])
    original_rows, replaced_rows = np.array(numbers, dtype=np.intp).T
    return SimilarityComparisons(np.array(names), original_rows, replaced_rows)


def similarity_compounds(rows: list[CompoundRow]) -> SimilarityCompounds:
    """Collect the facts about the compounds of `rows`, in the order of first occurrence.

    A compound shares a word with its gold synonym if it does so in any of its rows, as written there. Its class is the
    experts'; in data without experts (Italian) it is that of its score.
    """
    of_experts = any(row["expert_class"] for row in rows)
    one_row = {row["compound"]: row for row in rows}

    def words(expression: str) -> set[str]:
        return set(words_of(expression.casefold()))

    sharing = {row["compound"] for row in rows if words(row["surface"]) & words(row["syn"]["expression"])}
    return SimilarityCompounds(
        compound=np.array(list(one_row)),
        class_=np.array([(row["expert_class"] if of_experts else row["class"]) or "" for row in one_row.values()]),
        comp=np.array([row["comp"] for row in one_row.values()], dtype=np.float64),
        type_score=np.array([row["type_score"] for row in one_row.values()], dtype=np.float64),
        shares_word=np.array([compound in sharing for compound in one_row]),
    )


class _AbsNounCompoundAffinity(_AbsNounCompoundSimilarity):
    measure = AFFINITY
    with_words = True


class _AbsNounCompoundScaledSimilarity(_AbsNounCompoundSimilarity):
    measure = SCALED_SIMILARITY


class NounCompoundAffinity(_AbsNounCompoundAffinity):
    """Affinity on NCIMP."""

    metadata = task_metadata("NounCompoundAffinity")


class NounCompoundScaledSimilarity(_AbsNounCompoundScaledSimilarity):
    """Scaled Similarity on NCIMP."""

    metadata = task_metadata("NounCompoundScaledSimilarity")


class NounCompoundAffinityMini(_AbsNounCompoundAffinity):
    """Affinity on `compound_mini`, which has no human scores to correlate with."""

    metadata = task_metadata("NounCompoundAffinityMini")


class NounCompoundScaledSimilarityMini(_AbsNounCompoundScaledSimilarity):
    """Scaled Similarity on `compound_mini`, which has no human scores to correlate with."""

    metadata = task_metadata("NounCompoundScaledSimilarityMini")
