"""Caption swap on SugarCrepe++ and on 60 triplets written for this project."""

from __future__ import annotations

from harness_ext.evaluators.caption_swap import CAPTION_SWAP
from harness_ext.tasks.task import ENGLISH, ROLES, Task, cite

_CAPTION_SWAP = Task(
    name="CaptionSwap",
    harness="mteb",
    measure=CAPTION_SWAP,
    construct=ROLES,
    description="Is a caption nearer to its paraphrase than either is to a caption in nearly the same words about "
    "another scene? Main score: the share of triplets with swapped things or attributes (1/3 by chance). Texts alone.",
    dataset={"path": "sugarcrepe_pp", "name": "scpp", "revision": "c083bbf039a5ca215acaf25e7ee736d2ea6f3864"},
    languages=ENGLISH,
    splits=("all",),
    configs=("scpp",),
    about={
        "reference": "https://arxiv.org/abs/2406.11171",
        "date": ("2014-01-01", "2024-06-30"),
        "domains": ["Web", "Written"],
        "license": "mit",
        "annotations_creators": "LM-generated and reviewed",
        "sample_creation": "LM-generated and verified",
        "bibtex_citation": cite("dumpala-etal-2024-sugarcrepe"),
    },
)

TASKS = (_CAPTION_SWAP, _CAPTION_SWAP.on_own_data())
