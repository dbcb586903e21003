"""Facts about a loaded model: prompt, options, dtype, backend."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from harness_ext.encoders.batches import encode_texts
from harness_ext.encoders.wrappers import unwrapped

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol

_CHANGE_NO_VECTOR = {
    "batch_size",
    "chunk_size",
    "convert_to_numpy",
    "convert_to_tensor",
    "device",
    "num_proc",
    "pool",
    "show_progress_bar",
}

_PROBE = "crocodile"  # a text by which the prompt around it is found


class _AskedWith(BaseException):  # wrappers catch an Exception
    """The text that a model was asked to encode, as the only argument."""


def options_of(encode_kwargs: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """The arguments of `encode` that change vectors, by name; those that are not given, or None,
    are left out.
    """
    options: dict[str, str | int | float | bool] = {}
    for name, value in sorted(encode_kwargs.items()):
        if name in _CHANGE_NO_VECTOR or value is None:
            continue
        is_plain = isinstance(value, str | int | float | bool)
        options[name] = value if is_plain else str(value)
    return options


def prompt_of(
    model: EncoderProtocol,
    task_metadata: TaskMetadata,
    encode_kwargs: Mapping[str, Any] | None = None,
) -> str:
    """Find what is put before each text of a task, also a model's own default prompt.

    A wrapper of a model with a method `encode`, such as one of sentence-transformers, is asked for
    a text, and stopped where the model would encode it. Of other models the prompt is the one that
    mteb's base class finds for them. It is empty if there is none or it is unknown. A template that
    does not end with the text has `…` in its place.
    """
    layers = list(unwrapped(model))
    encoders = [
        (wrapper, inside)
        for wrapper, inside in pairwise(layers)
        if callable(getattr(inside, "encode", None))
    ]
    if encoders:
        before, probe, after = _asked_with(
            *encoders[-1], task_metadata, encode_kwargs or {}
        ).partition(_PROBE)
        return f"{before}…{after}" if after else before if probe else ""
    for layer in layers:
        # without a template, its instruction stands before the texts as it is
        if getattr(layer, "instruction_template", None) is not None:
            return str(layer.get_task_instruction(task_metadata, None) or "")
        prompts = getattr(layer, "model_prompts", None)
        if prompts:
            name = layer.get_prompt_name(task_metadata, None)
            return str(prompts.get(name) or "")
    return ""


def _asked_with(
    wrapper: EncoderProtocol,
    inside: Any,
    task_metadata: TaskMetadata,
    encode_kwargs: Mapping[str, Any],
) -> str:
    """The probe as the model inside its wrapper would encode it, with its prompt."""

    def stop(*texts: Any, **named: Any) -> NoReturn:
        (first, *_), *more = texts or (named.get("sentences", named.get("inputs")),)
        before = named.get("prompt", named.get("instruction"))
        # as sentence-transformers does, where the name of a prompt is the second argument
        if before is None:
            name = (
                named.get("prompt_name")
                or next(iter(more), None)
                or getattr(inside, "default_prompt_name", None)
            )
            before = (getattr(inside, "prompts", None) or {}).get(name)
        # LLM2Vec takes pairs
        raise _AskedWith(f"{before or ''}{first if isinstance(first, str) else ' '.join(first)}")

    had = getattr(inside, "__dict__", {}).get("encode")
    try:
        inside.encode = stop
        place = {"hf_split": "test", "hf_subset": "default"}
        encode_texts(
            wrapper,
            [_PROBE],
            task_metadata=task_metadata,
            encode_kwargs=dict(encode_kwargs),
            **place,
        )
    except _AskedWith as asked:
        return str(asked)
    # of a stranger's wrapper, for which one text is too few, or whose attributes cannot be set
    except Exception:
        return _PROBE
    finally:
        with suppress(AttributeError):
            if had is None:
                del inside.encode
            else:
                inside.encode = had
    return _PROBE


def dtype_of(model: object) -> str:
    """Find the dtype of the first weights of a torch module inside `model`, such as `float32`; ""
    without weights.
    """
    for layer in unwrapped(model):
        parameters: Any = getattr(layer, "parameters", None)
        if callable(parameters):
            first = next(iter(parameters()), None)
            return str(getattr(first, "dtype", "")).removeprefix("torch.")
    return ""


def backend_of(model: object) -> str:
    """Name the backend as sentence-transformers does; else `torch` if there are weights, or
    `unknown`.
    """
    backends = [getattr(layer, "backend", None) for layer in unwrapped(model)]
    named = next((backend for backend in backends if isinstance(backend, str)), None)
    return named or ("torch" if dtype_of(model) else "unknown")
