"""Facts about a model for the filters of a board, from the metadata that mteb writes beside results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness_ext.json_files import DamagedFileError, read_json
from harness_ext.store.mteb_files import ModelMetaFile


@dataclass(frozen=True)
class ModelFacts:
    """Facts from mteb's `ModelMeta`; None or empty if unknown.

    Attributes:
        parameters: The number of parameters.
        open_weights: Whether the weights are public.
        instructed: Whether it takes instructions or prompts.
        zero_shot: Whether it was trained on none of the board's tasks.
        languages: Languages, such as `eng-Latn`.
        dimensions: Dimensions of a vector.
        max_tokens: The longest input, in tokens.
        licence: The licence of the weights.
        reference: The address of a page about it.
    """

    parameters: int | None = None
    open_weights: bool | None = None
    instructed: bool | None = None
    zero_shot: bool | None = None
    languages: tuple[str, ...] = ()
    dimensions: int | None = None
    max_tokens: int | None = None
    licence: str = ""
    reference: str = ""


def model_metadata(folder: Path) -> Mapping[str, Any]:
    """Read the fields of mteb's `ModelMeta` in `model_meta.json`; none if the file is damaged or missing.

    Args:
        folder: The folder with the model's results.
    """
    try:
        content = read_json(folder / "model_meta.json")
    except DamagedFileError:
        return {}
    return content if isinstance(content, dict) else {}


def model_facts(metadata: Mapping[str, Any], tasks: frozenset[str]) -> ModelFacts:
    """Pick the facts in a model's metadata. A damaged field counts as unknown.

    Args:
        metadata: The fields that `model_metadata` returns.
        tasks: The names of the board's tasks.
    """
    known = ModelMetaFile.known(metadata)
    trained = known.training_datasets
    reference = known.reference or ""
    return ModelFacts(
        parameters=_whole(known.n_parameters),
        open_weights=known.open_weights,
        instructed=known.use_instructions,
        zero_shot=None if trained is None else tasks.isdisjoint(trained),
        languages=tuple(known.languages or ())[:1000],
        dimensions=None if isinstance(known.embed_dim, list) else _whole(known.embed_dim),
        max_tokens=_whole(known.max_tokens),
        licence=known.license or "",
        reference=reference if reference.startswith(("https://", "http://")) else "",
    )


def _whole(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else int(value)
