"""NCTTI: human compositionality of noun compounds as types and in each of three sentences, English and Portuguese.

Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio 2021: Assessing the Representations of Idiomaticity in Vector
Models with a Noun Compound Dataset Labeled at Type and Token Levels, ACL 2021. Classes and scores are read from the
authors' tables, the sentences from the naturalistic files of NCIMP, where they stand with the place of the compound.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.compounds import FEATURES as COMPOUND_FEATURES
from harness_ext.data.sources import Source
from harness_ext.datasets_scripts.ncimp import ncimp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

COMMIT = "98126bd4b848df91aedacd8dfcd0f44e71aaa210"
_FOLDER = f"https://raw.githubusercontent.com/marcospln/nctti/{COMMIT}/data"

_BLOBS = {
    "en": {
        "data_en.tsv": "eadecbd76733c556c190a02b56bde83e9468927d",
        "sentids_en.csv": "d9a287874d6c6d853da63b9dc61c7bdd9b6d2038",
    },
    "pt": {
        "data_pt.tsv": "f08c9261c6bd3afce660a5e2eeccc1a21d4f945b",
        "sentids_pt.csv": "cab4b0f4683ccc12ee8b92296ea68b0d3cbd9a89",
    },
}
_SENTENCES = [f"naturalistics_examplesent{context}.csv" for context in (1, 2, 3)]

_SAME_SENTENCE = 0.9
"""How alike two copies of a sentence are, of which one may have lost its non-ASCII characters; 1 is equal."""

TypeTokenRow = TypedDict(
    "TypeTokenRow",
    {
        "id": str,
        "compound": str,
        "context": int,
        "surface": str | None,
        "class": str | None,
        "type_score": float | None,
        "token_score": float | None,
        "sentence": str | None,
        "span": list[int] | None,
    },
)
"""One compound in one sentence; the columns are explained in the dataset card."""

_PROBES = {"syn", "head", "modifier", "words_syn", "rand"}

FEATURES = datasets.Features({column: kind for column, kind in COMPOUND_FEATURES.items() if column not in _PROBES})


class Nctti(PinnedBuilder):
    """The `datasets` builder of `nctti`; configs `en` and `pt`, one split `naturalistic`."""

    NAME = "nctti"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=language) for language in ("en", "pt")]  # noqa: RUF012
    SOURCES = {  # noqa: RUF012
        language: {
            **{name: Source(f"{_FOLDER}/{name}", blob) for name, blob in blobs.items()},
            **{name: ncimp.Ncimp.SOURCES[language][name] for name in _SENTENCES},
        }
        for language, blobs in _BLOBS.items()
    }
    SPLITS = ("naturalistic",)
    FEATURES = FEATURES

    @classmethod
    def _fingerprint(cls, sources: Iterable[Source], script_hash: str | None) -> str:
        return super()._fingerprint(sources, ncimp.Ncimp._fingerprint((), script_hash))  # its code reads the sentences

    def rows(self, files: dict[str, Path], split: str) -> Iterator[TypeTokenRow]:
        """First the sentences of NCIMP, in its order, then what is scored in NCTTI but has no sentence there."""
        language = self.config.name
        types = read_types(files[f"data_{language}.tsv"])
        published = read_published_sentences(files[f"sentids_{language}.csv"])
        sentences = {
            (row["compound"].casefold(), row["context"]): row
            for context, name in enumerate(_SENTENCES, start=1)
            for row in ncimp.read_sentences(files[name], language, split, context, {})
        }
        joined = {
            key
            for key, row in sentences.items()
            if key[0] in types and is_same_sentence(published.get(key), row["sentence"])
        }
        for key, row in sentences.items():
            scores = types[key[0]] if key in joined else _NOT_SCORED
            yield {
                "id": row["id"],
                "compound": row["compound"],
                "context": row["context"],
                "surface": row["surface"],
                "class": scores.klass,
                "type_score": scores.type_score,
                "token_score": scores.token_scores[row["context"] - 1],
                "sentence": row["sentence"],
                "span": row["span"],
            }
        for name, scores in types.items():
            for context in (1, 2, 3):
                if (name, context) not in joined:
                    yield {
                        "id": f"{language}-{split}-{context}-{name.replace(' ', '_')}-without-sentence",
                        "compound": name,
                        "context": context,
                        "surface": None,
                        "class": scores.klass,
                        "type_score": scores.type_score,
                        "token_score": scores.token_scores[context - 1],
                        "sentence": None,
                        "span": None,
                    }


class TypeScores(NamedTuple):
    """What people say of a compound; None for what is not known.

    Attributes:
        klass: NC, PC or C.
        type_score: 0 idiomatic to 5 compositional.
        token_scores: The same, for each of its three sentences.
    """

    klass: str | None
    type_score: float | None
    token_scores: list[float | None]


_NOT_SCORED = TypeScores(None, None, [None, None, None])


def read_types(path: Path) -> dict[str, TypeScores]:
    """Read the table of compounds.

    Returns:
        Case-folded compound -> its scores.

    Raises:
        ValueError: A column is missing or a cell is not what its column holds; names file and line.
    """
    types: dict[str, TypeScores] = {}
    for place, cells in _read(path, "\t", ["compound", "CompScale", "CompType", "MeanS1", "MeanS2", "MeanS3"]):
        if cells["CompScale"] not in {"NC", "PC", "C"}:
            raise ValueError(f"{place}, column 'CompScale': {cells['CompScale']!r} is none of NC, PC, C")
        types[cells["compound"].casefold()] = TypeScores(
            klass=cells["CompScale"],
            type_score=_number(cells, "CompType", place),
            token_scores=[_number(cells, f"MeanS{context}", place) for context in (1, 2, 3)],
        )
    return types


def read_published_sentences(path: Path) -> dict[tuple[str, int], str | None]:
    """Read which sentences were scored.

    Returns:
        (case-folded compound, number of the sentence from 1) -> the sentence, None where only the place in a corpus
        is published.

    Raises:
        ValueError: A column is missing or a line does not have a cell for each; names file and line.
    """
    columns = ["sentence1", "sentence2", "sentence3"]
    return {
        (cells["compound"].casefold(), context): None if re.match(r"sent\d: \(", cells[column]) else cells[column]
        for _, cells in _read(path, ",", ["compound", *columns])
        for context, column in enumerate(columns, start=1)
    }


def is_same_sentence(published: str | None, sentence: str) -> bool:
    """Whether `sentence` is the published one; True also if that is not known.

    Only letters and digits of ASCII are compared: some files have lost the others.
    """
    if published is None:
        return True
    one, other = (re.sub(r"[^a-z0-9]", "", text.casefold()) for text in (published, sentence))
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_SENTENCE


def _number(cells: dict[str, str], column: str, place: str) -> float | None:
    if not (cell := cells[column].strip()):
        return None
    try:
        return float(cell)
    except ValueError as error:
        raise ValueError(f"{place}, column {column!r}: {cell!r} is not a number") from error


def _read(path: Path, delimiter: str, columns: list[str]) -> list[tuple[str, dict[str, str]]]:
    """The lines of a table: the place of each (for messages) and its cells by column."""
    header, lines = ncimp.read_table(path, delimiter)
    if missing := [column for column in columns if column not in header]:
        raise ValueError(f"{path}: no column {', '.join(map(repr, missing))}")
    return lines
