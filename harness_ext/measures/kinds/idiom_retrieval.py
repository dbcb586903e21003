"""Idiom retrieval: does a sentence find others in which an expression is used as in it?

Hashiloni, Fadlon, Livyatan, Hefetz, Pei, Bar 2026: *IdioLink: Retrieving Meaning Beyond Words
Across Idiomatic and Literal Expressions*, arXiv 2605.22247.
"""

from dataclasses import dataclass

from harness_ext.common.arrays import Names
from harness_ext.data.rows import SearchRow
from harness_ext.measures.core.items import column
from harness_ext.measures.core.measure import Row
from harness_ext.measures.core.scores import Axis, score
from harness_ext.measures.kinds.retrieval import QueryTable, Retrieval, RetrievalItems
from harness_ext.statistics.statistic import Statistic, mean

USAGE = Axis(
    "usage",
    {
        "literal": (
            "queries with a literal use of their expression, to which its literal documents are "
            "relevant"
        ),
        "idiomatic": (
            "queries with an idiomatic use, to which its idiomatic documents and their rewrites "
            "are relevant"
        ),
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
    """Idiom retrieval (Hashiloni et al.)."""

    name = "idiom_retrieval"
    version = 5
    question = (
        "Does a search with a sentence find what means the same, or what has the same expression?"
    )
    same = "uses the expression in the same sense"
    row = SearchRow
    items = IdiomRetrievalItems
    unit = "expression"
    # the mean share in the test split; so it is not for own data, and has no examples
    chance = 1 / 150
    source = "IdioLink"
    package = __package__
    published = "published_idiom_retrieval.csv"

    def prepare(self, row: Row) -> Row:
        """A sense is literal or not."""
        return {**row, "text": row["sentence"], "sense": row["usage"] == "literal"}

    @score(
        like=Retrieval.r_precision,
        key="r_precision_{usage}",
        axes=[USAGE],
        title="the same by usage",
        formula="r_precision over the queries of one usage",
    )
    def r_precision_by(self, items: IdiomRetrievalItems, usage: str) -> Statistic:
        queries = items.queries[items.queries.usage == usage]
        return mean(queries.group, queries.r_precision)

    @score(
        like=r_precision_by,
        key="ndcg_10_{usage}",
        formula="ndcg_10 over the queries of one usage",
    )
    def ndcg_10_by(self, items: IdiomRetrievalItems, usage: str) -> Statistic:
        queries = items.queries[items.queries.usage == usage]
        return mean(queries.group, queries.ndcg)


IDIOM_RETRIEVAL = IdiomRetrieval()
