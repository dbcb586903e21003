"""Hidden states of what lm-eval loads, against a plain transformers forward, on tiny random models
saved here.
"""

import logging
import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import transformers
from lm_eval.models.dummy import DummyLM
from lm_eval.models.huggingface import HFLM

from harness_ext.encoders.models.lm_states import LMHiddenStates
from harness_ext.encoders.models.local_files import files_hash
from harness_ext.encoders.models.registry import meta_of
from harness_ext.encoders.spans import span_encoder
from tests.encoders import tiny_transformers
from tests.encoders.tiny_transformers import (
    SENTENCES,
    byte_level,
    fast,
    hidden_states,
    made,
    pooled,
    reference,
)

TEXTS = [*SENTENCES[:3], "box"]
POOLINGS = ["last_token", "mean", "mean_last4", "weighted_mean"]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    """Name -> the folder of a causal model and its tokenizer; Llama's puts a token before the text,
    the others none.
    """
    folder = tmp_path_factory.mktemp("models")
    names = ["GPT-2", "Llama"]
    if hasattr(transformers, "Qwen3Config"):
        names.append("Qwen3")
    return Checkpoints({name: save(folder / name, name) for name in names})


class Checkpoints(dict):
    """Skips the tests of a model that this version of transformers does not have."""

    def __missing__(self, name):
        pytest.skip(f"transformers {transformers.__version__} has no {name}")


def save(folder, name):
    template = "[CLS] $A" if name == "Llama" else None
    names = ["input_ids", "attention_mask"]
    tokenizer = fast(
        byte_level(),
        template,
        pad=False,
        bos_token="[CLS]",
        eos_token="[SEP]",
        model_input_names=names,
    )
    config, _ = made(name)
    return tiny_transformers.save(
        folder,
        config,
        tokenizer,
        kind=transformers.AutoModelForCausalLM,
        scale=3,
    )


def load(folder, **kwargs):
    return HFLM(pretrained=folder, device="cpu", **kwargs)


plain = partial(hidden_states, kind=transformers.AutoModelForCausalLM)


def encode(model, texts=TEXTS, **kwargs):
    return model.encode_sentences(texts, show_progress_bar=False, **kwargs)


@pytest.mark.parametrize("name", ["GPT-2", "Llama", "Qwen3"])
def test_equal_to_a_plain_forward_whatever_the_padding_side(checkpoints, name):
    # float64: weights three times as large make a softmax so steep that rounding in float32 grows
    # to 3e-5, by the
    # order in which a processor adds; what is returned is rounded to float32
    tiny_transformers.check_takes_float64(name)
    lm = load(checkpoints[name], dtype="float64")
    lm.tokenizer.padding_side = "left"
    states_of_texts = [plain(checkpoints[name], text, dtype="float64") for text in TEXTS]
    for pooling in POOLINGS:
        expected = [pooled(states, pooling) for states in states_of_texts]
        found = encode(LMHiddenStates(lm, pooling), batch_size=3)
        np.testing.assert_allclose(found, expected, atol=1e-6, rtol=1e-6)
        assert np.abs(found).max() > 0.1  # so that 1e-6 says something


def test_a_tokenizer_that_claims_token_types(checkpoints, tmp_path):
    """As transformers 4 lets every fast one do: GPT-2 would embed them, which nobody asks it to."""
    folder = shutil.copytree(checkpoints["GPT-2"], tmp_path / "gpt2")
    names = ["input_ids", "token_type_ids", "attention_mask"]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, model_input_names=names)
    tokenizer.save_pretrained(folder)
    lm = load(str(folder))
    assert lm.tokenizer.model_input_names == names
    expected = [pooled(plain(checkpoints["GPT-2"], text), "mean") for text in TEXTS]
    found = encode(LMHiddenStates(lm, "mean"))
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_spans_of_the_same_model(checkpoints):
    lm = load(checkpoints["Llama"])
    without_head = SimpleNamespace(model=lm.model.model, tokenizer=lm.tokenizer)
    expected = reference(without_head, "crocodile tears", (0, 2))
    for model in (lm, LMHiddenStates(lm, "mean")):
        encoder = span_encoder(model, show_progress_bar=False)
        found = encoder.encode_spans(["crocodile tears"], [(0, 2)])
        np.testing.assert_allclose(found[0], expected, atol=1e-5)


def test_a_model_that_lm_eval_spread_over_memory_and_disk_stays_there(checkpoints, tmp_path):
    places = {
        "model.embed_tokens": "cpu",
        "model.layers.0": "cpu",
        "model.layers.1": "cpu",
        "model.layers.2": "disk",
        "model.layers.3": "disk",
        "model.layers.4": "disk",
        "model.norm": "cpu",
        "model.rotary_emb": "cpu",
        "lm_head": "cpu",
    }
    spread = load(
        checkpoints["Llama"],
        parallelize=True,
        device_map=places,
        offload_folder=str(tmp_path),
    )
    assert spread.model.hf_device_map == places
    found = encode(LMHiddenStates(spread, "mean_last4"))
    in_memory = LMHiddenStates(load(checkpoints["Llama"]), "mean_last4")
    np.testing.assert_allclose(found, encode(in_memory))
    assert spread.model.hf_device_map == places
    devices = {parameter.device.type for parameter in spread.model.parameters()}
    assert "meta" in devices


