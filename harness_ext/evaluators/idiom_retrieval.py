"""Idiom retrieval: does a sentence find others in which an expression is used as in it?

Hashiloni, Fadlon, Livyatan, Hefetz, Pei, Bar 2026: *IdioLink: Retrieving Meaning Beyond Words Across Idiomatic and
Literal Expressions*, arXiv 2605.22247.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from harness_ext.arrays import Flags, Floats, Integers, Names, Texts
from harness_ext.data.rows import SearchRow
from harness_ext.framework.fill import Encoded, Encoder
from harness_ext.framework.items import Items, Table, column, only_planned
from harness_ext.framework.measure import Measure, Rows
from harness_ext.framework.scores import Axis, Place, Scores, count, like, proportion
from harness_ext.framework.texts import as_texts
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.distance import cosine_distance_table
from harness_ext.statistics.statistic import Statistic, mean

USAGE = Axis(
    "usage",
    {
        "literal": "queries with a literal use of their expression, to which its literal documents are relevant",
        "idiomatic": "queries with an idiomatic use, to which its idiomatic documents and their rewrites are relevant",
    },
)

DEPTH = 10
"""Ranks of which nDCG is."""

CHANCE = 1 / 150
"""The mean share of the documents of IdioLink's test split that are relevant to a query."""

_BLOCK = 250
"""Queries that are ranked together."""


@dataclass(frozen=True)
class Documents:
    """What is searched for what, shapes (m,) and (n,).

    Attributes:
        queries: The sentences of the queries.
        documents: Those of the documents.
        expression: The expression of each document.
        is_literal: Whether each document uses it literally.
    """

    queries: Texts
    documents: Texts
    expression: Names
    is_literal: Flags


@dataclass(frozen=True)
class Queries(Table):
    """One row per query."""

    row: Names = column("Id of the dataset's row.")
    expression: Names = column("Its expression; what is resampled.")
    usage: Names = column("literal or idiomatic.")
    n_relevant: Integers = column("How many documents are relevant to it.")
    r_precision: Floats = column("Share of relevant documents in the first n_relevant.", range=(0, 1), measured=True)
    ndcg: Floats = column("Normalised discounted cumulative gain of the first ten.", range=(0, 1), measured=True)


@dataclass(frozen=True)
class RetrievalItems(Items):
    """The queries."""

    queries: Queries
    searched: Documents | None = only_planned()

    def texts(self) -> list[str]:
        """See the base class."""
        searched = self.searched
        return list(dict.fromkeys([*searched.documents, *searched.queries])) if searched else []


def _mean(column: str) -> Callable[[RetrievalItems, Place], Statistic]:
    def statistic(items: RetrievalItems, place: Place) -> Statistic:
        queries = items.queries.at(place)
        return mean(queries.expression, getattr(queries, column))

    return statistic


@dataclass(frozen=True)
class RetrievalScores(Scores):
    """The scores; some are arrays over `USAGE`."""

    r_precision: float = proportion(
        "how much of what is found is the same use of the expression",
        "share of relevant documents among the first R by cosine, R of which are relevant; mean over queries",
        direction="higher",
        chance=CHANCE,
        source="IdioLink",
        interval=True,
        statistic=_mean("r_precision"),
    )
    r_precision_by_usage: Floats = like(
        r_precision,
        "the same for one kind of queries",
        "r_precision over the queries of one usage",
        key="r_precision_{usage}",
        axes=(USAGE,),
    )
    ndcg_10: float = like(
        r_precision,
        "the quality of the first ten documents",
        "sum of 1 / log₂(rank + 1) of the relevant of the first ten by cosine, by its best; mean over queries",
        statistic=_mean("ndcg"),
    )
    ndcg_10_by_usage: Floats = like(
        ndcg_10,
        "the same for one kind of queries",
        "ndcg_10 over the queries of one usage",
        key="ndcg_10_{usage}",
        axes=(USAGE,),
    )
    n_excluded_zero_vector: int = count(
        "queries with a zero vector",
        "queries that are left out because their vector has no direction",
        value=lambda items, _: np.isnan(items.queries.r_precision).sum(),
    )


def retrieval_plan(rows: Rows, _: str = "") -> RetrievalItems:
    """Search all documents for each query; rows are `SearchRow`s."""
    documents = [row for row in rows if not row["is_query"]]
    queries = [row for row in rows if row["is_query"]]
    searched = Documents(
        queries=as_texts(row["sentence"] for row in queries),
        documents=as_texts(row["sentence"] for row in documents),
        expression=np.array([row["expression"] for row in documents]),
        is_literal=np.array([row["usage"] == "literal" for row in documents]),
    )
    table = [
        (row["id"], row["expression"], row["usage"], int(_is_relevant(searched, row["expression"], row["usage"]).sum()))
        for row in queries
    ]
    return RetrievalItems(Queries.of_rows(table), searched=searched)


def _is_relevant(searched: Documents, expression: str, usage: str) -> Flags:
    relevant: Flags = (searched.expression == expression) & (searched.is_literal == (usage == "literal"))
    return relevant


def retrieval_fill(plan: RetrievalItems, encode: Encoder) -> RetrievalItems:
    """Encode each text once, and rank the documents of each query by cosine; equal documents in their order."""
    searched, queries = plan.searched, plan.queries
    assert searched is not None
    encoded = Encoded.of(plan.texts(), encode)
    of_documents, of_queries = encoded.rows(searched.documents), encoded.rows(searched.queries)
    r_precision, ndcg = np.full((2, len(queries)), np.nan)
    gains = 1 / np.log2(np.arange(2, DEPTH + 2))
    for start in range(0, len(queries), _BLOCK):
        distances = cosine_distance_table(encoded.vectors[0], of_queries[start : start + _BLOCK], of_documents)
        order = np.argsort(np.round(distances, 9), axis=1, kind="stable")  # without a direction: last
        for query, ranked in enumerate(order, start=start):
            if np.isnan(distances[query - start]).all():
                continue
            relevant = _is_relevant(searched, queries.expression[query], queries.usage[query])[ranked]
            n = queries.n_relevant[query]
            r_precision[query] = relevant[:n].sum() / n
            first = np.flatnonzero(relevant[:DEPTH])
            ndcg[query] = gains[first].sum() / gains[:n].sum()
    return replace(plan, queries=replace(queries, r_precision=r_precision, ndcg=ndcg), searched=None)


_WORDING = Wording(
    question="Does a search with a sentence find what means the same, or what has the same expression?",
    score="Of what a sentence with an expression finds, {value} uses the expression in the same sense.",
    chance=Consequences(
        "Searching at random",
        above="A search with a use of an expression finds more uses in its sense than a search at random.",
        below="A search with a use of an expression finds fewer uses in its sense than a search at random.",
    ),
    right="All that is found first should have the expression in the query's sense, or say that sense in other words.",
)

# no examples, so that it is not for own data: its chance is that of one test split
IDIOM_RETRIEVAL = Measure(
    name="idiom_retrieval",
    version=3,
    question="Does a sentence find others in which an expression is used as in it?",
    needs=SearchRow,
    plan=retrieval_plan,
    fill=retrieval_fill,
    main="r_precision",
    unit="expression",
    items=RetrievalItems,
    scores=RetrievalScores,
    wording=_WORDING,
)
