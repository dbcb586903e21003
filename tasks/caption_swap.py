"""Caption swap on SugarCrepe++ and on 60 triplets written for this project.

Dumpala, Jaiswal, Sastry, Milios, Oore, Sajjad 2024: *SUGARCREPE++ Dataset*, NeurIPS.
"""

from harness_ext.measures.kinds.caption_swap import CAPTION_SWAP
from harness_ext.tasks.task import ROLES, Task, on_data

_CAPTION_SWAP = Task(
    name="CaptionSwap",
    measure=CAPTION_SWAP,
    category=ROLES,
    description=(
        "Is a caption nearer to its paraphrase than either is to a caption in nearly the same "
        "words about another scene? Main score: the share of triplets with swapped things or "
        "attributes (1/3 by chance). Texts alone."
    ),
    **on_data("sugarcrepe_pp", "c083bbf039a5ca215acaf25e7ee736d2ea6f3864", "scpp"),
    splits=("all",),
)

TASKS = (_CAPTION_SWAP, _CAPTION_SWAP.on_own_data())
