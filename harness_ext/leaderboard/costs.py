"""What a model costs: its size by mteb's metadata, and its time by the phases of its runs."""

import functools
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Self

from harness_ext.common.json_files import DamagedFileError, JsonModel, Number, read_json, read_model
from harness_ext.results.published import without_zero
from harness_ext.store.mteb_files import ModelMetaFile, task_of_file

_ENCODING = "Encoding"
"""The phase of a run in which the texts of a task are encoded."""

_MOST_SECONDS = 1e7
"""The longest time that a run may have taken, in seconds: four months."""

_UNITS = {1e9: " B", 1e6: " M", 1e3: " K"}


class _Phase(JsonModel):
    name: str
    start: Number
    end: Number
    split: str = ""
    subset: str = ""


class _Timed(JsonModel):
    evaluation_phases: list[_Phase] | None = None


class _Encoding(NamedTuple):
    """How long a run encoded, and how many texts."""

    seconds: float
    n_texts: int


_FROM_WHOLE = 10
"""Seconds that are written without a fraction, from here on."""


class Costs(NamedTuple):
    """What a model costs; None is unknown.

    Attributes:
        dimensions: The dimensions of its vectors.
        parameters: How many it has.
        seconds: To encode a thousand texts, on its machine, by the longest run: others may share
            its vectors.
    """

    dimensions: int | None
    parameters: int | None
    seconds: float | None

    @classmethod
    def of(cls, results: Iterable[Path]) -> Self:
        """Read the costs of a model from at least one of its result files, and from the metadata
        beside it.
        """
        result_files = list(results)
        meta = ModelMetaFile.beside(result_files[0])
        parameters = None
        if meta.n_parameters is not None:
            parameters = int(meta.n_parameters)
        encodings = [encoding for encoding in map(_encoding, result_files) if encoding is not None]
        longest = max(encodings, default=_Encoding(0.0, 0))
        seconds = None
        if longest.seconds > 0:
            seconds = 1000 * longest.seconds / longest.n_texts
        return cls(meta.embed_dim, parameters, seconds)

    def texts(self) -> tuple[str, str, str]:
        """Write them for a table: `384`, `22.7 M`, `.86`; empty if unknown."""
        dimensions = ""
        if self.dimensions is not None:
            dimensions = f"{self.dimensions:,}"
        parameters = ""
        if self.parameters is not None:
            parameters = in_short(self.parameters)
        seconds = ""
        if self.seconds is not None:
            digits = ".0f" if self.seconds >= _FROM_WHOLE else ".2g"
            seconds = without_zero(f"{self.seconds:{digits}}")
        return dimensions, parameters, seconds


def in_short(count: int) -> str:
    """Write a large number with three digits.

    Examples:
        >>> in_short(22_713_216), in_short(512)
        ('22.7 M', '512')
    """
    size = next((size for size in _UNITS if count >= size), 1)
    return f"{count / size:.3g}{_UNITS.get(size, '')}"


def _encoding(file: Path) -> _Encoding | None:
    """Read how long a run encoded the texts of a task; None if the time or their number is
    unknown.
    """
    try:
        phases = read_model(file, _Timed).evaluation_phases or []
    except DamagedFileError:
        return None
    counts = text_counts(task_of_file(file))
    seconds = 0.0
    places = set()
    for phase in phases:
        place = (phase.split, phase.subset)
        if phase.name == _ENCODING and place in counts:
            seconds += phase.end - phase.start
            places.add(place)
    if not places or not 0 <= seconds <= _MOST_SECONDS:
        return None
    return _Encoding(seconds, sum(counts[place] for place in places))


@functools.cache
def text_counts(task: str) -> Mapping[tuple[str, str], int]:
    """Split and subset -> the number of texts, by mteb's descriptive statistics of a task."""
    folder = Path(str(files("harness_ext.tasks")))
    file = folder / "descriptive_stats" / f"{task}.json"
    if not file.is_file():
        return {}
    content: dict[str, Any] = read_json(file)
    counts = {}
    for split, statistics in content.items():
        by_subset = statistics.get("hf_subset_descriptive_stats", {"default": statistics})
        for subset, statistics_of_subset in by_subset.items():
            texts = statistics_of_subset["text_statistics"]
            counts[split, subset] = texts["unique_texts"]
    return counts
