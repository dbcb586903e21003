"""Type- and token-level idiomaticity of noun compounds, on NCTTI."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from mteb.abstasks.task_metadata import TaskMetadata

from harness_ext.abstask import AbsTaskCompositionality
from harness_ext.data.compounds import words_of
from harness_ext.encoders.texts import SpanTable, TextTable
from harness_ext.evaluators.type_token import CompoundVectors, Tokens, phrase_additivity, type_token
from harness_ext.tasks.metadata import NCIMP, NCIMP_CITATION

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from harness_ext.encoders.encoding import TaskEncoder

logger = logging.getLogger(__name__)

_NCTTI_CITATION = r"""@inproceedings{garcia-etal-2021-assessing,
  author = {Garcia, Marcos and Kramer Vieira, Tiago and Scarton, Carolina and Idiart, Marco
    and Villavicencio, Aline},
  booktitle = {Proceedings of ACL-IJCNLP 2021},
  title = {Assessing the Representations of Idiomaticity in Vector Models with a Noun Compound Dataset
    Labeled at Type and Token Levels},
  year = {2021},
}"""


class TypeTokenIdiomaticity(AbsTaskCompositionality):
    """Do the vectors of noun compounds know how idiomatic they are, as types and in each sentence?"""

    metadata = TaskMetadata(
        **{
            **NCIMP,
            "name": "TypeTokenIdiomaticity",
            "description": (
                "Is a noun compound in a sentence nearer to itself, and to its words, fed alone the more "
                "compositional people find it, in general and in that sentence? Encoders without vectors of words in "
                "a sentence are measured by the compound alone against the sum of its words."
            ),
            "reference": "https://aclanthology.org/2021.acl-long.212",
            "dataset": {"path": "nctti", "revision": "98126bd4b848df91aedacd8dfcd0f44e71aaa210"},
            "eval_splits": ["naturalistic"],
            "main_score": "nc_out_type_spearman",
            "date": ("2016-01-01", "2021-08-01"),
            "bibtex_citation": f"{_NCTTI_CITATION}\n\n{NCIMP_CITATION}",
        }
    )

    def main_score_key(self, scores: Mapping[str, Any]) -> str:
        """The metadata's main score where there are vectors of words in a sentence."""
        return self.metadata.main_score if scores["main_is_span"] else "phrase_additivity_type_spearman"

    def measure(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> tuple[dict[str, float], list[dict[str, Any]]]:
        """As the base class says."""
        no_sentence = [row["id"] for row in rows if row["sentence"] is None]
        no_score = [row["id"] for row in rows if row["token_score"] is None]
        for what, misses in (("a sentence in NCIMP", no_sentence), ("a score in NCTTI", no_score)):
            if misses:
                logger.warning("%s: left out for want of %s: %s.", self.metadata.name, what, ", ".join(misses))
        used = [row for row in rows if row["sentence"] is not None and row["token_score"] is not None]
        types = {row["compound"]: row for row in used}
        type_score = np.array([row["type_score"] for row in types.values()], dtype=np.float64)

        texts = TextTable()
        alone = alone_of(types, texts.add)
        phrases = phrase_additivity(encode(texts.texts), alone, type_score)
        scores: dict[str, float] = {
            "main_is_span": int(encode.has_spans),
            "span_level": int(encode.has_spans),
            "n_excluded_no_sentence": len(no_sentence),
            "n_excluded_no_score": len(no_score),
            "n_excluded_no_type_score": int(np.isnan(type_score).sum()),
            **phrases.scores,
        }
        per_compound = phrases.per_compound
        if encode.has_spans:
            table = SpanTable()
            alone = alone_of(types, lambda text: table.add(text, (0, len(text.split()))))
            tokens = tokens_of(used, list(types), table)
            classes = np.array([row["class"] for row in types.values()])
            vectors = encode.spans(table, layer_pooling="concatenate")
            result = type_token(vectors, alone, tokens, type_score, classes)
            scores |= result.scores
            per_compound = {**per_compound, **result.per_compound}
        predictions = [
            {
                "compound": compound,
                "class": row["class"],
                "type_score": row["type_score"],
                **{
                    measure: None if np.isnan(values[number]) else float(values[number])
                    for measure, values in per_compound.items()
                },
            }
            for number, (compound, row) in enumerate(types.items())
        ]
        return scores, predictions


def alone_of(compounds: Collection[str], add: Callable[[str], int]) -> CompoundVectors:
    """Which vectors belong to the compounds and to their words, each fed alone; `add` numbers a text."""
    words = [(number, word) for number, compound in enumerate(compounds) for word in words_of(compound)]
    return CompoundVectors(
        compound=np.array([add(compound) for compound in compounds], dtype=np.intp),
        word=np.array([add(word) for _, word in words], dtype=np.intp),
        word_of=np.array([number for number, _ in words], dtype=np.intp),
    )


def tokens_of(rows: list[dict[str, Any]], compounds: list[str], table: SpanTable) -> Tokens:
    """The compounds of `rows` in their sentences: indices into `compounds`, places in `table`, which gets them."""
    number = {compound: index for index, compound in enumerate(compounds)}
    return Tokens(
        span=np.array([table.add(row["sentence"], row["span"]) for row in rows], dtype=np.intp),
        compound=np.array([number[row["compound"]] for row in rows], dtype=np.intp),
        score=np.array([row["token_score"] for row in rows], dtype=np.float64),
    )
