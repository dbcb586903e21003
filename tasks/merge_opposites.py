"""Merge: at the threshold that keeps paraphrases together, how many opposites are told apart?

On SemAntoNeg and SugarCrepe++, and on 156 sentences written for this project.
"""

from __future__ import annotations

from harness_ext.data.rows import SAME, MergeRow
from harness_ext.measures.core.scores import Axis
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.kinds.kind import Fact
from harness_ext.measures.kinds.pair_classes import pair_classes
from harness_ext.tasks.caption_swap import FILE
from harness_ext.tasks.task import OPPOSITES, TOO_SMALL, Task, on_data

KIND = Axis(
    "kind",
    {
        "negation": "one sentence denies the other",
        "antonym": "a word is replaced by its opposite",
        "roles": "who does and who undergoes change places",
        "attributes": "two things exchange what is said of them",
        "number": "another number, date or amount",
        "entity": "another person, place or thing",
        "direction": "from … to … the other way round",
        "order": "before and after change places",
        "quantifiers": "all and some, at least and at most, always and sometimes",
        "conditions": "if, only if, unless, even if",
        "hedges": "may and must, probably and certainly",
        **FILE.values,
    },
)

_WORDING = Wording(
    question="At the threshold that keeps paraphrases together, are opposites kept apart?",
    score="At the threshold that keeps 90 % of the paraphrases together, {value} of the opposites are kept apart.",
    chance=Consequences(
        "An encoder to which opposites look like paraphrases",
        above="The model tells some opposites from paraphrases. What is not kept apart is merged at this threshold.",
        below="The threshold that keeps 90 % of the paraphrases together keeps more than 90 % of the opposites "
        "together: do not merge texts by this model's cosine alone.",
    ),
    right="Opposite texts should lie below the threshold, texts that mean the same should reach it.",
)

MERGE_OPPOSITES = pair_classes(
    "merge_opposites",
    _WORDING.question,
    *("a paraphrase", "an opposite"),
    version=4,
    needs=MergeRow,
    facts={
        "source": Fact(str, "What the pair was made from; pairs of one source are resampled together."),
        "kind": Fact(str, "same, or the kind of opposite."),
    },
    unit="source",
    is_same=lambda pairs: pairs.kind == SAME,
    main="kept_apart_90",
    auc="merge_auc",
    kept=(90, 80, 95),
    by=KIND,
    wording=_WORDING,
)

_QUESTION = "How many opposites are told apart at the threshold that keeps 90 % of the paraphrases together?"

_MERGE_OPPOSITES = Task(
    name="MergeOpposites",
    measure=MERGE_OPPOSITES,
    construct=OPPOSITES,
    in_overall=False,  # it tests a use of vectors; a model without it keeps its overall rank
    description=f"{_QUESTION} Negations and antonyms of SemAntoNeg, and the captions of SugarCrepe++ as pairs.",
    **on_data("merge_opposites", "6b059edbfc60-c083bbf039a5"),
    splits=("test",),
)

_MINI = _MERGE_OPPOSITES.on_own_data(
    dataset={"path": "merge_opposites", "name": "mini", "revision": "2"},
    description=f"{_QUESTION} 156 sentences written for this project, each with a paraphrase and an opposite, of "
    f"eleven kinds. {TOO_SMALL}",
)

TASKS = (_MERGE_OPPOSITES, _MINI)
