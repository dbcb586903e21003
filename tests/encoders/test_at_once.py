"""Where memory ends, a model gets half as many texts at once, and the vectors are the same."""

import gc
import inspect
import logging
import weakref
from functools import partial
from itertools import chain, pairwise

import numpy as np
import pytest
import torch

from harness_ext.encoders.at_once import AtOnce, attempt, is_out_of_memory
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.models.pooled import PooledTransformer
from tests.encoders.test_vectors import MANY, as_a_task_sees
from tests.encoders.tiny_transformers import (
    LAST_FOUR,
    SENTENCES,
    SPANS,
    fast,
    letters,
    quiet,
    reference,
    save,
    small_bert,
    tiny,
    wordpiece,
)
from tests.planted import PlantedModel

CUDA = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 7.75 GiB."


def n_letters_and_words(text):
    return [len(text), text.count(" "), 1]


class SmallMemory(PlantedModel):
    """A model that fails with more than `most` texts in a batch, or in a call if it takes all at
    once.

    Attributes:
        failed: With how many texts at once it failed, each time.
    """

    def __init__(
        self,
        most,
        *,
        takes_all=False,
        error=torch.OutOfMemoryError,
        tokenizer=None,
    ):
        super().__init__(n_letters_and_words, "planted/small-memory")
        self.most = most
        self.takes_all = takes_all
        self.error = error
        self.tokenizer = tokenizer
        self.failed = []

    def encode(self, inputs, **options):
        if self.takes_all:
            at_once = len(inputs.dataset)
        else:
            at_once = max(len(batch["text"]) for batch in inputs)
        if at_once > self.most:
            self.failed.append(at_once)
            raise self.error(CUDA)
        return super().encode(inputs, **options)


EXPECTED = [n_letters_and_words(text) for text in MANY]


@pytest.mark.parametrize(
    "tokenizer",
    [
        pytest.param(None, id="letters known"),
        pytest.param(fast(letters()), id="tokens known"),
    ],
)
@pytest.mark.parametrize("takes_all", [False, True])
@pytest.mark.parametrize(
    "most",
    [
        pytest.param(1, marks=pytest.mark.slow),
        3,
        7,
    ],
)
def test_the_vectors_are_those_of_enough_memory(most, takes_all, tokenizer, caplog):
    model = SmallMemory(most, takes_all=takes_all, tokenizer=tokenizer)
    with caplog.at_level(logging.WARNING):
        found = as_a_task_sees(model, batch_size=8)(MANY)
    np.testing.assert_array_equal(found, EXPECTED)
    assert sorted(chain(*model.calls)) == sorted(MANY)  # each once
    (record,) = caplog.records
    assert record.getMessage().startswith(
        "planted/small-memory: not enough memory for batches of 8 texts. They are halved until"
    )
    # half as many each time: no text is tried much more often than memory demands
    assert model.failed == sorted(model.failed, reverse=True)
    for earlier, later in pairwise(model.failed):
        assert later <= (earlier + 1) / 2


def test_a_batch_size_that_is_halved_to_that_of_mteb_is_not_filled_by_tokens():
    """128 texts of four tokens would be as long as one of 512."""
    model = SmallMemory(40, tokenizer=fast(letters()))
    texts = [f"{number:04}" for number in range(1100)]
    found = as_a_task_sees(model, batch_size=64)(texts)
    np.testing.assert_array_equal(found, [n_letters_and_words(text) for text in texts])
    assert model.failed == [64]


def test_later_calls_begin_with_what_fitted_and_say_nothing(caplog):
    model = SmallMemory(3)
    encoder = as_a_task_sees(model, batch_size=8)
    encoder(MANY[:20])
    model.failed.clear()
    caplog.clear()
    np.testing.assert_array_equal(encoder(MANY), EXPECTED)
    encoder = as_a_task_sees(model, batch_size=64)
    np.testing.assert_array_equal(encoder(MANY), EXPECTED)
    assert model.failed == []
    assert not caplog.records
    # a smaller batch that is asked for stays one
    model.calls.clear()
    encoder = as_a_task_sees(model, batch_size=1, truncate_dim=3)
    encoder(MANY)
    assert max(map(len, model.calls)) <= 16


def test_a_pool_of_processes_is_kept_for_a_call_that_fits():
    """A pool starts anew for each call, so texts are split only where memory demands it."""
    model = SmallMemory(7, tokenizer=fast(letters()))
    as_a_task_sees(model, batch_size=1, device=["cpu", "cpu"])(MANY)
    assert model.calls == [MANY]


