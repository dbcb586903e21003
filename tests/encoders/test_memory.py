"""What is kept between tasks, for which model, and under which key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mteb
import numpy as np
import pytest
import torch
from mteb import TaskMetadata
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

AFFINITY = mteb.get_task("NounCompoundAffinity").metadata
SCALED = mteb.get_task("NounCompoundScaledSimilarity").metadata
EPSILON = mteb.get_task("EpsilonCompositionality").metadata


class Model:
    """Counts letters, and what it is asked for."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__ |= attributes
        self.asked: list[list[str]] = []

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.asked.append(texts)
        counts = [[text.count("a"), len(text)] for text in texts]
        return np.array(counts, dtype=np.float32)

    def from_memory(self, memory: VectorMemory, *texts: str, key: str = "key") -> list[list[float]]:
        return memory.vectors(self, key, list(texts), self).tolist()


def test_all_remembered_vectors_are_handed_out_without_a_copy() -> None:
    memory = VectorMemory()
    model = Model()
    first = memory.vectors(model, "key", ["a", "bb"], model)
    again = memory.vectors(model, "key", ["a", "bb"], model)
    assert np.shares_memory(first, again)
    in_another_order = memory.vectors(model, "key", ["bb", "a"], model)
    assert in_another_order.tolist() == first[::-1].tolist()
    assert not np.shares_memory(first, in_another_order)


def test_only_new_items_are_computed_and_the_order_is_the_callers() -> None:
    memory = VectorMemory()
    model = Model()
    first = memory.vectors(model, "key", ["a", "bb"], model)
    assert first.tolist() == [[1, 1], [0, 2]]
    with pytest.raises(ValueError, match="read-only"):
        first[:] = 9  # the caller's changes do not reach the memory
    second = model.from_memory(memory, "ccc", "bb", "aa")
    assert second == [[0, 3], [0, 2], [2, 2]]
    assert model.asked == [["a", "bb"], ["ccc", "aa"]]


def test_another_key_or_another_model_shares_nothing() -> None:
    memory = VectorMemory()
    one = Model()
    other = Model()
    one.from_memory(memory, "a", key="x")
    one.from_memory(memory, "a", key="y")
    other.from_memory(memory, "a", key="x")
    one.from_memory(memory, "a", key="x")
    assert len(one.asked) == 3
    assert len(other.asked) == 1


def test_vectors_go_with_their_model() -> None:
    memory = VectorMemory()
    model = Model()
    memory.vectors(model, "key", ["a"], model)
    assert memory._tables
    del model
    assert not memory._tables


def test_what_was_asked_for_longest_ago_is_forgotten_first() -> None:
    memory = VectorMemory(max_bytes=2 * 8)  # two vectors
    model = Model()
    for key in ("x", "y", "x", "z", "x", "y"):
        model.from_memory(memory, "a", key=key)
    assert len(model.asked) == 4  # x, y, z, and y again


def test_the_rows_asked_for_longest_ago_are_forgotten_first_and_those_of_the_last_call_stay() -> (
    None
):
    memory = VectorMemory(max_bytes=3 * 8)  # three vectors
    model = Model()
    model.from_memory(memory, "a", "b", "c")
    model.from_memory(memory, "a", "d")  # forgets b
    model.from_memory(memory, "c", "a", "d")
    again = model.from_memory(memory, "bb")  # forgets c
    assert again == [[0, 2]]
    model.from_memory(memory, "a", "d", "bb")
    assert model.asked == [["a", "b", "c"], ["d"], ["bb"]]
    # more than there is room for: as much of it as there is room for
    large = model.from_memory(memory, "a", "aa", "b", "bb", key="large")
    assert large == [[1, 1], [2, 2], [0, 1], [0, 2]]
    kept = model.from_memory(memory, "bb", "b", "aa", key="large")
    assert kept == [[0, 2], [0, 1], [2, 2]]
    assert model.asked[3:] == [["a", "aa", "b", "bb"]]
    empty = memory.vectors(model, "empty", [], model)
    assert empty.size == 0


def test_the_memory_has_a_share_of_what_the_process_may_use(monkeypatch: Any) -> None:
    for usable, expected in (
        (2**35, 2**32),
        (2**31, 2**30),
        (0, 2**30),
    ):

        def usable_bytes(size: int = usable) -> int:
            return size

        monkeypatch.setattr("harness_ext.encoders.memory.usable_memory", usable_bytes)
        memory = VectorMemory()
        Model().from_memory(memory, "a")
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
    assert shares_key(model, AFFINITY, SCALED)
    # the mini dataset has other languages' names, the ε task only one of the two subsets
    assert not shares_key(model, AFFINITY, EPSILON)
    prompted = SCALED.model_copy(update={"prompt": "Something else."})
    assert not shares_key(model, AFFINITY, prompted)


def shares_key(model: Any, one: TaskMetadata, other: TaskMetadata) -> bool:
    """Whether two tasks find each other's vectors of a model."""
    return encoding_key(model, one) == encoding_key(model, other)


