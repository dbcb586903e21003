"""Readers of the tables of the noun-compound datasets, and people's scores of the compounds.

The scores and the experts' labels are from Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio 2021: Assessing the
Representations of Idiomaticity in Vector Models with a Noun Compound Dataset Labeled at Type and Token Levels (NCTTI).
NCIMP uses them too.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple

from harness_ext.data.sources import Source

COMMIT = "98126bd4b848df91aedacd8dfcd0f44e71aaa210"
_FOLDER = f"https://raw.githubusercontent.com/marcospln/nctti/{COMMIT}/data"

NCTTI_SOURCES = {
    "en": {
        "data_en.tsv": Source(f"{_FOLDER}/data_en.tsv", "eadecbd76733c556c190a02b56bde83e9468927d", rows=280),
        "sentids_en.csv": Source(f"{_FOLDER}/sentids_en.csv", "d9a287874d6c6d853da63b9dc61c7bdd9b6d2038", rows=280),
    },
    "pt": {
        "data_pt.tsv": Source(f"{_FOLDER}/data_pt.tsv", "f08c9261c6bd3afce660a5e2eeccc1a21d4f945b", rows=180),
        "sentids_pt.csv": Source(f"{_FOLDER}/sentids_pt.csv", "cab4b0f4683ccc12ee8b92296ea68b0d3cbd9a89", rows=180),
    },
}
"""Language -> the table of compounds and the table of their sentences."""


class HumanScores(NamedTuple):
    """People's scores of a compound; None for an unknown score.

    Attributes:
        expert_class: NC, PC or C.
        type_score: 0 idiomatic to 5 compositional.
        token_scores: 0 to 5, for each of its three sentences.
    """

    expert_class: str | None
    type_score: float | None
    token_scores: tuple[float | None, ...]

    @property
    def comp(self) -> float | None:
        """The mean over the three sentences (NCIMP, Eq. 1); None unless all have a score."""
        scores = [score for score in self.token_scores if score is not None]
        # equal means must not differ in the sixteenth digit: ranks are computed from them
        return round(sum(scores) / 3, 9) if len(scores) == 3 else None


NOT_SCORED = HumanScores(None, None, (None, None, None))


def read_human_scores(path: Path) -> dict[str, HumanScores]:
    """Read NCTTI's table of compounds.

    Returns:
        Case-folded compound -> people's scores.

    Raises:
        ValueError: A column is missing, a cell has a value that its column does not allow, or a compound occurs twice;
            names file and line.
    """
    found: dict[str, HumanScores] = {}
    for place, cells in read_columns(path, ["compound", "CompScale", "CompType", "MeanS1", "MeanS2", "MeanS3"], "\t"):
        compound, expert_class = cells["compound"].casefold(), cells["CompScale"]
        if expert_class not in {"NC", "PC", "C"}:
            raise ValueError(f"{place}, column 'CompScale': {expert_class!r} is not one of NC, PC, C")
        if compound in found:
            raise ValueError(f"{place}, column 'compound': {cells['compound']!r} occurs twice")
        found[compound] = HumanScores(
            expert_class=expert_class,
            type_score=_number(cells, "CompType", place),
            token_scores=tuple(_number(cells, f"MeanS{context}", place) for context in (1, 2, 3)),
        )
    return found


def read_columns(path: Path, columns: list[str], delimiter: str = ",") -> list[tuple[str, dict[str, str]]]:
    """Read a table that must have `columns`; return its lines as `read_table` does.

    Raises:
        ValueError: As `read_table`, or a column is missing.
    """
    header, lines = read_table(path, delimiter)
    require_columns(path, header, columns)
    return lines


def require_columns(path: Path, header: list[str], columns: list[str]) -> None:
    """Raise a ValueError that names the file and the columns it lacks, if it lacks any."""
    if missing := [column for column in columns if column not in header]:
        raise ValueError(f"{path}: no column {', '.join(map(repr, missing))}")


def read_table(path: Path, delimiter: str = ",") -> tuple[list[str], list[tuple[str, dict[str, str]]]]:
    """Read a CSV file: its header, and for each line its place (for messages) and its cells by column.

    Raises:
        ValueError: The file is not a CSV table, a column occurs twice, or a line does not have a cell for each column;
            names file and line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter=delimiter, strict=True)
            reader.fieldnames = header = [column.strip() for column in reader.fieldnames or ()]
            lines = [(f"{path}, line {reader.line_num}", cells) for cells in reader]
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a UTF-8 CSV file: {error}") from error
    if twice := sorted({column for column in header if column and header.count(column) > 1}):
        raise ValueError(f"{path}: column {', '.join(map(repr, twice))} occurs twice")
    for place, cells in lines:
        if None in cells or None in cells.values():
            raise ValueError(f"{place}: not as many cells as the {len(header)} columns of the header")
    return header, lines


def _number(cells: dict[str, str], column: str, place: str) -> float | None:
    if not (cell := cells[column].strip()):
        return None
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{place}, column {column!r}: {cell!r} is not a number")
    return number
