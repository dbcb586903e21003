"""NCTTI: human compositionality of noun compounds as types and in each of three sentences, English and Portuguese.

Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio 2021: Assessing the Representations of Idiomaticity in Vector
Models with a Noun Compound Dataset Labeled at Type and Token Levels, ACL 2021. Scores and experts' labels are read from
the authors' tables. The sentences are read from the naturalistic files of NCIMP, which mark the place of the compound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypedDict

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.compound_tables import NCTTI_SOURCES, NOT_SCORED, read_columns, read_human_scores
from harness_ext.data.compounds import FEATURES as COMPOUND_FEATURES
from harness_ext.data.compounds import CompoundRow
from harness_ext.datasets_scripts.ncimp import ncimp

_SENTENCES = [f"naturalistics_examplesent{context}.csv" for context in (1, 2, 3)]

_SAME_SENTENCE = 0.9
"""Least similarity of two copies of a sentence; one may have lost its non-ASCII characters; 1 is equal."""


class TypeTokenRow(TypedDict):
    """One compound in one sentence; the columns are explained in the dataset card."""

    id: str
    compound: str
    context: int
    surface: str | None
    expert_class: str | None
    type_score: float | None
    token_score: float | None
    comp: float | None
    sentence: str | None
    span: list[int] | None


_OF_NCIMP_ALONE = {"class", "syn", "head", "modifier", "words_syn", "rand"}

FEATURES = datasets.Features(
    {column: kind for column, kind in COMPOUND_FEATURES.items() if column not in _OF_NCIMP_ALONE}
)


class Nctti(PinnedBuilder):
    """The `datasets` builder of `nctti`; configs `en` and `pt`, one split `naturalistic`."""

    NAME = "nctti"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=language) for language in ("en", "pt")]  # noqa: RUF012
    SOURCES = {  # noqa: RUF012
        language: {**tables, **{name: ncimp.Ncimp.SOURCES[language][name] for name in _SENTENCES}}
        for language, tables in NCTTI_SOURCES.items()
    }
    SPLITS = ("naturalistic",)
    FEATURES = FEATURES

    def rows(self, files: dict[str, Path], split: str) -> Iterator[TypeTokenRow]:
        """Yield the sentences of NCIMP, in its order, then the scores of NCTTI without a sentence in NCIMP."""
        language = self.config.name
        table, identities = f"data_{language}.tsv", f"sentids_{language}.csv"
        people = read_human_scores(files[table])
        published = read_published_sentences(files[identities])
        self.check_rows(files, {table: len(people), identities: len(published) // 3})
        sentences: dict[tuple[str, int], CompoundRow] = {}
        for context, name in enumerate(_SENTENCES, start=1):
            found = list(ncimp.read_sentences(files[name], language, split, context, {}, people))
            self.check_rows(files, {name: len(found)})
            sentences |= {(row["compound"].casefold(), context): row for row in found}
        joined = {
            key
            for key, row in sentences.items()
            if key[0] in people and is_same_sentence(published.get(key), row["sentence"])
        }
        for key, row in sentences.items():
            scores = people[key[0]] if key in joined else NOT_SCORED
            yield {
                "id": row["id"],
                "compound": row["compound"],
                "context": row["context"],
                "surface": row["surface"],
                "expert_class": scores.expert_class,
                "type_score": scores.type_score,
                "token_score": scores.token_scores[row["context"] - 1],
                "comp": scores.comp,
                "sentence": row["sentence"],
                "span": row["span"],
            }
        for name, scores in people.items():
            for context in (1, 2, 3):
                if (name, context) not in joined:
                    yield {
                        "id": f"{language}-{split}-{context}-{name.replace(' ', '_')}-without-sentence",
                        "compound": name,
                        "context": context,
                        "surface": None,
                        "expert_class": scores.expert_class,
                        "type_score": scores.type_score,
                        "token_score": scores.token_scores[context - 1],
                        "comp": scores.comp,
                        "sentence": None,
                        "span": None,
                    }


def read_published_sentences(path: Path) -> dict[tuple[str, int], str | None]:
    """Read the sentences that were scored.

    Returns:
        (case-folded compound, number of the sentence from 1) -> the sentence; None if only its place in a corpus is
        published.

    Raises:
        ValueError: A column is missing or a line does not have a cell per column; names file and line.
    """
    columns = ["sentence1", "sentence2", "sentence3"]
    return {
        (cells["compound"].casefold(), context): None if re.match(r"sent\d: \(", cells[column]) else cells[column]
        for _, cells in read_columns(path, ["compound", *columns])
        for context, column in enumerate(columns, start=1)
    }


def is_same_sentence(published: str | None, sentence: str) -> bool:
    """Whether `sentence` is the published sentence; True also if the published sentence is unknown.

    Only ASCII letters and digits are compared, because some files have lost other characters.
    """
    if published is None:
        return True
    one, other = (re.sub(r"[^a-z0-9]", "", text.casefold()) for text in (published, sentence))
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_SENTENCE
