"""What encoders may return, through every task: right is the score of plain float64 arrays of the same numbers."""

from __future__ import annotations

import functools
import zlib
from typing import TYPE_CHECKING, Any

import mteb
import numpy as np
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder

from benchmarks.trials.trial import Trial, Verdict, judge
from tests.encoders.test_vectors import REFUSED, TAKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TASKS = (
    "EpsilonCompositionalityMini",
    "NounCompoundAffinityMini",
    "NounCompoundScaledSimilarityMini",
    "MontagueConsistencyFast",
    "PolaritySensitivityMini",
    "TreeReconstructionMini",
)
MODEL = "planted/hostile"
TOLERANCE = 1e-3
"""Rounding to float32 may turn a tie between two of the hundreds of comparisons, no more."""


class Planted(AbsEncoder):
    """Returns what `make` makes of whole numbers from -63 to 63, the same for the same text, in 64 dimensions.

    All floats hold these exactly, but for those of 8 bits, which get ±2.
    """

    def __init__(self, make: Callable[[Any], Any], signs: bool = False) -> None:
        self.mteb_model_meta = ModelMeta.create_empty({"name": MODEL, "revision": "1"})
        self.make, self.signs = make, signs

    def encode(self, inputs: Any, **kwargs: Any) -> Any:
        """Whatever it is."""
        vectors = np.array([_vector(text) for batch in inputs for text in batch["text"]])
        return self.make(2 * np.sign(vectors) if self.signs else vectors)


@functools.cache
def _vector(text: str) -> Any:
    vector = (20 * np.random.default_rng(zlib.crc32(text.encode())).normal(size=64)).round().clip(-63, 63)
    vector[vector == 0] = 1
    return vector


def main_score(task: str, model: Any) -> float:
    """Of a task, without a cache."""
    (result,) = mteb.evaluate(model, mteb.get_task(task), cache=None, show_progress_bar=False).task_results
    return float(next(iter(result.scores.values()))[0]["main_score"])


@functools.cache
def _expected(task: str, signs: bool) -> float:
    return main_score(task, Planted(lambda vectors: vectors, signs))


def trials() -> Iterator[Trial]:
    """Every kind of output through every task."""
    kinds = {kind: make for kind, (make, _) in (TAKEN | REFUSED).items()}
    for kind, make in kinds.items():
        for task in TASKS:
            yield Trial("encoder outputs", f"{kind}: {task}", functools.partial(_attempt, kind, make, task))


def _attempt(kind: str, make: Callable[[Any], Any], task: str, folder: Path) -> Verdict:
    signs = "float8" in kind
    if kind in REFUSED:
        return judge(lambda: main_score(task, Planted(make)), lambda score: False, MODEL, "returned")
    expected = _expected(task, signs)
    model = Planted(make, signs)
    return judge(lambda: main_score(task, model), lambda score: bool(abs(score - expected) < TOLERANCE), MODEL)
