"""Caption swap: is a caption nearer to its paraphrase than to a caption of nearly the same words about another scene?

Dumpala, Jaiswal, Sastry, Milios, Oore, Sajjad 2024: *SUGARCREPE++ Dataset*, NeurIPS; the criterion for texts alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from harness_ext.arrays import Flags, Floats, Names, Texts
from harness_ext.data.rows import CaptionRow
from harness_ext.framework.items import Items, Table, column, distance, text
from harness_ext.framework.measure import Measure, Rows
from harness_ext.framework.scores import Axis, Place, Scores, like, proportion, zero_vectors
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.distance import at_most
from harness_ext.statistics.statistic import Statistic, mean

FILE = Axis(
    "file",
    {
        "swap_obj": "two things are swapped",
        "swap_att": "two attributes are swapped",
        "replace_att": "an attribute is replaced",
        "replace_rel": "a relation is replaced",
        "replace_obj": "a thing is replaced",
    },
)


@dataclass(frozen=True)
class CaptionTriplets(Table):
    """One row per triplet."""

    row: Names = column("Id of the dataset's row.")
    file: Names = column("What the negative changes: swap_obj, swap_att, replace_att, and so on.")
    shares_more: Flags = column(
        "Whether the negative shares more of its words with the caption than the paraphrase does (Jaccard)."
    )
    caption: Texts = text("The caption.")
    paraphrase: Texts = text("Another caption of the scene.")
    negative: Texts = text("A caption of another scene.")
    paraphrase_distance: Floats = distance("d of caption and paraphrase.", "caption", "paraphrase")
    negative_distance: Floats = distance("d of caption and negative.", "caption", "negative")
    between_distance: Floats = distance("d of paraphrase and negative.", "paraphrase", "negative")

    @property
    def right(self) -> Floats:
        """1 where caption and paraphrase are nearer to each other than to the negative, else 0; NaN for a zero vector.

        A tie is no win, shape (m,).
        """
        lost = [at_most(one, self.paraphrase_distance) for one in (self.negative_distance, self.between_distance)]
        right: Floats = (1 - lost[0]) * (1 - lost[1])
        return right


@dataclass(frozen=True)
class CaptionSwapItems(Items):
    """The triplets."""

    triplets: CaptionTriplets


def _share(items: CaptionSwapItems, place: Place) -> Statistic:
    files = [place["file"]] if "file" in place else ["swap_obj", "swap_att"]
    rows = items.triplets[np.isin(items.triplets.file, files)]
    return mean(rows.row, rows.right)


def _overlap(items: CaptionSwapItems, place: Place) -> Statistic:
    rows = items.triplets.at(place)
    return mean(rows.row, rows.shares_more.astype(float))


@dataclass(frozen=True)
class CaptionSwapScores(Scores):
    """The scores; arrays over `FILE`."""

    share_swaps: float = proportion(
        "how often a paraphrase is nearer than the same words with two of them swapped",
        "share of the triplets of swap_obj and swap_att with d(caption, paraphrase) < d(caption, negative) and < "
        "d(paraphrase, negative); a tie is no win",
        direction="higher",
        chance=1 / 3,
        source="SugarCrepe++, text-only criterion",
        interval=True,
        statistic=_share,
    )
    share: Floats = like(
        share_swaps,
        "the same for each kind of change",
        "share of the triplets of the file",
        key="share_{file}",
        axes=(FILE,),
    )
    overlap: Floats = proportion(
        "how often the negative shares more words with the caption",
        "share of the triplets in which the Jaccard overlap of their words is above that of the paraphrase",
        key="overlap_{file}",
        axes=(FILE,),
        statistic=_overlap,
    )
    n_excluded_zero_vector: int = zero_vectors("triplets", lambda items: items.triplets.right)


def caption_swap_plan(rows: Rows, _: str = "") -> CaptionSwapItems:
    """Compare each caption with its paraphrase and its negative, and these two; rows are `CaptionRow`s."""

    def shares_more(row: dict[str, Any]) -> bool:
        return _jaccard(row, "negative") > _jaccard(row, "paraphrase")

    triplets = (
        (row["id"], row["id"].rpartition("-")[0], shares_more(row), row["caption"], row["paraphrase"], row["negative"])
        for row in rows
    )
    return CaptionSwapItems(CaptionTriplets.of_rows(triplets))


def _jaccard(row: dict[str, Any], text_field: str) -> float:
    """The share of the distinct words of the caption and another text that both have (Jaccard)."""
    caption, other = (set(row[name].casefold().split()) for name in ("caption", text_field))
    return len(caption & other) / len(caption | other)


_WORDING = Wording(
    question="Is a caption nearer to its paraphrase than to the same words with two of them swapped?",
    score="In {value} of the triplets, caption and paraphrase are nearer to each other than to the swapped caption.",
    chance=Consequences(
        "Guessing",
        above="The model tells a swap of things or attributes from a paraphrase more often than a guess would.",
        below=(
            "More often than a guess would, the model finds the same words about another scene nearer than other "
            "words about the same scene. Search can return captions with exchanged roles first."
        ),
    ),
    right="Caption and paraphrase should be nearer to each other than either is to the negative.",
)

CAPTION_SWAP = Measure(
    name="caption_swap",
    version=4,
    question="Is a caption nearer to its paraphrase than to a caption of nearly the same words about another scene?",
    needs=CaptionRow,
    plan=caption_swap_plan,
    main="share_swaps",
    unit="row",
    items=CaptionSwapItems,
    scores=CaptionSwapScores,
    wording=_WORDING,
)
