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
        if new := [item for item in items if item not in numbers]:
            computed = compute(new)
            vectors = computed if vectors is None else joined(model, [vectors, computed])
            numbers = {
                **numbers,
                **{item: number for number, item in enumerate(new, start=len(numbers))},
            }
        if vectors is None:
            return compute(items)
        self._tables[key] = numbers, vectors
        while sum(table.nbytes for _, table in self._tables.values()) > self._max_bytes:
            self._tables.popitem(last=False)
        return vectors[[numbers[item] for item in items]]

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
    layers = [layer for layer in unwrapped(model) if hasattr(layer, "__dict__")]
    dictionaries = [
        value for layer in layers for value in vars(layer).values() if isinstance(value, dict)
    ]
    prompts = [
        entries
        for entries in dictionaries
        if entries
        and all(
            isinstance(name, str) and isinstance(text, str | None) for name, text in entries.items()
        )
    ]
    own = [entries.get(task_metadata.name) for entries in dictionaries]
    own = [entry for entry in own if isinstance(entry, str | dict)]
    facts = task_metadata.model_dump(include=_METADATA_FOR_PROMPTS)
    return repr((facts, prompts, own)), weights_hash(modules_of(model))
