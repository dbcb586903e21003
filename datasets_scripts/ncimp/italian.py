"""The Italian noun compounds: 237 of them, with one score each, read from the files of their authors.

Sentences are not tokenised, so that a span may end in a word with a mark at it; its expression is without the mark.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness_ext.data.compound_tables import read_columns, require_columns
from harness_ext.data.compounds import CompoundRow, Probe
from harness_ext.data.readers import number_in, read_workbook
from harness_ext.data.sources import Source

COMMIT = "be1a17383cb131fe1153c3ea702a65fea34c9249"
_FOLDER = (
    "https://raw.githubusercontent.com/petra-giommarelli/"
    f"Investigating-Idiomaticity-in-Word-Representations-italian/{COMMIT}/files"
)
N_COMPOUNDS = 237

SOURCES = {
    "scores": Source(
        f"{_FOLDER}/human_compositionality_scores_IT.xlsx", "98c8278ab7e069fd2a664ad9802fb323ab80575b", 3 * N_COMPOUNDS
    ),
    "sentences": Source(f"{_FOLDER}/NC_original.csv", "49c64bab1dd5d88862b6e6f94f8fafdd0673d952", N_COMPOUNDS),
    "syn": Source(f"{_FOLDER}/NC_PSyn.xlsx", "aaba763ac8d299c7c41bfdf7da4aaa22b689d832", N_COMPOUNDS),
    "rand": Source(f"{_FOLDER}/NC_PRand.xlsx", "c044f5c34832bc248fbca3f07f2850878a5e975c", 5 * N_COMPOUNDS),
}

_CLASSES = {"I": "NC", "PC": "PC", "C": "C"}
_COLUMNS = {"naturalistic": ("sentence_nat_1", "sentence_nat_2", "sentence_nat_3"), "neutral": ("sentence_neut",)}
_MARKS = ".,;:!?()\"'«»“”’…"


def read_italian(files: Mapping[str, Path], split: str, found: dict[str, int] | None = None) -> Iterator[CompoundRow]:
    """The rows of a split, sentence by sentence as in English; joined by compound, for one sheet has another order.

    Args:
        files: A local copy of each of `SOURCES`.
        split: `naturalistic` or `neutral`.
        found: Gets the rows of each file, for the builder to check.

    Raises:
        ValueError: A file, column or cell is not as expected, or a compound is not in every file; names the place.
    """
    lines = read_columns(
        files["sentences"], ["NC", "wordsyn", *(f"{tag}{name}" for name in _COLUMNS[split] for tag in ("", "tag_"))]
    )
    scores = _read_scores(files["scores"])
    (syn,) = _read_probes(files["syn"], "gold_syn", "PSyn")
    rand = _read_probes(files["rand"], "PRand", "PRand")
    if found is not None:
        found |= {
            "sentences": len(lines),
            "scores": 3 * len(scores),
            "syn": len(syn),
            "rand": sum(len(sheet) for sheet in rand),
        }
    known = [("scores", set(scores)), ("syn", set(syn)), *(("rand", set(sheet)) for sheet in rand)]
    for place, cells in lines:
        for file, compounds in known:
            if (compound := " ".join(cells["NC"].split())) not in compounds:
                raise ValueError(f"{place}, column 'NC': {compound!r} is not in {files[file]}")
    for context, column in enumerate(_COLUMNS[split], start=1):
        for place, cells in lines:
            compound = " ".join(cells["NC"].split())
            try:
                target = tagged_target(cells[column], cells[f"tag_{column}"], compound)
                first, last = _outer_words(target["expression"])
                head, modifier, words_syn = (_replaced(target, text) for text in (first, last, cells["wordsyn"]))
                others = [located(*sheet[compound][column], target["span"][0]) for sheet in (syn, *rand)]
            except ValueError as error:
                raise ValueError(f"{place}, column {column!r}: {error}") from error
            klass, score = scores[compound]
            yield {
                "id": f"it-{split}-{context}-{compound.replace(' ', '_')}",
                "compound": compound,
                "context": context,
                "surface": target["expression"],
                "class": klass,
                "expert_class": None,
                "type_score": score,
                "comp": None,
                "token_score": None,
                "sentence": target["sentence"],
                "span": target["span"],
                "syn": others[0],
                "head": head,
                "modifier": modifier,
                "words_syn": [words_syn],
                "rand": others[1:],
            }


def _read_scores(path: Path) -> dict[str, tuple[str, float]]:
    """Compound -> class and score. The score is the same in its three lines, so it is one of the compound."""
    scores: dict[str, tuple[str, float]] = {}
    for place, (compound, klass, score) in _read_sheet(
        path, next(iter(read_workbook(path).values())), ["compound", "ClassToken", "CompositionalityToken"]
    ):
        if klass not in _CLASSES:
            raise ValueError(f"{place}, column 'ClassToken': {klass!r} is none of {', '.join(_CLASSES)}")
        said = _CLASSES[klass], number_in(score, f"{place}, column 'CompositionalityToken'", 0, 5)
        if scores.setdefault(compound, said) != said:
            raise ValueError(f"{place}: {compound!r} has another class or score than before")
    return scores


Sentences = dict[str, tuple[str, str]]
"""Column of the original sentence -> the expression, and the sentence with the expression in the compound's place."""


