"""The English naturalistic sentences, made again from a table that others published of the authors'
files.

The table has each sentence, the place of its compound, and the expressions of the probes. They are
put into that place as they are: no article and no agreement is edited.
"""

from collections.abc import Iterator

from harness_ext.data.compounds import Probe, replaced_probe
from harness_ext.data.rows import Row
from harness_ext.data.tables import File, Line, read_table

REBUILT = "naturalistic_rebuilt"  # the split
_PROBES = ["p_syn", "p_comp", "p_words_syn", "p_rand"]
_COLUMNS = ["language", "canonical_form", "source_file", "original_sentence", "span", *_PROBES]


def read_rebuilt(file: File, name: str) -> Iterator[tuple[str, Probe, Row]]:
    """Read the English lines that were made of one of the authors' files; yields what `read_tagged`
    yields.
    """
    for line in read_table(file, _COLUMNS):
        if (line["language"], line["source_file"]) == ("EN", name):
            target = _target(line)
            syn, comp, words_syn, rand = (
                [replaced_probe(target, expression) for expression in _expressions(line, column)]
                for column in _PROBES
            )
            head, modifier = comp
            probes = {
                "syn": syn[0],
                "head": head,
                "modifier": modifier,
                "words_syn": words_syn,
                "rand": rand,
            }
            yield line["canonical_form"], target, probes


def _expressions(line: Line, column: str) -> list[str]:
    expressions = line[column].split("||")
    if not all(map(str.strip, expressions)) or (column == "p_comp" and len(expressions) != 2):
        raise line.refusal(
            column, "HEAD || MODIFIER" if column == "p_comp" else "EXPRESSION || EXPRESSION …"
        )
    return expressions


def _target(line: Line) -> Probe:
    words, place = line["original_sentence"].split(), line["span"].strip("[]").split(",")
    if not all(end.strip().isdecimal() for end in place) or len(place) != 2:
        raise line.refusal("span", "[FIRST WORD, WORD AFTER THE LAST]")
    start, end = map(int, place)
    if not start < end <= len(words):
        raise line.refusal("span", f"a place in the {len(words)} words of the sentence")
    return Probe(expression=" ".join(words[start:end]), sentence=" ".join(words), span=[start, end])
