"""From a plan to items: every distinct text is encoded once, and the vectors are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from harness_ext.common.arrays import Floats, Indices, Texts, Vectors
from harness_ext.measures.core.distinct_texts import DistinctTexts
from harness_ext.measures.core.inputs import Span, Sum, is_inside
from harness_ext.measures.core.items import DISTANCE, Items, Table
from harness_ext.statistics.distance import NO_DISTANCE, cosine_distance

AnyItems = TypeVar("AnyItems", bound=Items)
AnyTable = TypeVar("AnyTable", bound=Table)
LayerPooling = Literal["mean", "concatenate"]


class Encoder(Protocol):
    """An encoder as measures see it, such as `harness_ext.encoders.encoding.TaskEncoder`."""

    @property
    def has_spans(self) -> bool:
        """Whether it encodes words inside a sentence."""
        ...

    def __call__(self, texts: list[str], /) -> Vectors:
        """Distinct texts -> a vector per text, shape (n, d)."""
        ...

    def with_spans(
        self,
        texts: list[str],
        spans: list[Span],
        /,
        layer_pooling: LayerPooling,
    ) -> tuple[Vectors, Vectors]:
        """The same, and distinct spans -> a vector per span, shape (m, e). Only if `has_spans`."""
        ...


@dataclass(frozen=True)
class Encoded:
    """The vectors of distinct texts.

    Attributes:
        texts: The texts, and where their vectors stand.
        vectors: Of whole texts, and of words inside sentences, with the sums of each behind them:
            shapes (n, d) and (m, e).
    """

    texts: DistinctTexts
    vectors: tuple[Vectors, Vectors]

    @classmethod
    def of(
        cls, texts: DistinctTexts, encode: Encoder, layer_pooling: LayerPooling = "mean"
    ) -> Encoded:
        """Encode the texts in one call."""
        if texts.inside:
            of_whole, of_inside = encode.with_spans(
                texts.whole, texts.inside, layer_pooling=layer_pooling
            )
        else:
            of_whole = encode(texts.whole)
            of_inside = np.zeros((0, 1))
        vectors = (
            _with_sums(of_whole, texts, texts.sums_of_whole),
            _with_sums(of_inside, texts, texts.sums_of_inside),
        )
        return cls(texts, vectors)

    def rows(self, texts: Texts) -> Indices:
        """The rows of the vectors of texts of one level, shape (n,) -> (n,)."""
        return self.texts.rows(texts)

    def distances(self, first: Texts, second: Texts) -> Floats:
        """The cosine distance of each text of the first from that of the second; NaN for a zero
        vector, shape (n,).
        """
        if not len(self.vectors[1]):
            return cosine_distance(self.vectors[0], self.rows(first), self.rows(second))
        inside = np.array([is_inside(text) for text in first.tolist()], dtype=np.intp)
        distances = np.full(len(first), np.nan)
        for level in np.unique(inside):
            here = inside == level
            distances[here] = cosine_distance(
                self.vectors[level], self.rows(first[here]), self.rows(second[here])
            )
        return distances


def _with_sums(vectors: Vectors, texts: DistinctTexts, sums: Sequence[Sum]) -> Vectors:
    """Vectors of one level, with the vectors of some sums behind them."""
    if not sums:
        return vectors
    added = [np.sum(vectors[texts.rows_of_parts(text)], axis=0, dtype=float) for text in sums]
    return np.concatenate([vectors, added])


def with_distances(table: AnyTable, distances_of: Callable[[Texts, Texts], Floats]) -> AnyTable:
    """A table of a plan with its distances and cosines, without its texts."""
    columns: dict[str, Any] = dict.fromkeys(table.text_columns())
    for name, column in table.measured().items():
        if column.pairs:
            of_pairs = [
                distances_of(*(getattr(table, text) for text in pair)) for pair in column.pairs
            ]
            distances = column.of_pairs(of_pairs, axis=0)
            # rounding must not rank identical vectors
            cosines = 1 - np.where(distances <= NO_DISTANCE, 0, distances)
            columns[table.columns()[name][0]] = distances if column.range == DISTANCE else cosines
    return replace(table, **columns)


def vectors_of(texts: Texts, encode: Encoder) -> Vectors:
    """The vectors of whole texts, each of which is encoded once, shape (n,) -> (n, d)."""
    encoded = Encoded.of(DistinctTexts(texts.tolist()), encode)
    return encoded.vectors[0][encoded.rows(texts)]


def encodable(plan: AnyItems, encode: Encoder) -> AnyItems:
    """The plan, without words inside sentences if the encoder has no vectors of them; it is asked
    only if there are.
    """
    return plan.without_spans() if plan.has_spans and not encode.has_spans else plan


def fill(plan: AnyItems, encode: Encoder, layer_pooling: LayerPooling = "mean") -> AnyItems:
    """Encode each distinct text of a plan once, and fill the measured columns of the plan, whose
    texts are dropped.

    Words inside sentences are left out if the encoder has no vectors of them.
    """
    plan = encodable(plan, encode)
    encoded = Encoded.of(plan.distinct_texts, encode, layer_pooling)
    return replace(
        plan,
        **{name: with_distances(table, encoded.distances) for name, table in plan.tables().items()},
    )


def compared_pairs(plan: Items) -> list[tuple[Any, Any]]:
    """The distinct pairs of texts that a plan compares, in their order."""
    pairs: dict[tuple[Any, Any], None] = {}
    for table in plan.tables().values():
        for column in table.measured().values():
            for first, second in column.pairs:
                firsts = getattr(table, first).tolist()
                seconds = getattr(table, second).tolist()
                pairs |= dict.fromkeys(zip(firsts, seconds, strict=True))
    return [*pairs]


def fill_pairs(plan: AnyItems, alike: Floats) -> AnyItems:
    """Fill a plan without vectors, by how alike the texts of each of its `compared_pairs` are, in
    [-1, 1].
    """
    of_pair = dict(zip(compared_pairs(plan), alike.tolist(), strict=True))

    def distances(first: Texts, second: Texts) -> Floats:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return np.array([1 - of_pair[pair] for pair in pairs])

    return replace(
        plan, **{name: with_distances(table, distances) for name, table in plan.tables().items()}
    )
