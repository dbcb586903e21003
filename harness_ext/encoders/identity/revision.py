"""Name and revision of a model, which keep its results apart from the results of all other models."""

from __future__ import annotations

import re
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from huggingface_hub import try_to_load_from_cache
from huggingface_hub.errors import HFValidationError
from mteb.models.model_meta import ModelMeta

from harness_ext.encoders.identity.facts import backend_of
from harness_ext.encoders.identity.fingerprint import modules_of, weights_hash, weights_revision
from harness_ext.encoders.transformer import unwrapped
from harness_ext.model_name import local_name

if TYPE_CHECKING:
    from torch import Tensor, nn

_EMPTY = ModelMeta.create_empty()
_UNKNOWN = (None, "", _EMPTY.name, _EMPTY.revision)

_FILE_OF_WEIGHTS = re.compile(r"model(-\d+-of-\d+)?\.safetensors")
_COMPARED = 2**16
"""Number of values of each tensor that are compared with its file: training changes tensors as a whole."""

_SEEN: weakref.WeakKeyDictionary[nn.Module, dict[tuple[str, str], str]] = weakref.WeakKeyDictionary()
"""Module -> name and revision -> hash of the weights with this name; "" if the weights were changed."""


def identified(model: Any, meta: ModelMeta) -> ModelMeta | None:
    """Find the metadata under which to keep the results of a loaded model.

    A name with a revision, as on the Hub, identifies a model, unless its weights were changed after loading. The
    revision of every other model is a hash of its weights, see `weights_revision`.

    Args:
        model: The model, as mteb runs it.
        meta: mteb's metadata of the model.

    Returns:
        None if nothing distinguishes the model from others.
    """
    if _is_named(model, meta) and not _is_changed(model, meta):
        return meta
    # the weights of other backends are in no torch module
    revision = weights_revision(model) if backend_of(model) in {"torch", "unknown"} else None
    if not revision:
        return None
    return meta.model_copy(update={"name": _name(model, meta, revision), "revision": revision})


def has_revision(meta: ModelMeta) -> bool:
    """Whether the metadata alone identify a model."""
    return meta.name not in _UNKNOWN and meta.revision not in _UNKNOWN


def _is_named(model: Any, meta: ModelMeta) -> bool:
    """Whether name and revision are of this model, not of the model it was made from, and not made up."""
    if not has_revision(meta) or Path(_checkpoint(meta)).exists():
        return False
    if (card := _card(model)) is None:
        return True
    if meta.name == card.model_name:  # a title, shared by all models that were trained from one
        return False
    return meta.name != card.base_model or not _origin(model).is_dir() or "snapshots" in _origin(model).parts


def _card(model: Any) -> Any:
    """The model card of a sentence-transformers model; mteb takes the name of a model object from it."""
    cards = (getattr(layer, "model_card_data", None) for layer in unwrapped(model))
    return next((card for card in cards if card is not None), None)


def _is_changed(model: Any, meta: ModelMeta) -> bool:
    """Whether the model differs from its state when first seen, or from its files.

    For a sentence-transformers model that mteb did not load, settings such as the prompts count too.
    """
    modules = modules_of(model)
    if not modules or hasattr(model, "add_compounds"):  # the revision of the latter covers what it adds to its weights
        return False
    as_object = meta.open_weights is None and not meta.loader_kwargs and not meta.experiment_kwargs
    now = f"{weights_revision(model) if as_object and _card(model) else ''} {weights_hash(modules)}"
    seen = _SEEN.setdefault(modules[0], {})
    key = (str(meta.name), str(meta.revision))
    if key not in seen:
        is_cut = as_object and getattr(modules[0], "truncate_dim", None) is not None
        is_other = is_cut or _differs_from_files(modules, _folder(model, meta), lower_precision=not as_object)
        seen[key] = "" if is_other else now
    return seen[key] != now


def _folder(model: Any, meta: ModelMeta) -> Path | None:
    """The folder of a named model: its own folder, or its revision's folder in the Hub's cache."""
    if str(meta.name).startswith("local/"):
        own = Path(meta.loader_kwargs.get("folder") or _origin(model))
        return own if own.is_dir() else None
    for file in ("config.json", "modules.json", "adapter_config.json"):
        try:
            found = try_to_load_from_cache(_checkpoint(meta), file, revision=meta.revision)
        except HFValidationError:  # not a possible name on the Hub
            return None
        if isinstance(found, str):
            return Path(found).parent
    return None


def _differs_from_files(modules: list[nn.Module], folder: Path | None, *, lower_precision: bool) -> bool:
    """Whether weights differ from the safetensors files of a folder, if they can be found there.

    Args:
        modules: The modules.
        folder: The folder of the files; None if unknown.
        lower_precision: Whether the weights may have a lower precision than the files.
    """
    if folder is None:
        return False
    weights = {name: weight for module in modules for name, weight in module.state_dict().items()}
    if any("base_layer" in name.split(".") for name in weights) and not (folder / "adapter_config.json").is_file():
        return True  # an adapter was added
    files = [path for path in folder.rglob("*.safetensors") if _FILE_OF_WEIGHTS.fullmatch(path.name)]
    return any(_file_differs(path, weights, lower_precision) for path in files)


def _file_differs(path: Path, weights: dict[str, Tensor], lower_precision: bool) -> bool:
    import torch
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118 - it is no dictionary
            stored = file.get_slice(name)
            shape = stored.get_shape()
            loaded = [
                weight for own, weight in weights.items() if _ends_alike(own, name) and list(weight.shape) == shape
            ]
            loaded = [weight for weight in loaded if shape and weight.is_floating_point() and not weight.is_meta]
            if not loaded:
                continue
            expected = stored[: max(1, _COMPARED * shape[0] // max(1, loaded[0].numel()))]
            if not lower_precision and loaded[0].element_size() < expected.element_size():
                return True
            if not any(torch.equal(weight[: len(expected)].cpu(), expected.to(weight.dtype)) for weight in loaded):
                return True
    return False


def _ends_alike(name: str, other: str) -> bool:
    """Whether two names of a weight differ at most by a prefix."""
    return f".{name}".endswith(f".{other}") or f".{other}".endswith(f".{name}")


def _checkpoint(meta: ModelMeta) -> str:
    """The name without mteb's ` (option=value)`."""
    return str(meta.name).partition(" (")[0]


def _origin(model: Any) -> Path:
    """The folder from which transformers loaded the model; a path that does not exist if unknown."""
    configs = (getattr(layer, "config", None) for layer in unwrapped(model))
    origin = next((found for config in configs if (found := getattr(config, "_name_or_path", None))), None)
    return Path(str(origin or "\0"))


def _name(model: Any, meta: ModelMeta, revision: str) -> str:
    """The model's own name, else its folder's name, else its class's name; one of many classes says which one it is."""
    checkpoint, bracket, inside = str(meta.name or "").partition(" (")
    options = bracket + inside
    if checkpoint not in _UNKNOWN:
        return f"{local_name(Path(checkpoint))}{options}" if Path(checkpoint).exists() else str(meta.name)
    if _origin(model).is_dir():
        return f"{local_name(_origin(model))}{options}"
    wrappers = ("mteb.", "harness_ext.encoders.models.standardized", "harness_ext.encoders.models.own_words_model")
    own = next((layer for layer in unwrapped(model) if not type(layer).__module__.startswith(wrappers)), model)
    kind = type(own)
    which = f"-{revision.removeprefix('weights-')[:8]}" if kind.__module__.startswith("sentence_transformers.") else ""
    return f"local/{kind.__name__}{which}{options}"
