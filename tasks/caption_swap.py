"""Caption swap on SugarCrepe++ and on this project's own small dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.caption_swap import CAPTION_SWAP, CaptionSwapItems, caption_swap_items
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import task_metadata


class _AbsCaptionSwap(AbsTaskCompositionality):
    measure = CAPTION_SWAP
    text_column = "caption"
    label_column = "file"

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> CaptionSwapItems:
        """See the base class."""
        table = TextTable()
        comparisons = np.array(
            [[table.add(row[part]) for part in ("caption", "paraphrase", "negative")] for row in rows]
        )
        names = np.array([[row["id"], row["file"]] for row in rows])
        shares_more = np.array([_overlap(row, "negative") > _overlap(row, "paraphrase") for row in rows])
        return caption_swap_items(encode(table.texts), comparisons, names, shares_more)

    def dataset_transform(self, num_proc: int | None = None, **kwargs: Any) -> None:
        """Name the file of each row, which its id begins with."""
        assert self.dataset is not None
        self.dataset = {
            split: rows.add_column("file", [row.rpartition("-")[0] for row in rows["id"]])
            for split, rows in self.dataset.items()
        }


def _overlap(row: dict[str, Any], part: str) -> float:
    """The share of the distinct words of the caption and another text that both have (Jaccard)."""
    one, other = (set(row[name].casefold().split()) for name in ("caption", part))
    return len(one & other) / len(one | other)


class CaptionSwap(_AbsCaptionSwap):
    """Caption swap on SugarCrepe++."""

    metadata = task_metadata("CaptionSwap")


class CaptionSwapMini(_AbsCaptionSwap):
    """Caption swap on 60 triplets written for this project."""

    metadata = task_metadata("CaptionSwapMini")
