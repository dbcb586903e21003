"""Merge on SemAntoNeg and SugarCrepe++, and on 120 sentences written for this project."""

from __future__ import annotations

from harness_ext.evaluators.merge_opposites import MERGE_OPPOSITES
from harness_ext.tasks.task import OPPOSITES, TOO_SMALL, Task, cite

_QUESTION = "How many opposites are told apart at the threshold that keeps 90 % of the paraphrases together?"

_MERGE_OPPOSITES = Task(
    name="MergeOpposites",
    harness="mteb",
    measure=MERGE_OPPOSITES,
    construct=OPPOSITES,
    in_overall=False,  # it tests a use of vectors; a model without it keeps its overall rank
    description=f"{_QUESTION} Negations and antonyms of SemAntoNeg, and the captions of SugarCrepe++ as pairs.",
    dataset={"path": "merge_opposites", "revision": "6b059edbfc60-c083bbf039a5"},
    languages={"semantoneg": ("eng-Latn",), "sugarcrepe_pp": ("eng-Latn",)},
    splits=("test",),
    about={
        "reference": "https://aclanthology.org/2022.blackboxnlp-1.20",
        "date": ("2014-01-01", "2024-06-30"),
        "domains": ["Subtitles", "Web", "Written"],
        "license": "cc-by-4.0",
        "annotations_creators": "derived",
        "sample_creation": "LM-generated and verified",
        "bibtex_citation": cite("vahtola-etal-2022-easy", "dumpala-etal-2024-sugarcrepe"),
    },
)

_MINI = _MERGE_OPPOSITES.on_own_data(
    description=f"{_QUESTION} 120 sentences written for this project, each with a paraphrase and an opposite, of eight "
    f"kinds. {TOO_SMALL}",
)

TASKS = (_MERGE_OPPOSITES, _MINI)
