"""The protocol of tree reconstruction in the name of an eval split.

It is `<trees>[_words_from_train][_mean|_linear]`. The trees of `<trees>` are measured. Words are
fitted to them too, or to those of train, and composed by sums unless the name says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from harness_ext.measures.trees.forest import COMPOSITIONS

_OTHER_COMPOSITIONS = "|".join(COMPOSITIONS[1:])
_PROTOCOL = re.compile(
    f"""
    (?P<trees>train|dev|test)
    (?P<from_train>_words_from_train)?
    (_(?P<composition>{_OTHER_COMPOSITIONS}))?
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class TreeProtocol:
    """The protocol in the name of an eval split.

    Attributes:
        trees: The split of the dataset that is measured.
        words_from: The split that words are fitted to.
        composition: Of `COMPOSITIONS`.
    """

    trees: str
    words_from: str
    composition: str

    @classmethod
    def parse(cls, split: str, trees: Iterable[str]) -> TreeProtocol:
        """Read the name of a split, where there are trees of some splits.

        Raises:
            ValueError: These trees do not make the split possible; lists the splits that are.
        """
        splits = list(trees)
        match = _PROTOCOL.fullmatch(split)
        if match:
            protocol = cls(
                trees=match["trees"],
                words_from="train" if match["from_train"] else match["trees"],
                composition=match["composition"] or COMPOSITIONS[0],
            )
            needed = {protocol.trees, protocol.words_from}
            is_twice_train = bool(match["from_train"]) and protocol.trees == "train"
            if needed <= set(splits) and not is_twice_train:
                return protocol
        others = " or ".join(f"_{name}" for name in COMPOSITIONS[1:])
        possible = list(splits)
        if "train" in splits:
            possible += [f"{name}_words_from_train" for name in splits if name != "train"]
        raise ValueError(
            f"{split!r} is not an eval split here. There are {', '.join(possible)}, each also with "
            f"{others} for another composition than the sum."
        )
