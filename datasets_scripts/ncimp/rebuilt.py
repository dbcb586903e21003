"""The English naturalistic sentences, made again from a table that others published of the authors'
files.

The table has each sentence, the place of its compound, and the expressions of the probes. They are
put into that place as they are: no article and no agreement is edited.
"""

from collections.abc import Iterator
from typing import NamedTuple

from harness_ext.data.compounds import Probe, replaced_probe
from harness_ext.data.rows import Row
from harness_ext.data.tables import File, Line, read_table

REBUILT = "naturalistic_rebuilt"  # the split
_COLUMNS = [
    "language",
    "canonical_form",
    "source_file",
    "original_sentence",
    "span",
    "p_syn",
    "p_comp",
    "p_words_syn",
    "p_rand",
]


class TargetAndProbes(NamedTuple):
    """A sentence of a compound.

    Attributes:
        compound: As the file writes it.
        target: The sentence, and the place of the compound in it.
        probes: Its replacements: `syn`, `head` and `modifier`, one each; `words_syn` and `rand`,
            lists.
    """

    compound: str
    target: Probe
    probes: Row


def read_rebuilt(file: File, name: str) -> Iterator[TargetAndProbes]:
    """Read the English lines that were made of one of the authors' files, such as
    `naturalistics_examplesent1.csv`, in their order.

    Raises:
        ValueError: A column is missing or empty, or a cell is not of its form; names file, line and
            column.
    """
    for line in read_table(file, _COLUMNS):
        if line["language"] != "EN" or line["source_file"] != name:
            continue
        target = _target(line)
        syn = _probes(line, "p_syn", target)
        comp = _probes(line, "p_comp", target)
        if len(comp) != 2:
            raise line.refusal("p_comp", _PAIR_FORM)
        head, modifier = comp
        probes = {
            "syn": syn[0],
            "head": head,
            "modifier": modifier,
            "words_syn": _probes(line, "p_words_syn", target),
            "rand": _probes(line, "p_rand", target),
        }
        yield TargetAndProbes(line["canonical_form"], target, probes)


_PAIR_FORM = "HEAD || MODIFIER"
_LIST_FORM = "EXPRESSION || EXPRESSION …"


def _probes(
    line: Line,
    column: str,
    target: Probe,
) -> list[Probe]:
    expressions = line[column].split("||")
    if not all(expression.strip() for expression in expressions):
        raise line.refusal(column, _PAIR_FORM if column == "p_comp" else _LIST_FORM)
    return [replaced_probe(target, expression) for expression in expressions]


def _target(line: Line) -> Probe:
    words = line["original_sentence"].split()
    ends = line["span"].strip("[]").split(",")
    if len(ends) != 2 or not all(end.strip().isdecimal() for end in ends):
        raise line.refusal("span", "[FIRST WORD, WORD AFTER THE LAST]")
    start, end = map(int, ends)
    if not start < end <= len(words):
        raise line.refusal("span", f"a place in the {len(words)} words of the sentence")
    return Probe(
        expression=" ".join(words[start:end]),
        sentence=" ".join(words),
        span=[start, end],
    )
