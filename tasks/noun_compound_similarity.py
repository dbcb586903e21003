"""Affinity and Scaled Similarity of noun compounds, on NCIMP and on this project's own small dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from mteb.abstasks.task_metadata import TaskMetadata

from harness_ext.data.compounds import words_of
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
from harness_ext.tasks.metadata import COMPOUND_MINI, NCIMP, ON_COMPOUND_MINI

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from harness_ext.data.compounds import CompoundRow, Probe
    from harness_ext.encoders.encoding import TaskEncoder


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


def levels(table: SpanTable, encode: TaskEncoder) -> Iterator[tuple[str, NDArray[np.floating[Any]]]]:
    """Yield each level of the model's vectors: its name, and one vector per place in the table, (n, d)."""
    sentences = TextTable()
    rows = [sentences.add(sentence) for sentence in table.sentences]
    yield "sentence", encode(sentences.texts)[rows]
    if encode.has_spans:
        yield "span", encode.spans(table)


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

    A compound shares a word with its gold synonym if it does so in any of its rows, as written there.
    """
    one_row = {row["compound"]: row for row in rows}

    def words(expression: str) -> set[str]:
        return set(words_of(expression.casefold()))

    sharing = {row["compound"] for row in rows if words(row["surface"]) & words(row["syn"]["expression"])}
    return SimilarityCompounds(
        compound=np.array(list(one_row)),
        class_=np.array([row["expert_class"] or "" for row in one_row.values()]),
        comp=np.array([row["comp"] for row in one_row.values()], dtype=np.float64),
        type_score=np.array([row["type_score"] for row in one_row.values()], dtype=np.float64),
        shares_word=np.array([compound in sharing for compound in one_row]),
    )


class _AbsNounCompoundAffinity(_AbsNounCompoundSimilarity):
    measure = AFFINITY
    with_words = True


class _AbsNounCompoundScaledSimilarity(_AbsNounCompoundSimilarity):
    measure = SCALED_SIMILARITY


_AFFINITY = (
    "In the sentence of an idiom, which replacement is nearer to the original: a synonym of the whole compound, or "
    "synonyms of its words? Main score: the share of idioms for which it is the synonym of the whole (0.5 by chance)."
)
_SCALED_SIMILARITY = (
    "How near does a synonym of a noun compound keep its sentence to the original, on a scale from unrelated "
    "expressions (0) to the original itself (1)?"
)


class NounCompoundAffinity(_AbsNounCompoundAffinity):
    """Affinity on NCIMP."""

    metadata = TaskMetadata(
        name="NounCompoundAffinity", description=_AFFINITY, main_score="sentence_forced_choice_nc", **NCIMP
    )


class NounCompoundScaledSimilarity(_AbsNounCompoundScaledSimilarity):
    """Scaled Similarity on NCIMP."""

    metadata = TaskMetadata(
        name="NounCompoundScaledSimilarity",
        description=_SCALED_SIMILARITY,
        main_score="sentence_scaled_sim_syn",
        **NCIMP,
    )


class NounCompoundAffinityMini(_AbsNounCompoundAffinity):
    """Affinity on `compound_mini`, which has no human scores to correlate with."""

    metadata = TaskMetadata(
        name="NounCompoundAffinityMini",
        description=f"{_AFFINITY} {ON_COMPOUND_MINI}",
        main_score="sentence_forced_choice_nc",
        **COMPOUND_MINI,
    )


class NounCompoundScaledSimilarityMini(_AbsNounCompoundScaledSimilarity):
    """Scaled Similarity on `compound_mini`, which has no human scores to correlate with."""

    metadata = TaskMetadata(
        name="NounCompoundScaledSimilarityMini",
        description=f"{_SCALED_SIMILARITY} {ON_COMPOUND_MINI}",
        main_score="sentence_scaled_sim_syn",
        **COMPOUND_MINI,
    )