def test_half_precision_is_that_of_lm_eval_and_kept_apart_from_the_checkpoints_own(checkpoints):
    folder = checkpoints["GPT-2"]
    half = LMHiddenStates(load(folder, dtype="bfloat16"), "mean")
    weight = next(half.token_model.model.parameters())
    assert weight.dtype == torch.bfloat16
    assert half.mteb_model_meta.experiment_kwargs == {"dtype": "bfloat16"}
    of_checkpoint = LMHiddenStates(load(folder))
    assert of_checkpoint.mteb_model_meta.experiment_kwargs is None
    assert encode(half).dtype == np.float32


def test_special_tokens_are_those_of_lm_eval(checkpoints):
    folder = checkpoints["Llama"]
    states = plain(folder, "black box", add_special_tokens=False)
    without = LMHiddenStates(load(folder, add_bos_token=False), "mean")
    (found,) = without.token_model.token_states(["black box"], (-1,), show_progress_bar=False)
    first_token = found.layers[0][0, 0]
    np.testing.assert_allclose(first_token, states[-1, 0], atol=1e-5)


def test_long_texts_are_truncated_to_what_lm_eval_says_and_counted(checkpoints, caplog):
    long = " ".join(["box"] * 50)
    model = LMHiddenStates(load(checkpoints["GPT-2"], max_length=10), "mean")
    last_layer = plain(checkpoints["GPT-2"], long)[-1]
    expected = last_layer[:10].mean(axis=0)
    with caplog.at_level(logging.WARNING):
        found = encode(model, [long])
    np.testing.assert_allclose(found[0], expected, atol=1e-5)
    assert "1 of 1 texts were truncated to 10 tokens" in caplog.text


def test_what_has_no_hidden_states_to_give_or_others_than_it_seems(checkpoints, tmp_path):
    gpt_2 = checkpoints["GPT-2"]
    without_special_tokens = LMHiddenStates(load(gpt_2))
    with pytest.raises(ValueError, match="GPT-2: the tokenizer makes no token of ''"):
        encode(without_special_tokens, ["box", ""])
    with pytest.raises(TypeError, match=r"needs lm_eval\.models\.huggingface\.HFLM"):
        LMHiddenStates(DummyLM())
    with pytest.raises(ValueError, match=r"load it with dtype=torch\.bfloat16"):
        LMHiddenStates(load(gpt_2, mixed_precision_dtype="bfloat16"))
    config = transformers.T5Config(
        vocab_size=500,
        d_model=16,
        d_kv=4,
        d_ff=16,
        num_layers=4,
        num_heads=2,
    )
    folder = tmp_path / "t5"
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(gpt_2)
    tokenizer.save_pretrained(folder)
    with pytest.raises(ValueError, match="t5 is an encoder-decoder"):
        LMHiddenStates(load(str(folder)))


def test_names(checkpoints):
    folder = checkpoints["GPT-2"]
    assert meta_of("openai-community/gpt2") is None
    with pytest.raises(ValueError, match="no pooling 'max'; there are cls"):
        meta_of("some/model (lm_states=max)").load_model(device="cpu")
    model = meta_of(f"{folder} (lm_states=weighted_mean)").load_model(device="cpu")
    assert model.mteb_model_meta.name == "local/GPT-2 (lm_states=weighted_mean)"
    assert model.mteb_model_meta.revision == files_hash([Path(folder)])
    expected = LMHiddenStates(load(folder), "weighted_mean")
    np.testing.assert_array_equal(encode(model), encode(expected))


def test_adapters(checkpoints, tmp_path):
    peft = pytest.importorskip("peft")

    def adapted(name, config):
        base = transformers.AutoModelForCausalLM.from_pretrained(checkpoints["Llama"])
        peft.get_peft_model(base, config).save_pretrained(tmp_path / name)
        return load(checkpoints["Llama"], peft=str(tmp_path / name))

    lora = peft.LoraConfig(target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    lm = adapted("lora", lora)
    model = LMHiddenStates(lm, "last_token")
    text = TEXTS[0]
    tokens = torch.tensor([lm.tokenizer(text).input_ids])
    with torch.no_grad():
        output = lm.model(input_ids=tokens, output_hidden_states=True)
    expected = output.hidden_states[-1][0, -1]
    np.testing.assert_allclose(encode(model)[0], expected, atol=1e-5)
    without_adapter = plain(checkpoints["Llama"], text)[-1, -1]
    assert not np.allclose(expected, without_adapter, atol=1e-3)
    assert model.mteb_model_meta.experiment_kwargs == {"peft": str(tmp_path / "lora")}
    prompt = peft.PromptTuningConfig(num_virtual_tokens=3, task_type="CAUSAL_LM")
    lm = adapted("prompt", prompt)
    with pytest.raises(ValueError, match="its peft adapter is a learned prompt"):
        LMHiddenStates(lm)
