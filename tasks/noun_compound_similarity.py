"""Affinity and Scaled Similarity of noun compounds, on NCIMP and on this project's own small dataset."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from mteb.abstasks.task_metadata import TaskMetadata

from harness_ext.abstask import AbsTaskCompositionality
from harness_ext.data.compounds import words_of
from harness_ext.encoders.texts import SpanTable, TextTable
from harness_ext.evaluators.similarity import Compounds, Probes, SimilarityResult, affinity, scaled_similarity
from harness_ext.tasks.metadata import COMPOUND_MINI, NCIMP, ON_COMPOUND_MINI

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from harness_ext.data.compounds import CompoundRow, Probe
    from harness_ext.encoders.encoding import TaskEncoder


class _AbsNounCompoundSimilarity(AbsTaskCompositionality):
    with_words = False
    """Whether the compound's single words are probes too."""

    @staticmethod
    @abstractmethod
    def evaluate_level(vectors: NDArray[np.floating[Any]], probes: Probes, compounds: Compounds) -> SimilarityResult:
        """The task's evaluator."""

    def measure(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> tuple[dict[str, float], list[dict[str, Any]]]:
        in_context: list[CompoundRow] = rows  # type: ignore[assignment]
        table = SpanTable()
        probes = probes_of(in_context, table, self.with_words)
        compounds = compounds_of(in_context, with_length=encode.hf_split == "naturalistic")
        scores: dict[str, float] = {
            "span_level": int(encode.has_spans),
            "n_excluded_unscored": int(np.isnan(compounds.type_score).sum()),
        }
        predictions = [{key: row[key] for key in ("id", "compound", "class")} for row in rows]
        for level, vectors in levels(table, encode):
            result = self.evaluate_level(vectors, probes, compounds)
            for key, value in result.scores.items():
                scores[f"{key}_{level}" if key.startswith("n_excluded") else f"{level}_{key}"] = value
            for measure, values in result.values.items():
                for prediction, value in zip(predictions, values.tolist(), strict=True):
                    prediction[f"{level}_{measure}"] = None if np.isnan(value) else value
        return scores, predictions


def levels(table: SpanTable, encode: TaskEncoder) -> Iterator[tuple[str, NDArray[np.floating[Any]]]]:
    """The name of each level at which the model gives vectors, with one vector per place in the table, (n, d)."""
    sentences = TextTable()
    rows = [sentences.add(sentence) for sentence in table.sentences]
    yield "sentence", encode(sentences.texts)[rows]
    if encode.has_spans:
        yield "span", encode.spans(table)


def probes_of(rows: list[CompoundRow], table: SpanTable, with_words: bool) -> Probes:
    """Which probes are compared in each of the m rows.

    Args:
        rows: Compounds in sentences.
        table: Gets every probe that is compared.
        with_words: Whether the head alone and the modifier alone are compared.
    """

    def add(probes: Iterable[Probe | CompoundRow]) -> NDArray[np.intp]:
        return np.array([table.add(probe["sentence"], probe["span"]) for probe in probes], dtype=np.intp)

    return Probes(
        original=add(rows),
        syn=add(row["syn"] for row in rows),
        words_syn=add(row["words_syn"][0] for row in rows),
        rand=np.array([add(row["rand"]) for row in rows]),
        words=np.array([add([row["head"], row["modifier"]]) for row in rows]) if with_words else None,
    )


def compounds_of(rows: list[CompoundRow], *, with_length: bool) -> Compounds:
    """What is known about the compounds of `rows`, in the order in which they first occur.

    A compound shares a word with its gold synonym if it does in any of its rows, as it is written there.

    Args:
        rows: Compounds in sentences.
        with_length: Whether the length of the sentences is of interest.
    """
    one_row = {row["compound"]: row for row in rows}
    number = {compound: index for index, compound in enumerate(one_row)}

    def words(expression: str) -> set[str]:
        return set(words_of(expression.casefold()))

    sharing = {row["compound"] for row in rows if words(row["surface"]) & words(row["syn"]["expression"])}
    return Compounds(
        compound=np.array([number[row["compound"]] for row in rows]),
        classes=np.array([row["class"] or "" for row in one_row.values()]),
        type_score=np.array([row["type_score"] for row in one_row.values()], dtype=np.float64),
        shares_word=np.array([compound in sharing for compound in one_row]),
        length=np.array([len(row["sentence"].split()) for row in rows]) if with_length else None,
    )


class _AbsNounCompoundAffinity(_AbsNounCompoundSimilarity):
    with_words = True
    evaluate_level = staticmethod(affinity)


class _AbsNounCompoundScaledSimilarity(_AbsNounCompoundSimilarity):
    evaluate_level = staticmethod(scaled_similarity)


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
