"""What the annotation of a field says of a user's own rows, beside its type: see
`harness_ext.own_data`.

`Else`, `Also`, `Either`, `Form`, `Labels`, `Words` and the words in capitals stand in `Annotated`
types of rows. A field of two types is stored as the first. A field of type str that says nothing is
a text, which is encoded.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple


class Else(NamedTuple):
    """What a field of a user's own row is where it is not given.

    Attributes:
        says: The same in words.
        value: The other fields, the file and the number of the row, from 1 -> the value; None if
            it must be given, or a ValueError of why, with `{}` for what the row has, and of that.
    """

    says: str
    value: Callable[[dict[str, Any], str, int], Any]


class Also(NamedTuple):
    """Another column that the field is taken from where its own has nothing."""

    column: str


class Either(NamedTuple):
    """Another field, if this one is empty: a row that has neither is not measured."""

    other: str


class Form(NamedTuple):
    """A regular expression that a text must match, and what it says."""

    pattern: str
    says: str


class Labels(NamedTuple):
    """Names of the numbers from 0, and what to do without them."""

    names: tuple[str, ...]
    without: str


class Words(NamedTuple):
    """Words that decide, each with its other spellings, in lower case; what is only like one is
    refused.

    Attributes:
        spellings: Word -> how else it is written.
        like: A regular expression of what is like one of them.
        says: What a cell has, in words.
    """

    spellings: Mapping[str, tuple[str, ...]]
    like: str
    says: str


class Scale(NamedTuple):
    """The numbers that people may give, both ends included."""

    low: float
    high: float


NAME = "a name, which is not encoded"
COMPOUND = "a compound, whose place in the sentence is looked for"
EXPRESSION = "words, and no sentence"
OURS = "only in the datasets of this project"
NEEDED_IN_PAIRS = "needed where the role is pair"


def _number_of_row(
    row: dict[str, Any],
    file: str,
    number: int,
) -> str:
    return str(number)


RowId = Annotated[str, NAME, Else("the number of the row", _number_of_row)]
"""The id of a row."""
