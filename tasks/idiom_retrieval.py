"""Idiom retrieval: does a sentence find others in which an expression is used as in it?

Hashiloni, Fadlon, Livyatan, Hefetz, Pei, Bar 2026: *IdioLink: Retrieving Meaning Beyond Words
Across Idiomatic and Literal Expressions*, arXiv 2605.22247.
"""

from harness_ext.measures.kinds.idiom_retrieval import IDIOM_RETRIEVAL
from harness_ext.tasks.task import VERBAL_IDIOMS, Task, on_data

TASKS = (
    Task(
        name="IdiomRetrieval",
        measure=IDIOM_RETRIEVAL,
        category=VERBAL_IDIOMS,
        description=(
            "Does a sentence with an expression find others in which the expression is used as in "
            "it, literally or idiomatically, and those that say its idiomatic sense in other words?"
        ),
        **on_data("idiolink", "5685658a6725479fbd0186d4ede521586d3472cd", "idiolink"),
        splits=("test",),
        telling_keys=("r_precision", "ndcg_10"),
    ),
)
