"""A hash of what decides a loaded model's vectors: its weights, its tokenizer, its settings, its code."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xxhash

from harness_ext.encoders.transformer import unwrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import nn

_NO_SETTINGS = {"training", "device", "name_or_path"}
_NO_CONFIGURATION = {"_name_or_path", "transformers_version"}
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_ADAPTER_STATE = ("active_adapters", "disable_adapters", "merged_adapters", "scaling")


def modules_of(model: Any) -> list[nn.Module]:
    """The torch modules that a model is, or that it and what it wraps have as attributes; those inside others not."""
    from torch import nn  # not above: `import mteb` imports this module, and does without torch

    found: list[nn.Module] = []
    for layer in unwrapped(model):
        candidates = [layer] if isinstance(layer, nn.Module) else vars(layer).values() if _has_vars(layer) else []
        for module in candidates:
            if isinstance(module, nn.Module) and not any(module is part for one in found for part in one.modules()):
                found.append(module)
    return found


def weights_hash(modules: Iterable[nn.Module]) -> str:
    """A hash of names, types, shapes and values; "" where there are none, or some are not in memory."""
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
    """`weights-` and a hash of what decides the vectors of a model, as far as it can be seen.

    That is the weights and adapters; the tokenizers and the configurations of transformers; the structure; the settings
    (attributes that are numbers, texts, or lists and dictionaries of such) of the model and what it wraps; and of
    classes that come from no installed package, the file that they stand in.

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
    """The file of a class that comes from no installed package; what stands in a notebook, the class alone.

    Raises:
        OSError: It cannot be read.
        TypeError: There is none.
    """
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if file is None:
        return inspect.getsource(kind).encode()
    is_installed = {"site-packages", "dist-packages"} & set(Path(file).parts)
    return b"" if is_installed or kind.__module__.startswith("harness_ext.") else Path(file).read_bytes()


def _settings(layer: Any) -> dict[str, Any]:
    is_own = bool(_own_code(type(layer)))  # what others keep for themselves is no setting
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
    """Which of its adapters a layer of peft's uses, and how much."""
    return {name: getattr(part, name, None) for name in _ADAPTER_STATE} if hasattr(part, "merged_adapters") else {}


def _configuration(value: Any) -> list[tuple[str, Any]]:
    """That of a transformer, but for where it comes from."""
    if not (hasattr(value, "model_type") and hasattr(value, "to_dict")):
        return []
    return sorted((name, setting) for name, setting in value.to_dict().items() if name not in _NO_CONFIGURATION)


def _tokenizer(value: Any) -> bytes:
    """What makes tokens of texts, but for how long texts may be at the moment; b"" for what is no tokenizer."""
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