@pytest.mark.slow
def test_a_single_text_that_does_not_fit_is_an_error():
    model = SmallMemory(0)
    message = (
        rf"planted/small-memory: not enough memory for a single text \({CUDA[:20]}.*\)\. Load the "
        r"model in half"
    )
    with pytest.raises(EncodingError, match=message):
        as_a_task_sees(model)(MANY)


@pytest.mark.parametrize("error", [RuntimeError, ValueError, TypeError])
def test_other_errors_are_raised_at_once(error):
    def wrong_shapes(_):
        return error("mat1 and mat2 shapes cannot be multiplied")

    model = SmallMemory(7, error=wrong_shapes)
    with pytest.raises(error, match="mat1"):
        as_a_task_sees(model, batch_size=8)(MANY)
    assert model.failed == [8]


TOO_MANY = 2**55
"""Numbers that no machine has memory for."""


def zeros_of_python(n):
    return [0] * n


@pytest.mark.parametrize(
    "allocate",
    [
        pytest.param(torch.empty, id="torch"),
        pytest.param(np.empty, id="numpy"),
        pytest.param(zeros_of_python, id="Python"),
    ],
)
def test_the_memory_of_this_machine_ends_too(allocate):
    result, reason = attempt(partial(allocate, TOO_MANY))
    assert result is None
    assert reason


def test_what_libraries_say_of_memory():
    for said in (
        "CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate",
        "MPS backend out of memory (…)",
    ):
        assert is_out_of_memory(RuntimeError(said))
    assert not is_out_of_memory(ValueError("out of memory"))


def test_what_a_failed_attempt_held_is_freed_before_the_next():
    class Tensors:
        pass

    held = []

    def compute():
        tensors = Tensors()
        held.append(weakref.ref(tensors))
        raise torch.OutOfMemoryError(CUDA)

    gc.disable()
    try:
        attempt(compute)
        assert held[0]() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("tried", "n_tried", "expected"),
    [
        ((32, 512), 512, (16, 256)),
        ((32, 5000), 5000, (16, 2500)),
        ((32, 512), 20, (10, 10)),
        ((32, 512), 2, (1, 1)),
        ((1, 16), 16, (1, 8)),
        ((1, 3), 3, (1, 1)),
    ],
)
def test_a_half_is_of_what_was_tried(tried, n_tried, expected):
    at_once = AtOnce(*tried)
    assert at_once.halved(n_tried) == expected


def small_memory(model, most, monkeypatch):
    """Make a transformer fail with more than so many texts in a batch; returns how many it failed
    with.
    """
    plain = model.forward
    failed = []

    def forward(*args, **options):
        n_texts = len(options["input_ids"])
        if n_texts > most:
            failed.append(n_texts)
            raise torch.OutOfMemoryError(CUDA)
        return plain(*args, **options)

    forward.__signature__ = inspect.signature(plain)  # which says what the model takes
    monkeypatch.setattr(model, "forward", forward)
    return failed


def test_words_in_sentences_are_halved_too(monkeypatch, caplog):
    encoder = tiny("BERT")
    failed = small_memory(encoder.model, 2, monkeypatch)
    in_batches = quiet(encoder, batch_size=8)
    found = in_batches.encode_spans(SENTENCES, SPANS)
    expected = []
    for sentence, span in zip(SENTENCES, SPANS, strict=True):
        expected.append(reference(encoder, sentence, span, LAST_FOUR))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert failed == [8, 4]
    assert caplog.text.count("not enough memory for batches of 8 texts") == 1
    quiet(encoder, batch_size=8).encode_spans(SENTENCES, SPANS)
    assert failed == [8, 4]


def test_so_is_a_checkpoint_with_a_pooling(tmp_path, monkeypatch):
    words = wordpiece()
    folder = save(tmp_path, small_bert(words), fast(words))
    model = PooledTransformer(folder, device="cpu", pooling="mean")
    expected = model.encode_sentences(SENTENCES, batch_size=8, show_progress_bar=False)
    failed = small_memory(model.model, 3, monkeypatch)
    found = model.encode_sentences(SENTENCES, batch_size=8, show_progress_bar=False)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert failed == [8, 4]
    small_memory(model.model, 0, monkeypatch)
    with pytest.raises(
        EncodingError, match=r"not enough memory for a single text \(CUDA out of memory"
    ):
        model.encode_sentences(SENTENCES, show_progress_bar=False)
