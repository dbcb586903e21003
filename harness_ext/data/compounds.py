"""The rows that the noun-compound datasets share: a compound in a sentence, and the probes that replace it.

Words are what `str.split` gives: the sentences of the published datasets are tokenised with spaces.
"""

from __future__ import annotations

import ast
import re
from typing import TypedDict

from datasets import Features, Value


class Probe(TypedDict):
    """A sentence in which an expression stands in the place of the compound.

    Attributes:
        expression: The words at that place, joined by single spaces.
        sentence: The whole sentence, words joined by single spaces.
        span: Where the expression stands: its first word and the one after its last, counted in words from 0.
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
    """The words of an expression, with those that a hyphen joins taken apart.

    Examples:
        >>> words_of("caixa-forte"), words_of("black box")
        (['caixa', 'forte'], ['black', 'box'])
    """
    return [word for word in re.split(r"[\s-]+", expression) if word]


def tagged_probe(sentence: str, tag: str) -> Probe:
    """Read a sentence whose tag says which of its words are the expression, as in the NCIMP files.

    Args:
        sentence: Words separated by blanks.
        tag: The text of a Python list with one True or False per word.

    Raises:
        ValueError: The tag is no such list, does not fit the number of words, or marks no words in one piece.
    """
    words = sentence.split()
    try:
        marks = ast.literal_eval(tag.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # all that it may raise
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
        ValueError: `{}` is not a word of the frame, or is one more than once, or the expression is empty.
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
    """The words that can stand in each slot of a compound of two words.

    Returns:
        For the modifier and for the head: the compound's own word, then the distinct others that the word-by-word
        replacements of two words have there. Nothing for a compound of another number of words.
    """
    pair = row["surface"].split()
    replacements = [probe["expression"].split() for probe in row["words_syn"]]
    replacements = [words for words in replacements if len(words) == 2]
    if len(pair) != 2:
        return []
    return [list(dict.fromkeys([word, *(words[place] for words in replacements)])) for place, word in enumerate(pair)]
