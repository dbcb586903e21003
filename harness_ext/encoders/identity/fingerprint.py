"""A hash of everything that decides a loaded model's vectors: weights, tokenizer, settings, code."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xxhash

from harness_ext.encoders.transformer import unwrapped

if TYPE_CHECKING:
    from torch import nn

_NO_SETTINGS = {"training", "device", "name_or_path"}
_NO_CONFIGURATION = {"_name_or_path", "transformers_version"}
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_ADAPTER_STATE = ("active_adapters", "disable_adapters", "merged_adapters", "scaling")


def modules_of(model: Any) -> list[nn.Module]:
    """List the outermost torch modules of a model: itself, or attributes of it and of the models it wraps."""
    from torch import nn  # not above: `import mteb` imports this module, and does without torch

    found: list[nn.Module] = []
    for layer in unwrapped(model):
        candidates = [layer] if isinstance(layer, nn.Module) else vars(layer).values() if _has_vars(layer) else []
        for module in candidates:
            if isinstance(module, nn.Module) and not any(module is part for one in found for part in one.modules()):
                found.append(module)
    return found


def weights_hash(modules: Iterable[nn.Module]) -> str:
    """Hash names, types, shapes and values; "" if there are no weights, or some are not in memory."""
    import torch

    digest = xxhash.xxh3_128()
    n_weights = 0
    for module in modules:
        for name, weight in module.state_dict().items():
            if not isinstance(weight, torch.Tensor):
                continue
            if weight.is_meta:
                return ""
            n_weights += weight.numel()
            digest.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
            values: Any = weight.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
            digest.update(values)
    return digest.hexdigest() if n_weights else ""


def weights_revision(model: Any) -> str | None:
    """`weights-` and a hash of everything visible that decides the vectors of a model.

    The hash covers the weights and adapters; the tokenizers and configurations of transformers; the structure; the
    settings of the model and of the models it wraps (attributes that are numbers, texts, or lists and dictionaries of
    these); and the source files of classes from no installed package.

    Returns:
        None if there are no weights in torch modules, or code cannot be read.
    """
    from transformers import PreTrainedModel

    modules = modules_of(model)
    weights = weights_hash(modules)
    if not weights:
        return None
    layers = [layer for layer in unwrapped(model) if _has_vars(layer)]
    parts = list({id(part): part for part in (*layers, *(part for one in modules for part in one.modules()))}.values())
    kinds = dict.fromkeys(type(part) for part in parts)
    try:
        codes = {f"{kind.__module__}.{kind.__qualname__}": _own_code(kind) for kind in kinds}
    except (OSError, TypeError):
        return None
    values = {id(value): value for part in parts for value in vars(part).values()}.values()
    settings = [
        *(_settings(layer) for layer in layers if not isinstance(layer, PreTrainedModel)),  # it has a configuration
        *(_adapter(part) for part in parts),
        *(_configuration(value) for value in values),
    ]
    structure = _ADDRESS.sub("", repr(modules))
    digest = xxhash.xxh3_128(repr((weights, codes, [one for one in settings if one], structure)).encode())
    for value in values:
        digest.update(_tokenizer(value))
    return f"weights-{digest.hexdigest()}"


def _has_vars(layer: Any) -> bool:
    return hasattr(layer, "__dict__")


def _own_code(kind: type) -> bytes:
    """The source file of a class from no installed package; in a notebook, the class alone.

    Raises:
        OSError: The source cannot be read.
        TypeError: There is no source.
    """
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if file is None:
        return inspect.getsource(kind).encode()
    is_installed = {"site-packages", "dist-packages"} & set(Path(file).parts)
    return b"" if is_installed or kind.__module__.startswith("harness_ext.") else Path(file).read_bytes()


def _settings(layer: Any) -> dict[str, Any]:
    is_own = bool(_own_code(type(layer)))  # private attributes of other packages are no settings
    return {
        name: value
        for name, value in vars(layer).items()
        if name not in _NO_SETTINGS and _is_plain(value) and (is_own or not name.startswith("_"))
    }


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    return value is None or isinstance(value, str | int | float)


def _adapter(part: Any) -> dict[str, Any]:
    """The adapters that a layer of peft uses, and their scaling."""
    return {name: getattr(part, name, None) for name in _ADAPTER_STATE} if hasattr(part, "merged_adapters") else {}


def _configuration(value: Any) -> list[tuple[str, Any]]:
    """The configuration of a transformer, without its origin."""
    if not (hasattr(value, "model_type") and hasattr(value, "to_dict")):
        return []
    return sorted((name, setting) for name, setting in value.to_dict().items() if name not in _NO_CONFIGURATION)


def _tokenizer(value: Any) -> bytes:
    """The state of a tokenizer, without its current truncation and padding; b"" for other objects."""
    backend = getattr(value, "backend_tokenizer", value)
    if hasattr(backend, "to_str"):
        text = backend.to_str()
        made = text[text.index('"added_tokens"') :]  # after the truncation and the padding of the last call
    elif callable(getattr(value, "get_vocab", None)):
        made = repr((type(value).__name__, sorted(map(str, value.get_vocab().items()))))
    else:
        return b""
    limits = [getattr(value, name, None) for name in ("model_max_length", "truncation_side", "special_tokens_map")]
    return f"{made}{limits}".encode()
