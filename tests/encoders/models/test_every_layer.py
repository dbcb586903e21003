"""Single layers against an obvious reference, all of them in one pass, and the command that
measures them.
"""

import csv
import io
import json

import mteb
import numpy as np
import pytest

from harness_ext.encoders.models.every_layer import EveryLayer
from harness_ext.encoders.models.pooled import PooledTransformer
from harness_ext.encoders.spans import span_encoder
from harness_ext.measures.core.baseline_keys import ADDITIVE
from harness_ext.results.load import load_results
from harness_ext.show.numbers import formatted
from harness_ext.sweep.layers import measure_layers
from tests.command_line import harness_ext
from tests.encoders.as_mteb import encode
from tests.encoders.tiny_transformers import (
    hidden_states,
    pooled,
    reference,
    rows_seen,
    save_bert,
)
from tests.planted import entries_of

TEXTS = ["the black box", "a much longer sentence about the black box in the corner .", "box"]
TASK = "CaptionSwapMini"
N_LAYERS = 4


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "layered-bert"
    return save_bert(folder, num_hidden_layers=N_LAYERS, initializer_range=0.3)


def of_layer(bert, layer, **options):
    return PooledTransformer(bert, device="cpu", layer=layer, **options)


@pytest.mark.parametrize("pooling", ["mean", "cls+sep"])
def test_vectors_equal_the_reference_alone_and_in_one_pass(bert, pooling):
    every = EveryLayer(of_layer(bert, 0, pooling=pooling)).encoders()
    assert len(every) == N_LAYERS + 1
    for layer in (0, 3, N_LAYERS):
        expected = []
        for text in TEXTS:
            states = hidden_states(bert, text)[: layer + 1]
            expected.append(pooled(states, pooling))
        alone = of_layer(bert, layer, pooling=pooling)
        in_one_pass = every[layer]
        np.testing.assert_allclose(encode(alone, TEXTS), expected, atol=1e-5)
        np.testing.assert_allclose(encode(in_one_pass, TEXTS), expected, atol=1e-5)
        assert in_one_pass.mteb_model_meta.name == alone.mteb_model_meta.name
        assert in_one_pass.mteb_model_meta.revision == alone.mteb_model_meta.revision


def test_spans_are_of_the_layer(bert):
    every = EveryLayer(of_layer(bert, 0)).encoders()
    for layer in (0, 3, N_LAYERS):
        states = hidden_states(bert, TEXTS[0])[layer]
        without_special_tokens = states[1:-1]
        expected = without_special_tokens.mean(axis=0)
        for model in (of_layer(bert, layer), every[layer]):
            encoder = span_encoder(model, show_progress_bar=False)
            found = encoder.encode_spans(TEXTS[:1], [(0, 3)])
            np.testing.assert_allclose(found[0], expected, atol=1e-5)


def test_two_spans_of_a_sentence_have_vectors_of_their_own(bert):
    model = of_layer(bert, 3)
    sentence = TEXTS[0]
    spans = [(0, 1), (1, 3)]
    expected = [reference(model, sentence, span, layers=(3,)) for span in spans]
    in_one_pass = EveryLayer(model).encoders()[3]
    encoder = span_encoder(in_one_pass, show_progress_bar=False)
    found = encoder.encode_spans([sentence] * len(spans), spans)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_each_text_goes_through_the_model_once_until_it_is_forgotten(bert):
    model = of_layer(bert, 0)
    rows = rows_seen(model.model)
    every = EveryLayer(model)
    for encoder in every.encoders():
        encode(encoder, TEXTS)
    assert sum(rows) == len(TEXTS)
    every.forget()
    encode(every.encoders()[2], TEXTS)
    assert sum(rows) == 2 * len(TEXTS)


def test_names_and_layers_and_poolings_that_are_not_there(bert):
    for options, name in (
        ({"layer": -1}, "layer=4"),
        ({"pooling": "cls", "layer": 2}, "pooling=cls, layer=2"),
    ):
        model = PooledTransformer(bert, **options)
        assert model.mteb_model_meta.name == f"local/layered-bert ({name})"
    with pytest.raises(ValueError, match="has 4 hidden layers; there is no hidden state 6"):
        PooledTransformer(bert, layer=6)
    with pytest.raises(
        ValueError, match="pooling 'mean_last4' is of four layers, not of layer 2 alone"
    ):
        PooledTransformer(bert, pooling="mean_last4", layer=2)


def test_layers_have_the_pooling_that_is_asked_for(bert, tmp_path):
    first, *_ = measure_layers(bert, [], tmp_path, pooling="cls")
    assert first == "local/layered-bert (pooling=cls, layer=0)"


def test_layers_are_measured_in_the_splits_that_are_asked_for(bert, tmp_path):
    with pytest.raises(ValueError, match="no split 'swap_verb'"):
        measure_layers(bert, [TASK], tmp_path, splits=["swap_verb"])


@pytest.mark.slow
@pytest.mark.parametrize("gain", [False, True])
def test_the_first_and_the_last_layer_have_baselines_and_with_gain_all(gain, tmp_path, monkeypatch):
    """What is remembered is forgotten after each task."""
    monkeypatch.setattr("harness_ext.encoders.weighted_sums.MAX_ROUNDS", 1)
    forgotten = []
    forget = EveryLayer.forget

    def counted(every):
        forgotten.append(every)
        forget(every)

    monkeypatch.setattr(EveryLayer, "forget", counted)
    folder = save_bert(tmp_path / "small-bert", num_hidden_layers=2, initializer_range=0.3)
    results = tmp_path / "results"
    names = measure_layers(folder, [TASK], results, gain=gain)
    assert len(forgotten) == 2  # when it is made, and after the task
    by_model = {entry.model: entry for entry in load_results(results).entries}
    have_baselines = [ADDITIVE.items in by_model[name].digests for name in names]
    assert have_baselines == [True, gain, True]


@pytest.mark.slow
def test_the_command_measures_what_mteb_run_measures(bert, tmp_path, monkeypatch):
    # for the sake of time
    monkeypatch.setattr("harness_ext.encoders.weighted_sums.MAX_ROUNDS", 2)
    results = tmp_path / "results"
    done = harness_ext("layers", "-m", bert, "-t", TASK, "--output-folder", results)
    assert f"{TASK}, all: local/layered-bert" in done.stdout
    entries = load_results(results).entries
    names = [f"local/layered-bert (layer={number})" for number in range(N_LAYERS + 1)]
    assert [entry.model for entry in entries] == names
    for entry in entries:
        assert len(entry.items())
        assert formatted(entry.main_score) in done.stdout
    have_baselines = [ADDITIVE.items in entry.digests for entry in entries]
    assert have_baselines == [True, False, False, False, True]

    alone = mteb.get_model(f"{bert} (layer=3)", device="cpu")
    (scores,) = entries_of(alone, TASK).values()
    content = json.loads(entries[3].file.read_text())
    stored = content["scores"]["all"][0]
    for key, value in stored.items():
        if isinstance(value, float):
            assert scores[key] == pytest.approx(value, abs=1e-6)

    shown = harness_ext("show", results, "--layers", "--format", "csv")
    rows = csv.DictReader(io.StringIO(shown.stdout))
    assert [row["model"] for row in rows] == names
