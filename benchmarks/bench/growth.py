"""How the time of the metrics grows with the data, without a model: an exponent for each measure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from benchmarks.bench.clock import Spent, now, repeated

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings
    from harness_ext.measures.core.inputs import Span

DIMENSIONS = 64
SIZES = (1, 10, 100)
TASKS = {
    "EpsilonCompositionality": "EpsilonCompositionalityMini",
    "NounCompoundAffinity": "NounCompoundAffinityMini",
    "NounCompoundScaledSimilarity": "NounCompoundScaledSimilarityMini",
    "TypeTokenIdiomaticity": "EpsilonCompositionalityMini",
    "MontagueConsistency": "MontagueConsistency",
    "PolaritySensitivityMini": "PolaritySensitivityMini",
    "TreeReconstructionMini": "TreeReconstructionMini",
}
"""Task of a measure -> the task that has the rows that are copied."""
QUICK = (1, 2), ("NounCompoundAffinity", "TypeTokenIdiomaticity", "MontagueConsistency")
"""Sizes, and a task for each way to make rows."""

_MONTAGUE_ADJECTIVES, _MONTAGUE_NOUNS = 10, 12
_TEXTS = {"id", "compound", "surface", "sentence", "expression", "text", "rewrite", "words"}
"""The columns in which a copy has words of its own."""


def growth(settings: Settings) -> Iterator[Row]:
    """The metrics of 1, 10 and 100 times the small data, with random vectors that cost nothing.

    Each copy of the data has words and compounds of its own; the Montague test has a larger vocabulary of adjectives.
    Timed is all that is done but for encoding: from rows to texts, from vectors to items, scores and intervals;
    processor time, the median of the runs. The exponent is the slope of log time over log rows; *of the last step* is
    that from the middle size to the largest, where what any size costs weighs least.
    """
    sizes, names = QUICK if settings.quick else (SIZES, TASKS)
    for name in tqdm(names, desc="growth"):
        row: Row = {"task": name}
        seconds, lengths = [], []
        metrics(name, rows_of(name, TASKS[name], 1))  # imports what it needs
        for size in sizes:
            rows = rows_of(name, TASKS[name], size)
            runs = repeated(lambda name=name, rows=rows: metrics(name, rows), settings)  # type: ignore[misc]
            seconds.append(statistics.median(run.processor for run in runs))
            lengths.append(len(rows))
            row |= {f"rows × {size}": len(rows), f"× {size}, s": seconds[-1]}
        yield row | {
            "exponent": exponent(lengths, seconds),
            "exponent of the last step": exponent(lengths[-2:], seconds[-2:]),
        }


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """B of time ≈ a · sizeᵇ, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


class RandomVectors:
    """What a task sees of a model that gives every text, and every word in it, a random vector.

    Attributes:
        hf_split: Of the task.
        took: What that has cost so far.
    """

    has_spans = True

    def __init__(self, hf_split: str) -> None:
        self.hf_split = hf_split
        self.took = Spent(0, 0)

    def __call__(self, texts: list[str]) -> NDArray[np.float32]:
        """Shape (n, `DIMENSIONS`)."""
        start = now()
        vectors = np.random.default_rng(0).standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
        self.took += now() - start
        return vectors

    def with_spans(self, texts: list[str], spans: list[Span], **_: Any) -> tuple[NDArray[np.float32], ...]:
        """The same."""
        return self(texts), self([span.sentence for span in spans])


def metrics(name: str, rows: list[Row]) -> Spent:
    """What a task does with its rows beside encoding."""
    import mteb

    task = mteb.get_task(name)
    encode = RandomVectors(task.metadata.eval_splits[0])
    start = now()
    task.measure.flat_scores(task.measure.fill(task.measure.planned(rows, encode.hf_split), encode))
    return now() - start - encode.took


def rows_of(name: str, source: str, size: int) -> list[Row]:
    """`size` times the rows of `source`, for the task `name`."""
    import mteb

    if name == "MontagueConsistency":
        return phrases(round(_MONTAGUE_ADJECTIVES * math.sqrt(size)))
    task = mteb.get_task(source)
    task.load_data()
    (rows,) = task.dataset.values()
    copies = [copy_of(row, str(turn)) for turn in range(size) for row in rows.to_list()]
    if name == "TypeTokenIdiomaticity":  # has scores by people
        scores = np.random.default_rng(0).uniform(0, 5, size=(2, len(copies)))
        type_scores = dict(zip((row["compound"] for row in copies), scores[0], strict=True))
        return [
            {**row, "type_score": type_scores[row["compound"]], "token_score": score}
            for row, score in zip(copies, scores[1], strict=True)
        ]
    return copies


def copy_of(value: Any, mark: str, column: str = "") -> Any:
    """A row, or what is in it, with every word of its texts marked, so that it has no text of another copy."""
    if isinstance(value, dict):
        return {name: copy_of(inside, mark, name) for name, inside in value.items()}
    if isinstance(value, list):
        return [copy_of(inside, mark, column) for inside in value]
    if isinstance(value, str) and column in _TEXTS:
        return " ".join(word + mark for word in value.split())
    return value


def phrases(adjectives: int) -> list[Row]:
    """All phrases of so many adjectives, of all types, and `_MONTAGUE_NOUNS` nouns."""
    from harness_ext.data.rows import Word, WordType
    from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import phrase_rows

    *types, _ = get_args(WordType)
    words = [Word(f"adjective{k}", types[k % len(types)], f"like{k}") for k in range(adjectives)]
    words += [Word(f"noun{k}", "N", f"thing{k}") for k in range(_MONTAGUE_NOUNS)]
    return [dict(row) for row in phrase_rows(words)]