def bare(model: Any) -> Any:
    return model


def wrapped(model: Any) -> Any:
    return Model(model=model)


@pytest.mark.parametrize("wrap", [bare, wrapped])
def test_a_prompt_for_one_task_by_its_name_separates_it(wrap: Any) -> None:
    of_one = Model(task_prompts={SCALED.name: "Look at the compound: "})
    assert not shares_key(wrap(of_one), AFFINITY, SCALED)
    of_both = Model(task_prompts={SCALED.name: "Look: ", AFFINITY.name: "Look: "})
    assert shares_key(wrap(of_both), AFFINITY, SCALED)
    counts = Model(n_texts={AFFINITY.name: 7})  # no prompts
    assert shares_key(wrap(counts), AFFINITY, SCALED)


def sentence_transformer(**prompts: str) -> SentenceTransformerEncoderWrapper:
    """One of which we know what it reads."""
    module = StaticEmbedding(word_level(["a box"]), embedding_dim=4)
    model = SentenceTransformer(modules=[module], device="cpu")
    return SentenceTransformerEncoderWrapper(model, model_prompts=prompts or None)


class Chooses(SentenceTransformerEncoderWrapper):
    """Reads more of a task than its prompt."""

    def encode(self, inputs: Any, *, task_metadata: Any, **kwargs: Any) -> Any:
        vectors = super().encode(inputs, task_metadata=task_metadata, **kwargs)
        facts = (
            task_metadata.eval_langs,
            task_metadata.domains,
            kwargs["hf_subset"],
        )
        return vectors * (1 + len(str(facts)))


def test_what_a_sentence_transformer_sees_is_its_prompt_alone() -> None:
    model = sentence_transformer()
    assert shares_key(model, AFFINITY, EPSILON)
    assert shares_key(model, AFFINITY, SCALED)
    key = encoding_key(model, AFFINITY)
    assert not key.depends_on_place
    assert encoding_key(model, AFFINITY, {"batch_size": 4}) != key
    assert encoding_key(model, AFFINITY, {"show_progress_bar": False}) == key
    prompts = {SCALED.name: "Look: ", AFFINITY.name: "Look: "}
    prompted = sentence_transformer(**prompts)
    assert shares_key(prompted, AFFINITY, SCALED)
    assert not shares_key(prompted, AFFINITY, EPSILON)


def test_our_models_of_texts_see_the_text_alone() -> None:
    model = ReferenceEncoder("compositionality/length")
    assert shares_key(model, AFFINITY, EPSILON)
    assert not encoding_key(model, AFFINITY).depends_on_place


def test_a_wrapper_that_may_choose_by_anything_shares_nothing() -> None:
    model = sentence_transformer()
    other = Chooses(model.model)
    assert not shares_key(other, AFFINITY, EPSILON)
    model.encode = other.encode  # type: ignore[method-assign]
    assert not shares_key(model, AFFINITY, EPSILON)


@pytest.mark.parametrize(
    ("kind", "n_vectors"),
    [
        (SentenceTransformerEncoderWrapper, 1),
        (Chooses, 4),
    ],
)
def test_vectors_are_those_of_the_task_that_asks(kind: Any, n_vectors: int) -> None:
    model = kind(sentence_transformer().model)
    texts = ["a box", "box"]
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
            from_memory = encode(texts)
            np.testing.assert_allclose(from_memory, encode._encode(texts), rtol=1e-6)
            found.append(from_memory[0, 0])
    assert len(set(found)) == n_vectors


def test_all_weights_are_read_once_for_each_change(monkeypatch: Any) -> None:
    read = []
    original = fingerprint.weights_hash

    def counted(modules: Any) -> str:
        read.append(modules)
        return original(modules)

    monkeypatch.setattr(fingerprint, "weights_hash", counted)
    network = nn.Sequential(
        nn.Linear(400, 300),
        nn.BatchNorm1d(300),
    )
    with torch.inference_mode():
        network.append(nn.Linear(2, 2))
    weight = network[0].weight
    keys = []
    keys.append(known_weights_hash([network]))
    keys.append(known_weights_hash([network]))
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
    without_weights = nn.Linear(2, 2, device="meta")
    assert known_weights_hash([without_weights]) == ""


def test_a_model_whose_prompts_or_weights_changed_is_another() -> None:
    network = nn.Linear(2, 2)
    model = Model(model=network, model_prompts={"query": "q: "})
    keys = set()
    keys.add(encoding_key(model, AFFINITY))
    keys.add(encoding_key(model, AFFINITY))
    model.model_prompts.update(Compositionality="c: ")
    keys.add(encoding_key(model, AFFINITY))
    network.weight.data.add_(0.1)
    keys.add(encoding_key(model, AFFINITY))
    other = nn.Linear(2, 2)
    network.load_state_dict(other.state_dict())
    keys.add(encoding_key(model, AFFINITY))
    network.half()
    keys.add(encoding_key(model, AFFINITY))
    assert len(keys) == 5
