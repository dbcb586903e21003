"""Vectors kept between the tasks of one run, so that tasks with the same sentences encode them
once.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

from harness_ext.common.arrays import Vectors
from harness_ext.encoders.batches import joined
from harness_ext.encoders.identity.fingerprint import modules_of, weights_hash
from harness_ext.encoders.wrappers import unwrapped

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata

Item = TypeVar("Item", bound="Hashable")

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


class VectorMemory:
    """The vectors that the model in use has computed, by key and item.

    Only the model used last is remembered, and only as long as it lives. Above `max_bytes`, the key
    used longest ago is forgotten.
    """

    def __init__(self, max_bytes: int = 2**30) -> None:
        self._max_bytes = max_bytes
        self._model: Callable[[], object] = lambda: None
        self._tables: OrderedDict[Hashable, tuple[dict[Any, int], Vectors]] = OrderedDict()

    def vectors(
        self,
        model: object,
        key: Hashable,
        items: list[Item],
        compute: Callable[[list[Item]], Vectors],
    ) -> Vectors:
        """Return one vector per distinct item, shape (n, d); compute those that are not in memory,
        in one call.

        The key says all that the vector of an item depends on besides the model and the item.

        Raises:
            EncodingError: The vectors of an earlier call have another dimension; names the model.
        """
        if self._model() is not model:
            self.forget()
            try:
                self._model = weakref.ref(model, lambda _: self.forget())
            except TypeError:  # a model without weak references: its end would not be noticed
                return compute(items)
        numbers, vectors = self._tables.pop(key, ({}, None))
        new = [item for item in items if item not in numbers]
        if new:
            computed = compute(new)
            vectors = computed if vectors is None else joined(model, [vectors, computed])
            numbers = dict(numbers)
            for item in new:
                numbers[item] = len(numbers)
        if vectors is None:
            return compute(items)
        self._tables[key] = (numbers, vectors)
        while self._n_bytes() > self._max_bytes:
            self._tables.popitem(last=False)
        return vectors[[numbers[item] for item in items]]

    def _n_bytes(self) -> int:
        return sum(vectors.nbytes for _, vectors in self._tables.values())

    def forget(self) -> None:
        """Forget all vectors."""
        self._tables.clear()


MEMORY = VectorMemory()  # shared by all tasks of this process


def encoding_key(model: object, task_metadata: TaskMetadata) -> Hashable:
    """A key of everything that a vector depends on besides the text and the arguments of the call:
    prompt and weights.

    A model chooses its prompt by the task's metadata. Two tasks share their vectors if these
    metadata agree in all but the name. If the model has an entry under the name of either task, as
    with `model_prompts={"ThisTask": "…"}`, the entries must agree too. Wrapped models are included.
    A model that was trained in between, or got other prompts, counts as another model.
    """
    dictionaries: list[dict[Any, Any]] = []
    for layer in unwrapped(model):
        attributes = getattr(layer, "__dict__", {})
        dictionaries += [value for value in attributes.values() if isinstance(value, dict)]
    prompts = [*filter(_is_of_prompts, dictionaries)]
    prompts_of_task = []
    for entries in dictionaries:
        prompt = entries.get(task_metadata.name)
        if isinstance(prompt, str | dict):
            prompts_of_task.append(prompt)
    facts = task_metadata.model_dump(include=_METADATA_FOR_PROMPTS)
    text = repr((facts, prompts, prompts_of_task))
    return text, weights_hash(modules_of(model))


def _is_of_prompts(entries: dict[Any, Any]) -> bool:
    """Whether a dictionary has names and texts, as one of prompts has."""
    for name, text in entries.items():
        if not isinstance(name, str) or not isinstance(text, str | None):
            return False
    return bool(entries)
