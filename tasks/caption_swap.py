"""Caption swap on SugarCrepe++ and on 60 triplets written for this project.

Dumpala, Jaiswal, Sastry, Milios, Oore, Sajjad 2024: *SUGARCREPE++ Dataset*, NeurIPS.
"""

from dataclasses import dataclass

from harness_ext.common.arrays import Flags, Floats, Names
from harness_ext.data.rows import CAPTION_KINDS, CaptionRow
from harness_ext.measures.core.items import column, distance
from harness_ext.measures.core.old_scores import Axis, proportion
from harness_ext.measures.kinds.kind import Row
from harness_ext.measures.kinds.triplets import TripletItems, Triplets, TripletTable
from harness_ext.statistics.distance import at_most
from harness_ext.statistics.statistic import mean
from harness_ext.tasks.task import ROLES, Task, on_data

_FILE = Axis("file", CAPTION_KINDS)


@dataclass(frozen=True)
class CaptionTriplets(TripletTable):
    """One row per caption, with its paraphrase and its negative."""

    file: Names = column("What the negative changes: swap_obj, swap_att, replace_att, and so on.")
    shares_more: Flags = column(
        "Whether the negative shares more words with the caption than the paraphrase does (Jaccard)."
    )
    right_distance: Floats = distance(
        "d of the caption and the paraphrase.", "anchor", "right", name="paraphrase_distance"
    )
    wrong_distance: Floats = distance(
        "d of the caption and the caption of another scene.", "anchor", "wrong", name="negative_distance"
    )
    between_distance: Floats = distance("d of the paraphrase and the caption of another scene.", "right", "wrong")

    @property
    def won(self) -> Floats:
        """1 where the paraphrase is nearer to the caption than the negative to either, else 0; NaN, shape (m,)."""
        nearest = self.right_distance
        return (1 - at_most(self.wrong_distance, nearest)) * (1 - at_most(self.between_distance, nearest))


@dataclass(frozen=True)
class CaptionItems(TripletItems):
    """The captions."""

    triplets: CaptionTriplets


class CaptionSwap(Triplets[CaptionItems]):
    """Is a caption nearer to its paraphrase than to a caption of nearly the same words about another scene?"""

    name = "caption_swap"
    version = 6
    source = "SugarCrepe++, text-only criterion"
    needs = CaptionRow
    items = CaptionItems
    texts = ("caption", "paraphrase", "negative")
    words = ("the caption", "the paraphrase", "the caption of another scene")
    main = "share_swaps"
    axis = _FILE
    main_of = ("swap_obj", "swap_att")
    rule = "d({0}, {1}) < d({0}, {2}) and < d({1}, {2}); a tie is no win"
    chance = 1 / 3
    overlap = proportion(
        "how often the negative shares more words with the caption",
        "share of the triplets in which the Jaccard overlap of their words is above that of the paraphrase",
        key="overlap_{file}",
        axes=(_FILE,),
        compute=lambda items, file: mean(items.triplets.at(file).row, items.triplets.at(file).shares_more),
    )

    def prepare(self, row: Row) -> Row:
        """The file of the caption, and whether the negative shares more words with it."""
        caption, *others = (set(row[name].casefold().split()) for name in self.texts)
        paraphrase, negative = (len(caption & other) / len(caption | other) for other in others)
        return {**row, "file": row["id"].rpartition("-")[0], "shares_more": negative > paraphrase}


CAPTION_SWAP = CaptionSwap().measure()

_CAPTION_SWAP = Task(
    name="CaptionSwap",
    measure=CAPTION_SWAP,
    category=ROLES,
    description="Is a caption nearer to its paraphrase than either is to a caption in nearly the same words about "
    "another scene? Main score: the share of triplets with swapped things or attributes (1/3 by chance). Texts alone.",
    **on_data("sugarcrepe_pp", "c083bbf039a5ca215acaf25e7ee736d2ea6f3864", "scpp"),
    splits=("all",),
)

TASKS = (_CAPTION_SWAP, _CAPTION_SWAP.on_own_data())
