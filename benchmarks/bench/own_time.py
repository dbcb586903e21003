"""What this package costs beside encoding: with an encoder that knows its vectors."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench.clock import in_a_process, peak_megabytes

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings

DIMENSIONS = (384, 4096)
"""Of small and of large encoders."""

DIMENSIONS_OF_PAIRS = (50, 384)
"""Of word vectors and of small encoders."""

TASKS = (
    "EpsilonCompositionality",
    "RoleSwapSimilarity",
    "CaptionSwap",
    "NounCompoundScaledSimilarity",
)

QUICK_TASKS = ("EpsilonCompositionalityMini",)

N_PAIRS = (1_000, 10_000, 100_000)
"""Rated pairs."""

QUICK_PAIRS = (100, 200)

_N_DRAWN = 4096
"""Vectors that words and texts share."""

_WORDS_OF_A_PAIR = 8

_VOCABULARY = 5000

FITS = "fits, s"
NOISE = "noise, s"
FILLS = "fills, s"
DRAWS = "draws, s"
ENCODING = "encoding, s"
REST = "rest, s"


class KnownVectors:
    """An encoder that adds up drawn vectors: of the words of a text, and one of the text."""

    def __init__(self, dimensions: int, seed: int = 0) -> None:
        generator = np.random.default_rng(seed)
        shape = (_N_DRAWN, dimensions)
        self._drawn = generator.standard_normal(shape, dtype=np.float32)

    def __call__(self, texts: list[str]) -> NDArray[np.float32]:
        """Encode texts, shape (n, d)."""
        n_dimensions = self._drawn.shape[1]
        vectors = np.empty((len(texts), n_dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            words = [_place(word) for word in text.split()]
            of_words = self._drawn[words].sum(axis=0)
            of_text = self._drawn[_place(f"{text} ")]
            vectors[row] = of_words + of_text
        return vectors


class LookedUp:
    """The same vectors, of known texts: they are made before anything is measured."""

    def __init__(self, encoder: KnownVectors, texts: Iterable[str]) -> None:
        distinct = list(dict.fromkeys(texts))
        self._rows = {text: row for row, text in enumerate(distinct)}
        self._vectors = encoder(distinct)

    @property
    def megabytes(self) -> float:
        """The memory of the vectors."""
        return self._vectors.nbytes / 1e6

    def __call__(self, texts: list[str]) -> NDArray[np.float32]:
        """The vectors of some of the texts, shape (n, d)."""
        return self._vectors[[self._rows[text] for text in texts]]


def _place(text: str) -> int:
    return zlib.crc32(text.encode()) % _N_DRAWN


class Phases:
    """Processor seconds by phase. A phase inside of another is not counted there."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._open = [REST]
        self._since = time.process_time()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count what happens meanwhile as a phase."""
        self.stop()
        self._open.append(name)
        try:
            yield
        finally:
            self.stop()
            self._open.pop()

    def stop(self) -> None:
        """Count what happened until now."""
        now = time.process_time()
        current = self._open[-1]
        self.seconds[current] = self.seconds.get(current, 0.0) + now - self._since
        self._since = now

    def timed(
        self,
        name: str,
        function: Callable[..., Any],
    ) -> Callable[..., Any]:
        """A function whose calls are a phase; if it yields, the making of each result."""

        @wraps(function)
        def timed_function(*arguments: Any, **named: Any) -> Any:
            with self.phase(name):
                result = function(*arguments, **named)
            if isinstance(result, Iterator):
                return self._each(name, result)
            return result

        return timed_function

    def _each(
        self,
        name: str,
        results: Iterator[Any],
    ) -> Iterator[Any]:
        end = object()
        while True:
            with self.phase(name):
                result = next(results, end)
            if result is end:
                return
            yield result


def own_time(settings: Settings) -> Iterator[Row]:
    """What a task costs beside encoding, in processor seconds, with additive baseline and noise.

    The encoder adds up drawn vectors. Fits are those of the additive baseline and of its halves;
    draws are resamples for intervals and p-values. Data that are not at hand are not measured.
    """
    tasks = QUICK_TASKS if settings.quick else settings.tasks or TASKS
    sizes = DIMENSIONS[:1] if settings.quick else DIMENSIONS
    for name in tasks:
        for dimensions in sizes:
            yield in_a_process(_own_time, name, dimensions)


def pairs(settings: Settings) -> Iterator[Row]:
    """`harness_ext.measure` on rated pairs of drawn words, from rows to scores. Encoding is looking
    up known vectors. Memory is by how much the peak of the process grows meanwhile; imports, rows
    and known vectors are there before.
    """
    sizes = DIMENSIONS_OF_PAIRS[:1] if settings.quick else DIMENSIONS_OF_PAIRS
    for n_pairs in QUICK_PAIRS if settings.quick else N_PAIRS:
        for dimensions in sizes:
            yield in_a_process(_pairs, n_pairs, dimensions)


def _own_time(
    name: str,
    dimensions: int,
) -> Row:
    from harness_ext import measure
    from harness_ext.data.sources import SourceError
    from harness_ext.encoders.additive_baseline import AdditiveBaseline
    from harness_ext.harnesses.mteb import baselines
    from harness_ext.statistics import statistic

    row: Row = {"task": name, "dimensions": dimensions}
    phases = Phases()
    places = (
        (AdditiveBaseline, "__init__", FITS),
        (AdditiveBaseline, "bags", FITS),
        (AdditiveBaseline, "halves", FITS),
        (baselines, "matched_noise", NOISE),
        (baselines._Comparison, "items", FILLS),
        (statistic.UnitStatistic, "resamples", DRAWS),
        (statistic.DifferenceStatistic, "resamples", DRAWS),
    )
    with ExitStack() as patches:
        # what the benchmark's own environment switches off
        patches.enter_context(patch.dict("os.environ", {"HARNESS_EXT_ADDITIVE": "1"}))
        for owner, function, phase in places:
            timed = phases.timed(phase, getattr(owner, function))
            patches.enter_context(patch.object(owner, function, timed))
        encoder = phases.timed(ENCODING, KnownVectors(dimensions))
        try:
            measure(as_function(encoder), name)
        except SourceError as error:
            return {**row, "not measured": str(error).strip()}
    phases.stop()
    for phase in (FITS, NOISE, FILLS, DRAWS, ENCODING, REST):
        row[phase] = phases.seconds.get(phase, 0.0)
    row["peak memory, MB"] = peak_megabytes()
    return row


def as_function(encoder: Callable[..., Any]) -> Callable[[list[str]], Any]:
    """An encoder as `measure` takes it, by the names of its arguments."""

    def encode(texts: list[str]) -> Any:
        return encoder(texts)

    return encode


def _pairs(n_pairs: int, dimensions: int) -> Row:
    from harness_ext import measure

    encoder = KnownVectors(dimensions)
    # imports what is imported late
    measure(as_function(encoder), _rated_pairs(QUICK_PAIRS[0]), "rated_pairs")
    rows = _rated_pairs(n_pairs)
    texts = [row[side] for row in rows for side in ("sentence1", "sentence2")]
    known = LookedUp(encoder, texts)
    before = peak_megabytes()
    phases = Phases()
    encode = phases.timed(ENCODING, known)
    measure(as_function(encode), rows, "rated_pairs")
    phases.stop()
    seconds = sum(phases.seconds.values())
    megabytes = peak_megabytes() - before
    return {
        "rated pairs": n_pairs,
        "dimensions": dimensions,
        "measure, s": seconds,
        ENCODING: phases.seconds[ENCODING],
        "s for 1000 pairs": seconds / n_pairs * 1000,
        "peak memory, MB": megabytes,
        "the encoder returns, MB": known.megabytes,
        "kB a pair": megabytes / n_pairs * 1000,
    }


def _text(words: list[int]) -> str:
    return " ".join(f"word{word}" for word in words)


def _rated_pairs(n_pairs: int) -> list[dict[str, Any]]:
    generator = np.random.default_rng(1)
    shape = (n_pairs, 2, _WORDS_OF_A_PAIR)
    words = generator.integers(0, _VOCABULARY, size=shape)
    ratings = generator.uniform(0, 5, size=n_pairs)
    scores = ratings.round(2).tolist()
    rows = []
    for number, (first, second) in enumerate(words.tolist()):
        row = {
            "id": str(number),
            "sentence1": _text(first),
            "sentence2": _text(second),
            "score": scores[number],
        }
        rows.append(row)
    return rows
