"""The instruction computed once gives the vectors of the plain path, or is refused."""

from __future__ import annotations

import string

import mteb
import numpy as np
import pytest
import torch
from mteb.models import SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, Transformer
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2Model,
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3Model,
)

from harness_ext.encoders.prefix_sharing import VARIABLE, causal_transformer, encode_sharing, has_shared
from harness_ext.results.signature import Signature

TASK = "EpsilonCompositionalityMini"
PROMPT = "instruct: given a sentence, encode its semantic properties. query: "
LETTERS = ["[PAD]", "[UNK]", "[EOS]", *string.ascii_lowercase, *(f"##{letter}" for letter in string.ascii_lowercase)]


def qwen3(size):
    config = Qwen3Config(vocab_size=size, hidden_size=32, intermediate_size=64, num_hidden_layers=3,
                         num_attention_heads=4, num_key_value_heads=2, head_dim=8)  # fmt: skip
    return Qwen3Model(config)


def gpt2(size):
    return GPT2Model(GPT2Config(vocab_size=size, n_embd=32, n_layer=2, n_head=2, n_positions=512))


def bert(size):
    return BertModel(BertConfig(vocab_size=size, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                                intermediate_size=64, max_position_embeddings=512))  # fmt: skip


@pytest.fixture
def make(tmp_path):
    """Makes a random sentence-transformers model with an instruction."""

    def make(architecture=qwen3, padding="left", pooling="lasttoken", prompt=PROMPT):
        torch.manual_seed(0)
        architecture(len(LETTERS)).save_pretrained(tmp_path)
        vocabulary = {piece: number for number, piece in enumerate(LETTERS)}
        tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = BertPreTokenizer()
        tokenizer.post_processor = TemplateProcessing(single="$A [EOS]", special_tokens=[("[EOS]", 2)])
        PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", padding_side=padding
        ).save_pretrained(tmp_path)
        modules = [Transformer(str(tmp_path)), Pooling(32, pooling), Normalize()]
        model = SentenceTransformer(modules=modules, device="cpu", prompts={"Compositionality": prompt})
        return SentenceTransformerEncoderWrapper(model)

    return make


@pytest.fixture
def texts():
    rng = np.random.default_rng(0)
    words = ["black", "box", "the", "crate", "kitchen", "knife", "ocean", "of", "combed", "teams"]
    return sorted({" ".join(rng.choice(words, size)) for size in rng.integers(1, 12, size=330)})


def encode(model):
    return lambda some: model.model.encode(some, prompt=PROMPT, show_progress_bar=False)


class Tokens:
    """Counts the tokens that a transformer computes, padding included."""

    def __init__(self, transformer):
        self.count = 0
        transformer.get_input_embeddings().register_forward_hook(self._add)

    def _add(self, module, inputs, output):
        self.count += inputs[0].numel()


@pytest.mark.parametrize("pooling", ["lasttoken", "mean", "weightedmean"])
@pytest.mark.parametrize("padding", ["left", "right"])
def test_the_vectors_are_those_of_the_plain_path_for_fewer_tokens(make, texts, padding, pooling):
    model = make(padding=padding, pooling=pooling)
    tokens = Tokens(causal_transformer(model))
    plain = encode(model)(texts)
    cost, tokens.count = tokens.count, 0
    shared = encode_sharing(model, texts, encode(model))
    assert has_shared(model)
    assert tokens.count < cost * 0.75
    np.testing.assert_allclose(shared, plain, atol=2e-6)
    assert "forward" not in vars(causal_transformer(model))
    np.testing.assert_array_equal(encode(model)(texts), plain)


def measure(model, **options):
    task = mteb.get_task(TASK)
    result = mteb.evaluate(model, task, cache=None, show_progress_bar=False, **options)
    (scores,) = result.task_results[0].scores["naturalistic"]
    return scores, Signature.parse(scores["signature"])


def test_a_task_uses_it_and_the_signature_says_so(make, monkeypatch):
    shared, signature = measure(make())
    assert signature.backend == "torch, instruction computed once"
    monkeypatch.setenv(VARIABLE, "0")
    plain, signature = measure(make())
    assert signature.backend == "torch"
    numbers = {key: value for key, value in plain.items() if isinstance(value, float)}
    assert {key: shared[key] for key in numbers} == pytest.approx(numbers, abs=2e-3)


def test_encoders_that_look_ahead_are_left_alone(make, texts, caplog):
    model = make(bert, padding="right", pooling="mean")
    assert causal_transformer(model) is None
    looking_ahead = make()
    for layer in causal_transformer(looking_ahead).layers:
        layer.self_attn.is_causal = False
    assert causal_transformer(looking_ahead) is None
    for each in (model, looking_ahead):
        np.testing.assert_array_equal(encode_sharing(each, texts, encode(each)), encode(each)(texts))
        assert not has_shared(each)
    assert not caplog.records


def test_a_model_with_its_own_encode_is_left_alone(make):
    class Own(SentenceTransformer):
        def encode(self, *args, **kwargs):
            return super().encode(*args, **kwargs)

    model = make()
    assert causal_transformer(model) is not None
    model.model.__class__ = Own
    assert causal_transformer(model) is None


def test_what_fails_the_check_is_encoded_the_plain_way_and_a_warning_says_so(make, texts, caplog):
    """With absolute positions and padding on the left, a text's vector depends on its batch; sharing moves it."""
    model = make(gpt2, padding="left")
    np.testing.assert_array_equal(encode_sharing(model, texts, encode(model)), encode(model)(texts))
    assert not has_shared(model)
    assert "the instruction is computed anew for each text: vectors would differ" in caplog.text


def test_a_forward_pass_that_cannot_go_on_is_left_alone(make, texts, caplog, monkeypatch):
    model = make()
    plain = type(causal_transformer(model)).forward

    def forward(self, input_ids=None, attention_mask=None, return_dict=True):
        return plain(self, input_ids=input_ids, attention_mask=attention_mask)

    monkeypatch.setattr(Qwen3Model, "forward", forward)
    np.testing.assert_array_equal(encode_sharing(model, texts, encode(model)), encode(model)(texts))
    assert not has_shared(model)
    assert "cannot go on" in caplog.text


def test_texts_that_share_nothing_are_encoded_the_plain_way(make, texts, caplog):
    model = make()
    without = lambda some: model.model.encode(some, show_progress_bar=False)  # noqa: E731
    np.testing.assert_allclose(encode_sharing(model, texts, without), without(texts), atol=2e-6)
    assert not caplog.records
