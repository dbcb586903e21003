"""What is known of a model, as mteb knows it or else as its results say: for the filters of a board."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mteb.models.model_implementations import MODEL_REGISTRY
from mteb.models.model_meta import ModelMeta

from harness_ext.json_files import DamagedFileError, read_json
from harness_ext.store.mteb_files import ModelMetaFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class ModelFacts:
    """Facts that mteb's `ModelMeta` has; None or empty where nobody says.

    Attributes:
        parameters: How many.
        open_weights: Whether the weights can be had.
        instructed: Whether it takes instructions or prompts.
        zero_shot: Whether it was trained on none of the board's tasks or their like, as mteb counts.
        languages: Such as `eng-Latn`.
        dimensions: Of a vector.
        max_tokens: The longest input.
        licence: Of the weights.
        reference: A page about it on the web.
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


def model_metadata(model: str, folder: Path) -> Mapping[str, Any]:
    """The fields of mteb's own `ModelMeta` for a name, else of the `model_meta.json` beside the results.

    Args:
        model: The model's name.
        folder: Where its results are. A damaged `model_meta.json` is as none.
    """
    name = model.partition(" [")[0]
    if name in MODEL_REGISTRY:
        return vars(MODEL_REGISTRY[name])
    try:
        content = read_json(folder / "model_meta.json")
    except DamagedFileError:
        content = {}
    return content if isinstance(content, dict) else {}


def model_facts(metadata: Mapping[str, Any], tasks: frozenset[str]) -> ModelFacts:
    """The facts in a model's metadata; a damaged one is not known.

    Args:
        metadata: As `model_metadata` gives it.
        tasks: The names of the board's tasks.
    """
    known = ModelMetaFile.known(metadata)
    trained = known.training_datasets
    reference = known.reference or ""
    return ModelFacts(
        parameters=_whole(known.n_parameters),
        open_weights=known.open_weights,
        instructed=known.use_instructions,
        zero_shot=None if trained is None else _zero_shot(frozenset(trained), tasks),
        languages=tuple(known.languages or ())[:1000],
        dimensions=None if isinstance(known.embed_dim, list) else _whole(known.embed_dim),
        max_tokens=_whole(known.max_tokens),
        licence=known.license or "",
        reference=reference if reference.startswith(("https://", "http://")) else "",
    )


@functools.lru_cache(maxsize=10_000)
def _zero_shot(trained: frozenset[str], tasks: frozenset[str]) -> bool | None:
    meta = ModelMeta.create_empty(overwrites={"training_datasets": set(trained)})
    return meta.is_zero_shot_on(sorted(tasks))


def _whole(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else int(value)
