"""Pooled transformers against an obvious reference, and through mteb under the papers' names."""

import mteb
import numpy as np
import pytest
import torch
import transformers
from datasets import Dataset
from mteb.models import EncoderProtocol
from torch.utils.data import DataLoader

from harness_ext.cli.demo import REVISION
from harness_ext.encoders.models.pooled import PooledTransformer
from tests.encoders.tiny_transformers import MODELS, SMALL, save

TEXTS = ["the black box", "a much longer sentence about the black box in the corner .", "box", ""]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    config, tokenizer = MODELS["BERT"]
    return save(tmp_path_factory.mktemp("models") / "tiny-bert", config(), tokenizer())


@pytest.fixture(scope="module")
def gpt(tmp_path_factory):
    config, tokenizer = MODELS["GPT-2"]
    return save(tmp_path_factory.mktemp("models") / "tiny-gpt", config(), tokenizer())


def encode(model, texts, **kwargs):
    loader = DataLoader(Dataset.from_dict({"text": texts}), batch_size=2)
    task = mteb.get_task("EpsilonCompositionalityMini").metadata
    return model.encode(loader, task_metadata=task, hf_split="s", hf_subset="s", show_progress_bar=False, **kwargs)


def reference(folder, text, pooling):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder)
    with torch.no_grad():
        output = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    if pooling == "mean_last4":
        return torch.stack(output.hidden_states[-4:]).mean(dim=0)[0].mean(dim=0).numpy()
    last = output.last_hidden_state[0]
    return (last[0] if pooling == "cls" else last[0] + last[-1]).numpy()


@pytest.mark.parametrize("pooling", ["cls", "cls+sep", "mean_last4"])
@pytest.mark.parametrize("batch_size", [1, 3])
def test_poolings_equal_the_reference(bert, pooling, batch_size):
    model = PooledTransformer(bert, device="cpu", pooling=pooling)
    assert isinstance(model, EncoderProtocol)
    expected = [reference(bert, text, pooling) for text in TEXTS]
    np.testing.assert_allclose(encode(model, TEXTS, batch_size=batch_size), expected, atol=1e-5)


@pytest.mark.parametrize(("pooling", "missing"), [("cls", "a cls token"), ("cls+sep", "a cls and a sep token")])
def test_a_causal_model_has_no_cls(gpt, pooling, missing):
    with pytest.raises(ValueError, match=rf"tiny-gpt: the pooling '{pooling}' needs {missing}".replace("+", r"\+")):
        PooledTransformer(gpt, device="cpu", pooling=pooling)


def test_words_count_alike_however_many_tokens_they_have(bert):
    """And special tokens not at all, as a forward pass by itself shows."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    n = len(tokenizer.tokenize("bonk"))
    assert n > len(tokenizer.tokenize("box")) == 1
    with torch.no_grad():
        model = transformers.AutoModel.from_pretrained(bert)
        states = model(**tokenizer("bonk box", return_tensors="pt"), output_hidden_states=True).hidden_states
    tokens = torch.stack(states[-4:]).mean(dim=0)[0]  # [CLS], n of bonk, box, [SEP]
    expected = (tokens[1 : 1 + n].mean(dim=0) + tokens[1 + n]) / 2
    found = encode(PooledTransformer(bert, device="cpu", pooling="mean_last4_words"), ["bonk box", TEXTS[1]])[0]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_words_that_were_cut_off_or_have_no_token_count_nothing(bert):
    model = PooledTransformer(bert, device="cpu", pooling="mean_last4_words", max_length=10)
    cut, whole, with_control = encode(model, ["box " * 100, "box " * 8, "box " * 8 + "\x00"])
    np.testing.assert_allclose(cut, whole, atol=1e-6)
    np.testing.assert_allclose(with_control, whole, atol=1e-6)


def test_a_text_without_words_has_no_mean_over_words(bert):
    with pytest.raises(ValueError, match="tiny-bert: no word of '' has a token, and the pooling 'mean_last4_words'"):
        encode(PooledTransformer(bert, device="cpu", pooling="mean_last4_words"), TEXTS)


def test_a_pooling_that_is_none(bert):
    with pytest.raises(
        ValueError,
        match="no pooling 'max'; there are cls, cls\\+sep, mean, last_token, weighted_mean, mean_last4, mean",
    ):
        PooledTransformer(bert, pooling="max")


def test_too_few_layers(tmp_path):
    config = transformers.BertConfig(**{**SMALL, "num_hidden_layers": 2})
    folder = save(tmp_path / "two-layers", config, MODELS["BERT"][1]())
    PooledTransformer(folder, pooling="cls")
    with pytest.raises(ValueError, match="has 2 hidden layers; there is no hidden state -4"):
        PooledTransformer(folder, pooling="mean_last4")


def test_long_texts_are_truncated_and_counted(bert, caplog):
    model = PooledTransformer(bert, device="cpu", pooling="cls", max_length=10)
    long = "box " * 100
    np.testing.assert_allclose(encode(model, [long]), encode(model, ["box " * 8]), atol=1e-6)
    assert "1 of 1 texts were truncated to 10 tokens" in caplog.text


def test_the_precision_is_that_which_is_asked_for(bert):
    assert next(PooledTransformer(bert, device="cpu").model.parameters()).dtype == torch.float32
    half = PooledTransformer(bert, device="cpu", dtype="bfloat16")
    assert next(half.model.parameters()).dtype == torch.bfloat16
    assert encode(half, TEXTS).dtype == np.float32


def test_a_folder_by_name_and_pooling(bert):
    model = mteb.get_model(f"{bert} (pooling=cls+sep)", device="cpu")
    again = PooledTransformer(bert, device="cpu", pooling="cls+sep")
    np.testing.assert_array_equal(encode(model, TEXTS), encode(again, TEXTS))
    assert model.mteb_model_meta.name == again.mteb_model_meta.name
    assert model.mteb_model_meta.revision == again.mteb_model_meta.revision


def test_a_checkpoint_of_the_hub_by_name_and_pooling(minilm):
    for revision in (None, REVISION):
        model = mteb.get_model(f"{minilm} (pooling=mean_last4_words)", revision, device="cpu")
        assert model.pooling == "mean_last4_words"
        assert model.mteb_model_meta.name == f"{minilm} (pooling=mean_last4_words)"
        assert model.mteb_model_meta.revision == REVISION
