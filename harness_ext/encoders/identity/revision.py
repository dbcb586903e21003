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

_WRAPPERS = (
    "mteb.",
    "harness_ext.encoders.models.standardized",
    "harness_ext.encoders.models.additive_model",
)
"""How the modules of wrappers begin, which are not what a model is called by."""

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
    identity = {
        "name": _name(model, meta, revision),
        "revision": revision,
    }
    return meta.model_copy(update=identity)


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
    for place in (checkpoint, _origin(model)):
        if place and Path(place).exists():
            return f"{local_name(Path(place))}{options}"
    kind = _class_inside(model)
    which = ""
    if kind.__module__.startswith("sentence_transformers."):
        which = f"-{revision.removeprefix('weights-')[:8]}"
    return f"local/{kind.__name__}{which}{options}"


def _origin(model: Any) -> str:
    """The name or folder that a model's configuration says it was loaded from; empty if none
    does.
    """
    for layer in unwrapped(model):
        config = getattr(layer, "config", None)
        place = getattr(config, "name_or_path", None)
        if place:
            return str(place)
    return ""


def _class_inside(model: Any) -> type:
    """The class of the model inside mteb's wrappers and ours; that of the model if all are."""
    for layer in unwrapped(model):
        kind = type(layer)
        if not kind.__module__.startswith(_WRAPPERS):
            return kind
    return type(model)
