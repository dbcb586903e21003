"""The beginnings that texts share, computed once, give the vectors of the plain path, or are refused."""

from __future__ import annotations

import string
from functools import partial
from pathlib import Path

import mteb
import numpy as np
import pytest
import torch
from mteb.models import SentenceTransformerEncoderWrapper
from mteb.models.model_implementations.qwen3_models import q3e_instruct_loader
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize
from transformers import (
    BertConfig,
    Gemma2Config,
    GPT2Config,
    GPTNeoConfig,
    LlamaConfig,
    MistralConfig,
    Qwen3Config,
    Qwen3Model,
)

from harness_ext.encoders import prefix_sharing
from harness_ext.encoders.memory import MEMORY
from harness_ext.encoders.models.every_layer import EveryLayer
from harness_ext.encoders.models.pooled import PooledTransformer
from harness_ext.encoders.prefix_sharing import (
    VARIABLE,
    _paths,
    _positions_and_mask,
    causal_transformer,
    encode_sharing,
)
from harness_ext.store.signature import Signature
from tests.encoders import tiny_transformers
from tests.encoders.tiny_transformers import fast, letters, save_pooled

pytestmark = pytest.mark.usefixtures("without_own_words")

TASK, ITS_SPLIT = "EpsilonCompositionalityMini", "naturalistic"
PROMPT = "Instruct: given a sentence, encode its semantic properties. Query: "
N_LETTERS = letters().get_vocab_size()
ROTARY = {
    "vocab_size": N_LETTERS,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "pad_token_id": 0,
    "initializer_range": 0.3,  # so that tokens look at each other, and what is wrong shows
}
QWEN3 = Qwen3Config(**ROTARY)
GPT2 = GPT2Config(vocab_size=N_LETTERS, n_embd=32, n_layer=4, n_head=2, n_positions=512, initializer_range=0.3)
BERT = BertConfig(
    vocab_size=N_LETTERS, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
)


@pytest.fixture
def save(tmp_path):
    """Saves a random sentence-transformers model, and returns the folder."""

    def save(config=QWEN3, padding="right", pooling="lasttoken", max_seq_length=256):
        names = ["input_ids", "attention_mask"]
        tokenizer = fast(letters(), "$A [SEP]", padding_side=padding, model_input_names=names, model_max_length=512)
        checkpoint = tiny_transformers.save(tmp_path / "transformer", config, tokenizer)
        return save_pooled(tmp_path / "model", checkpoint, pooling, Normalize(), max_seq_length=max_seq_length)

    return save


@pytest.fixture
def make(save):
    """Makes a random sentence-transformers model in mteb's wrapper."""

    def make(*args, **kwargs):
        loading = {"attn_implementation": kwargs.pop("attention")} if "attention" in kwargs else {}
        return SentenceTransformerEncoderWrapper(
            SentenceTransformer(save(*args, **kwargs), device="cpu", model_kwargs=loading)
        )

    return make


@pytest.fixture
def texts():
    """Ragged, some beginning alike, one with duplicates, one empty, and one that is but the beginning of others."""
    rng = np.random.default_rng(0)
    words = ["black", "box", "the", "crate", "kitchen", "knife", "ocean", "of", "combed", "teams"]
    made = sorted({" ".join(rng.choice(words, size)) for size in rng.integers(1, 12, size=330)})
    return ["", "the", "the black", "the black box", *made, *made[:3]]


def encode(model, texts, **kwargs):
    return model.model.encode(texts, **{"prompt": PROMPT, "show_progress_bar": False, **kwargs})


class Tokens:
    """Counts the tokens that a transformer computes, padding included."""

    def __init__(self, model):
        self.count = 0
        transformer = model.model[0].auto_model
        transformer.get_input_embeddings().register_forward_hook(self._add)

    def _add(self, module, inputs, output):
        self.count += inputs[0].numel()

    def taken(self):
        count, self.count = self.count, 0
        return count


def test_the_tree_by_hand() -> None:
    """Three texts over the tokens 5, 6, 7."""
    distinct, paths = _paths([[5, 6, 7], [5, 6], [5, 7]])
    assert distinct == [(-1, 5), (0, 6), (1, 7), (0, 7)]
    assert paths == [[0, 1, 2], [0, 1], [0, 3]]
    positions, sees = _positions_and_mask(len(distinct), paths)
    assert positions.tolist() == [0, 1, 2, 1]
    assert sees.int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 1]]


@pytest.mark.parametrize(
    ("padding", "pooling", "attention"),
    [
        ("left", "lasttoken", "sdpa"),
        ("right", "mean", "sdpa"),
        pytest.param("left", "weightedmean", "eager", marks=pytest.mark.slow),
        pytest.param("right", "weightedmean", "eager", marks=pytest.mark.slow),
        pytest.param("right", "lasttoken", "eager", marks=pytest.mark.slow),
    ],
)
def test_the_vectors_are_those_of_the_plain_path_for_fewer_tokens(make, texts, padding, pooling, attention):
    model = make(padding=padding, pooling=pooling, attention=attention)
    tokens = Tokens(model)
    plain, cost = encode(model, texts), tokens.taken()
    shared, is_shared = encode_sharing(model, texts, partial(encode, model))
    assert is_shared
    assert tokens.taken() < cost * 0.65
    np.testing.assert_allclose(shared, plain, atol=5e-6)
    assert "forward" not in vars(model.model[0].auto_model)
    np.testing.assert_array_equal(encode(model, texts), plain)


