"""What is kept between tasks, for which model, and under which key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mteb
import numpy as np
import pytest
import torch
from mteb.models import SentenceTransformerEncoderWrapper
from mteb.timing import TimingStack
from sentence_transformers import SentenceTransformer
from torch import nn

from harness_ext.common.usable_memory import usable_memory
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.encoding_key import encoding_key
from harness_ext.encoders.identity import fingerprint
from harness_ext.encoders.identity.fingerprint import known_weights_hash
from harness_ext.encoders.memory import MEMORY, VectorMemory
from harness_ext.encoders.models.reference import ReferenceEncoder
from tests.encoders.library_modules import StaticEmbedding
from tests.encoders.tiny_transformers import word_level

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


def test_the_rows_asked_for_longest_ago_are_forgotten_first_and_those_of_the_last_call_stay() -> (
    None
):
    memory, model = VectorMemory(max_bytes=3 * 8), Model()  # three vectors
    memory.vectors(model, "key", ["a", "b", "c"], model)
    memory.vectors(model, "key", ["a", "d"], model)  # forgets b
    memory.vectors(model, "key", ["c", "a", "d"], model)
    again = memory.vectors(model, "key", ["bb"], model)  # forgets c
    np.testing.assert_array_equal(again, [[0, 2]])
    memory.vectors(model, "key", ["a", "d", "bb"], model)
    assert model.asked == [["a", "b", "c"], ["d"], ["bb"]]
    # more than there is room for: as much of it as there is room for
    large = memory.vectors(model, "large", ["a", "aa", "b", "bb"], model)
    np.testing.assert_array_equal(large, [[1, 1], [2, 2], [0, 1], [0, 2]])
    kept = memory.vectors(model, "large", ["bb", "b", "aa"], model)
    np.testing.assert_array_equal(kept, [[0, 2], [0, 1], [2, 2]])
    assert model.asked[3:] == [["a", "aa", "b", "bb"]]
    assert memory.vectors(model, "empty", [], model).size == 0


def test_the_memory_has_a_share_of_what_the_process_may_use(monkeypatch: Any) -> None:
    for usable, expected in ((2**35, 2**32), (2**31, 2**30), (0, 2**30)):
        monkeypatch.setattr("harness_ext.encoders.memory.usable_memory", lambda size=usable: size)
        memory, model = VectorMemory(), Model()
        memory.vectors(model, "key", ["a"], model)
        assert memory._max_bytes == expected
    assert 2**28 < usable_memory() < 2**50


def test_a_limit_of_the_container_is_kept(tmp_path: Path, monkeypatch: Any) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr("harness_ext.common.usable_memory._LIMITS", (tmp_path / "none", limit))
    limit.write_text("12345678\n")
    assert usable_memory() == 12345678
    limit.write_text("max\n")
    assert usable_memory() > 12345678


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


def sentence_transformer(**prompts: str) -> SentenceTransformerEncoderWrapper:
    """One of which we know what it reads."""
    module = StaticEmbedding(word_level(["a box"]), embedding_dim=4)
    return SentenceTransformerEncoderWrapper(
        SentenceTransformer(modules=[module], device="cpu"), model_prompts=prompts or None
    )


class Chooses(SentenceTransformerEncoderWrapper):
    """Reads more of a task than its prompt."""

    def encode(self, inputs: Any, *, task_metadata: Any, **kwargs: Any) -> Any:
        vectors = super().encode(inputs, task_metadata=task_metadata, **kwargs)
        facts = (task_metadata.eval_langs, task_metadata.domains, kwargs["hf_subset"])
        return vectors * (1 + len(str(facts)))


def test_what_a_sentence_transformer_sees_is_its_prompt_alone() -> None:
    model = sentence_transformer()
    key = encoding_key(model, AFFINITY)
    assert encoding_key(model, EPSILON) == encoding_key(model, SCALED) == key
    assert not key.depends_on_place
    assert encoding_key(model, AFFINITY, {"batch_size": 4}) != key
    assert encoding_key(model, AFFINITY, {"show_progress_bar": False}) == key
    prompted = sentence_transformer(**{SCALED.name: "Look: ", AFFINITY.name: "Look: "})
    assert encoding_key(prompted, AFFINITY) == encoding_key(prompted, SCALED)
    assert encoding_key(prompted, AFFINITY) != encoding_key(prompted, EPSILON)


def test_our_models_of_texts_see_the_text_alone() -> None:
    model = ReferenceEncoder("compositionality/length")
    assert encoding_key(model, AFFINITY) == encoding_key(model, EPSILON)
    assert not encoding_key(model, AFFINITY).depends_on_place


def test_a_wrapper_that_may_choose_by_anything_shares_nothing() -> None:
    model = sentence_transformer()
    other = Chooses(model.model)
    assert encoding_key(other, AFFINITY) != encoding_key(other, EPSILON)
    model.encode = other.encode  # type: ignore[method-assign]
    assert encoding_key(model, AFFINITY) != encoding_key(model, EPSILON)


@pytest.mark.parametrize("kind", [SentenceTransformerEncoderWrapper, Chooses])
def test_vectors_are_those_of_the_task_that_asks(kind: Any) -> None:
    model = kind(sentence_transformer().model)
    MEMORY.forget()
    found = []
    for metadata in (AFFINITY, EPSILON):
        for subset in ("en", "portuguese"):
            encode = TaskEncoder(
                model,
                metadata,
                hf_split="test",
                hf_subset=subset,
                encode_kwargs={"show_progress_bar": False},
                timer=TimingStack(),
            )
            from_memory = encode(["a box", "box"])
            np.testing.assert_allclose(from_memory, encode._encode(["a box", "box"]), rtol=1e-6)
            found.append(from_memory[0, 0])
    assert len(set(found)) == (1 if kind is SentenceTransformerEncoderWrapper else 4)


def test_all_weights_are_read_once_for_each_change(monkeypatch: Any) -> None:
    read = []
    original = fingerprint.weights_hash

    def counted(modules: Any) -> str:
        read.append(modules)
        return original(modules)

    monkeypatch.setattr(fingerprint, "weights_hash", counted)
    network = nn.Sequential(nn.Linear(400, 300), nn.BatchNorm1d(300))
    with torch.inference_mode():
        network.append(nn.Linear(2, 2))
    weight = network[0].weight
    keys = [known_weights_hash([network]), known_weights_hash([network])]
    assert len(read) == 1
    with torch.no_grad():
        weight[0, 1] += 1  # a weight between those of the sample: the counter tells
    keys.append(known_weights_hash([network]))
    weight.data[5, 0] += 1  # no counter tells: the sample does
    keys.append(known_weights_hash([network]))
    weight.data = weight.data.clone()  # another place, the same weights
    keys.append(known_weights_hash([network]))
    network[1].running_mean.fill_(2)
    keys.append(known_weights_hash([network]))
    assert len(read) == 5
    assert len(set(keys)) == 4
    assert keys[-1] == original([network])
    assert known_weights_hash([nn.Linear(2, 2, device="meta")]) == ""


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
