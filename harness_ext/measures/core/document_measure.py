"""The measures of language models: from the documents that lm-eval asks about to scores, in the
form lm-eval wants.

The items of such a measure are one table with a row per document. lm-eval calls `process_results`
once a document, and for every metric one function on the list of what the documents gave under that
metric's name. Here each gives the same under every name, its row, so that each function has all
that it needs; a saved sample has the row as `main_score`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from harness_ext.measures.core.items import Items
from harness_ext.measures.core.scores import interval_keys
from harness_ext.statistics.bootstrap import mostly_defined
from harness_ext.statistics.correlation import known_std

if TYPE_CHECKING:
    from harness_ext.measures.core.measure import Measure

MAIN_SCORE = "main_score"
"""The metric under which every task repeats its main score, so that a group of tasks has one to
average.
"""

EXCLUDED = "n_excluded_"
"""How columns begin that count what was left out before there were documents: the same number in
all of them.
"""

AnyItems = TypeVar("AnyItems", bound=Items)


def items_of(measure: Measure[AnyItems], rows: Iterable[Iterable[Any]]) -> AnyItems:
    """The items of documents, in the order of their ids so that nothing depends on that of the
    rows.

    A row has the values of a document's columns, in the order of the table; None where there is
    none.
    """
    (table,) = measure.items.table_types().values()
    columns = table.columns()
    missing = {str: "", float: math.nan}
    values = zip(*sorted(map(tuple, rows), key=lambda row: str(row[0])), strict=True)
    cells = {
        field_name: [missing[dtype] if value is None else value for value in column]
        for (field_name, dtype, _), column in zip(columns.values(), values, strict=True)
    }
    return measure.items(table(**cells))  # type: ignore[call-arg]


class SameRow:
    """Placeholder for a row that the log stores once, under `main_score`."""

    def __init__(self, row: tuple[Any, ...]) -> None:
        self._row = row

    def __iter__(self) -> Iterator[Any]:
        return iter(self._row)

    def __repr__(self) -> str:
        return f"as {MAIN_SCORE}"


class Aggregation:
    """What lm-eval calls on the rows of all documents to get a metric; says what it is when it is
    dumped.
    """

    def __init__(
        self,
        measure: Measure[Any],
        key: str,
        part: str = "value",
    ) -> None:
        """Aggregate to the score `key`, its `standard error`, an end of its interval (`low`,
        `high`) or its `units`.
        """
        self._measure = measure
        self._key = key
        self._part = part

    def __call__(self, rows: Iterable[Iterable[Any]]) -> float:
        """The metric; NaN where these documents do not define it."""
        items = items_of(self._measure, rows)
        if self._part == "value":
            return self._measure.score(items).flat().get(self._key, math.nan)
        if self._part == "units":
            return self._measure.unit_count(items, self._key)
        if self._part == "standard error":
            resamples = self._measure.statistic(items, self._key).resamples()
            return known_std(resamples) if mostly_defined(resamples) else math.nan
        return self._measure.interval(items, self._key)[self._part == "high"]

    def __repr__(self) -> str:
        return f"{self._part} of {self._key} ({self._measure.name} {self._measure.version})"


def metric_list(measure: Measure[Any]) -> list[dict[str, Any]]:
    """The `metric_list` of a task's YAML file: every score of the measure with its standard error,
    the main one first.

    The main score has its 95 % interval too, and is there a second time as `main_score`.
    """
    better = {"higher": True, "lower": False, "neither": None}
    return [
        {"metric": name, "aggregation": aggregation, "higher_is_better": better[direction]}
        for name, _, aggregation, direction in _metrics(measure)
    ]


def record(
    measure: Measure[Any],
    row: Mapping[str, Any],
    not_defined: Collection[str] = (),
) -> dict[str, Any]:
    """What `process_results` returns for a document: its row, under every metric.

    The row has a value for each column of the table, None where there is none. `not_defined` are
    the scores that the task's data cannot give: the same for all documents, because lm-eval gathers
    from several GPUs only what all have.

    Raises:
        KeyError: The row lacks a column.
    """
    (table,) = measure.items.table_types().values()
    values = tuple(row[name] for name in table.columns())
    same = SameRow(values)
    return {
        name: values if name == MAIN_SCORE else same
        for name, key, _, _ in _metrics(measure)
        if key not in not_defined
    }


def _metrics(measure: Measure[Any]) -> Iterator[tuple[str, str, Aggregation, str]]:
    """Each metric, the score it is of, its aggregation, and its direction, in the order that
    lm-eval needs.

    It first marks a metric's standard error as not to be had, which stays unless that is the next
    metric.
    """
    declared = measure.by_key
    for key in sorted(declared, key=lambda key: key != measure.main):
        score, _ = declared[key]
        for name in (key, MAIN_SCORE) if key == measure.main else (key,):
            yield name, key, Aggregation(measure, key), score.better
            if score.resampled:
                yield f"{name}_stderr", key, Aggregation(measure, key, "standard error"), "neither"
        if score.interval:
            for name, end in zip(interval_keys(key), ("low", "high"), strict=True):
                yield name, key, Aggregation(measure, key, end), "neither"
    for name, key in measure.unit_counts().items():
        yield name, key, Aggregation(measure, key, "units"), "neither"
