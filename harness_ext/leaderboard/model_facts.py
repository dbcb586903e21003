"""Facts about a model, as mteb wrote them beside its results: for the filters of a board."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
        zero_shot: Whether it was trained on none of the board's tasks.
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


def model_metadata(folder: Path) -> Mapping[str, Any]:
    """The fields of mteb's `ModelMeta` in a `model_meta.json`; none where that is damaged or not there.

    Args:
        folder: The folder with the model's results.
    """
    try:
        content = json.loads((folder / "model_meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def model_facts(metadata: Mapping[str, Any], tasks: frozenset[str]) -> ModelFacts:
    """The facts in a model's metadata; what is not of its type is not known.

    Args:
        metadata: As `model_metadata` gives it.
        tasks: The names of the board's tasks.
    """
    trained = metadata.get("training_datasets")
    languages = metadata.get("languages")
    reference = _text(metadata.get("reference"))
    return ModelFacts(
        parameters=_whole(metadata.get("n_parameters")),
        open_weights=_bool(metadata.get("open_weights")),
        instructed=_bool(metadata.get("use_instructions")),
        zero_shot=tasks.isdisjoint(map(str, trained)) if isinstance(trained, list) else None,
        languages=tuple(map(str, languages))[:1000] if isinstance(languages, list) else (),
        dimensions=_whole(metadata.get("embed_dim")),
        max_tokens=_whole(metadata.get("max_tokens")),
        licence=_text(metadata.get("license")),
        reference=reference if reference.startswith(("https://", "http://")) else "",
    )


def _whole(value: Any) -> int | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and math.isfinite(value) and value >= 0 else None


def _bool(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
