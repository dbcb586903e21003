"""Facts about a loaded model: prompt, dtype, backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness_ext.encoders.transformer import unwrapped

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol


def prompt_of(model: EncoderProtocol, task_metadata: TaskMetadata) -> str:
    """Find the prompt that mteb's wrappers put before each text of a task; "" if there is none or it is unknown."""
    from mteb.models.instruct_wrapper import InstructSentenceTransformerModel as Instructed

    for layer in unwrapped(model):
        # without a template, its instruction stands before the texts as it is
        if isinstance(layer, Instructed) or getattr(layer, "instruction_template", None) is not None:
            return str(layer.get_task_instruction(task_metadata, None) or "")
        if prompts := getattr(layer, "model_prompts", None):
            name = layer.get_prompt_name(task_metadata, None)
            return str(prompts.get(name) or "")
    return ""


def dtype_of(model: object) -> str:
    """Find the dtype of the first weights of a torch module inside `model`, such as `float32`; "" without weights."""
    for layer in unwrapped(model):
        parameters: Any = getattr(layer, "parameters", None)
        if callable(parameters):
            first = next(iter(parameters()), None)
            return str(getattr(first, "dtype", "")).removeprefix("torch.")
    return ""


def backend_of(model: object) -> str:
    """Name the backend as sentence-transformers does; else `torch` if there are weights, or `unknown`."""
    backends = [getattr(layer, "backend", None) for layer in unwrapped(model)]
    named = next((backend for backend in backends if isinstance(backend, str)), None)
    return named or ("torch" if dtype_of(model) else "unknown")
