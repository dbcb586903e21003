"""Distances in the items of an entry that no vectors can have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from harness_ext.evaluators.items import Items
from harness_ext.leaderboard.checks.compared_texts import compared_texts
from harness_ext.leaderboard.checks.finding import Finding, row_finding, shown
from harness_ext.statistics.distance import TIE, chord

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

_ROUNDING = 1e-9
"""Rounding may take a distance this far out of its range, and an eigenvalue of a Gram matrix this far below 0."""


def distance_findings(entry: Entry, items: Items) -> Iterator[Finding]:
    """Find distances out of range, pairs of texts with two distances, and distances without a Gram matrix."""
    impossible = list(_range_findings(entry, items))
    yield from impossible or _pair_findings(entry, items)


def _range_findings(entry: Entry, items: Items) -> Iterator[Finding]:
    """Yield a finding per column, for the first row out of range."""
    for name, table in items.tables().items():
        for column, about in table.measured().items():
            values, (low, high) = table.values().get(column, np.zeros(0)), about.range
            if values.dtype.kind == "f" and (outside := (values < low - _ROUNDING) | (values > high + _ROUNDING)).any():
                row = int(np.argmax(outside))
                message = f"{int(outside.sum())} values in the items of {entry.split} {entry.subset} are impossible."
                yield row_finding(entry.file, (name, column, row), float(values[row]), f"{low:g} to {high:g}", message)


def _pair_findings(entry: Entry, items: Items) -> Iterator[Finding]:
    """Compare the numbers of each pair of texts, and search each group's Gram matrix for a negative eigenvalue.

    A zero vector has no cosine. It counts as orthogonal to all others, which changes no sign of an eigenvalue.
    """
    texts = compared_texts(items)
    found = texts.cosines(items)
    first = np.full(texts.pairs.max(initial=-1) + 2, 0.0)
    first[texts.pairs[::-1]] = np.nan_to_num(found[::-1])
    first[-1] = 1  # a text with itself
    differs = np.abs(_length(found) - _length(first[texts.pairs])) > TIE
    if differs.any():
        number = int(np.argmax(differs))
        yield row_finding(entry.file, texts.place(number), float(found[number]), float(first[texts.pairs[number]]),
                          "The same two texts have another distance elsewhere in the items.")  # fmt: skip
        return
    for members, pairs in texts.cliques:
        least = np.linalg.eigvalsh(first[pairs])[:, 0]
        if (negative := least < -_ROUNDING * members.shape[1]).any():
            group = int(np.argmax(negative))
            place = texts.place(int(np.argmax(np.isin(texts.pairs, pairs[group][pairs[group] >= 0]))))
            yield row_finding(entry.file, place, float(least[group]), "0 or more", "No vectors are so far from each "
                              "other: the least eigenvalue of the Gram matrix of "
                              f"{shown(texts.names[members[group]].tolist())} is negative.")  # fmt: skip
            return


def _length(cosine: np.ndarray) -> np.ndarray:
    return chord(np.maximum(1 - cosine, 0))
