"""What is known of a model, as mteb knows it or else as its results say: for the filters of a board."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mteb.models.get_model_meta import MODEL_REGISTRY
from mteb.models.model_meta import ModelMeta

if TYPE_CHECKING:
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


def model_facts(model: str, folder: Path, tasks: frozenset[str]) -> ModelFacts:
    """The facts of a model: mteb's own entry for its name, else the `model_meta.json` beside its results.

    Args:
        model: Its name.
        folder: Where its results are. A damaged `model_meta.json` is as none.
        tasks: The names of the board's tasks.
    """
    name = model.partition(" [")[0]
    about = vars(MODEL_REGISTRY[name]) if name in MODEL_REGISTRY else _saved(folder / "model_meta.json")
    trained = about.get("training_datasets")
    languages = about.get("languages")
    reference = _text(about.get("reference"))
    return ModelFacts(
        parameters=_whole(about.get("n_parameters")),
        open_weights=_bool(about.get("open_weights")),
        instructed=_bool(about.get("use_instructions")),
        zero_shot=_zero_shot(frozenset(map(str, trained)), tasks) if isinstance(trained, list | set) else None,
        languages=tuple(map(str, languages))[:1000] if isinstance(languages, list) else (),
        dimensions=_whole(about.get("embed_dim")),
        max_tokens=_whole(about.get("max_tokens")),
        licence=_text(about.get("license")),
        reference=reference if reference.startswith(("https://", "http://")) else "",
    )


@functools.lru_cache(maxsize=10_000)
def _zero_shot(trained: frozenset[str], tasks: frozenset[str]) -> bool | None:
    meta = ModelMeta.create_empty(overwrites={"training_datasets": set(trained)})
    return meta.is_zero_shot_on(sorted(tasks))


def _saved(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _whole(value: Any) -> int | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and math.isfinite(value) and value >= 0 else None


def _bool(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
