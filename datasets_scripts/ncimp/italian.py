"""Italian noun compounds, made by others after the model of NCIMP: one score each, probes in
workbooks of their own.

Sentences are not tokenised, so that a span may end in a word with a mark at it; its expression is
without the mark.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from harness_ext.data.compounds import (
    NOT_SCORED,
    Probe,
    compound_row,
    located_probe,
    replaced_probe,
    tagged_probe,
)
from harness_ext.data.rows import Row
from harness_ext.data.tables import File, Line, read_table

_CLASSES = {
    "I": "NC",
    "PC": "PC",
    "C": "C",
}
"""The workbook's label -> that of NCIMP."""
_SENTENCES = {
    "naturalistic": ("sentence_nat_1", "sentence_nat_2", "sentence_nat_3"),
    "neutral": ("sentence_neut",),
}


def italian_rows(
    files: Mapping[str, File],
    language: str,
    split: str,
) -> Iterator[Row]:
    """Yield the rows of a split, sentence by sentence; joined by compound, for one sheet has
    another order.

    Raises:
        ValueError: A file, column or cell is not as expected; names the place.
        KeyError: A compound is not in every file.
    """
    # the same in all three of its lines
    scores = {line["compound"]: line for line in read_table(files["scores"])}
    syn = {line["NC"]: line for line in read_table(files["syn"], unique=["NC"])}
    rand = defaultdict(list)  # a sheet for each of the five
    for line in read_table(files["rand"], unique=["NC"]):
        rand[line["NC"]].append(line)
    lines = read_table(files["sentences"])
    prefix = f"{language}-{split}"
    for context, column in enumerate(_SENTENCES[split], start=1):
        for line in lines:
            compound = " ".join(line["NC"].split())
            try:
                target = tagged_probe(line[column], line[f"tag_{column}"], compound)
                probes = _probes(line, column, target, syn[compound], rand[compound])
            except ValueError as error:
                raise ValueError(f"{line.place}, column {column!r}: {error}") from error
            scores_line = scores[compound]
            label = scores_line.choice("ClassToken", _CLASSES)
            judged = {
                **NOT_SCORED,
                "class": _CLASSES[label],
                "type_score": scores_line.number("CompositionalityToken", 0, 5),
            }
            yield compound_row(prefix, compound, context, target, judged, probes)


def _probes(
    line: Line,
    column: str,
    target: Probe,
    syn: Line,
    rand: Iterable[Line],
) -> Row:
    """The probes of a sentence: from its own line, and from those of its compound in `syn` and in
    each sheet of `rand`.
    """
    place = target["span"][0]
    head, *_, last = target["expression"].split()
    # the last word without a preposition that an apostrophe joins to it
    modifier = last.replace("’", "'").rpartition("'")[2]
    random_probes = []
    for other in rand:
        probe = located_probe(other[f"{column}_PRand"], other["PRand"], place)
        random_probes.append(probe)
    return {
        "head": replaced_probe(target, head),
        "modifier": replaced_probe(target, modifier),
        "words_syn": [replaced_probe(target, line["wordsyn"])],
        "syn": located_probe(syn[f"{column}_PSyn"], syn["gold_syn"], place),
        "rand": random_probes,
    }
