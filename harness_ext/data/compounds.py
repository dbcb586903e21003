"""Rows of the noun-compound datasets: a compound in a sentence, and the probes that replace it.

Words are the parts that `str.split` gives: the sentences of the published datasets are tokenised
with spaces.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from harness_ext.data.annotations import (
    COMPOUND,
    EXPRESSION,
    NAME,
    OURS,
    Also,
    Either,
    Else,
    RowId,
    Scale,
)
from harness_ext.data.normalization import WITHOUT_BLANKS, ends_word
from harness_ext.data.rows import Row

# punctuation marks that sentences without tokenisation have at the ends of words
_MARKS = ".,;:!?()\"'«»“”’…"


class Probe(TypedDict):
    """A sentence with an expression in the place of the compound.

    Attributes:
        expression: The words, joined by single spaces.
        sentence: The whole sentence, words joined by single spaces.
        span: First word of the expression and first word after it, counted from 0.
    """

    expression: str
    sentence: str
    span: list[int]


Class = Literal["NC", "PC", "C"]  # non-compositional, partly compositional, compositional

NOT_SCORED: Row = dict.fromkeys(("class", "expert_class", "type_score", "comp", "token_score"))
"""What people say of a compound, where nobody said it."""


def _word(
    row: Row,
    place: int,
) -> str:
    """A word of a compound of several."""
    words: list[str] = row["compound"].split()
    if len(words) < 2:
        raise ValueError(
            "{} is one word: give its parts in columns modifier and head.", row["compound"]
        )
    return words[place]


def _first_word(
    row: Row,
    file: str,
    number: int,
) -> str:
    return _word(row, 0)


def _last_word(
    row: Row,
    file: str,
    number: int,
) -> str:
    return _word(row, -1)


def _compound(
    row: Row,
    file: str,
    number: int,
) -> str:
    return str(row["compound"])


def _looked_for(
    row: Row,
    file: str,
    number: int,
) -> None:
    """Nothing yet: the reader looks for the place."""


_Surface = Else("compound", _compound)
_Span = Else("the place of surface in sentence", _looked_for)

Rating = Annotated[float | None, Scale(0, 5)]
"""People's mean; None where nobody said it."""

CompoundRow = TypedDict(  # `class` is a keyword
    "CompoundRow",
    {
        "id": RowId,
        "compound": Annotated[str, COMPOUND],
        "context": int,
        "surface": Annotated[str, _Surface],
        "class": Annotated[Class | None, Also("expert_class")],
        "expert_class": Annotated[Class | None, Also("class")],
        "type_score": Rating,
        "comp": Rating,
        "token_score": Rating,
        "sentence": str,
        "span": Annotated[list[int], _Span, OURS],
        "syn": Probe,
        "head": Annotated[Probe, Else("its last word", _last_word)],
        "modifier": Annotated[Probe, Else("the first word of compound", _first_word)],
        "words_syn": list[Probe],
        "rand": list[Probe],
    },
)
"""One compound in one sentence, and replacements of the compound; the columns are explained in the
dataset cards.
"""


PartOfCompound = NotRequired[Annotated[str | None, NAME, EXPRESSION]]
"""A word of a compound that is written as one."""


class TypeTokenRow(TypedDict):
    """One compound in one sentence, or without one, and what people say of it there and in
    general.
    """

    id: RowId
    compound: Annotated[str, COMPOUND]
    context: int
    surface: Annotated[str | None, _Surface]
    expert_class: Annotated[Class | None, Also("class")]
    type_score: Annotated[Rating, Either("token_score")]
    comp: Rating
    token_score: Rating
    paraphrases: Annotated[list[str], OURS]
    token_paraphrases: Annotated[list[str], OURS]
    sentence: str | None
    span: Annotated[list[int] | None, _Span, OURS]


def compound_row(
    prefix: str,
    compound: str,
    context: int,
    target: Probe,
    scores: Mapping[str, Any],
    probes: Mapping[str, Any],
) -> Row:
    """Make a `CompoundRow` of a compound in its basic form, the number of its sentence, and its
    place there.

    The prefix of its id is language and split. Scores have the keys of `NOT_SCORED`, probes those
    of the replacements.
    """
    return {
        "id": f"{prefix}-{context}-{compound.replace(' ', '_')}",
        "compound": compound,
        "context": context,
        "surface": target["expression"],
        "sentence": target["sentence"],
        "span": target["span"],
        **scores,
        **probes,
    }


def words_of(expression: str) -> list[str]:
    """Split an expression into words, at blanks and hyphens.

    Examples:
        >>> words_of("caixa-forte"), words_of("black box")
        (['caixa', 'forte'], ['black', 'box'])
    """
    return [word for word in re.split(r"[\s-]+", expression) if word]


