"""Idiom retrieval: does a sentence find others in which an expression is used as in it?

Hashiloni, Fadlon, Livyatan, Hefetz, Pei, Bar 2026: *IdioLink: Retrieving Meaning Beyond Words Across Idiomatic and
Literal Expressions*, arXiv 2605.22247.
"""

from dataclasses import dataclass

from harness_ext.common.arrays import Names
from harness_ext.data.rows import SearchRow
from harness_ext.measures.core.items import column
from harness_ext.measures.core.old_scores import Axis
from harness_ext.measures.kinds.kind import Row
from harness_ext.measures.kinds.retrieval import QueryTable, Retrieval, RetrievalItems
from harness_ext.tasks.task import VERBAL_IDIOMS, Task, on_data

USAGE = Axis(
    "usage",
    {
        "literal": "queries with a literal use of their expression, to which its literal documents are relevant",
        "idiomatic": "queries with an idiomatic use, to which its idiomatic documents and their rewrites are relevant",
    },
)


@dataclass(frozen=True)
class IdiomQueries(QueryTable):
    """One row per sentence with an expression that others are searched with."""

    group: Names = column("Its expression; what is resampled.", name="expression")
    usage: Names = column("Its usage.")


@dataclass(frozen=True)
class IdiomRetrievalItems(RetrievalItems):
    """The queries."""

    queries: IdiomQueries


class IdiomRetrieval(Retrieval[IdiomRetrievalItems]):
    """Does a search with a sentence find what means the same, or what has the same expression?"""

    name = "idiom_retrieval"
    version = 4
    same = "uses the expression in the same sense"
    needs = SearchRow
    items = IdiomRetrievalItems
    unit = "expression"
    axis = USAGE
    chance = 1 / 150  # the mean share in the test split; so it is not for own data, and has no examples
    source = "IdioLink"
    package = __package__
    published = "published/IdiomRetrieval.csv"

    def prepare(self, row: Row) -> Row:
        """A sense is literal or not."""
        return {**row, "text": row["sentence"], "sense": row["usage"] == "literal"}


IDIOM_RETRIEVAL = IdiomRetrieval().measure()

TASKS = (
    Task(
        name="IdiomRetrieval",
        measure=IDIOM_RETRIEVAL,
        category=VERBAL_IDIOMS,
        description="Does a sentence with an expression find others in which the expression is used as in it, "
        "literally or idiomatically, and those that say its idiomatic sense in other words?",
        **on_data("idiolink", "5685658a6725479fbd0186d4ede521586d3472cd", "idiolink"),
        splits=("test",),
        telling_keys=("r_precision", "ndcg_10"),
    ),
)
