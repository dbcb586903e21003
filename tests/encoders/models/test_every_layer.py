"""Single layers against an obvious reference, all of them in one pass, and the command that measures them."""

import csv
import io
import json

import mteb
import numpy as np
import pytest
from typer.testing import CliRunner

from harness_ext.cli import app
from harness_ext.encoders.models.every_layer import EveryLayer
from harness_ext.encoders.models.pooled import PooledTransformer
from harness_ext.encoders.spans import span_encoder
from harness_ext.results.load import load_results
from harness_ext.show.numbers import formatted
from tests.encoders.as_mteb import encode
from tests.encoders.tiny_transformers import (
    BERT_LIKE,
    fast,
    hidden_states,
    letters,
    pooled,
    rows_seen,
    save,
    small_bert,
)

TEXTS = ["the black box", "a much longer sentence about the black box in the corner .", "box"]
TASK = "CaptionSwapMini"
N_LAYERS = 4


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A folder with random weights, and with a tokenizer that tells every two texts of our tasks apart."""
    tokenizer = fast(letters(), BERT_LIKE, model_max_length=256)
    config = small_bert(letters(), num_hidden_layers=N_LAYERS, max_position_embeddings=256, initializer_range=0.3)
    return save(tmp_path_factory.mktemp("models") / "layered-bert", config, tokenizer)


@pytest.mark.parametrize("pooling", ["mean", "cls", "last_token", "cls+sep"])
def test_vectors_equal_the_reference_alone_and_in_one_pass(bert, pooling):
    every = EveryLayer(PooledTransformer(bert, device="cpu", pooling=pooling, layer=0)).encoders()
    assert len(every) == N_LAYERS + 1
    for layer in (0, 3, N_LAYERS):
        expected = [pooled(hidden_states(bert, text)[: layer + 1], pooling) for text in TEXTS]
        alone = PooledTransformer(bert, device="cpu", pooling=pooling, layer=layer)
        np.testing.assert_allclose(encode(alone, TEXTS), expected, atol=1e-5)
        np.testing.assert_allclose(encode(every[layer], TEXTS), expected, atol=1e-5)
        assert every[layer].mteb_model_meta.name == alone.mteb_model_meta.name
        assert every[layer].mteb_model_meta.revision == alone.mteb_model_meta.revision


def test_spans_are_of_the_layer(bert):
    every = EveryLayer(PooledTransformer(bert, device="cpu", layer=0)).encoders()
    for layer in (0, 3, N_LAYERS):
        expected = hidden_states(bert, TEXTS[0])[layer, 1:-1].mean(axis=0)  # without [CLS] and [SEP]
        for model in (PooledTransformer(bert, device="cpu", layer=layer), every[layer]):
            found = span_encoder(model, show_progress_bar=False).encode_spans(TEXTS[:1], [(0, 3)])
            np.testing.assert_allclose(found[0], expected, atol=1e-5)


def test_each_text_goes_through_the_model_once_until_it_is_forgotten(bert):
    model = PooledTransformer(bert, device="cpu", layer=0)
    rows, every = rows_seen(model.model), EveryLayer(model)
    for encoder in every.encoders():
        encode(encoder, TEXTS)
    assert sum(rows) == len(TEXTS)
    every.forget()
    encode(every.encoders()[2], TEXTS)
    assert sum(rows) == 2 * len(TEXTS)


def test_a_layer_from_the_end_has_the_name_of_its_number(bert):
    model = PooledTransformer(bert, device="cpu", layer=-1)
    assert model.mteb_model_meta.name == f"local/layered-bert (layer={N_LAYERS})"
    model = PooledTransformer(bert, device="cpu", pooling="cls", layer=2)
    assert model.mteb_model_meta.name == "local/layered-bert (pooling=cls, layer=2)"


def test_layers_and_poolings_that_are_not_there(bert):
    with pytest.raises(ValueError, match="has 4 hidden layers; there is no hidden state 6"):
        PooledTransformer(bert, layer=6)
    with pytest.raises(ValueError, match="pooling 'mean_last4' is of four layers, not of layer 2 alone"):
        PooledTransformer(bert, pooling="mean_last4", layer=2)


def numbers(scores):
    return {key: value for key, value in scores.items() if isinstance(value, float)}


@pytest.mark.slow  # loads mteb in a process of its own
def test_the_command_measures_what_mteb_run_measures(bert, run, tmp_path):
    done = run("harness-ext", "layers", "-m", str(bert), "-t", TASK, "--output-folder", "results")
    assert f"{TASK}, all: local/layered-bert" in done.stdout
    entries = load_results(tmp_path / "results").entries
    assert [entry.model for entry in entries] == [f"local/layered-bert (layer={n})" for n in range(N_LAYERS + 1)]
    assert all(len(entry.items()) and len(entry.words_items()) for entry in entries)
    assert all(formatted(entry.main_score) in done.stdout for entry in entries)

    alone = mteb.get_model(f"{bert} (layer=3)", device="cpu")
    result = mteb.evaluate(alone, mteb.get_task(TASK), cache=None, show_progress_bar=False).task_results[0]
    (scores,) = result.scores["all"]
    stored = json.loads(entries[3].file.read_text())["scores"]["all"][0]
    assert numbers(scores) == pytest.approx(numbers(stored), abs=1e-6)

    shown = CliRunner().invoke(app, ["show", str(tmp_path / "results"), "--layers", "--format", "csv"])
    assert shown.exit_code == 0
    models = [row["model"] for row in csv.DictReader(io.StringIO(shown.stdout))]
    assert models == [f"local/layered-bert (layer={n})" for n in range(N_LAYERS + 1)]
