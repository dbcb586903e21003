"""Retrieval: does a search with a text find the texts of its sense first?

All documents are ranked by their cosine with a query; those of the query's sense are relevant. R-precision and nDCG@10
are those of TREC (`pytrec_eval`).
"""

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pytrec_eval
from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.fill import Encoded, Encoder
from harness_ext.measures.core.inputs import as_texts
from harness_ext.measures.core.items import Table, column, only_planned
from harness_ext.measures.core.old_measure import Rows
from harness_ext.measures.core.old_scores import Axis, AxisValues, Score, like, proportion, zero_vectors
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.kinds.kind import ROW, Kind, KindItems, planned
from harness_ext.statistics.distance import cosine_distance_table
from harness_ext.statistics.statistic import Statistic, mean

DEPTH = 10
"""Ranks of which nDCG is."""

_BLOCK = 250
"""Queries that are ranked together."""


class RetrievalRow(TypedDict):
    """A query or a document; the documents of a query's group and sense are relevant to it."""

    id: str
    is_query: bool
    text: str
    group: str
    sense: str


@dataclass(frozen=True)
class QueryTable(Table):
    """One row per query."""

    row: Names = column(ROW)
    group: Names = column("Its group; what is resampled.")
    n_relevant: Integers = column("How many documents are relevant to it.")
    r_precision: Floats = column("Share of relevant documents in the first n_relevant.", range=(0, 1), measured=True)
    ndcg: Floats = column("Normalized discounted cumulative gain of the first ten.", range=(0, 1), measured=True)


@dataclass(frozen=True)
class RetrievalItems(KindItems[QueryTable]):
    """The queries; of a plan also the texts of queries and documents, and the documents relevant to each query."""

    queries: QueryTable
    search: tuple[list[str], list[str], list[list[int]]] | None = only_planned()

    def texts(self) -> list[str]:
        """See the base class."""
        queries, documents, _ = self.search or ([], [], [])
        return list(dict.fromkeys([*documents, *queries]))


AnyRetrieval = TypeVar("AnyRetrieval", bound=RetrievalItems)


class Retrieval(Kind[AnyRetrieval]):
    """How much of what a search finds first is relevant; with the attributes of `Kind`.

    Attributes:
        unit: The field of rows that is the group.
        same: What the documents do that are relevant, for sentences.
        chance: The mean share of documents that are relevant to a query.
        axis: The column of queries that scores are broken down by.
    """

    needs: type[Any] = RetrievalRow
    main = "r_precision"
    unit = "group"
    same: str = "means the same"
    chance: float = 0
    axis: Axis | None = None

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

    def plan(self, rows: Rows, split: str = "") -> AnyRetrieval:
        """Search with each query for the documents of its group and sense."""
        prepared = [self.prepare(row) for row in rows]
        queries = [row for row in prepared if row["is_query"]]
        documents = [row for row in prepared if not row["is_query"]]
        places: dict[tuple[object, object], list[int]] = {}
        for place, row in enumerate(documents):
            places.setdefault((row[self.unit], row["sense"]), []).append(place)
        relevant = [places.get((row[self.unit], row["sense"]), []) for row in queries]
        counted = [{**row, "n_relevant": len(matches)} for row, matches in zip(queries, relevant, strict=True)]
        search = [row["text"] for row in queries], [row["text"] for row in documents], relevant
        tables: dict[str, Any] = {"queries": planned(self.items.table_types()["queries"], counted)}
        return self.items(**tables, search=search)

    def fill(self, plan: AnyRetrieval, encode: Encoder) -> AnyRetrieval:
        """Encode each text once, and rank the documents of each query by cosine; equal documents in their order."""
        assert plan.search is not None
        *texts, relevant = plan.search
        encoded = Encoded.of(plan.texts(), encode)
        queries, documents = (encoded.rows(as_texts(part)) for part in texts)
        depth, ranks = max(DEPTH, *map(len, relevant)), {}
        for start in range(0, len(queries), _BLOCK):
            distances = cosine_distance_table(encoded.vectors[0], queries[start : start + _BLOCK], documents)
            order = np.argsort(np.round(distances, 9), axis=1, kind="stable")[:, :depth]  # without a direction: last
            for query in np.flatnonzero(~np.isnan(distances).all(axis=1)):
                ranks[str(start + query)] = {str(place): -float(rank) for rank, place in enumerate(order[query])}
        judged = {str(query): {str(place): 1 for place in places} for query, places in enumerate(relevant)}
        evaluated = pytrec_eval.RelevanceEvaluator(judged, {"Rprec", f"ndcg_cut.{DEPTH}"}).evaluate(ranks)

        def of_queries(name: str) -> Floats:
            return np.array([evaluated.get(str(query), {}).get(name, np.nan) for query in range(len(queries))])

        table = replace(plan.queries, r_precision=of_queries("Rprec"), ndcg=of_queries(f"ndcg_cut_{DEPTH}"))
        return replace(plan, queries=table, search=None)

    def r_precision(self, items: AnyRetrieval, axes: AxisValues) -> Statistic:
        """R-precision of all queries, or of those of the axes."""
        rows = items.queries.at(axes)
        return mean(rows.group, rows.r_precision)

    def ndcg(self, items: AnyRetrieval, axes: AxisValues) -> Statistic:
        """nDCG@10 of the same."""
        rows = items.queries.at(axes)
        return mean(rows.group, rows.ndcg)

    def scores(self) -> dict[str, Score]:
        """See the base class."""
        r_precision = proportion(
            f"how much of what is found {self.same}",
            "share of relevant documents among the first R by cosine, R of which are relevant; mean over queries",
            direction="higher",
            chance=self.chance,
            source=self.source,
            interval=True,
            compute=self.r_precision,
        )
        ndcg = like(
            r_precision,
            "the quality of the first ten documents",
            "sum of 1 / log₂(rank + 1) of the relevant of the first ten by cosine, by its best; mean over queries",
            compute=self.ndcg,
        )
        scores: dict[str, Score] = {"r_precision": r_precision, "ndcg_10": ndcg}
        if self.axis:
            name = self.axis.name
            for key, score in [*scores.items()]:
                title, formula = f"the same by {name}", f"{key} over the queries of one {name}"
                scores[f"{key}_by"] = like(score, title, formula, key=f"{key}_{{{name}}}", axes=(self.axis,))
        scores |= self.more_scores()
        scores["n_excluded_zero_vector"] = zero_vectors("queries", lambda items: items.queries.r_precision)
        return scores


class OwnRetrieval(Retrieval[RetrievalItems]):
    """Does a search find what means the same?"""

    name = "retrieval"
    items = RetrievalItems
    examples = (
        {"is_query": "true", "text": "How do I open it?", "group": "shop", "sense": "opening"},
        {"is_query": "false", "text": "Pull the lever to get in.", "group": "shop", "sense": "opening"},
    )


RETRIEVAL = OwnRetrieval().measure()