def _read_probes(path: Path, expression: str, suffix: str) -> list[dict[str, Sentences]]:
    """For each sheet, compound -> its probe's sentences."""
    columns = [column for names in _COLUMNS.values() for column in names]
    sheets = []
    for title, lines in read_workbook(path).items():
        sheet: dict[str, Sentences] = {}
        wanted = ["NC", expression, *(f"{column}_{suffix}" for column in columns)]
        for place, (compound, probe, *sentences) in _read_sheet(path, lines, wanted, title):
            if compound in sheet:
                raise ValueError(f"{place}: {compound!r} stands twice")
            sheet[compound] = {column: (probe, text) for column, text in zip(columns, sentences, strict=True)}
        sheets.append(sheet)
    return sheets


def _read_sheet(
    path: Path, lines: list[tuple[Any, ...]], columns: list[str], title: str = ""
) -> Iterator[tuple[str, list[str]]]:
    header = [str(cell) for cell in lines[0]] if lines else []
    require_columns(path, header, columns)
    places = [header.index(column) for column in columns]
    for number, line in enumerate(lines[1:], start=2):
        place = f"{path}, {f'sheet {title}, ' if title else ''}row {number}"
        cells = ["" if line[column] is None else " ".join(str(line[column]).split()) for column in places]
        if "" in cells:
            raise ValueError(f"{place}, column {columns[cells.index('')]!r}: empty")
        yield place, cells


def tagged_target(sentence: str, tag: str, compound: str) -> Probe:
    """The compound in its sentence: from the first word that the tag marks to the last.

    Some tags leave out a preposition inside, and one leaves out the compound's last word, which is added.

    Raises:
        ValueError: The tag is no list of True and False, one for each word, or marks none.
    """
    words = sentence.split()
    try:
        marks = ast.literal_eval(tag.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        marks = None
    if not isinstance(marks, list) or len(marks) != len(words) or True not in marks:
        raise ValueError(f"the tag {tag!r} is not a list of True and False for the {len(words)} words of {sentence!r}")
    start, end = marks.index(True), len(marks) - marks[::-1].index(True)
    rest = compound.split()[end - start :]
    if rest and words[end : end + len(rest)] == rest:
        end += len(rest)
    return Probe(expression=" ".join(words[start:end]).strip(_MARKS), sentence=" ".join(words), span=[start, end])


def located(expression: str, sentence: str, near: int) -> Probe:
    """Find an expression in its sentence, whatever its case and the marks at its ends; the place nearest to `near`.

    Raises:
        ValueError: It is not there.
    """
    words, wanted = sentence.split(), expression.casefold()
    n_words = len(expression.split())
    places = [
        (abs(start - near), start)
        for start in range(len(words) - n_words + 1)
        if wanted in " ".join(words[start : start + n_words]).casefold()
    ]
    if not places:
        raise ValueError(f"{expression!r} is not in {sentence!r}")
    start = min(places)[1]
    return Probe(expression=expression, sentence=" ".join(words), span=[start, start + n_words])


def _outer_words(expression: str) -> tuple[str, str]:
    """The first and the last word, without a preposition that an apostrophe joins to the last."""
    words = expression.split()
    return words[0], words[-1].replace("’", "'").rpartition("'")[2]


def _replaced(target: Probe, expression: str) -> Probe:
    """`expression` in the target's place, with the marks that stood at its ends."""
    words, inserted = target["sentence"].split(), expression.split()
    start, end = target["span"]
    inside = " ".join(words[start:end])
    before, after = inside.split(target["expression"], 1)
    text = f"{before}{' '.join(inserted)}{after}"
    words[start:end] = text.split()
    return Probe(expression=" ".join(inserted), sentence=" ".join(words), span=[start, start + len(text.split())])
