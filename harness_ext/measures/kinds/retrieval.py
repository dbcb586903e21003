"""Retrieval: does a search with a text find the texts of its sense first?

All documents are ranked by their cosine with a query; those of the query's sense are relevant. R-precision and nDCG@10
are those of TREC (`pytrec_eval`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytrec_eval
from typing_extensions import TypedDict

from harness_ext.common.arrays import Floats
from harness_ext.measures.core.fill import Encoded, Encoder
from harness_ext.measures.core.inputs import as_texts
from harness_ext.measures.core.items import Table, column, only_planned
from harness_ext.measures.core.measure import Measure, Rows
from harness_ext.measures.core.scores import Axis, AxisValues, count, like, proportion
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.kinds.kind import Fact, KindItems, Prepare, items_of, planned, scores_of, table_of
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
class RetrievalItems(KindItems):
    """The queries; of a plan also the texts of queries and documents, and the documents relevant to each query."""

    search: tuple[list[str], list[str], list[list[int]]] | None = only_planned()

    def texts(self) -> list[str]:
        """See the base class."""
        queries, documents, _ = self.search or ([], [], [])
        return list(dict.fromkeys([*documents, *queries]))


def fill(plan: RetrievalItems, encode: Encoder) -> RetrievalItems:
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

    def of_queries(name: str) -> list[float]:
        return [evaluated.get(str(query), {}).get(name, np.nan) for query in range(len(queries))]

    table = replace(plan.compared, r_precision=of_queries("Rprec"), ndcg=of_queries(f"ndcg_cut_{DEPTH}"))
    return replace(plan, search=None, **{"queries": table})


def retrieval(
    name: str,
    question: str,
    same: str = "means the same",
    *,
    prepare: Prepare = dict,
    unit: str = "group",
    chance: float = 0,
    by: Axis | None = None,
    source: str = "this project",
    **fields: Any,
) -> Measure[Any]:
    """A measure of retrieval.

    Args:
        name: Its name.
        question: What it asks.
        same: What the documents do that are relevant, for sentences.
        prepare: A row -> the row with the fields of `RetrievalRow`, of which `group` is called as `unit`.
        unit: The field whose values are resampled.
        chance: The mean share of documents that are relevant to a query.
        by: The field of queries that scores are broken down by.
        source: As of `Score`.
        fields: Others, as of `Measure`; by default rows are `RetrievalRow`s.
    """
    share = column("Share of relevant documents in the first n_relevant.", range=(0, 1), measured=True)
    gain = column("Normalised discounted cumulative gain of the first ten.", range=(0, 1), measured=True)
    facts = {unit: Fact(str, f"Its {unit}; what is resampled.")}
    facts |= {by.name: Fact(str, f"Its {by.name}.")} if by else {}
    facts["n_relevant"] = Fact(int, "How many documents are relevant to it.")
    queries = table_of(Table, **facts, r_precision=(Floats, share), ndcg=(Floats, gain))
    items = items_of(RetrievalItems, queries=queries)

    def plan(rows: Rows, _: str = "") -> Any:
        prepared = [*map(prepare, rows)]
        searching, documents = ([row for row in prepared if bool(row["is_query"]) == kind] for kind in (True, False))
        places: dict[tuple[Any, Any], list[int]] = {}
        for place, row in enumerate(documents):
            places.setdefault((row[unit], row["sense"]), []).append(place)
        relevant = [places.get((row[unit], row["sense"]), []) for row in searching]
        counted = [{**row, "n_relevant": len(matches)} for row, matches in zip(searching, relevant, strict=True)]
        search = [row["text"] for row in searching], [row["text"] for row in documents], relevant
        return items(planned(queries, counted), search=search)

    def of(measured: str) -> Callable[[Any, AxisValues], Statistic]:
        def statistic(items: Any, axes: AxisValues) -> Statistic:
            rows = items.queries.at(axes)
            return mean(getattr(rows, unit), getattr(rows, measured))

        return statistic

    r_precision = proportion(
        f"how much of what is found {same}",
        "share of relevant documents among the first R by cosine, R of which are relevant; mean over queries",
        direction="higher",
        chance=chance,
        source=source,
        interval=True,
        compute=of("r_precision"),
    )
    ndcg = like(
        r_precision,
        "the quality of the first ten documents",
        "sum of 1 / log₂(rank + 1) of the relevant of the first ten by cosine, by its best; mean over queries",
        compute=of("ndcg"),
    )
    scores = {"r_precision": r_precision, "ndcg_10": ndcg}
    if by:
        for key, score in [*scores.items()]:
            title, formula = f"the same by {by.name}", f"{key} over the queries of one {by.name}"
            scores[f"{key}_by"] = like(score, title, formula, key=f"{key}_{{{by.name}}}", axes=(by,))
    scores["n_excluded_zero_vector"] = count(
        "queries with a zero vector",
        "queries that are left out because their vector has no direction",
        value=lambda items, _: np.isnan(items.queries.r_precision).sum(),
    )
    wording = Wording(
        question,
        f"Of what a search finds, {{value}} {same}.",
        Consequences(
            "Searching at random",
            above=f"A search finds more that {same} than a search at random.",
            below=f"A search finds less that {same} than a search at random.",
        ),
        f"All that is found first should be what {same}.",
    )
    fields = {"version": 1, "needs": RetrievalRow, "wording": wording, **fields}
    return Measure(
        name, main="r_precision", unit=unit, items=items, scores=scores_of(scores), plan=plan, fill=fill, **fields
    )


RETRIEVAL = retrieval(
    "retrieval",
    "Does a search find what means the same?",
    examples=(
        {"is_query": "true", "text": "How do I open it?", "group": "shop", "sense": "opening"},
        {"is_query": "false", "text": "Pull the lever to get in.", "group": "shop", "sense": "opening"},
    ),
)
