"""sts3k: sentence pairs with people's similarity, among them the same words in other roles.

Fodor, De Deyne, Suzuki: STS3k, as in their repository bmmlab/compositional-semantics-eval. See
README.md beside this file for the columns; the pairs of the config `mini` were written for this
project (CC0).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import PairRow
from harness_ext.data.tables import File, read_table

ADVERSARIAL, ORDINARY, NEGATION = "adversarial", "ordinary", "negation"
"""The kinds of pairs: adversarial without negation, not adversarial, adversarial with negation."""


class Sts3k(PinnedBuilder):
    """The `datasets` builder of `sts3k`; configs `pairs` and `mini`, one split `test`."""

    DEFAULT_CONFIG_NAME = "pairs"
    PACKAGED = {"mini": {"pairs": "role_swaps.tsv"}}  # noqa: RUF012
    SPLITS = ("test",)
    ROW = PairRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[Mapping[str, Any]]:
        """The pairs in the order of the list."""
        if self.config.name == "mini":
            yield from mini_rows(files["pairs"])
        else:
            pairs = read_pairs(files["pairs"])
            kinds = [NEGATION] * len(pairs)
            for kind in (ADVERSARIAL, ORDINARY):
                for line in read_table(files[kind], ["place"], header=False, unique=["place"]):
                    kinds[int(line.number("place", 0, len(pairs) - 1))] = kind
            yield from pair_rows(pairs, kinds, "sts3k")


Pair = tuple[str, str]


def read_pairs(file: File) -> list[tuple[Pair, float]]:
    """The pairs of the list and their similarity, in [0, 1]."""
    lines = read_table(file, ("sentence1", "sentence2", "similarity"), delimiter=";", header=False)
    return [
        ((line["sentence1"], line["sentence2"]), line.number("similarity", 0, 1)) for line in lines
    ]


def linked_groups(pairs: Sequence[Pair]) -> list[int]:
    """The group of each pair, from 0: pairs are in one group if sentences in common link them."""
    # not scipy's connected_components: builders load where no more than `datasets` is installed
    linked = {sentence: {sentence} for pair in pairs for sentence in pair}
    for first, second in pairs:
        if linked[first] is not linked[second]:
            linked[first] |= linked[second]
            for sentence in linked[second]:
                linked[sentence] = linked[first]
    groups = [id(linked[first]) for first, _ in pairs]
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return [numbers[group] for group in groups]


def pair_rows(
    pairs: Sequence[tuple[Pair, float]], kinds: Sequence[str], prefix: str
) -> Iterator[PairRow]:
    """The rows; groups are counted within each kind."""
    groups = [0] * len(pairs)
    for kind in dict.fromkeys(kinds):
        places = [place for place, of_kind in enumerate(kinds) if of_kind == kind]
        for place, group in zip(
            places, linked_groups([pairs[place][0] for place in places]), strict=True
        ):
            groups[place] = group
    for place, ((first, second), similarity) in enumerate(pairs):
        row: PairRow = {
            "id": f"{prefix}-{place}",
            "sentence1": first,
            "sentence2": second,
            "similarity": similarity,
        }
        yield {**row, "kind": kinds[place], "group": groups[place]}


def mini_rows(file: File) -> Iterator[PairRow]:
    """The pairs of role_swaps.tsv: each sentence with four others."""
    others = {
        "reworded": (ADVERSARIAL, 1.0),
        "swapped": (ADVERSARIAL, 0.5),
        "close": (ORDINARY, 1.0),
    }
    others["unrelated"] = (ORDINARY, 0.0)
    lines = read_table(file, ("sentence", *others), delimiter="\t", header=False)
    pairs = [
        ((line["sentence"], line[column]), others[column][1]) for line in lines for column in others
    ]
    kinds = [kind for _ in lines for kind, _ in others.values()]
    yield from pair_rows(pairs, kinds, "mini")
