"""The row type of each dataset, declared once: its features, what a measure needs, the columns of a
user's own table.

A field may say more than its type, for a user's own rows: see `annotations.py`. Rows of compounds
are in `compounds.py`.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, get_type_hints

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from harness_ext.data.annotations import (
    EXPRESSION,
    NAME,
    NEEDED_IN_PAIRS,
    OURS,
    Else,
    Form,
    Labels,
    RowId,
    Words,
)

Row = dict[str, Any]


def part_of(
    row: Any,
    *fields: str,
    **more: Any,
) -> type[Any]:
    """The row type with some fields of another, and with more fields, by name."""
    hints = get_type_hints(row, include_extras=True)
    made: Any = TypedDict
    part = {name: hints[name] for name in fields}
    return made(f"PartOf{row.__name__}", {**part, **more})


SAME = "same"  # what says that the texts of a pair mean the same
_SAME_SPELLINGS = (
    "1",
    "1.0",
    "true",
    "t",
    "yes",
    "y",
    "positive",
    "paraphrase",
    "paraphrases",
    "duplicate",
    "duplicates",
    "dup",
    "entailment",
    "entailed",
    "entails",
    "equivalent",
    "equal",
    "identical",
    "synonym",
    "match",
)
_LIKE_SAME = "^(?!not|non|un|in|dis|mis).*(same|para|dup|equ|entail|ident|synon|match|simil|gleich)"
CAPTION_KINDS = {
    "swap_obj": "two things of a caption are swapped",
    "swap_att": "two attributes of a caption are swapped",
    "replace_att": "an attribute of a caption is replaced",
    "replace_rel": "a relation of a caption is replaced",
    "replace_obj": "a thing of a caption is replaced",
}
"""What the negative of a caption changes, in words."""

_KINDS = (
    "negation",
    "antonym",
    "roles",
    "attributes",
    "number",
    "entity",
    "direction",
    "order",
    "quantifiers",
    "conditions",
    "hedges",
    "scope",
    "update",
    *CAPTION_KINDS,
)
SAME_OR = Words(
    {SAME: _SAME_SPELLINGS, **dict.fromkeys(_KINDS, ())},
    _LIKE_SAME,
    f"{SAME}, or a word for another kind of pair,",
)
PairClass = Annotated[str, SAME_OR]  # `same`, or another class of pairs
_KIND_OF_PAIR = Words(
    dict.fromkeys(("adversarial", "ordinary"), ()),
    "advers|ordin",
    "adversarial, ordinary or another word",
)
Removed = Annotated[
    str | None, Form("(?i)(?!(no|false|0|n|f)$).+", "why the row is not used, or nothing,")
]
"""Why a row is not used."""


def _caption_id(
    row: Row,
    file: str,
    number: int,
) -> str:
    return f"swap_obj-{number}"


class CaptionRow(TypedDict):
    """A caption, another of the same scene, one of another scene; the file stands before the first
    `-` of the id.
    """

    id: Annotated[
        str,
        Form(
            f"({'|'.join(CAPTION_KINDS)})-.*",
            f"KIND-NUMBER, such as swap_obj-1, of {', '.join(CAPTION_KINDS)},",
        ),
        Else("swap_obj- and the number of the row", _caption_id),
    ]
    caption: str
    paraphrase: str
    negative: str


class ExpressionRow(TypedDict):
    """A sentence with an expression, its right paraphrase, and one word by word where there
    is one.
    """

    id: RowId
    expression: Annotated[str, NAME]
    sentence: str
    entailed: str
    not_entailed: str | None
    removed_by: Removed


def _first_text(
    row: Row,
    file: str,
    number: int,
) -> str:
    return str(row["first"])


class MergeRow(TypedDict):
    """A pair of texts; pairs of one source are resampled together."""

    id: RowId
    source: Annotated[str, Else("first", _first_text)]
    kind: PairClass
    first: str
    second: str


def _id_of_row(
    row: Row,
    file: str,
    number: int,
) -> str:
    return str(row["id"])


def _number_of_removed(
    row: Row,
    file: str,
    number: int,
) -> int:
    return len(row["before"].split()) - len(row["after"].split())


class NegationRow(TypedDict):
    """A sentence before and after it lost its negation; a row that is not to be used says why."""

    id: RowId
    pair: Annotated[str, Else("id", _id_of_row)]
    before: str
    after: str
    important: bool
    n_removed: Annotated[int, Else("how many words more before has than after", _number_of_removed)]
    removed_by: Removed


class CuedNegationRow(NegationRow):
    """The same with the cue of the negation: the words that the sentence lost."""

    cue: str


class OwnNegationRow(NegationRow):
    """The same with a cue where many sentences lose the same words; such rows are resampled
    together.
    """

    cue: NotRequired[Annotated[str, NAME]]


WordType = Literal["S-I", "S-NI", "NS-Pl", "NS-Pr", "A", "N"]
"""Subsective: intersective, not intersective; non-subsective: plain, privative; ambiguous;
a noun.
"""


def _words_of_phrase(
    row: Row,
    file: str,
    number: int,
) -> str:
    return " ".join(row["words"])


def _pattern_of_phrase(
    row: Row,
    file: str,
    number: int,
) -> str:
    n_adjectives = len(row["words"]) - 1
    return "A" * n_adjectives + "N"


class PhraseRow(TypedDict):
    """A phrase of an adjective or two and a noun; `pattern` is AN or AAN."""

    phrase: Annotated[str, Else("words", _words_of_phrase)]
    pattern: Annotated[str, Else("the number of words", _pattern_of_phrase)]
    words: list[str]
    types: list[WordType]
    synonyms: list[str]


class Word(NamedTuple):
    """A word of a vocabulary, of which all phrases are made; lower-cased, and a synonym may be
    several words.
    """

    word: Annotated[str, EXPRESSION]
    type: WordType
    synonym: Annotated[str, EXPRESSION]


WITHOUT_LABELS = "Pairs without labels are for merge_opposites: columns first, second, kind."
_POLARITIES = Labels(("negative", "positive"), WITHOUT_LABELS)


class PolarityRow(TypedDict):
    """A labeled sentence, and its rewrite with the other label in pairs; a pair that is not to be
    used says why.
    """

    id: RowId
    text: str
    label: Annotated[int, _POLARITIES]
    rewrite: Annotated[str | None, NEEDED_IN_PAIRS]
    removed_by: Removed


def _role(
    row: Row,
    file: str,
    number: int,
) -> str:
    if row["rewrite"]:
        return "pair"
    return "train" if "train" in Path(file).name else "held_out"


class RoleRow(PolarityRow):
    """The same with what it is used for; sentences without a rewrite are learned from, or measured
    beside the pairs.
    """

    role: Annotated[
        Literal["train", "held_out", "pair"],
        Else("pair with a rewrite; else train in a file whose name says so, else held_out", _role),
    ]


class RewriteRow(TypedDict):
    """A sentence, a rewrite that follows from it, one that does not; a row that is not to be used
    says why.
    """

    id: RowId
    sentence: str
    entailed: str
    not_entailed: str
    removed_by: NotRequired[Removed]
    n_changed: NotRequired[Annotated[int, OURS]]


class SearchRow(TypedDict):
    """A sentence with an expression: a document, or a query."""

    id: RowId
    is_query: bool
    expression: Annotated[str, NAME]
    usage: Annotated[str, NAME]
    sentence: str


class SimilarityRow(TypedDict):
    """A pair of sentences and people's similarity."""

    id: RowId
    sentence1: str
    sentence2: str
    similarity: float