@pytest.mark.slow
@pytest.mark.parametrize(
    "config",
    [
        LlamaConfig(**ROTARY),
        MistralConfig(**ROTARY),
        Gemma2Config(**ROTARY, query_pre_attn_scalar=8),  # every other layer with a window, of more than a text here
        GPT2,
    ],
    ids=lambda config: config.model_type,
)
def test_other_causal_transformers(make, texts, config):
    model = make(config)
    shared, is_shared = encode_sharing(model, texts, partial(encode, model))
    assert is_shared
    np.testing.assert_allclose(shared, encode(model, texts), atol=5e-6)


def test_texts_that_share_nothing_are_encoded_the_plain_way(make, caplog):
    model = make()
    different = [
        "".join(letters) for letters in np.random.default_rng(0).choice(list(string.ascii_lowercase), (300, 9))
    ]
    vectors, is_shared = encode_sharing(model, different, partial(encode, model, prompt=None))
    assert not is_shared
    np.testing.assert_array_equal(vectors, encode(model, different, prompt=None))
    assert not caplog.records


@pytest.mark.parametrize("longest", [12, 90])  # within the instruction, so that all are the same; and beyond it
def test_truncated_texts(make, texts, longest):
    model = make(max_seq_length=longest)
    shared, is_shared = encode_sharing(model, texts, partial(encode, model))
    assert is_shared
    np.testing.assert_allclose(shared, encode(model, texts), atol=5e-6)
    assert (len(np.unique(shared.round(4), axis=0)) == 1) == (longest == 12)


@pytest.mark.slow
def test_a_large_batch_is_halved(make, texts, monkeypatch):
    monkeypatch.setattr(prefix_sharing, "MOST_TOKENS", 200)
    model = make()
    encode_all = partial(encode, model, batch_size=len(texts))
    sizes = []
    model.model[0].auto_model.get_input_embeddings().register_forward_hook(
        lambda _, ids, out: sizes.append(ids[0].shape)
    )
    shared, is_shared = encode_sharing(model, texts, encode_all)
    assert is_shared
    assert all(batch == 1 and length <= 200 for batch, length in sizes[1:])
    np.testing.assert_allclose(shared, encode_all(texts), atol=5e-6)


@pytest.mark.parametrize("window", [20, 150])  # the instruction alone has 57 tokens, and with its text up to 112
def test_a_batch_with_a_text_longer_than_a_window_is_encoded_the_plain_way(make, texts, window):
    model = make(MistralConfig(**ROTARY, sliding_window=window))
    with_longer = [*texts, "box of knives " * 12]
    shared, is_shared = encode_sharing(model, with_longer, partial(encode, model))
    assert is_shared == (window == 150)
    np.testing.assert_allclose(shared, encode(model, with_longer), atol=5e-6)


def measure(model, **options):
    result = mteb.evaluate(model, mteb.get_task(TASK), cache=None, show_progress_bar=False, **options)
    (scores,) = result.task_results[0].scores[ITS_SPLIT]
    numbers = {key: value for key, value in scores.items() if isinstance(value, float)}
    return numbers, Signature.parse(scores["signature"])


@pytest.mark.slow  # three times a whole task
def test_qwen3_as_mteb_loads_it(save, monkeypatch):
    """From a folder, by the loader of Qwen3-Embedding-0.6B, with the instruction that our tasks give it."""

    folder = save()

    def load():
        model = q3e_instruct_loader(folder, revision=None, device="cpu")
        model.mteb_model_meta = mteb.get_model_meta("Qwen/Qwen3-Embedding-0.6B")
        return model, Tokens(model)

    model, tokens = load()
    assert isinstance(model.model[0].auto_model, Qwen3Model)
    shared, signature = measure(model)
    assert signature.prompt == "Instruct: Given a sentence, encode its semantic properties.\nQuery:"
    assert signature.backend == "torch, shared prefixes"
    fewer = tokens.taken()
    again, signature = measure(model)  # from memory
    assert (again, signature.backend) == (shared, "torch, shared prefixes")
    assert tokens.taken() == 0

    monkeypatch.setenv(VARIABLE, "0")
    model, tokens = load()
    plain, signature = measure(model)
    assert signature.backend == "torch"
    assert fewer < tokens.taken() * 0.65
    assert shared == pytest.approx(plain, abs=1e-4)
    assert not MEMORY.marked


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_as_near_to_float32_as_the_plain_path(make, texts, dtype, monkeypatch):
    monkeypatch.setattr(prefix_sharing, "LEAST_TEXTS", 64)
    texts, model = texts[:64], make()
    exact = encode(model, texts)
    model.model[0].auto_model.to(dtype)
    shared, is_shared = encode_sharing(model, texts, partial(encode, model))
    assert is_shared
    off, plainly_off = (distances(vectors, exact) for vectors in (shared, encode(model, texts)))
    assert np.median(off) < 1.25 * np.median(plainly_off)
    assert off.max() < 1.5 * plainly_off.max()


