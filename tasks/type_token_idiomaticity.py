"""Type- and token-level idiomaticity of noun compounds, on NCTTI."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from harness_ext.data.compounds import words_of
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.texts import SpanTable, TextTable
from harness_ext.evaluators.type_token import (
    TYPE_TOKEN,
    TypeTokenComparisons,
    TypeTokenCompounds,
    TypeTokenItems,
    TypeTokenSentences,
    type_token_items,
)
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import task_metadata

logger = logging.getLogger(__name__)


class TypeTokenIdiomaticity(AbsTaskCompositionality):
    """Do the vectors of noun compounds show how idiomatic they are, as types and in each sentence?"""

    metadata = task_metadata("TypeTokenIdiomaticity")

    measure = TYPE_TOKEN
    label_column = "expert_class"

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> TypeTokenItems:
        """See the base class."""
        for column, what in (("sentence", "a sentence in NCIMP"), ("token_score", "a score in NCTTI")):
            if misses := [row["id"] for row in rows if row[column] is None]:
                logger.warning("%s: left out without %s: %s.", self.metadata.name, what, ", ".join(misses))
        used = [row for row in rows if row["sentence"] is not None and row["token_score"] is not None]
        of_compound = {row["compound"]: row for row in rows}
        texts, table = TextTable(), SpanTable()
        whole = type_token_comparisons(used, texts.add, lambda row: texts.add(row["sentence"]))
        if encode.has_spans:
            inside = type_token_comparisons(
                used,
                lambda text: table.add(text, (0, len(text.split()))),
                lambda row: table.add(row["sentence"], row["span"]),
            )
            vectors, spans = encode.with_spans(texts.texts, table, layer_pooling="concatenate")
            levels = {"sentence": (vectors, whole), "span": (spans, inside)}
        else:
            levels = {"sentence": (encode(texts.texts), whole)}
        return type_token_items(
            levels,
            TypeTokenSentences(
                row=np.array([row["id"] for row in rows]),
                compound=np.array([row["compound"] for row in rows]),
                score=np.array([row["token_score"] for row in rows], dtype=np.float64),
                has_sentence=np.array([row["sentence"] is not None for row in rows]),
            ),
            TypeTokenCompounds(
                compound=np.array(list(of_compound)),
                class_=np.array([row["expert_class"] or "" for row in of_compound.values()]),
                type_score=np.array([row["type_score"] for row in of_compound.values()], dtype=np.float64),
            ),
        )


def type_token_comparisons(
    rows: list[dict[str, Any]], add: Callable[[str], int], add_sentence: Callable[[dict[str, Any]], int]
) -> TypeTokenComparisons:
    """Number the texts to compare at one level.

    Args:
        rows: Compounds in sentences.
        add: Numbers a compound or a word fed alone.
        add_sentence: Numbers the sentence of a row, or the compound in it.
    """
    number: dict[str, int] = {}
    compound_of = [number.setdefault(row["compound"], len(number)) for row in rows]
    words = [(place, word) for place, compound in enumerate(number) for word in words_of(compound)]
    return TypeTokenComparisons(
        compounds=np.array(list(number)),
        compound=np.array([add(compound) for compound in number], dtype=np.intp),
        word=np.array([add(word) for _, word in words], dtype=np.intp),
        word_of=np.array([place for place, _ in words], dtype=np.intp),
        rows=np.array([row["id"] for row in rows]),
        sentence=np.array([add_sentence(row) for row in rows], dtype=np.intp),
        compound_of=np.array(compound_of, dtype=np.intp),
    )
