"""Rows of the noun-compound datasets: a compound in a sentence, and the probes that replace it.

Words are the parts that `str.split` gives: the sentences of the published datasets are tokenised with spaces.
"""

from __future__ import annotations

import ast
import re
from typing import TypedDict

from datasets import Features, Value


class Probe(TypedDict):
    """A sentence with an expression in the place of the compound.

    Attributes:
        expression: Its words, joined by single spaces.
        sentence: The whole sentence, words joined by single spaces.
        span: First word of the expression and first word after it, counted from 0.
    """

    expression: str
    sentence: str
    span: list[int]


CompoundRow = TypedDict(
    "CompoundRow",
    {
        "id": str,
        "compound": str,
        "context": int,
        "surface": str,
        "class": str | None,
        "expert_class": str | None,
        "type_score": float | None,
        "comp": float | None,
        "token_score": float | None,
        "sentence": str,
        "span": list[int],
        "syn": Probe,
        "head": Probe,
        "modifier": Probe,
        "words_syn": list[Probe],
        "rand": list[Probe],
    },
)
"""One compound in one sentence; the columns are explained in the dataset cards."""

CompoundInContext = TypedDict(
    "CompoundInContext",
    {
        "id": str,
        "compound": str,
        "surface": str,
        "class": str | None,
        "sentence": str,
        "span": list[int],
        "syn": Probe,
        "words_syn": list[Probe],
    },
)
"""What the measures of compounds in sentences need of a row."""

_SPAN = [Value("int32")]
_PROBE = {"expression": Value("string"), "sentence": Value("string"), "span": _SPAN}

FEATURES = Features(
    {
        "id": Value("string"),
        "compound": Value("string"),
        "context": Value("int32"),
        "surface": Value("string"),
        "class": Value("string"),
        "expert_class": Value("string"),
        "type_score": Value("float64"),
        "comp": Value("float64"),
        "token_score": Value("float64"),
        "sentence": Value("string"),
        "span": _SPAN,
        "syn": _PROBE,
        "head": _PROBE,
        "modifier": _PROBE,
        "words_syn": [_PROBE],
        "rand": [_PROBE],
    }
)
"""`CompoundRow` for `datasets`."""


def words_of(expression: str) -> list[str]:
    """Split an expression into words, at blanks and hyphens.

    Examples:
        >>> words_of("caixa-forte"), words_of("black box")
        (['caixa', 'forte'], ['black', 'box'])
    """
    return [word for word in re.split(r"[\s-]+", expression) if word]


def tagged_probe(sentence: str, tag: str) -> Probe:
    """Read a sentence with a tag that marks the words of the expression, as in the NCIMP files.

    Args:
        sentence: Words separated by blanks.
        tag: The text of a Python list with one True or False per word.

    Raises:
        ValueError: The tag is not such a list, has another number of words, or does not mark adjacent words.
    """
    words = sentence.split()
    try:
        marks = ast.literal_eval(tag.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # all errors of literal_eval
        marks = None
    if not isinstance(marks, list) or not all(isinstance(mark, bool) for mark in marks):
        raise ValueError(f"the tag {tag!r} is not a list of True and False")
    if len(marks) != len(words):
        raise ValueError(f"the tag has {len(marks)} marks for the {len(words)} words of {sentence!r}")
    if True not in marks:
        raise ValueError(f"the tag marks no word of {sentence!r}")
    start, end = marks.index(True), len(marks) - marks[::-1].index(True)
    if not all(marks[start:end]):
        raise ValueError(f"the words marked in {sentence!r} are not next to each other")
    return Probe(expression=" ".join(words[start:end]), sentence=" ".join(words), span=[start, end])


def filled_probe(frame: str, expression: str) -> Probe:
    """Put `expression` in the place of the word `{}` of `frame`.

    Raises:
        ValueError: `{}` does not occur exactly once as a word of the frame, or the expression is empty.
    """
    words, inserted = frame.split(), expression.split()
    if words.count("{}") != 1 or frame.count("{}") != 1:
        raise ValueError(f"{{}} must stand once in {frame!r}, with a blank on either side")
    if not inserted:
        raise ValueError(f"nothing to put into {frame!r}")
    start = words.index("{}")
    words[start : start + 1] = inserted
    return Probe(expression=" ".join(inserted), sentence=" ".join(words), span=[start, start + len(inserted)])


def slot_words(row: CompoundRow) -> list[list[str]]:
    """List the words for each slot of a compound of two words.

    Returns:
        For the modifier and for the head: the compound's own word, then the distinct other words at this place in the
        word-by-word replacements of two words. Empty for a compound of another number of words.
    """
    pair = row["surface"].split()
    replacements = [probe["expression"].split() for probe in row["words_syn"]]
    replacements = [words for words in replacements if len(words) == 2]
    if len(pair) != 2:
        return []
    return [list(dict.fromkeys([word, *(words[place] for words in replacements)])) for place, word in enumerate(pair)]
