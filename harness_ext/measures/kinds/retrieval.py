"""Retrieval: does a search with a text find the texts of its sense first?

All documents are ranked by their cosine with a query; those of the query's sense are relevant.
R-precision and nDCG@10 are those of TREC (`pytrec_eval`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
import pytrec_eval
from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats, Indices, Integers, Names, Vectors
from harness_ext.data.annotations import NAME, RowId
from harness_ext.measures.core.distinct_texts import DistinctTexts
from harness_ext.measures.core.fill import Encoded, Encoder
from harness_ext.measures.core.inputs import as_texts
from harness_ext.measures.core.items import Table, column, only_planned
from harness_ext.measures.core.measure import Rows
from harness_ext.measures.core.scores import COUNT, number, score
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.kinds.kind import ROW, KindItems, OfRows, planned
from harness_ext.statistics.distance import cosine_distance_table
from harness_ext.statistics.statistic import Statistic, mean

DEPTH = 10
"""Ranks of which nDCG is."""

_BLOCK = 250
"""Queries that are ranked together."""


class RetrievalRow(TypedDict):
    """A query or a document; the documents of a query's group and sense are relevant to it."""

    id: RowId
    is_query: bool
    text: str
    group: Annotated[str, NAME]
    sense: Annotated[str, NAME]


@dataclass(frozen=True)
class QueryTable(Table):
    """One row per query."""

    row: Names = column(ROW)
    group: Names = column("Its group; what is resampled.")
    n_relevant: Integers = column("How many documents are relevant to it.")
    r_precision: Floats = column(
        "Share of relevant documents in the first n_relevant.", range=(0, 1), measured=True
    )
    ndcg: Floats = column(
        "Normalized discounted cumulative gain of the first ten.", range=(0, 1), measured=True
    )


class Search(NamedTuple):
    """What is searched for what.

    Attributes:
        queries: Their texts.
        documents: Their texts.
        relevant: The places of the relevant documents of each query.
    """

    queries: list[str]
    documents: list[str]
    relevant: list[list[int]]


@dataclass(frozen=True)
class RetrievalItems(KindItems[QueryTable]):
    """The queries; of a plan also the search."""

    queries: QueryTable
    search: Search | None = only_planned()

    def texts(self) -> list[str]:
        """See the base class."""
        if self.search is None:
            return []
        return list(dict.fromkeys([*self.search.documents, *self.search.queries]))


AnyRetrieval = TypeVar("AnyRetrieval", bound=RetrievalItems)


def first_documents(
    vectors: Vectors,
    queries: Indices,
    documents: Indices,
    depth: int,
) -> dict[int, Indices]:
    """Rank documents by their cosine with each query; equal documents stay in their order.

    Args:
        vectors: Of all texts, shape (n, d).
        queries: The rows of the queries' vectors, shape (q,).
        documents: The rows of the documents' vectors, shape (m,).
        depth: How many documents are found.

    Returns:
        Place of a query -> the places of the documents that it finds, first the nearest. A query
        without a direction is not there; documents without one come last.
    """
    found: dict[int, Indices] = {}
    for start in range(0, len(queries), _BLOCK):
        block = queries[start : start + _BLOCK]
        distances = cosine_distance_table(vectors, block, documents)
        # rounding must not rank equal documents
        order = np.argsort(np.round(distances, 9), axis=1, kind="stable")
        nearest = order[:, :depth].copy()  # a view would keep the order of all documents
        has_direction = ~np.isnan(distances).all(axis=1)
        for place in np.flatnonzero(has_direction).tolist():
            found[start + place] = nearest[place]
    return found


def evaluate(
    found: Mapping[int, Indices],
    relevant: Sequence[Sequence[int]],
) -> dict[str, dict[str, float]]:
    """Evaluate what queries find by TREC's measures.

    Args:
        found: As from `first_documents`.
        relevant: The places of the relevant documents of each query.

    Returns:
        Place of a query, as text -> `Rprec` and `ndcg_cut_10`.
    """
    judgments = {str(query): _judged(places) for query, places in enumerate(relevant)}
    ranking = {str(query): _ranked(places) for query, places in found.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, {"Rprec", f"ndcg_cut.{DEPTH}"})
    evaluated: dict[str, dict[str, float]] = evaluator.evaluate(ranking)
    return evaluated


def _judged(relevant: Sequence[int]) -> dict[str, int]:
    return {str(place): 1 for place in relevant}


