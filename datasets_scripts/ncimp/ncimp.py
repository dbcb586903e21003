"""NCIMP: noun compounds in context with minimal-pair probes, in English and Portuguese.

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: Investigating Idiomaticity in Word Representations,
Computational Linguistics 51(2), doi 10.1162/coli_a_00546. Read from the authors' own files; see README.md beside
this file for the columns.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.compounds import FEATURES, CompoundRow, Probe, tagged_probe
from harness_ext.data.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMIT = "9f2dc4e58473f0a314c8a570dca26fa57f987917"
_FOLDER = f"https://raw.githubusercontent.com/risehnhew/Finding-Idiomaticity-in-Word-Representations/{COMMIT}/dataset"

_SCORES = Source(f"{_FOLDER}/human_compositionality%20scores.xlsx", "1bba9e91b258e21e0acc1741dcc2875883bda4fb")
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
_FILES = {
    "naturalistic": [f"naturalistics_examplesent{context}.csv" for context in (1, 2, 3)],
    "neutral": ["neutral.csv"],
}
_SENTENCE = {"naturalistic": "original sentence", "neutral": "neutral sentence"}
_SENTENCE_TAG = "original sentence_tag"  # also in the neutral files

# The first word-by-word replacement is "synonym both", the others "both synonym alt1" ... or "... alt1_2".
_WORDS_SYN = re.compile(r"synonym both|both synonym alt\d+(_\d+)?")
_N_WORDS_SYN = {"en": 5, "pt": 1}
_N_RAND = 5


class Ncimp(PinnedBuilder):
    """The `datasets` builder of `ncimp`; configs `en` and `pt`, splits `naturalistic` and `neutral`."""

    NAME = "ncimp"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=language) for language in ("en", "pt")]  # noqa: RUF012
    SOURCES = {  # noqa: RUF012
        language: {
            "scores": _SCORES,
            **{name: Source(f"{_FOLDER}/{language.upper()}/{name}", blob) for name, blob in blobs.items()},
        }
        for language, blobs in _BLOBS.items()
    }
    SPLITS = ("naturalistic", "neutral")
    FEATURES = FEATURES

    def rows(self, files: dict[str, Path], split: str) -> Iterator[CompoundRow]:
        """The rows of `split`, file by file, in the order of the files."""
        scores = read_scores(files["scores"], self.config.name)
        for context, name in enumerate(_FILES[split], start=1):
            yield from read_sentences(files[name], self.config.name, split, context, scores)


Score = tuple[str, float, float]
"""Class, type-level score and token-level score."""


def read_scores(path: Path, language: str) -> dict[tuple[str, str], Score]:
    """Read the human-score workbook.

    Returns:
        (file name, compound) -> (class NC, PC or C; type-level score; token-level score), scores in 0 (idiomatic) to
        5 (compositional).

    Raises:
        ValueError: A column is missing or a cell is not what its column holds.
    """
    import openpyxl  # not above: `import mteb` imports this module

    sheet = openpyxl.load_workbook(path, read_only=True, data_only=True).worksheets[0]
    header, *lines = sheet.iter_rows(values_only=True)
    wanted = ("language", "file", "compound", "ClassType", "CompositionalityType", "CompositionalityToken")
    if missing := [column for column in wanted if column not in header]:
        raise ValueError(f"{path}: no column {', '.join(map(repr, missing))} in the first sheet")
    columns = [header.index(column) for column in wanted]
    scores: dict[tuple[str, str], Score] = {}
    for number, line in enumerate(lines, start=2):
        row_language, file, compound, klass, type_score, token_score = (line[column] for column in columns)
        if row_language != language:
            continue
        if klass not in {"NC", "PC", "C"}:
            raise ValueError(f"{path}, row {number}, column 'ClassType': {klass!r} is none of NC, PC, C")
        try:
            key = (str(file).rsplit("/", 1)[-1], str(compound).strip())
            scores[key] = (str(klass), float(str(type_score)), float(str(token_score)))
        except ValueError as error:
            raise ValueError(f"{path}, row {number}: a score is not a number ({error})") from error
    return scores


def read_sentences(
    path: Path, language: str, split: str, context: int, scores: dict[tuple[str, str], Score]
) -> Iterator[CompoundRow]:
    """Read one of the authors' files: one compound a line, a column and a `_tag` column for every probe.

    Args:
        path: The CSV file.
        language: `en` or `pt`.
        split: `naturalistic` or `neutral`.
        context: Which of the compound's sentences the file holds, counted from 1.
        scores: What `read_scores` returned for the language.

    Raises:
        ValueError: A needed column is missing or empty, or a tag does not fit its sentence; names file, line, column.
    """
    header, lines = read_table(path)
    words_syn = sorted(column for column in header if _WORDS_SYN.fullmatch(column))
    words_syn.sort(key=lambda column: column != "synonym both")  # the first replacement comes first
    rand = [f"nc rand freq sentence{number}" for number in range(1, _N_RAND + 1)]
    probes = ["synonym for compound", "original head only", "original modifier only", *words_syn, *rand]
    needed = ["compound", "synonym both", _SENTENCE[split], _SENTENCE_TAG, *probes, *map(_tag_of, probes)]
    if missing := [column for column in needed if column not in header]:
        raise ValueError(f"{path}: no column {', '.join(map(repr, missing))}")
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
        klass, type_score, token_score = scores.get((path.name, compound), (None, None, None))
        yield {
            "id": f"{language}-{split}-{context}-{compound.replace(' ', '_')}",
            "compound": compound,
            "context": context,
            "surface": target["expression"],
            "class": klass,
            "type_score": type_score,
            "token_score": token_score,
            "sentence": target["sentence"],
            "span": target["span"],
            "syn": probe("synonym for compound"),
            "head": probe("original head only"),
            "modifier": probe("original modifier only"),
            # a compound may have fewer alternatives than the file has columns for them
            "words_syn": [probe(column) for column in words_syn if column == "synonym both" or cells[column].strip()],
            "rand": [probe(column) for column in rand],
        }


def _tag_of(column: str) -> str:
    return f"{column}_tag"


def read_table(path: Path, delimiter: str = ",") -> tuple[list[str], list[tuple[str, dict[str, str]]]]:
    """The header of a CSV file, and for each line its place (for messages) and its cells by column.

    Raises:
        ValueError: The file is no such table, or a line does not have a cell for each column; names file and line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter=delimiter, strict=True)
            reader.fieldnames = header = [column.strip() for column in reader.fieldnames or ()]
            lines = [(f"{path}, line {reader.line_num}", cells) for cells in reader]
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a UTF-8 CSV file: {error}") from error
    for place, cells in lines:
        if None in cells or None in cells.values():
            raise ValueError(f"{place}: not as many cells as the {len(header)} of the header")
    return header, lines
