"""NCIMP: noun compounds in context with minimal-pair probes, in English, Portuguese and Italian.

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: Investigating Idiomaticity in Word Representations,
Computational Linguistics 51(2), doi 10.1162/coli_a_00546. Read from the authors' own files; the Italian compounds are
others' (`italian.py`). See README.md beside this file for the columns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import datasets

from harness_ext.data.agreement import agreed_row
from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.compound_tables import (
    NCTTI_SOURCES,
    NOT_SCORED,
    HumanScores,
    read_human_scores,
    read_table,
    require_columns,
)
from harness_ext.data.compounds import FEATURES, CompoundRow, Probe, tagged_probe
from harness_ext.data.readers import read_workbook
from harness_ext.data.sources import Source
from harness_ext.datasets_scripts.ncimp.italian import SOURCES as ITALIAN_SOURCES
from harness_ext.datasets_scripts.ncimp.italian import read_italian

COMMIT = "9f2dc4e58473f0a314c8a570dca26fa57f987917"
_FOLDER = f"https://raw.githubusercontent.com/risehnhew/Finding-Idiomaticity-in-Word-Representations/{COMMIT}/dataset"

_SCORES = Source(
    f"{_FOLDER}/human_compositionality%20scores.xlsx", "1bba9e91b258e21e0acc1741dcc2875883bda4fb", rows=1836
)
_BLOBS = {
    "en": {
        "naturalistics_examplesent1.csv": "c1b375dc4e6ee91be02876cf65b490c66491f89e",
        "naturalistics_examplesent2.csv": "148617c634ec0771f4b40f41869ac576f0bd3766",
        "naturalistics_examplesent3.csv": "f9f3d3cc1900eb9073923500a02a0b19427a7336",
        "neutral.csv": "f77b3d8a14f2603fe58f6dc000680b77e9f21850",
    },
    "pt": {
        "naturalistics_examplesent1.csv": "232409edb97d5bb2ed3730e76013034843125b0d",
        "naturalistics_examplesent2.csv": "a43f7d28673eddf3fba4ff00ad9ecec0a8963b30",
        "naturalistics_examplesent3.csv": "8b1dd492d05865c432fd32270b44c69a159d6743",
        "neutral.csv": "a6ffd6a7e1a3d0ddbbec3cf750f5c737b04178d5",
    },
}
_N_COMPOUNDS = {"en": 281, "pt": 180}
_FILES = {
    "naturalistic": [f"naturalistics_examplesent{context}.csv" for context in (1, 2, 3)],
    "neutral": ["neutral.csv"],
}
_AGREED = "naturalistic_agreed"
_FILES[_AGREED] = _FILES["naturalistic"]
_SENTENCE = {"naturalistic": "original sentence", "neutral": "neutral sentence"}
_SENTENCE_TAG = "original sentence_tag"  # also in the neutral files

# The first word-by-word replacement is "synonym both", the others "both synonym alt1" ... or "... alt1_2".
_WORDS_SYN = re.compile(r"synonym both|both synonym alt\d+(_\d+)?")
_N_WORDS_SYN = {"en": 5, "pt": 1}
_N_RAND = 5


class Ncimp(PinnedBuilder):
    """The `datasets` builder of `ncimp`; configs `en`, `pt` and `it`.

    Splits are `naturalistic`, `neutral` and, in English, `naturalistic_agreed`.
    """

    NAME = "ncimp"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=language) for language in ("en", "pt", "it")]  # noqa: RUF012
    SOURCES = {
        language: {
            "scores": _SCORES,
            f"data_{language}.tsv": NCTTI_SOURCES[language][f"data_{language}.tsv"],
            **{
                name: Source(f"{_FOLDER}/{language.upper()}/{name}", blob, rows=_N_COMPOUNDS[language])
                for name, blob in blobs.items()
            },
        }
        for language, blobs in _BLOBS.items()
    } | {"it": ITALIAN_SOURCES}
    SPLITS = ("naturalistic", "neutral", _AGREED)
    FEATURES = FEATURES

    @classmethod
    def sources(cls, config: str, split: str) -> Mapping[str, Source]:
        """The scores, and the files of the split."""
        others = {name for names in _FILES.values() for name in names}.difference(_FILES[split])
        return {name: source for name, source in cls.SOURCES[config].items() if name not in others}

    def splits(self) -> tuple[str, ...]:
        """All splits in English, else those without agreement."""
        return self.SPLITS if self.config.name == "en" else tuple(one for one in self.SPLITS if one != _AGREED)

    def rows(self, files: dict[str, Path], split: str) -> Iterator[CompoundRow]:
        """Yield the rows of `split`, file by file, in the order of the files."""
        language = self.config.name
        if split == _AGREED:
            yield from map(agreed_row, self.rows(files, "naturalistic"))
            return
        if language == "it":
            n_found: dict[str, int] = {}
            yield from read_italian(files, split, n_found)
            self.check_rows(files, n_found)
            return
        table = f"data_{language}.tsv"
        scores, people = read_scores(files["scores"]), read_human_scores(files[table])
        self.check_rows(files, {"scores": len(scores), table: len(people)})
        for context, name in enumerate(_FILES[split], start=1):
            found = list(read_sentences(files[name], language, split, context, scores, people))
            self.check_rows(files, {name: len(found)})
            yield from found


Scores = tuple[str, float, float]
"""Class, type-level score and token-level score."""


def read_scores(path: Path) -> dict[tuple[str, str, str], Scores]:
    """Read the human-score workbook.

    Returns:
        (language, file name, compound) -> (class NC, PC or C; type-level score; token-level score), scores in 0
        (idiomatic) to 5 (compositional).

    Raises:
        ValueError: The file is not a workbook, a column is missing, or a cell has an invalid value; names file and row.
    """
    header, *lines = next(iter(read_workbook(path).values())) or [()]
    wanted = ["language", "file", "compound", "ClassType", "CompositionalityType", "CompositionalityToken"]
    require_columns(path, [str(column) for column in header], wanted)
    columns = [header.index(column) for column in wanted]
    scores: dict[tuple[str, str, str], Scores] = {}
    for number, line in enumerate(lines, start=2):
        language, file, compound, klass, type_score, token_score = (line[column] for column in columns)
        if klass not in {"NC", "PC", "C"}:
            raise ValueError(f"{path}, row {number}, column 'ClassType': {klass!r} is not one of NC, PC, C")
        try:
            key = (str(language), str(file).rsplit("/", 1)[-1], str(compound).strip())
            scores[key] = (str(klass), float(str(type_score)), float(str(token_score)))
        except ValueError as error:
            raise ValueError(f"{path}, row {number}: a score is not a number ({error})") from error
        if not all(map(math.isfinite, scores[key][1:])):
            raise ValueError(f"{path}, row {number}: a score is not a number ({type_score}, {token_score})")
    return scores


def read_sentences(
    path: Path,
    language: str,
    split: str,
    context: int,
    scores: Mapping[tuple[str, str, str], Scores],
    people: Mapping[str, HumanScores],
) -> Iterator[CompoundRow]:
    """Read one of the authors' files: one compound per line, a column and a `_tag` column for every probe.

    Args:
        path: The CSV file.
        language: `en` or `pt`.
        split: `naturalistic` or `neutral`.
        context: Number of the compound's sentence in this file, counted from 1.
        scores: Output of `read_scores`; other compounds get no class and no scores of type and token.
        people: Output of `read_human_scores`; other compounds get no expert label and no `comp`.

    Raises:
        ValueError: A needed column is missing or empty, or a tag does not fit its sentence; names file, line, column.
    """
    header, lines = read_table(path)
    words_syn = sorted(column for column in header if _WORDS_SYN.fullmatch(column))
    words_syn.sort(key=lambda column: column != "synonym both")  # the first replacement comes first
    rand = [f"nc rand freq sentence{number}" for number in range(1, _N_RAND + 1)]
    probes = ["synonym for compound", "original head only", "original modifier only", *words_syn, *rand]
    needed = ["compound", "synonym both", _SENTENCE[split], _SENTENCE_TAG, *probes, *map(_tag_of, probes)]
    require_columns(path, header, needed)
    if len(words_syn) < _N_WORDS_SYN[language]:
        raise ValueError(
            f"{path}: {len(words_syn)} columns of word-by-word synonyms ('synonym both', 'both synonym alt1', ...), "
            f"{_N_WORDS_SYN[language]} expected"
        )

    for place, cells in lines:

        def probe(column: str, tag: str | None = None, place: str = place, cells: dict[str, str] = cells) -> Probe:
            try:
                return tagged_probe(cells[column], cells[tag or _tag_of(column)])
            except ValueError as error:
                raise ValueError(f"{place}, column {column!r}: {error}") from error

        compound = " ".join(cells["compound"].split())
        if not compound:
            raise ValueError(f"{place}, column 'compound': empty")
        target = probe(_SENTENCE[split], _SENTENCE_TAG)
        klass, type_score, token_score = scores.get((language, path.name, compound), (None, None, None))
        said = people.get(compound.casefold(), NOT_SCORED)
        yield {
            "id": f"{language}-{split}-{context}-{compound.replace(' ', '_')}",
            "compound": compound,
            "context": context,
            "surface": target["expression"],
            "class": klass,
            "expert_class": said.expert_class,
            "type_score": type_score,
            "comp": said.comp,
            "token_score": token_score,
            "sentence": target["sentence"],
            "span": target["span"],
            "syn": probe("synonym for compound"),
            "head": probe("original head only"),
            "modifier": probe("original modifier only"),
            # a compound may have fewer alternatives than the file has columns
            "words_syn": [probe(column) for column in words_syn if column == "synonym both" or cells[column].strip()],
            "rand": [probe(column) for column in rand],
        }


def _tag_of(column: str) -> str:
    return f"{column}_tag"
