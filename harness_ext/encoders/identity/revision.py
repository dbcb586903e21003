"""Name and revision of a model, which keep its results apart from the results of all other models.
There are two rules.

A model is its name and its revision where it has both: mteb loads it by them, or its author states
them. The revision of a folder is a hash of its files. Any other model is an object whose revision
is a hash of what is in it.
"""

from pathlib import Path
from typing import Any

from mteb.models.model_meta import ModelMeta

from harness_ext.common.model_name import local_name
from harness_ext.encoders.identity.facts import backend_of
from harness_ext.encoders.identity.fingerprint import weights_revision
from harness_ext.encoders.wrappers import unwrapped

_EMPTY = ModelMeta.create_empty()
_UNKNOWN = (None, "", _EMPTY.name, _EMPTY.revision)


def identified(model: Any, meta: ModelMeta) -> ModelMeta | None:
    """Find the metadata for the results of a loaded model; None if nothing distinguishes the model
    from others.
    """
    if has_revision(meta) and not _is_guessed(meta):
        return meta
    # the weights of other backends are in no torch module
    revision = weights_revision(model) if backend_of(model) in {"torch", "unknown"} else None
    if not revision:
        return None
    return meta.model_copy(update={"name": _name(model, meta, revision), "revision": revision})


def has_revision(meta: ModelMeta) -> bool:
    """Whether the metadata alone identify a model."""
    return meta.name not in _UNKNOWN and meta.revision not in _UNKNOWN


def _is_guessed(meta: ModelMeta) -> bool:
    """Whether the name may be of another model: of a folder, or guessed by mteb from a
    sentence-transformers object.
    """
    is_wrapper = (
        getattr(meta.loader, "__module__", "") == "mteb.models.sentence_transformer_wrapper"
    )
    checkpoint, *_ = str(meta.name).partition(" (")  # mteb's form is `name (option=value)`
    return (is_wrapper and meta.reference is None) or Path(checkpoint).exists()


def _name(model: Any, meta: ModelMeta, revision: str) -> str:
    """The model's own name, else its folder's name, else its class's name; one of many classes says
    which one it is.
    """
    checkpoint, bracket, inside = str(meta.name or "").partition(" (")
    options = bracket + inside
    if checkpoint not in _UNKNOWN and not Path(checkpoint).exists():
        return str(meta.name)
    configs = (getattr(layer, "config", None) for layer in unwrapped(model))
    origin = Path(
        next(
            (place for config in configs if (place := getattr(config, "name_or_path", None))), "\0"
        )
    )
    for folder in (Path(checkpoint or "\0"), origin):
        if folder.exists():
            return f"{local_name(folder)}{options}"
    wrappers = (
        "mteb.",
        "harness_ext.encoders.models.standardized",
        "harness_ext.encoders.models.additive_model",
    )
    own = next(
        (layer for layer in unwrapped(model) if not type(layer).__module__.startswith(wrappers)),
        model,
    )
    kind = type(own)
    which = (
        f"-{revision.removeprefix('weights-')[:8]}"
        if kind.__module__.startswith("sentence_transformers.")
        else ""
    )
    return f"local/{kind.__name__}{which}{options}"
