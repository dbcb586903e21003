"""Caption swap on SugarCrepe++ and on 60 triplets written for this project."""

from __future__ import annotations

from harness_ext.data.rows import CAPTION_KINDS, CaptionRow
from harness_ext.measures.core.scores import Axis, proportion
from harness_ext.measures.kinds.kind import Fact, Row
from harness_ext.measures.kinds.triplets import triplets
from harness_ext.statistics.statistic import mean
from harness_ext.tasks.task import ROLES, Task, on_data

_FILE = Axis("file", CAPTION_KINDS)
_SHARES_MORE = "Whether the negative shares more of its words with the caption than the paraphrase does (Jaccard)."


def _prepare(row: Row) -> Row:
    caption, *others = (set(row[name].casefold().split()) for name in ("caption", "paraphrase", "negative"))
    paraphrase, negative = (len(caption & other) / len(caption | other) for other in others)
    return {**row, "file": row["id"].rpartition("-")[0], "shares_more": negative > paraphrase}


_OVERLAP = proportion(
    "how often the negative shares more words with the caption",
    "share of the triplets in which the Jaccard overlap of their words is above that of the paraphrase",
    key="overlap_{file}",
    axes=(_FILE,),
    compute=lambda items, file: mean(items.triplets.at(file).row, items.triplets.at(file).shares_more),
)

CAPTION_SWAP = triplets(
    "caption_swap",
    "Is a caption nearer to its paraphrase than to a caption of nearly the same words about another scene?",
    ("the caption", "the paraphrase", "the caption of another scene"),
    version=5,
    needs=CaptionRow,
    prepare=_prepare,
    texts=("caption", "paraphrase", "negative"),
    source="SugarCrepe++, text-only criterion",
    key="share_swaps",
    facts={
        "file": Fact(str, "What the negative changes: swap_obj, swap_att, replace_att, and so on."),
        "shares_more": Fact(bool, _SHARES_MORE),
    },
    between="between_distance",
    both_ways=True,
    by=_FILE,
    main_of=("swap_obj", "swap_att"),
    scores={"overlap": _OVERLAP},
)

_CAPTION_SWAP = Task(
    name="CaptionSwap",
    measure=CAPTION_SWAP,
    construct=ROLES,
    description="Is a caption nearer to its paraphrase than either is to a caption in nearly the same words about "
    "another scene? Main score: the share of triplets with swapped things or attributes (1/3 by chance). Texts alone.",
    **on_data("sugarcrepe_pp", "c083bbf039a5ca215acaf25e7ee736d2ea6f3864", "scpp"),
    splits=("all",),
)

TASKS = (_CAPTION_SWAP, _CAPTION_SWAP.on_own_data())
