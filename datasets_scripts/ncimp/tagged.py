"""English and Portuguese NCIMP: a file for each sentence of the compounds, in which tags mark all
places.

The authors score the compounds in a workbook; NCTTI's tables have the experts' labels and other
scores.
"""

import re
from collections.abc import Iterator, Mapping

from harness_ext.data.compounds import NOT_SCORED, Probe, compound_row, tagged_probe
from harness_ext.data.rows import Row
from harness_ext.data.tables import File, Line, read_table
from harness_ext.datasets_scripts.human_scores import CLASSES, NO_SCORES, read_human_scores
from harness_ext.datasets_scripts.ncimp.rebuilt import REBUILT, TargetAndProbes, read_rebuilt

NATURALISTIC = (
    "naturalistics_examplesent1.csv",
    "naturalistics_examplesent2.csv",
    "naturalistics_examplesent3.csv",
)
"""The files of the split `naturalistic`, a file a sentence of the compound."""

NEUTRAL = ("neutral.csv",)
"""The file of the split `neutral`."""

_SENTENCE = {
    "naturalistic": "original sentence",
    "neutral": "neutral sentence",
}
# The first word-by-word replacement is "synonym both", the others "both synonym alt1" ... or "...
# alt1_2".
_ALTERNATIVE = re.compile(r"both synonym alt\d+(_\d+)?")
_RAND = [f"nc rand freq sentence{number}" for number in range(1, 6)]
_PROBES = [
    "synonym for compound",
    "original head only",
    "original modifier only",
    "synonym both",
    *_RAND,
]
_NEEDED = [
    "compound",
    "original sentence_tag",
    *_PROBES,
    *[f"{column}_tag" for column in _PROBES],
]


def tagged_rows(
    files: Mapping[str, File],
    language: str,
    split: str,
) -> Iterator[Row]:
    """Yield the rows of a split, file by file, in the order of the files."""
    scores = read_scores(files["scores"])
    people = read_human_scores(files["people"])
    names = NEUTRAL if split == "neutral" else NATURALISTIC
    prefix = f"{language}-{split}"
    for context, name in enumerate(names, start=1):
        for compound, target, probes in read_sentences(files, name, split):
            experts = people.get(compound.casefold(), NO_SCORES)
            judged = {
                **scores.get((language, name, compound), NOT_SCORED),
                "expert_class": experts.expert_class,
                "comp": experts.comp,
            }
            yield compound_row(prefix, compound, context, target, judged, probes)


def read_scores(file: File) -> dict[tuple[str, str, str], Row]:
    """Read the workbook of the authors' scores, 0 (idiomatic) to 5 (compositional).

    Returns:
        (language, file name, compound) -> its scores, without those of NCTTI.
    """
    columns = [
        "language",
        "file",
        "compound",
        "ClassType",
        "CompositionalityType",
        "CompositionalityToken",
    ]
    scores: dict[tuple[str, str, str], Row] = {}
    for line in read_table(file, columns):
        name = line["file"].rpartition("/")[2]
        scores[line["language"], name, line["compound"]] = {
            **NOT_SCORED,
            "class": line.choice("ClassType", CLASSES),
            "type_score": line.number("CompositionalityType", 0, 5),
            "token_score": line.number("CompositionalityToken", 0, 5),
        }
    return scores


def read_sentences(
    files: Mapping[str, File],
    name: str,
    split: str,
) -> Iterator[TargetAndProbes]:
    """Read one of the authors' files as `read_tagged`, or its lines of the rebuilt table."""
    if split == REBUILT:
        return read_rebuilt(files[REBUILT], name)
    return read_tagged(files[name], split)


def read_tagged(file: File, split: str) -> Iterator[TargetAndProbes]:
    """Read one of the authors' files: one compound per line, a column and a `_tag` column for every
    probe.

    Raises:
        ValueError: A needed column is missing or empty, or a tag does not fit its sentence; names
            file, line, column.
    """
    sentence = _SENTENCE[split]
    for line in read_table(file, [sentence, *_NEEDED]):
        # the tag of the compound has this name in the neutral files too
        target = _probe(line, sentence, "original sentence_tag")
        words_syn = ["synonym both", *_alternatives(line)]
        probes = {
            "syn": _probe(line, "synonym for compound"),
            "head": _probe(line, "original head only"),
            "modifier": _probe(line, "original modifier only"),
            "words_syn": [_probe(line, column) for column in words_syn],
            "rand": [_probe(line, column) for column in _RAND],
        }
        compound = " ".join(line["compound"].split())
        yield TargetAndProbes(compound, target, probes)


def _alternatives(line: Line) -> list[str]:
    """The columns of further word-by-word replacements that the line has: a compound may have
    fewer than the file has columns.
    """
    columns = [column for column in line.cells if _ALTERNATIVE.fullmatch(column)]
    return sorted(column for column in columns if line.get(column))


def _probe(line: Line, column: str, tag: str = "") -> Probe:
    try:
        return tagged_probe(line[column], line[tag or f"{column}_tag"])
    except ValueError as error:
        raise ValueError(f"{line.place}, column {column!r}: {error}") from error