def _ranked(documents: Indices) -> dict[str, float]:
    # TREC sorts by a score, higher first
    return {str(place): -float(rank) for rank, place in enumerate(documents.tolist())}


class Retrieval(OfRows[AnyRetrieval]):
    """How much of what a search finds first is relevant.

    Attributes:
        unit: The field of rows that is the group.
        same: What the documents do that are relevant, for sentences.
        chance: The mean share of documents that are relevant to a query.
    """

    row: type[Any] = RetrievalRow
    main = "r_precision"
    unit = "group"
    same: str = "means the same"
    chance: float = 0

    def wording(self) -> Wording:
        """Word what a search finds."""
        return Wording(
            self.question,
            f"Of what a search finds, {{value}} {self.same}.",
            Consequences(
                "Searching at random",
                above=f"A search finds more that {self.same} than a search at random.",
                below=f"A search finds less that {self.same} than a search at random.",
            ),
            f"All that is found first should be what {self.same}.",
        )

    def plan(self, rows: Rows, split: str) -> AnyRetrieval:
        """Search with each query for the documents of its group and sense."""
        prepared = [self.prepare(row) for row in rows]
        queries = [row for row in prepared if row["is_query"]]
        documents = [row for row in prepared if not row["is_query"]]
        places_of_sense: dict[tuple[object, object], list[int]] = {}
        for place, row in enumerate(documents):
            places_of_sense.setdefault((row[self.unit], row["sense"]), []).append(place)
        relevant = [places_of_sense.get((row[self.unit], row["sense"]), []) for row in queries]
        counted: Rows = []
        for row, places in zip(queries, relevant, strict=True):
            counted.append({**row, "n_relevant": len(places)})
        table = planned(self.items.table_types()["queries"], counted)
        search = Search(
            queries=[row["text"] for row in queries],
            documents=[row["text"] for row in documents],
            relevant=relevant,
        )
        tables: dict[str, Any] = {"queries": table, "search": search}
        return self.items(**tables)

    def fill(self, plan: AnyRetrieval, encode: Encoder) -> AnyRetrieval:
        """Encode each text once, and rank the documents of each query by cosine."""
        search = plan.search
        assert search is not None, "these items are no plan"
        encoded = Encoded.of(DistinctTexts(plan.texts()), encode)
        found = first_documents(
            encoded.vectors[0],
            queries=encoded.rows(as_texts(search.queries)),
            documents=encoded.rows(as_texts(search.documents)),
            depth=max([DEPTH, *map(len, search.relevant)]),
        )
        evaluated = evaluate(found, search.relevant)
        queries = [evaluated.get(str(place), {}) for place in range(len(search.queries))]
        table = replace(
            plan.queries,
            r_precision=np.array([query.get("Rprec", np.nan) for query in queries]),
            ndcg=np.array([query.get(f"ndcg_cut_{DEPTH}", np.nan) for query in queries]),
        )
        return replace(plan, queries=table, search=None)

    @score(
        title="how much of what is found {cls.same}",
        formula=(
            "share of relevant documents among the first R by cosine, R of which are relevant; "
            "mean over queries"
        ),
        range=(0, 1),
        better="higher",
        chance="chance",
        source="{cls.source}",
        interval=True,
    )
    def r_precision(self, items: AnyRetrieval) -> Statistic:
        return mean(items.queries.group, items.queries.r_precision)

    @score(
        like=r_precision,
        title="the quality of the first ten documents",
        formula=(
            "sum of 1 / log₂(rank + 1) of the relevant of the first ten by cosine, by its best; "
            "mean over queries"
        ),
    )
    def ndcg_10(self, items: AnyRetrieval) -> Statistic:
        return mean(items.queries.group, items.queries.ndcg)

    @number(
        title="queries with a zero vector",
        formula="queries that are left out because a vector has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: AnyRetrieval) -> int:
        return int(np.isnan(items.queries.r_precision).sum())


class OwnRetrieval(Retrieval[RetrievalItems]):
    """Retrieval of a user's own texts."""

    name = "retrieval"
    version = 2
    question = "Does a search find what means the same?"
    items = RetrievalItems
    examples = (
        {
            "is_query": "true",
            "text": "How do I open it?",
            "group": "shop",
            "sense": "opening",
        },
        {
            "is_query": "false",
            "text": "Pull the lever to get in.",
            "group": "shop",
            "sense": "opening",
        },
    )


RETRIEVAL = OwnRetrieval()
