"""Pooled transformers against an obvious reference, and through mteb under the papers' names."""

import mteb
import numpy as np
import pytest
import torch
from mteb.models import EncoderProtocol
from sentence_transformers import SentenceTransformer

from harness_ext.cli.demo import REVISION
from harness_ext.encoders.batches import as_seen_by_models
from harness_ext.encoders.identity.facts import prompt_of
from harness_ext.encoders.models.loaders import pooled_transformer
from harness_ext.encoders.models.pooled import PooledTransformer
from harness_ext.harnesses.mteb.task import PROMPT
from tests.encoders.as_mteb import EPSILON, encode
from tests.encoders.library_modules import Normalize, Pooling, Transformer
from tests.encoders.tiny_transformers import (
    hidden_states,
    made,
    mean_over_words,
    pooled,
    save,
)

TEXTS = [
    "the black box",
    "a much longer sentence about the black box in the corner .",
    "box",
    "",
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return save(tmp_path_factory.mktemp("models") / "tiny-bert", *made("BERT"))


@pytest.mark.parametrize("pooling", ["cls", "cls+sep", "mean_last4"])
def test_poolings_equal_the_reference(bert, pooling):
    model = PooledTransformer(bert, device="cpu", pooling=pooling)
    assert isinstance(model, EncoderProtocol)
    expected = [pooled(hidden_states(bert, text), pooling) for text in TEXTS]
    found = encode(model, TEXTS, batch_size=3)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_causal_model_has_no_cls(tmp_path):
    gpt = save(tmp_path / "tiny-gpt", *made("GPT-2"))
    with pytest.raises(
        ValueError, match=r"tiny-gpt: the pooling 'cls\+sep' needs a cls and a sep token"
    ):
        PooledTransformer(gpt, device="cpu", pooling="cls+sep")


def test_words_that_were_cut_off_or_have_no_token_count_nothing(bert):
    model = PooledTransformer(bert, device="cpu", pooling="mean_last4_words", max_length=10)
    eight_words = "box " * 8
    texts = ["box " * 100, eight_words, f"{eight_words}\x00"]
    cut, whole, with_control = encode(model, texts)
    np.testing.assert_allclose(cut, whole, atol=1e-6)
    np.testing.assert_allclose(with_control, whole, atol=1e-6)


@pytest.mark.parametrize("pooling", ["mean_last4_words", "concat_last4_words"])
def test_a_text_without_words_has_no_mean_over_words(bert, pooling):
    model = PooledTransformer(bert, device="cpu", pooling=pooling)
    with pytest.raises(
        ValueError, match="tiny-bert: no word of '' has a token, and special tokens are in no"
    ):
        encode(model, TEXTS)


def test_concatenated_words_are_the_mean_over_words_of_the_layers_one_after_another(bert):
    """By NCTTI: "the last four hidden layers for the BERT models", concatenated, of compounds and
    their sentences.
    """
    model = PooledTransformer(bert, device="cpu", pooling="concat_last4_words")
    texts = TEXTS[:3]
    expected = [mean_over_words(model, text, concatenate=True) for text in texts]
    found = encode(model, texts, batch_size=3)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    of_means = PooledTransformer(bert, device="cpu", pooling="mean_last4_words")
    layers = found.reshape(3, 4, -1)
    np.testing.assert_allclose(layers.mean(axis=1), encode(of_means, texts), atol=1e-5)


def test_the_precision_is_that_which_is_asked_for(bert):
    half = PooledTransformer(bert, device="cpu", dtype="bfloat16")
    assert next(half.model.parameters()).dtype == torch.bfloat16
    assert encode(half, TEXTS).dtype == np.float32


def test_a_checkpoint_of_the_hub_by_name_and_pooling(minilm):
    for revision in (None, REVISION):
        model = mteb.get_model(f"{minilm} (pooling=mean_last4_words)", revision, device="cpu")
        assert model.pooling == "mean_last4_words"
        assert model.mteb_model_meta.name == f"{minilm} (pooling=mean_last4_words)"
        assert model.mteb_model_meta.revision == REVISION


def test_a_model_with_instructions_keeps_them_under_another_pooling(tmp_path, monkeypatch):
    """A tiny Qwen3 under the name of the paper's: only the pooling differs from what mteb runs."""
    name = "Qwen/Qwen3-Embedding-0.6B"
    config, tokenizer = made("Qwen3")
    checkpoint = save(tmp_path / "plain", config, tokenizer)
    modules = [
        Transformer(checkpoint),
        Pooling(config.hidden_size, "lasttoken"),
        Normalize(),
    ]
    model = SentenceTransformer(modules=modules, device="cpu")
    model.save(str(tmp_path / "hub" / name))
    monkeypatch.chdir(tmp_path / "hub")  # a folder of the name is found before the Hub is asked
    plain = mteb.get_model(name)
    mean = mteb.get_model(f"{name} (pooling=mean)")
    assert mean.mteb_model_meta.name == f"{name} (pooling=mean)"
    assert mean.mteb_model_meta.revision == plain.mteb_model_meta.revision
    seen = as_seen_by_models(EPSILON)
    instruction = f"Instruct: {PROMPT}\nQuery:"
    assert prompt_of(mean, seen) == instruction
    assert prompt_of(plain, seen) == instruction
    texts = TEXTS[:3]
    for model, pooling in ((plain, "last_token"), (mean, "mean")):
        expected = []
        for text in texts:
            states = hidden_states(checkpoint, instruction + text)
            vector = pooled(states, pooling)
            expected.append(vector / np.linalg.norm(vector))
        found = encode(model, texts, task_metadata=seen)
        np.testing.assert_allclose(found, expected, atol=2e-5)
    other = mteb.get_model_meta(f"{name} (pooling=mean_last4)", fetch_from_hf=True)
    assert other.loader is pooled_transformer  # which sentence-transformers does not have
