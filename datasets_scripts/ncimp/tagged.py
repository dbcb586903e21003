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
from harness_ext.datasets_scripts.ncimp.rebuilt import REBUILT, read_rebuilt

NATURALISTIC = tuple(f"naturalistics_examplesent{context}.csv" for context in (1, 2, 3))
NEUTRAL = ("neutral.csv",)
"""The files of each split, a file a sentence of the compound."""

_SENTENCE = {"naturalistic": "original sentence", "neutral": "neutral sentence"}
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
_NEEDED = ["compound", "original sentence_tag", *_PROBES, *(f"{column}_tag" for column in _PROBES)]


def tagged_rows(files: Mapping[str, File], language: str, split: str) -> Iterator[Row]:
    """Yield the rows of a split, file by file, in the order of the files."""
    scores, people = read_scores(files["scores"]), read_human_scores(files["people"])
    for context, name in enumerate(NEUTRAL if split == "neutral" else NATURALISTIC, start=1):
        for compound, target, probes in read_sentences(files, name, split):
            experts = people.get(compound.casefold(), NO_SCORES)
            judged = {
                **scores.get((language, name, compound), NOT_SCORED),
                "expert_class": experts.expert_class,
                "comp": experts.comp,
            }
            yield compound_row(f"{language}-{split}", compound, context, target, judged, probes)


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
    return {
        (line["language"], line["file"].rpartition("/")[2], line["compound"]): {
            **NOT_SCORED,
            "class": line.choice("ClassType", CLASSES),
            "type_score": line.number("CompositionalityType", 0, 5),
            "token_score": line.number("CompositionalityToken", 0, 5),
        }
        for line in read_table(file, columns)
    }


def read_sentences(
    files: Mapping[str, File], name: str, split: str
) -> Iterator[tuple[str, Probe, Row]]:
    """Read one of the authors' files as `read_tagged`, or its lines of the rebuilt table."""
    return (
        read_rebuilt(files[REBUILT], name) if split == REBUILT else read_tagged(files[name], split)
    )


def read_tagged(file: File, split: str) -> Iterator[tuple[str, Probe, Row]]:
    """Read one of the authors' files: one compound per line, a column and a `_tag` column for every
    probe.

    Yields:
        The compound, its place in its sentence, its probes.

    Raises:
        ValueError: A needed column is missing or empty, or a tag does not fit its sentence; names
            file, line, column.
    """
    for line in read_table(file, [_SENTENCE[split], *_NEEDED]):
        alternatives = sorted(column for column in line.cells if _ALTERNATIVE.fullmatch(column))
        yield (
            " ".join(line["compound"].split()),
            _probe(line, _SENTENCE[split], "original sentence_tag"),  # also in the neutral files
            {
                "syn": _probe(line, "synonym for compound"),
                "head": _probe(line, "original head only"),
                "modifier": _probe(line, "original modifier only"),
                # a compound may have fewer alternatives than the file has columns
                "words_syn": [
                    _probe(line, column)
                    for column in ("synonym both", *filter(line.get, alternatives))
                ],
                "rand": [_probe(line, column) for column in _RAND],
            },
        )


def _probe(line: Line, column: str, tag: str = "") -> Probe:
    try:
        return tagged_probe(line[column], line[tag or f"{column}_tag"])
    except ValueError as error:
        raise ValueError(f"{line.place}, column {column!r}: {error}") from error