class PairRow(SimilarityRow):
    """The same with its kind; pairs of one kind and group are resampled together, or those with one
    first sentence.
    """

    kind: NotRequired[Annotated[str, _KIND_OF_PAIR]]
    group: NotRequired[int | str]


class TransitiveRow(PairRow):
    """The same with the verbs of both sentences, where the same verbs stand in many pairs; such
    pairs are resampled by the first verb.
    """

    verbs: NotRequired[
        Annotated[str | None, Form(r"\S+ \S+", "the two verbs, such as `runs moves`, or nothing,")]
    ]


class RatedVerbsRow(SimilarityRow):
    """A pair of sentences, people's similarity, and the verbs of both, where they recur."""

    verbs: str | None


class TreeRow(TypedDict):
    """A parse tree with a label, 0 to 4, on each node: children before parents, -1 for the children
    of a leaf.
    """

    id: RowId
    sentence: str
    label: NotRequired[int]
    tree: NotRequired[str]
    words: list[str]
    node_labels: list[int]
    left: list[int]
    right: list[int]


class FittedTreeRow(TreeRow):
    """The same with what it is used for: words are fitted to it, it is measured, and what makes a
    node's vector.
    """

    fitted: bool
    measured: bool
    composition: str


class UseRow(TypedDict):
    """A sentence with an expression and its reading; a row that is not to be used says why.

    `name` is what results call the expression, if not by itself.
    """

    id: RowId
    expression: Annotated[str, NAME]
    name: NotRequired[Annotated[str, NAME, OURS]]
    sentence: str
    is_idiomatic: bool
    removed_by: Removed
