"""Caption swap: is a caption nearer to its paraphrase than to nearly the same words?

Dumpala, Jaiswal, Sastry, Milios, Oore, Sajjad 2024: *SUGARCREPE++ Dataset*, NeurIPS. By their
text-only criterion, a triplet of a caption c, a paraphrase p and a negative n, which is a caption
of another scene, is won if

    d(c, p) < d(c, n)  and  d(c, p) < d(p, n)
"""

from dataclasses import dataclass

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Names
from harness_ext.data.rows import CAPTION_KINDS, CaptionRow
from harness_ext.measures.core.items import column, distance
from harness_ext.measures.core.measure import Row
from harness_ext.measures.core.scores import Axis, score
from harness_ext.measures.kinds.triplets import TripletItems, Triplets, TripletTable
from harness_ext.statistics.distance import at_most
from harness_ext.statistics.statistic import Statistic, mean

FILE = Axis("file", CAPTION_KINDS)


def both_ways(
    caption_paraphrase: Floats,
    caption_negative: Floats,
    paraphrase_negative: Floats,
) -> Floats:
    """1 where d(c, p) < d(c, n) and d(c, p) < d(p, n), else 0; a tie is no win. Shapes (m,).

    NaN where one of them is NaN.
    """
    nearer_to_caption = 1 - at_most(caption_negative, caption_paraphrase)
    nearer_to_paraphrase = 1 - at_most(paraphrase_negative, caption_paraphrase)
    return nearer_to_caption * nearer_to_paraphrase


@dataclass(frozen=True)
class CaptionTriplets(TripletTable):
    """One row per caption, with its paraphrase and its negative."""

    file: Names = column("What the negative changes: swap_obj, swap_att, replace_att, and so on.")
    shares_more: Flags = column(
        "Whether the negative shares more words with the caption than the paraphrase does "
        "(Jaccard)."
    )
    right_distance: Floats = distance(
        "d of the caption and the paraphrase.", "anchor", "right", name="paraphrase_distance"
    )
    wrong_distance: Floats = distance(
        "d of the caption and the caption of another scene.",
        "anchor",
        "wrong",
        name="negative_distance",
    )
    between_distance: Floats = distance(
        "d of the paraphrase and the caption of another scene.", "right", "wrong"
    )

    @property
    def won(self) -> Floats:
        """1 where the paraphrase is nearer to the caption than the negative to either, else 0.

        NaN for a zero vector; of shape (m,).
        """
        return both_ways(self.right_distance, self.wrong_distance, self.between_distance)


@dataclass(frozen=True)
class CaptionItems(TripletItems):
    """The captions."""

    triplets: CaptionTriplets


class CaptionSwap(Triplets[CaptionItems]):
    """Caption swap (Dumpala et al.)."""

    name = "caption_swap"
    version = 7
    question = (
        "Is a caption nearer to its paraphrase than to a caption of nearly the same words about "
        "another scene?"
    )
    source = "SugarCrepe++, text-only criterion"
    row = CaptionRow
    items = CaptionItems
    texts = ("caption", "paraphrase", "negative")
    words = ("the caption", "the paraphrase", "the caption of another scene")
    main = "share_swaps"
    axis = FILE
    chance = 1 / 3
    order = ("share", "overlap")

    def prepare(self, row: Row) -> Row:
        """The file of the caption, and whether the negative shares more words with it."""
        to_negative = _shared_words(row["caption"], row["negative"])
        to_paraphrase = _shared_words(row["caption"], row["paraphrase"])
        file, _, _ = row["id"].partition("-")
        return {**row, "file": file, "shares_more": to_negative > to_paraphrase}

    @score(
        like=Triplets.share,
        key="share_swaps",
        formula=(
            "share of the triplets of swap_obj and swap_att with d(caption, paraphrase) < "
            "d(caption, negative) and < d(paraphrase, negative); a tie is no win"
        ),
    )
    def share(self, items: CaptionItems) -> Statistic:
        is_swap = np.isin(items.triplets.file, ["swap_obj", "swap_att"])
        return self.share_won(items.triplets[is_swap])

    @score(
        key="overlap_{file}",
        axes=[FILE],
        title="how often the negative shares more words with the caption",
        formula=(
            "share of the triplets in which the Jaccard overlap of their words is above that of "
            "the paraphrase"
        ),
        range=(0, 1),
    )
    def overlap(self, items: CaptionItems, file: str) -> Statistic:
        triplets = items.triplets[items.triplets.file == file]
        return mean(triplets.row, triplets.shares_more)


def _shared_words(first: str, second: str) -> float:
    """The Jaccard overlap of the words of two texts, in [0, 1]."""
    words = set(first.casefold().split())
    other_words = set(second.casefold().split())
    return len(words & other_words) / len(words | other_words)


CAPTION_SWAP = CaptionSwap()
