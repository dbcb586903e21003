"""Italian noun compounds, made by others after the model of NCIMP: one score each, probes in
workbooks of their own.

Sentences are not tokenised, so that a span may end in a word with a mark at it; its expression is
without the mark.
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.compounds import (
    NOT_SCORED,
    compound_row,
    located_probe,
    replaced_probe,
    tagged_probe,
)
from harness_ext.data.rows import Row
from harness_ext.data.tables import File, Line, read_table

_CLASSES = {"I": "NC", "PC": "PC", "C": "C"}
_SENTENCES = {
    "naturalistic": ("sentence_nat_1", "sentence_nat_2", "sentence_nat_3"),
    "neutral": ("sentence_neut",),
}


def italian_rows(files: Mapping[str, File], language: str, split: str) -> Iterator[Row]:
    """Yield the rows of a split, sentence by sentence; joined by compound, for one sheet has
    another order.

    Raises:
        ValueError: A file, column or cell is not as expected; names the place.
        KeyError: A compound is not in every file.
    """
    # the same in all three of its lines
    scores = {line["compound"]: line for line in read_table(files["scores"])}
    syn = {line["NC"]: line for line in read_table(files["syn"], unique=["NC"])}
    rand: dict[str, list[Line]] = {}  # a sheet for each of the five
    for line in read_table(files["rand"], unique=["NC"]):
        rand.setdefault(line["NC"], []).append(line)
    lines = read_table(files["sentences"])
    for context, column in enumerate(_SENTENCES[split], start=1):
        for line in lines:
            compound = " ".join(line["NC"].split())
            try:
                target = tagged_probe(line[column], line[f"tag_{column}"], compound)
                near = target["span"][0]
                words = target["expression"].split()
                probes = {
                    # the last word without a preposition that an apostrophe joins to it
                    "head": replaced_probe(target, words[0]),
                    "modifier": replaced_probe(
                        target, words[-1].replace("’", "'").rpartition("'")[2]
                    ),
                    "words_syn": [replaced_probe(target, line["wordsyn"])],
                    "syn": located_probe(
                        syn[compound][f"{column}_PSyn"], syn[compound]["gold_syn"], near
                    ),
                    "rand": [
                        located_probe(other[f"{column}_PRand"], other["PRand"], near)
                        for other in rand[compound]
                    ],
                }
            except ValueError as error:
                raise ValueError(f"{line.place}, column {column!r}: {error}") from error
            judged = {
                **NOT_SCORED,
                "class": _CLASSES[scores[compound].choice("ClassToken", _CLASSES)],
                "type_score": scores[compound].number("CompositionalityToken", 0, 5),
            }
            yield compound_row(f"{language}-{split}", compound, context, target, judged, probes)
