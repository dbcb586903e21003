"""sts3k: sentence pairs with people's similarity, among them the same words in other roles.

Fodor, De Deyne, Suzuki: STS3k, as in their repository bmmlab/compositional-semantics-eval. See
README.md beside this file for the columns; the pairs of the config `mini` were written for this
project (CC0).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import PairRow
from harness_ext.data.tables import File, read_table

ADVERSARIAL = "adversarial"
"""The kind of adversarial pairs without negation."""

ORDINARY = "ordinary"
"""The kind of pairs that are not adversarial."""

NEGATION = "negation"
"""The kind of adversarial pairs with negation."""

_ARTICLES = frozenset({"a", "an", "the"})

_MARKS = ".,;:!?'\""
"""Marks around a word."""


class Sts3k(PinnedBuilder):
    """The `datasets` builder of `sts3k`; configs `pairs` and `mini`, one split `test`."""

    DEFAULT_CONFIG_NAME = "pairs"
    PACKAGED = {"mini": {"pairs": "role_swaps.tsv"}}  # noqa: RUF012
    SPLITS = ("test",)
    ROW = PairRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[Mapping[str, Any]]:
        """The pairs in the order of the list."""
        if self.config.name == "mini":
            yield from mini_rows(files["pairs"])
        else:
            pairs = read_pairs(files["pairs"])
            kinds = [NEGATION] * len(pairs)
            for kind in (ADVERSARIAL, ORDINARY):
                for place in read_places(files[kind], len(pairs)):
                    kinds[place] = kind
            yield from pair_rows(pairs, kinds, "sts3k")


Pair = tuple[str, str]


class RatedPair(NamedTuple):
    """Two sentences and their similarity, in [0, 1]."""

    pair: Pair
    similarity: float


def read_pairs(file: File) -> list[RatedPair]:
    """The pairs of the list, in its order: lines `sentence1;sentence2;similarity`."""
    columns = ("sentence1", "sentence2", "similarity")
    pairs = []
    for line in read_table(file, columns, delimiter=";", header=False):
        pair = (line["sentence1"], line["sentence2"])
        similarity = line.number("similarity", 0, 1)
        pairs.append(RatedPair(pair, similarity))
    return pairs


def read_places(file: File, n_pairs: int) -> Iterator[int]:
    """The places, from 0, in the list of pairs that a file names, one a line."""
    for line in read_table(file, ["place"], header=False, unique=["place"]):
        place = line.number("place", 0, n_pairs - 1)
        yield int(place)


def first_word(sentence: str) -> str:
    """The first word of a sentence that is no article: most often what the sentence is about.

    Examples:
        >>> first_word("The government pays the company.")
        'government'
        >>> first_word("Elephants eat grass.")
        'elephants'
    """
    words = [word.strip(_MARKS) for word in sentence.casefold().split()]
    return next(word for word in words if word not in _ARTICLES)


def groups_by_first_word(pairs: Sequence[Pair]) -> list[int]:
    """The group of each pair, from 0: pairs are in one group if their first sentences begin with
    the same word.
    """
    numbers: dict[str, int] = {}  # word -> the number of its group
    groups = []
    for first, _ in pairs:
        number = numbers.setdefault(first_word(first), len(numbers))
        groups.append(number)
    return groups


def pair_rows(
    pairs: Sequence[RatedPair],
    kinds: Sequence[str],
    prefix: str,
) -> Iterator[PairRow]:
    """The rows; groups are counted within each kind."""
    groups = [0] * len(pairs)
    for kind in dict.fromkeys(kinds):
        places = [place for place, other in enumerate(kinds) if other == kind]
        pairs_of_kind = [pairs[place].pair for place in places]
        groups_of_kind = groups_by_first_word(pairs_of_kind)
        for place, group in zip(places, groups_of_kind, strict=True):
            groups[place] = group
    for place, (pair, similarity) in enumerate(pairs):
        first, second = pair
        yield {
            "id": f"{prefix}-{place}",
            "sentence1": first,
            "sentence2": second,
            "similarity": similarity,
            "kind": kinds[place],
            "group": groups[place],
        }


_MINI_KINDS = {
    "reworded": ADVERSARIAL,
    "swapped": ADVERSARIAL,
    "close": ORDINARY,
    "unrelated": ORDINARY,
}
"""Column -> the kind of a sentence's pair with it."""

_MINI_SIMILARITIES = {
    "reworded": 1.0,
    "swapped": 0.5,
    "close": 1.0,
    "unrelated": 0.0,
}
"""Column -> the similarity of a sentence's pair with it."""


def mini_rows(file: File) -> Iterator[PairRow]:
    """The pairs of role_swaps.tsv: each sentence with four others."""
    columns = ("sentence", *_MINI_KINDS)
    pairs = []
    kinds = []
    for line in read_table(file, columns, delimiter="\t", header=False):
        for column, kind in _MINI_KINDS.items():
            pair = (line["sentence"], line[column])
            pairs.append(RatedPair(pair, _MINI_SIMILARITIES[column]))
            kinds.append(kind)
    yield from pair_rows(pairs, kinds, "mini")
