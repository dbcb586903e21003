"""Different texts with the same vector, and texts whose vectors depend on what else is encoded."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Floats, Texts
from harness_ext.measures.core.items import DISTANCE, Items, Table
from harness_ext.measures.core.scores import COUNT, Score
from harness_ext.statistics.distance import NO_DISTANCE

SAME_VECTOR = Score(
    "n_same_vector",
    "pairs of different texts with the same vector",
    "distinct pairs of different texts that are compared, at a cosine distance of at most "
    f"{NO_DISTANCE:g}: the model cuts them, or sees no difference",
    COUNT,
)

N_TEXTS = Score(
    "n_texts",
    "distinct texts",
    "distinct whole texts that are compared",
    COUNT,
)

MOST_SAME = 0.01
"""Pairs with the same vector, as a share of the distinct texts. Of more, gain and noise may come
from texts that are cut: their distances become 0 or noise.
"""

ENOUGH = 0.99
"""A cosine that rounding does not bring below, in half precision either."""

ALONE = Score(
    "cosine_alone",
    "cosine of a text's vector with that of the same text alone",
    "the least of three texts, the shortest, the middle and the longest; there only where it is "
    f"below {ENOUGH}",
    (-1, 1),
)

_ROUNDING = 1e-6
"""How far stored distances, which are float32, may be from those that were counted."""

_SHOWN = 30
"""Characters of an example before and after the first difference."""


def same_vectors(plan: Items, items: Items) -> set[tuple[str, str]] | None:
    """Find the pairs of different whole texts of a plan whose vectors are the same; None if no two
    are compared.
    """
    plan = plan if len(plan) == len(items) else plan.without_spans()
    comparisons = list(_comparisons(plan, items))
    if not comparisons:
        return None
    pairs: set[tuple[str, str]] = set()
    for comparison in comparisons:
        rows = np.flatnonzero(comparison.distances <= NO_DISTANCE)
        firsts = comparison.first[rows].tolist()
        seconds = comparison.second[rows].tolist()
        for first, second in zip(firsts, seconds, strict=True):
            are_whole_texts = isinstance(first, str) and isinstance(second, str)
            if are_whole_texts and first != second:
                pairs.add((min(first, second), max(first, second)))
    return pairs


class _Comparison(NamedTuple):
    """A column of items that compares two texts in each row, each of shape (n,)."""

    first: Texts
    second: Texts
    distances: Floats


def _comparisons(plan: Items, items: Items) -> Iterator[_Comparison]:
    for name, table in plan.tables().items():
        for compared in _compared_columns(items.tables()[name]):
            first = getattr(table, compared.first)
            second = getattr(table, compared.second)
            yield _Comparison(first, second, compared.distances)


class _ComparedColumn(NamedTuple):
    """A column with the distances of two texts in each row, and the columns of these texts."""

    first: str
    second: str
    distances: Floats


def _compared_columns(table: Table) -> Iterator[_ComparedColumn]:
    values = table.values()
    for column, declared in table.measured().items():
        if len(declared.pairs) != 1:
            continue
        first, second = declared.pairs[0]
        measured = values[column]
        distances = measured if declared.range == DISTANCE else 1 - measured
        yield _ComparedColumn(first, second, distances)


def most_same_vectors(items: Items) -> int:
    """Count the comparisons of two texts in items whose vectors are the same: at least as many as
    there are such pairs of texts.
    """
    count = 0
    for table in items.tables().values():
        for compared in _compared_columns(table):
            count += int((compared.distances <= NO_DISTANCE + _ROUNDING).sum())
    return count


def is_often_same(scores: Mapping[str, float]) -> bool:
    """Whether so many different texts have the same vector that gain and noise may come from it;
    no where the number of texts is not known, as in results of 1.0.
    """
    n_texts = scores.get(N_TEXTS.key)
    return n_texts is not None and scores.get(SAME_VECTOR.key, 0) > MOST_SAME * n_texts


def same_vectors_message(pairs: set[tuple[str, str]]) -> str:
    """Say how many pairs have the same vector, with an example."""
    first, second = min(pairs)
    start = _first_difference(first, second)
    example = f"{_excerpt(first, start)} and {_excerpt(second, start)}"
    subject = "1 pair of different texts has"
    if len(pairs) > 1:
        subject = f"{len(pairs):,} pairs of different texts have"
    return (
        f"{subject} the same vector, such as {example}. The model cuts longer texts, or does not "
        "see what differs."
    )


def _first_difference(first: str, second: str) -> int:
    """The place of the first character that differs; the end of the shorter text if none does."""
    for place, (character, other) in enumerate(zip(first, second, strict=False)):
        if character != other:
            return place
    return min(len(first), len(second))


def _excerpt(text: str, place: int) -> str:
    start = max(0, place - _SHOWN)
    end = place + _SHOWN
    before = "…" if start else ""
    after = "…" if end < len(text) else ""
    return f"{before}{text[start:end]!r}{after}"
