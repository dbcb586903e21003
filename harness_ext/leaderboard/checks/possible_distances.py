"""Can the distances in the items of an entry be distances of any vectors at all?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from harness_ext.evaluators import (
    epsilon,
    montague_items,
    polarity_items,
    similarity,
    tree_reconstruction_error,
    type_token,
)
from harness_ext.evaluators.statistics.distance import TIE, chord
from harness_ext.leaderboard.checks.finding import Finding, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from harness_ext.evaluators.items import Items, Table
    from harness_ext.results.entry import Entry

_DISTANCE, _COSINE, _ANY = (0.0, 2.0), (-1.0, 1.0), (-np.inf, np.inf)

MEASURED: dict[type[Table], dict[str, tuple[float, float]]] = {
    epsilon.EpsilonSamples: dict.fromkeys(
        ("phrase_distance", "context_distance", "baseline_phrase_distance", "baseline_context_distance"), _DISTANCE
    ),
    similarity.Similarities: {"similarity": _COSINE, "standardised": _COSINE},
    type_token.AloneSimilarities: {"similarity": _COSINE},
    type_token.SentencePairs: {"similarity": _COSINE},
    montague_items.MontagueSingles: dict.fromkeys(
        ("to_adjective", "to_noun", "between_words", "to_adjective_synonym", "to_noun_synonym", "between_synonyms"),
        _DISTANCE,
    ),
    montague_items.MontagueDoubles: dict.fromkeys(
        ("to_words", "between_words", "between_parts", "to_synonyms", "between_synonyms"), _DISTANCE
    ),
    montague_items.MontaguePairs: {"distance": _DISTANCE, "synonym_distance": _DISTANCE},
    polarity_items.PolarityAnswers: {"original_correct": _ANY, "rewrite_correct": _ANY},
    polarity_items.HeldOutAnswers: {"correct": _ANY},
    tree_reconstruction_error.ReconstructedTrees: {"excluded": _ANY, "error": _DISTANCE},
    tree_reconstruction_error.TreeFits: {"sentences": _ANY, "error": _DISTANCE, "steps": _ANY, "converged": _ANY},
}
"""Table -> the columns that a model decides -> what can stand there, beside NaN for a zero vector."""

_ROUNDING = 1e-9
"""How far rounding takes a distance out of its range."""


def distance_findings(entry: Entry, items: Items) -> Iterator[Finding]:
    """What no vectors could give: one finding per column, of the first row in which it stands."""
    impossible = False
    for name, table in items.tables().items():
        for column, (low, high) in MEASURED.get(type(table), {}).items():
            values = table.values()[column]
            if values.dtype.kind == "f" and (outside := (values < low - _ROUNDING) | (values > high + _ROUNDING)).any():
                impossible = True
                row = int(np.argmax(outside))
                yield Finding(entry.file, f"{name}.{column}, row {row}", shown(float(values[row])),
                              f"{low:g} to {high:g}", f"{int(outside.sum())} values in the items of "
                              f"{entry.split} {entry.subset} are impossible.")  # fmt: skip
        if isinstance(table, epsilon.EpsilonSamples) and not impossible:
            for kind in ("phrase", "context"):
                yield from _side_findings(entry, table, kind)


def _side_findings(entry: Entry, samples: epsilon.EpsilonSamples, kind: str) -> Iterator[Finding]:
    """The samples of ε-compositionality are sides of triangles: of a word and two synonyms of it.

    Every side stands in several rows, where it has the same length; and none is longer than the other two together.
    """
    one, base = f"{kind}_distance", f"baseline_{kind}_distance"
    lengths = {column: chord(samples.values()[column]) for column in (one, base)}
    # alone, a word is the same everywhere; in context, in its sentence and slot
    where = zip(samples.row.tolist(), samples.slot.tolist(), strict=True) if kind == "context" else [()] * len(samples)
    corners = zip(where, samples.word.tolist(), samples.synonym.tolist(), samples.other_synonym.tolist(), strict=True)
    sides: dict[tuple[object, frozenset[str]], float] = {}
    ends = [[(place, frozenset(pair)) for pair in ((word, a), (a, other), (word, other))]
            for place, word, a, other in corners]  # fmt: skip
    for column, number in ((one, 0), (base, 1)):
        first = np.array(
            [sides.setdefault(end[number], length) for end, length in zip(ends, lengths[column], strict=True)]
        )
        if (differs := abs(lengths[column] - first) > TIE).any():
            row = int(np.argmax(differs))
            yield Finding(entry.file, f"samples.{column}, row {row}", shown(float(samples.values()[column][row])),
                          shown(float(first[row] ** 2 / 2)), "The same two texts have one distance here and another "
                          "there.")  # fmt: skip
            return
    third: NDArray[np.float64] = np.array([sides.get(end[2], np.nan) for end in ends])
    triangles = np.array([lengths[one], lengths[base], third])
    if (open_ := 2 * triangles.max(axis=0) > triangles.sum(axis=0) + TIE).any():
        row = int(np.argmax(open_))
        yield Finding(entry.file, f"samples.{one}, row {row}", shown([float(side) for side in triangles[:, row]]),
                      "sides of a triangle", "No three vectors are so far from each other.")  # fmt: skip
