"""The rows that a dataset has and a measure needs, declared once: the features of the one, the fields of the other."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class CaptionRow(TypedDict):
    """A caption, another of the same scene, one of another scene; the file stands before the last `-` of the id."""

    id: str
    caption: str
    paraphrase: str
    negative: str


class ExpressionRow(TypedDict):
    """A sentence with an expression, its right paraphrase, and one word by word where there is one."""

    id: str
    expression: str
    sentence: str
    entailed: str
    not_entailed: str | None
    removed_by: str | None


class MergeRow(TypedDict):
    """A pair of texts; pairs of one source are resampled together."""

    id: str
    source: str
    kind: str
    first: str
    second: str


class NegationRow(TypedDict):
    """A sentence before and after it lost its negation; a row that is not to be used says why."""

    id: str
    pair: str
    before: str
    after: str
    important: bool
    n_removed: int
    removed_by: str | None


class PhraseRow(TypedDict):
    """A phrase of an adjective or two and a noun; `pattern` is AN or AAN."""

    phrase: str
    pattern: str
    words: list[str]
    types: list[str]
    synonyms: list[str]


class SearchRow(TypedDict):
    """A sentence with an expression: a document, or a query."""

    id: str
    is_query: bool
    expression: str
    usage: str
    sentence: str


class UseRow(TypedDict):
    """A sentence with an expression and its reading; a row that is not to be used says why.

    `name` is what results call the expression, if not by itself.
    """

    id: str
    expression: str
    name: NotRequired[str]
    sentence: str
    is_idiomatic: bool
    removed_by: str | None
