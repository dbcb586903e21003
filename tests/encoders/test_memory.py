"""What is kept between tasks, for which model, and under which key."""

from __future__ import annotations

from typing import Any

import mteb
import numpy as np
import pytest
from torch import nn

from harness_ext.encoders.memory import VectorMemory, encoding_key

AFFINITY, SCALED, EPSILON = (
    mteb.get_task(name).metadata
    for name in ("NounCompoundAffinity", "NounCompoundScaledSimilarity", "EpsilonCompositionality")
)


class Model:
    """Counts letters, and what it is asked for."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__ |= attributes
        self.asked: list[list[str]] = []

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.asked.append(texts)
        return np.array([[text.count("a"), len(text)] for text in texts], dtype=np.float32)


def test_only_new_items_are_computed_and_the_order_is_the_callers() -> None:
    memory, model = VectorMemory(), Model()
    first = memory.vectors(model, "key", ["a", "bb"], model)
    np.testing.assert_array_equal(first, [[1, 1], [0, 2]])
    first[:] = 9  # the caller's changes do not reach the memory
    second = memory.vectors(model, "key", ["ccc", "bb", "aa"], model)
    np.testing.assert_array_equal(second, [[0, 3], [0, 2], [2, 2]])
    assert model.asked == [["a", "bb"], ["ccc", "aa"]]


def test_another_key_or_another_model_shares_nothing() -> None:
    memory, one, other = VectorMemory(), Model(), Model()
    for model, key in ((one, "x"), (one, "y"), (other, "x"), (one, "x")):
        memory.vectors(model, key, ["a"], model)
    assert (len(one.asked), len(other.asked)) == (3, 1)


def test_vectors_go_with_their_model() -> None:
    memory, model = VectorMemory(), Model()
    memory.vectors(model, "key", ["a"], model)
    assert memory._tables
    del model
    assert not memory._tables


def test_what_was_asked_for_longest_ago_is_forgotten_first() -> None:
    memory, model = VectorMemory(max_bytes=2 * 8), Model()  # two vectors
    for key in ("x", "y", "x", "z", "x", "y"):
        memory.vectors(model, key, ["a"], model)
    assert len(model.asked) == 4  # x, y, z, and y again
    memory.vectors(model, "large", ["a", "b", "c"], model)
    assert not memory._tables


def test_a_model_that_cannot_be_watched_is_not_remembered() -> None:
    class Slots:
        __slots__ = ()

    memory = VectorMemory()
    model = Slots()
    counter = Model()
    for _ in range(2):
        memory.vectors(model, "key", ["a"], counter)
    assert len(counter.asked) == 2


def test_tasks_with_the_same_prompt_share_a_key() -> None:
    model = Model(model_prompts={"query": "q: "})
    assert encoding_key(model, AFFINITY) == encoding_key(model, SCALED)
    # the mini dataset has other languages' names, the ε task only one of the two subsets
    assert encoding_key(model, AFFINITY) != encoding_key(model, EPSILON)
    prompted = SCALED.model_copy(update={"prompt": "Something else."})
    assert encoding_key(model, AFFINITY) != encoding_key(model, prompted)


def bare(model: Any) -> Any:
    return model


def wrapped(model: Any) -> Any:
    return Model(model=model)


@pytest.mark.parametrize("wrap", [bare, wrapped])
def test_a_prompt_for_one_task_by_its_name_separates_it(wrap: Any) -> None:
    model = wrap(Model(task_prompts={SCALED.name: "Look at the compound: "}))
    assert encoding_key(model, AFFINITY) != encoding_key(model, SCALED)
    both = wrap(Model(task_prompts=dict.fromkeys((SCALED.name, AFFINITY.name), "Look: ")))
    assert encoding_key(both, AFFINITY) == encoding_key(both, SCALED)
    counts = wrap(Model(n_texts={AFFINITY.name: 7}))  # no prompts
    assert encoding_key(counts, AFFINITY) == encoding_key(counts, SCALED)


def test_a_model_whose_prompts_or_weights_changed_is_another() -> None:
    network = nn.Linear(2, 2)
    model = Model(model=network, model_prompts={"query": "q: "})
    keys = {encoding_key(model, AFFINITY), encoding_key(model, AFFINITY)}
    model.model_prompts.update(Compositionality="c: ")
    keys.add(encoding_key(model, AFFINITY))
    network.weight.data.add_(0.1)
    keys.add(encoding_key(model, AFFINITY))
    network.load_state_dict(nn.Linear(2, 2).state_dict())
    keys.add(encoding_key(model, AFFINITY))
    network.half()
    keys.add(encoding_key(model, AFFINITY))
    assert len(keys) == 5
