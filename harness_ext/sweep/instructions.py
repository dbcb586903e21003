"""Makes a loaded model put an instruction before each text."""

from collections.abc import Sequence
from typing import Any

from mteb.abstasks import AbsTask
from mteb.models.abs_encoder import AbsEncoder

from harness_ext.encoders.batches import as_seen_by_models, encode_texts
from harness_ext.encoders.wrappers import unwrapped
from harness_ext.sweep.inputs import SweepError


def give_instruction(model: Any, text: str, tasks: Sequence[AbsTask]) -> Any:
    """Make a model of mteb put an instruction before each text of these tasks, in the model's own
    template if any.

    mteb's wrappers look for it under the name of the task: in `prompts_dict` if the model has a
    template, else in `model_prompts`. An empty instruction is none. Returned is the part of the
    model that keeps its metadata.

    Raises:
        SweepError: The instruction changes no vector.
    """
    encoders = [layer for layer in unwrapped(model) if isinstance(layer, AbsEncoder)]
    # the last is the model itself, inside of `(standardized)`
    encoder: Any = encoders[-1] if encoders else model
    if not text:
        # without it, mteb takes the task's own instruction
        encoder.instruction_template = lambda *_: ""
    elif _vector(encoder, f"{text} {text}", tasks) == _vector(encoder, text, tasks):
        raise SweepError(
            f"Takes no instruction: its wrapper, {type(encoder).__name__}, encodes each text as it "
            "is. Measure it without --prompts."
        )
    _instruct(encoder, text, tasks)
    return encoder


def _instruct(
    encoder: Any,
    text: str,
    tasks: Sequence[AbsTask],
) -> None:
    prompts = {task.metadata.name: text for task in tasks}
    encoder.model_prompts = prompts
    encoder.prompts_dict = prompts


def _vector(
    encoder: Any,
    text: str,
    tasks: Sequence[AbsTask],
) -> list[float]:
    """The vector of a word after an instruction."""
    _instruct(encoder, text, tasks)
    task = tasks[0]
    seen = as_seen_by_models(task.metadata)
    (vector,) = encode_texts(
        encoder,
        ["word"],
        task_metadata=seen,
        encode_kwargs={},
        hf_split=task.eval_splits[0],
        hf_subset=task.hf_subsets[0],
    )
    return vector.tolist()
