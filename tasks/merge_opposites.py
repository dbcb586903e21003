"""Merge: at the threshold that keeps paraphrases together, how many opposites are kept apart?

On SemAntoNeg and SugarCrepe++, and on 198 sentences written for this project.
"""

from harness_ext.measures.merging.opposites import MERGE_OPPOSITES
from harness_ext.tasks.task import OPPOSITES, TOO_SMALL, Task, on_data

_QUESTION = (
    "How many opposites are kept apart at the threshold that keeps 90 % of the paraphrases "
    "together?"
)

_MERGE_OPPOSITES = Task(
    name="MergeOpposites",
    measure=MERGE_OPPOSITES,
    category=OPPOSITES,
    description=(
        f"{_QUESTION} Negations and antonyms of SemAntoNeg, and the captions of SugarCrepe++ as "
        "pairs."
    ),
    **on_data("merge_opposites", "6b059edbfc60-c083bbf039a5"),
    splits=("test",),
)

_MINI = _MERGE_OPPOSITES.on_own_data(
    dataset={"path": "merge_opposites", "name": "mini", "revision": "4"},
    description=(
        f"{_QUESTION} 198 sentences written for this project, each with a paraphrase and an "
        f"opposite, of thirteen kinds. {TOO_SMALL}"
    ),
)

TASKS = (_MERGE_OPPOSITES, _MINI)
