"""A hash of what decides a loaded model's vectors: weights, tokenizer, printed structure, settings
such as prompts.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import xxhash

from harness_ext.encoders.wrappers import unwrapped

if TYPE_CHECKING:
    from torch import Tensor, nn

_WHOLE = 100_000
"""Weights of the largest tensor that a stamp reads whole."""

_STEP = 1000
"""Of a larger tensor a stamp reads each of so many weights."""

# they decide no vector
_ORIGIN = {"training", "device", "name_or_path", "_name_or_path", "transformers_version"}
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def modules_of(model: Any) -> list[nn.Module]:
    """List the outermost torch modules of a model: itself, or attributes of it and of the models it
    wraps.
    """
    from torch import nn  # not above: `import mteb` imports this module, and does without torch

    modules: list[nn.Module] = []
    for layer in unwrapped(model):
        if isinstance(layer, nn.Module):
            candidates = [layer]
        else:
            candidates = [*getattr(layer, "__dict__", {}).values()]
        for module in candidates:
            if isinstance(module, nn.Module) and not _is_in(module, modules):
                modules.append(module)
    return modules


def _is_in(module: nn.Module, modules: list[nn.Module]) -> bool:
    """Whether a module is one of these, or a part of one."""
    parts: list[nn.Module] = []
    for whole in modules:
        parts += whole.modules()
    return any(module is part for part in parts)


class _KnownHashes:
    """The hashes of modules, as long as these live and do not change."""

    def __init__(self) -> None:
        self._stamps: WeakKeyDictionary[nn.Module, str] = WeakKeyDictionary()
        self._hashes: WeakKeyDictionary[nn.Module, str] = WeakKeyDictionary()

    def of_module(self, module: nn.Module) -> str:
        """That of a module, which is computed again if its stamp is another."""
        stamp = _stamp(module)
        if self._stamps.get(module) != stamp:
            self._hashes[module] = weights_hash([module])
            self._stamps[module] = stamp
        return self._hashes[module]


_KNOWN = _KnownHashes()


def known_weights_hash(modules: Iterable[nn.Module]) -> str:
    """Hash as `weights_hash` does, but read all weights only once for each change of a module.

    A change is told by the addresses and the version counters of tensors, and by a sample of their
    values: what is written through `.data` raises no counter.
    """
    return " ".join(_KNOWN.of_module(module) for module in modules)


def _stamp(module: nn.Module) -> str:
    """A hash that a change of weights changes, from a sample of the weights."""
    digest = xxhash.xxh3_128()
    for name, weight in _tensors(module):
        # without a counter in inference mode
        version = 0 if weight.is_inference() else weight._version
        facts = (name, weight.dtype, tuple(weight.shape), weight.device, version)
        digest.update(repr(facts).encode())
        if weight.is_meta:
            continue
        digest.update(f"{weight.data_ptr()}".encode())
        step = 1 if weight.numel() <= _WHOLE else _STEP
        # taken on the device of the weights: few numbers are moved
        digest.update(_bytes(weight.detach().reshape(-1)[::step]))
    return digest.hexdigest()


def weights_hash(modules: Iterable[nn.Module]) -> str:
    """Hash names, types, shapes and values; "" if there are no weights, or some are not in
    memory.
    """
    digest = xxhash.xxh3_128()
    n_weights = 0
    for module in modules:
        for name, weight in _tensors(module):
            if weight.is_meta:
                return ""
            n_weights += weight.numel()
            digest.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
            digest.update(_bytes(weight.detach()))
    return digest.hexdigest() if n_weights else ""


def _tensors(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Name and value of each tensor of a module's state."""
    import torch

    for name, weight in module.state_dict().items():
        if isinstance(weight, torch.Tensor):
            yield name, weight


def _bytes(weights: Tensor) -> Any:
    import torch

    flat = weights.cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy()


def weights_revision(model: Any) -> str | None:
    """`weights-` and a hash of an object: its weights, its structure as printed, and the state of
    its tokenizers.

    Further the settings of the model and of the models it wraps (attributes that are numbers,
    texts, or lists and dictionaries of these, such as prompts), the configurations of transformers,
    and the source of classes that are from no installed package. None if there are no weights in
    torch modules, or code cannot be read.
    """
    from transformers import PretrainedConfig, PreTrainedModel

    modules = modules_of(model)
    weights = weights_hash(modules)
    if not weights:
        return None
    layers = [layer for layer in unwrapped(model) if hasattr(layer, "__dict__")]
    parts = [*layers]
    for module in modules:
        parts += module.modules()
    values: dict[int, Any] = {}
    code: dict[str, str] = {}
    for part in parts:
        values |= {id(value): value for value in vars(part).values()}
    try:
        for kind in dict.fromkeys(map(type, parts)):
            code[kind.__qualname__] = _own_code(kind)
    except (OSError, TypeError):
        return None
    # a transformer has a configuration
    settings = [
        _settings(layer, code[type(layer).__qualname__])
        for layer in layers
        if not isinstance(layer, PreTrainedModel)
    ]
    configurations = [
        _plain(value.to_dict()) for value in values.values() if isinstance(value, PretrainedConfig)
    ]
    tokenizers = [*filter(None, map(_tokenizer, values.values()))]
    structure = _ADDRESS.sub("", repr(modules))
    facts = (weights, code, settings, configurations, tokenizers, structure)
    digest = xxhash.xxh3_128(repr(facts).encode())
    return f"weights-{digest.hexdigest()}"


def _settings(layer: Any, code: str) -> list[tuple[str, Any]]:
    """The attributes of a model that are plain values; without code of its own, the public ones:
    private attributes of other packages are no settings.
    """
    attributes = _plain(vars(layer))
    if code:
        return attributes
    return [(name, value) for name, value in attributes if name[0] != "_"]


def _own_code(kind: type) -> str:
    """The source of the module of a class, if it is from no installed package; OSError or TypeError
    without one.
    """
    module = sys.modules.get(kind.__module__, kind)
    is_installed = "-packages" in (getattr(module, "__file__", None) or "")
    if is_installed or kind.__module__.startswith("harness_ext."):
        return ""
    return inspect.getsource(module)


def _plain(values: dict[str, Any]) -> list[tuple[str, Any]]:
    """The names and values that are numbers, texts, or lists and dictionaries of these, sorted."""
    plain = []
    for name, value in values.items():
        if name not in _ORIGIN and _is_plain(value):
            plain.append((name, value))
    return sorted(plain)


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return value is None or isinstance(value, str | int | float)


def _tokenizer(value: Any) -> str:
    """The state of a tokenizer, without its current truncation and padding; "" for other
    objects.
    """
    backend = getattr(value, "backend_tokenizer", value)
    if hasattr(backend, "to_str"):
        text = backend.to_str()
        # after the truncation and the padding of the last call
        made = text[text.index('"added_tokens"') :]
    elif callable(getattr(value, "get_vocab", None)):
        vocabulary = sorted(map(str, value.get_vocab().items()))
        made = repr((type(value).__name__, vocabulary))
    else:
        return ""
    settings = [getattr(value, name, None) for name in ("model_max_length", "special_tokens_map")]
    return f"{made}{settings}"