def tagged_probe(
    sentence: str,
    tag: str,
    compound: str = "",
) -> Probe:
    """Read a sentence with a tag that marks the words of the expression, as in the NCIMP files.

    Args:
        sentence: Words separated by blanks.
        tag: The text of a Python list with one True or False per word.
        compound: If given, a tag may leave out words inside of the compound, such as a preposition,
            or its last words; and punctuation marks may stand at its ends, which the expression is
            without.

    Raises:
        ValueError: The tag is not such a list, has another number of words, or does not mark
            adjacent words.
    """
    words = sentence.split()
    try:
        marks = ast.literal_eval(tag.strip())
    # all errors of literal_eval
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        marks = None
    are_marks = isinstance(marks, list) and {*map(type, marks)} <= {bool}
    if not are_marks:
        raise ValueError(f"the tag {tag!r} is not a list of True and False")
    if len(marks) != len(words):
        raise ValueError(
            f"the tag has {len(marks)} marks for the {len(words)} words of {sentence!r}"
        )
    if True not in marks:
        raise ValueError(f"the tag marks no word of {sentence!r}")
    start = marks.index(True)
    end = len(marks) - marks[::-1].index(True)
    if not compound and not all(marks[start:end]):
        raise ValueError(f"the words marked in {sentence!r} are not next to each other")
    left_out = compound.split()[end - start :]
    if words[end : end + len(left_out)] == left_out:
        end += len(left_out)
    expression = " ".join(words[start:end])
    return Probe(
        expression=expression.strip(_MARKS) if compound else expression,
        sentence=" ".join(words),
        span=[start, end],
    )


def inserted_probe(
    sentence: str,
    place: tuple[int, int],
    expression: str,
) -> Probe:
    """Put an expression in the place of some characters of a sentence, from the first up to the
    second.
    """
    before = sentence[: place[0]]
    after = sentence[place[1] :]
    inserted = " ".join(expression.split())
    start = len(f"{before}x".split()) - 1  # a mark before it is of its word
    end = start + len(inserted.split())
    words = f"{before}{inserted}{after}".split()
    return Probe(
        expression=inserted,
        sentence=" ".join(words),
        span=[start, end],
    )


def stands_alone(
    sentence: str,
    span: Sequence[int],
    expression: str,
) -> bool:
    """Whether the words of a span are the expression: not where a script has no blanks
    around it.
    """
    start, end = span
    words = " ".join(sentence.split()[start:end])
    return not WITHOUT_BLANKS.search(words) or words.strip(_MARKS) == expression


def _is_word(
    text: str,
    place: int,
) -> bool:
    """Whether the sign at a place is a word of its own."""
    return ends_word(text, place) and ends_word(text, place + 1)


def filled_probe(
    frame: str,
    expression: str,
) -> Probe:
    """Put `expression` in the place of `{}` in `frame`, whose word may have punctuation marks
    around it.

    Raises:
        ValueError: `{}` does not occur exactly once as a word of the frame, or the expression is
            empty.
    """
    start = frame.find("{}")
    letter = frame.replace("{}", "x")
    is_there_once = frame.count("{}") == 1
    if not is_there_once or not _is_word(letter, start):
        raise ValueError(f"{{}} must stand once in {frame!r}, with no letter on either side")
    if not expression.strip():
        raise ValueError(f"nothing to put into {frame!r}")
    return inserted_probe(frame, (start, start + 2), expression)


def replaced_probe(
    target: Probe,
    expression: str,
) -> Probe:
    """Put `expression` in place of another, with the marks that stood at its ends. Raises what
    `filled_probe` does.
    """
    words = target["sentence"].split()
    start, end = target["span"]
    framed = " ".join(words[start:end]).replace(target["expression"], "{}", 1)
    words[start:end] = [framed]
    return filled_probe(" ".join(words), expression)


def located_probe(
    sentence: str,
    expression: str,
    near: int,
) -> Probe:
    """Find an expression in its sentence, whatever its case and the marks at its ends; the place
    nearest to `near`.

    Raises:
        ValueError: It is not there.
    """
    words = sentence.split()
    expression = " ".join(expression.split())
    n_words = len(expression.split())
    starts: list[int] = []
    for start in range(len(words) - n_words + 1):
        words_from_start = " ".join(words[start : start + n_words])
        if expression.casefold() in words_from_start.casefold():
            starts.append(start)
    if not starts:
        raise ValueError(f"{expression!r} is not in {sentence!r}")
    distances = {start: abs(start - near) for start in starts}
    nearest = min(distances, key=distances.__getitem__)
    return Probe(
        expression=expression,
        sentence=" ".join(words),
        span=[nearest, nearest + n_words],
    )


def slot_words(row: CompoundRow) -> list[list[str]]:
    """List the words for the modifier and for the head of a compound of two words; nothing for
    another compound.

    The compound's own word comes first, then the distinct other words at its place in the
    replacements of two words.
    """
    pair = row["surface"].split()
    if len(pair) != 2:
        return []
    replacements = [probe["expression"].split() for probe in row["words_syn"]]
    replacements = [words for words in replacements if len(words) == 2]
    slots: list[list[str]] = []
    for place, word in enumerate(pair):
        others = [words[place] for words in replacements]
        slots.append(list(dict.fromkeys([word, *others])))
    return slots
