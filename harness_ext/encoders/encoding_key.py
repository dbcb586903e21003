"""What the vector of a text depends on besides the text, for vectors to be shared between tasks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness_ext.encoders.identity.facts import prompt_of
from harness_ext.encoders.identity.fingerprint import known_weights_hash, modules_of
from harness_ext.encoders.models.text_encoder import TextEncoder
from harness_ext.encoders.wrappers import unwrapped

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol

# The metadata by which mteb's wrappers choose a prompt, except the name of the task.
_METADATA_FOR_PROMPTS = {
    "type",
    "category",
    "modalities",
    "task_subtypes",
    "domains",
    "eval_langs",
    "prompt",
}


@dataclass(frozen=True)
class EncodingKey:
    """Everything that a vector depends on besides the text and the model.

    Attributes:
        seen: How the model is called, and with which prompt.
        weights: Their hash.
        depends_on_place: Whether the model may choose by split and subset too.
    """

    seen: str
    weights: str
    depends_on_place: bool


def encoding_key(
    model: EncoderProtocol,
    task_metadata: TaskMetadata,
    encode_kwargs: Mapping[str, Any] | None = None,
) -> EncodingKey:
    """A key of everything that a vector depends on besides the text: prompt, arguments and weights.

    Of models that read nothing of a task but its prompt, the key has the prompt itself, see
    `_sees_prompts_alone`.

    Another model may choose its prompt, or more, by the task's metadata. Two tasks share its
    vectors if these metadata agree in all but the name. If the model has an entry under the name of
    either task, as with `model_prompts={"ThisTask": "…"}`, the entries must agree too. Wrapped
    models are included. A model that was trained in between, or got other prompts, counts as
    another model.
    """
    arguments = []
    for name, value in (encode_kwargs or {}).items():
        if name != "show_progress_bar":
            arguments.append((name, value))
    arguments.sort()
    weights = known_weights_hash(modules_of(model))
    if _sees_prompts_alone(model):
        prompt = prompt_of(model, task_metadata, encode_kwargs)
        return EncodingKey(repr((arguments, prompt)), weights, depends_on_place=False)
    dictionaries: list[dict[Any, Any]] = []
    for layer in unwrapped(model):
        attributes = getattr(layer, "__dict__", {})
        dictionaries += [value for value in attributes.values() if isinstance(value, dict)]
    prompts = [*filter(_is_of_prompts, dictionaries)]
    prompts_of_task = []
    for entries in dictionaries:
        prompt_of_task = entries.get(task_metadata.name)
        if isinstance(prompt_of_task, str | dict):
            prompts_of_task.append(prompt_of_task)
    facts = task_metadata.model_dump(include=_METADATA_FOR_PROMPTS)
    seen = repr((arguments, facts, prompts, prompts_of_task))
    return EncodingKey(seen, weights, depends_on_place=True)


def _sees_prompts_alone(model: EncoderProtocol) -> bool:
    """Whether a model gives its network a text and a prompt, and reads no more of a task.

    That is so of mteb's wrapper of sentence-transformers, of no subclass of it, and of our models
    of texts, except those that are given compounds by each task.
    """
    if "encode" in getattr(model, "__dict__", {}):  # it was replaced in this object
        return False
    kind = type(model)
    if issubclass(kind, TextEncoder):
        return kind.encode is TextEncoder.encode and not hasattr(model, "add_compounds")
    wrapper = sys.modules.get("mteb.models.sentence_transformer_wrapper")
    return wrapper is not None and kind is wrapper.SentenceTransformerEncoderWrapper


def _is_of_prompts(entries: dict[Any, Any]) -> bool:
    """Whether a dictionary has names and texts, as one of prompts has."""
    for name, text in entries.items():
        if not isinstance(name, str) or not isinstance(text, str | None):
            return False
    return bool(entries)
