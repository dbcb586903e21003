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

_UNITS = {1e9: " B", 1e6: " M", 1e3: " K"}


class _Phase(JsonModel):
    name: str
    start: Number
    end: Number
    split: str = ""
    subset: str = ""


class _Timed(JsonModel):
    evaluation_phases: list[_Phase] | None = None


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
        results = list(results)
        meta = ModelMetaFile.beside(results[0])
        parameters = None if meta.n_parameters is None else int(meta.n_parameters)
        seconds, texts = max(filter(None, map(_seconds_and_texts, results)), default=(0.0, 0))
        return cls(meta.embed_dim, parameters, 1000 * seconds / texts if seconds > 0 else None)

    def texts(self) -> tuple[str, str, str]:
        """Write them for a table: `384`, `22.7 M`, `.86`; empty if unknown."""
        return (
            "" if self.dimensions is None else f"{self.dimensions:,}",
            "" if self.parameters is None else in_short(self.parameters),
            "" if self.seconds is None else without_zero(f"{self.seconds:.2g}"),
        )


def in_short(count: int) -> str:
    """Write a large number with three digits.

    Examples:
        >>> in_short(22_713_216), in_short(512)
        ('22.7 M', '512')
    """
    size = next((size for size in _UNITS if count >= size), 1)
    return f"{count / size:.3g}{_UNITS.get(size, '')}"


def _seconds_and_texts(file: Path) -> tuple[float, int] | None:
    """The seconds in which a run encoded the texts of a task, and their number; None if either is
    unknown.
    """
    try:
        phases = read_model(file, _Timed).evaluation_phases or []
    except DamagedFileError:
        return None
    known = _texts(task_of_file(file))
    encoding = [one for one in phases if one.name == _ENCODING and (one.split, one.subset) in known]
    places = {(one.split, one.subset) for one in encoding}
    return (
        (sum(one.end - one.start for one in encoding), sum(known[place] for place in places))
        if places
        else None
    )


@functools.cache
def _texts(task: str) -> Mapping[tuple[str, str], int]:
    """Split and subset -> the number of texts, by mteb's descriptive statistics of a task."""
    file = Path(str(files("harness_ext.tasks"))) / "descriptive_stats" / f"{task}.json"
    content: dict[str, Any] = read_json(file) if file.is_file() else {}
    return {
        (split, subset): of_subset["text_statistics"]["unique_texts"]
        for split, of_split in content.items()
        for subset, of_subset in of_split.get(
            "hf_subset_descriptive_stats", {"default": of_split}
        ).items()
    }
