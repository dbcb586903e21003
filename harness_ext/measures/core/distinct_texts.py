"""The distinct texts of a plan, each of which is encoded once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from harness_ext.common.arrays import Indices, Texts
from harness_ext.measures.core.inputs import Span, Sum, Text, is_inside, parts


class DistinctTexts:
    """Distinct texts, and where the vector of each stands: looked up once, for the encoder and all
    its baselines.

    Attributes:
        whole: Texts that are encoded whole, shape (n,).
        inside: Words inside sentences, shape (m,).
        sums_of_whole: Sums of such texts, whose vectors stand behind theirs.
        sums_of_inside: Sums of words inside sentences, likewise.
    """

    def __init__(self, texts: Iterable[Text]) -> None:
        distinct = dict.fromkeys(texts)
        single = dict.fromkeys(part for text in distinct for part in parts(text))
        self.whole = [text for text in single if isinstance(text, str)]
        self.inside = [text for text in single if isinstance(text, Span)]
        sums = [text for text in distinct if isinstance(text, Sum)]
        self.sums_of_whole = [text for text in sums if not is_inside(text)]
        self.sums_of_inside = [text for text in sums if is_inside(text)]
        of_whole: list[Text] = [*self.whole, *self.sums_of_whole]
        of_inside: list[Text] = [*self.inside, *self.sums_of_inside]
        self._places: dict[Text, int] = {}
        for level in (of_whole, of_inside):
            self._places |= {text: place for place, text in enumerate(level)}
        self._rows: dict[int, tuple[Texts, Indices]] = {}

    def rows(self, texts: Texts) -> Indices:
        """The rows of the vectors of texts of one level, shape (n,) -> (n,)."""
        # with the array itself, so that no other gets its id
        _, rows = self._rows.get(id(texts), (None, None))
        if rows is None:
            rows = np.array([self._places[text] for text in texts.tolist()], dtype=np.intp)
            self._rows[id(texts)] = texts, rows
        return rows

    def rows_of_parts(self, text: Sum) -> list[int]:
        """The rows of the vectors that are added up for a text."""
        return [self._places[part] for part in text.parts]