def distances(one, other):
    one, other = one.astype(float), other.astype(float)
    return 1 - (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)


def left_alone(model, texts, caplog, why):
    with caplog.at_level("INFO", logger=prefix_sharing.__name__):
        vectors, is_shared = encode_sharing(model, texts, partial(encode, model))
    assert not is_shared
    np.testing.assert_array_equal(vectors, encode(model, texts))
    assert f"beginnings of texts are not shared: {why}" in caplog.text
    return caplog.records[-1].levelname


def test_encoders_that_look_ahead_are_left_alone(make, texts, caplog):
    assert left_alone(make(BERT, pooling="mean"), texts, caplog, "its tokens look ahead") == "INFO"
    model = make()
    for layer in model.model[0].auto_model.layers:
        layer.self_attn.is_causal = False
    assert left_alone(model, texts, caplog, "its tokens look ahead") == "INFO"


def test_a_model_with_its_own_encode_is_left_alone(make, texts, caplog):
    class Own(SentenceTransformer):
        def encode(self, *args, **kwargs):
            return super().encode(*args, **kwargs)

    model = make()
    assert causal_transformer(model)[0] is not None
    model.model.encode = model.model.encode
    left_alone(model, texts, caplog, "it has an encode of its own")
    del model.model.encode
    model.model.__class__ = Own
    left_alone(model, texts, caplog, "it has an encode of its own")


def test_attention_that_takes_no_mask_per_token_is_left_alone(make, texts, caplog):
    """GPT-Neo, of which every other layer has a window by the number of a token in its sequence."""
    config = GPTNeoConfig(
        vocab_size=N_LETTERS, hidden_size=32, num_layers=2, attention_types=[[["global", "local"], 1]], num_heads=2
    )
    left_alone(make(config), texts, caplog, "its attention")


def test_what_fails_the_check_is_encoded_the_plain_way(make, texts, caplog):
    """With absolute positions and padding on the left, a text's vector depends on its batch; sharing moves it."""
    model = make(GPT2, padding="left")
    assert left_alone(model, texts, caplog, "vectors differ by a cosine distance of") == "WARNING"
    model.model[0].auto_model.to(torch.bfloat16)
    assert left_alone(model, texts, caplog, "vectors differ by a cosine distance of") == "WARNING"


def test_a_forward_pass_that_takes_no_positions_is_left_alone(make, texts, caplog, monkeypatch):
    plain = Qwen3Model.forward

    def forward(self, input_ids=None, attention_mask=None, return_dict=True):
        return plain(self, input_ids=input_ids, attention_mask=attention_mask)

    monkeypatch.setattr(Qwen3Model, "forward", forward)
    assert left_alone(make(), texts, caplog, "its transformer fails on a tree of texts (TypeError") == "WARNING"


def test_few_texts_and_the_switch(make, texts, monkeypatch, caplog):
    model = make()
    few = texts[: prefix_sharing.LEAST_TEXTS - 1]
    assert not encode_sharing(model, few, partial(encode, model))[1]
    monkeypatch.setenv(VARIABLE, "0")
    assert not encode_sharing(model, texts, partial(encode, model))[1]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"pooling": "mean"}, {"pooling": "mean_last4"}, {"layer": 2}])
def test_a_checkpoint_with_a_pooling(save, texts, options):
    model = PooledTransformer(f"{Path(save()).parent}/transformer", device="cpu", **options)
    is_like_the_plain_path(model, model.token_model, texts)


def is_like_the_plain_path(model, token_model, texts):
    texts = [text for text in texts if text]
    encode = partial(model.encode_sentences, show_progress_bar=False)
    n_tokens = []
    embeddings = token_model.model.get_input_embeddings()
    counting = embeddings.register_forward_hook(lambda module, inputs, output: n_tokens.append(inputs[0].numel()))
    alike = [f"given a sentence, encode its semantic properties {text}" for text in texts]
    plain, cost = encode(alike), sum(n_tokens)
    n_tokens.clear()
    shared, is_shared = encode_sharing(model, alike, lambda texts, **options: encode(texts, **options))
    counting.remove()
    assert is_shared
    assert sum(n_tokens) < cost * 0.65
    np.testing.assert_allclose(shared, plain, atol=2e-5)
    np.testing.assert_array_equal(encode(alike), plain)


@pytest.mark.slow
def test_layers_that_are_remembered_are_left_alone(save, texts, caplog):
    every = EveryLayer(PooledTransformer(f"{Path(save()).parent}/transformer", device="cpu", layer=0))
    with caplog.at_level("INFO", logger=prefix_sharing.__name__):
        assert not encode_sharing(every.encoders()[2], texts, every.encoders()[2].encode_sentences)[1]
    assert "it remembers its vectors" in caplog.text
