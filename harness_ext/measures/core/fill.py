"""From a plan to items: every distinct text is encoded once, and the vectors are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from harness_ext.common.arrays import Floats, Indices, Texts, Vectors
from harness_ext.measures.core.inputs import Span, Sum, Text, is_inside, parts
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
        places: Text -> the row of its vector, among the vectors of its level.
        vectors: Of whole texts, and of words inside sentences, shapes (n, d) and (m, e).
    """

    places: Mapping[Text, int]
    vectors: tuple[Vectors, Vectors]

    @classmethod
    def of(
        cls, texts: Iterable[Text], encode: Encoder, layer_pooling: LayerPooling = "mean"
    ) -> Encoded:
        """Encode the distinct texts in one call."""
        distinct = dict.fromkeys(texts)
        single = list(dict.fromkeys(part for text in distinct for part in parts(text)))
        whole = [text for text in single if isinstance(text, str)]
        inside = [text for text in single if isinstance(text, Span)]
        levels: list[Vectors]
        if inside:
            levels = [*encode.with_spans(whole, inside, layer_pooling=layer_pooling)]
        else:
            levels = [encode(whole), np.zeros((0, 1))]
        places: dict[Text, int] = {text: place for place, text in enumerate(whole)}
        places |= {text: place for place, text in enumerate(inside)}
        for level, of_level in enumerate(levels):
            sums = [
                text
                for text in distinct
                if isinstance(text, Sum) and is_inside(text) == bool(level)
            ]
            if sums:
                added = [
                    np.sum([of_level[places[part]] for part in text.parts], axis=0, dtype=float)
                    for text in sums
                ]
                places |= {text: len(of_level) + place for place, text in enumerate(sums)}
                levels[level] = np.concatenate([of_level, added])
        return cls(places, (levels[0], levels[1]))

    def rows(self, texts: Texts) -> Indices:
        """The rows of the vectors of texts of one level, shape (n,) -> (n,)."""
        return np.array([self.places[text] for text in texts.tolist()], dtype=np.intp)

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
    encoded = Encoded.of(texts.tolist(), encode)
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
    encoded = Encoded.of(plan.compared_texts(), encode, layer_pooling)
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
