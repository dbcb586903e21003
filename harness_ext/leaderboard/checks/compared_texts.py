"""The texts behind the distances in the items of an entry, as the columns declare them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import networkx
import numpy as np

from harness_ext.arrays import Floats, Names, Places
from harness_ext.evaluators.items import COSINE, DISTANCE, Items


@dataclass(frozen=True)
class ComparedTexts:
    """The texts behind the measured numbers of items, each with a number.

    Attributes:
        names: The name of each text, shape (t,).
        behind: (table, column) -> the texts that each of its numbers is computed from, shape (texts, n).
        columns: The (table, column) whose numbers are each a distance or a cosine of two texts.
        pairs: The number of the pair of texts behind each number of `columns`, one column after the other, shape (p,);
            -1 for a text with itself.
        cliques: Groups of texts with a measured number for every pair, by size: the texts of each group, shape (m, k),
            and the pairs among them, shape (m, k, k).
    """

    names: Names
    behind: Mapping[tuple[str, str], Places]
    columns: Sequence[tuple[str, str]]
    pairs: Places
    cliques: Sequence[tuple[Places, Places]]

    def cosines(self, items: Items) -> Floats:
        """The cosine behind each number of `columns`, NaN for a zero vector, shape (p,)."""
        found = [np.zeros(0)]
        for name, column in self.columns:
            table = items.tables()[name]
            values = table.values()[column]
            found.append(1 - values if table.measured()[column].range == DISTANCE else values)
        return np.concatenate(found)

    def place(self, number: int) -> tuple[str, str, int]:
        """The table, column and row of a number of `columns`."""
        for name, column in self.columns:
            n = self.behind[name, column].shape[1]
            if number < n:
                return name, column, number
            number -= n
        raise IndexError(number)


def compared_texts(items: Items) -> ComparedTexts:
    """Find the texts behind items, once for all encoders on the same data."""
    return _compared_texts(_Rows(items.digest(measured=False), items))


@dataclass(frozen=True)
class _Rows:
    digest: str
    items: Items = field(compare=False)


@functools.lru_cache(maxsize=16)
def _compared_texts(rows: _Rows) -> ComparedTexts:
    declared = {
        (name, column): (about, table.texts(column))
        for name, table in rows.items.tables().items()
        for column, about in table.measured().items()
        if about.texts and len(table)
    }
    parts = [np.zeros(0, dtype=str), *(texts.ravel() for _, texts in declared.values())]
    names, numbers = np.unique(np.concatenate(parts), return_inverse=True)
    behind = {}
    start = 0
    for place, (_, texts) in declared.items():
        behind[place] = numbers[start : start + texts.size].reshape(texts.shape)
        start += texts.size
    columns = [place for place, (about, texts) in declared.items()
               if len(texts) == 2 and about.range in {DISTANCE, COSINE}]  # fmt: skip
    ends = np.concatenate([np.zeros((2, 0), dtype=np.intp), *(behind[place] for place in columns)], axis=1)
    first, second = np.sort(ends, axis=0)
    keys, pairs = np.unique(first * len(names) + second, return_inverse=True)
    pairs = np.where(first == second, -1, pairs)
    return ComparedTexts(names, behind, columns, pairs, _cliques(keys, len(names)))


def _cliques(keys: Places, n: int) -> list[tuple[Places, Places]]:
    """Find the maximal groups of three or more texts with a number for every pair; `keys` are first · n + second."""
    graph = networkx.Graph(zip(*(ends.tolist() for ends in np.divmod(keys, max(n, 1))), strict=True))
    by_size: dict[int, list[list[int]]] = {}
    for clique in islice(networkx.find_cliques(graph), len(keys)):  # a stranger's rows could have exponentially many
        if len(clique) > 2:
            by_size.setdefault(len(clique), []).append(sorted(clique))
    found = []
    for same_size in by_size.values():
        texts = np.array(same_size)
        one, other = texts[:, :, None], texts[:, None, :]
        pairs = np.searchsorted(keys, np.minimum(one, other) * n + np.maximum(one, other))
        found.append((texts, np.where(one == other, -1, pairs)))
    return found
