"""Words inside sentences from the pass that encodes the sentences, against a pass of their own."""

import functools
import weakref
from types import SimpleNamespace

import mteb
import numpy as np
import pytest
import torch
import transformers
from mteb.models import SentenceTransformerEncoderWrapper
from mteb.timing import TimingStack
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.one_pass import SpansAlong
from harness_ext.encoders.spans import span_encoder
from harness_ext.framework.texts import Span
from tests.encoders.tiny_transformers import LONG, MODELS, SENTENCES, SPANS, fast, rows_seen, tiny, unigram

TASK = mteb.get_task("NounCompoundAffinityMini")
POSITIONS_FROM_THE_FIRST_COLUMN = {"BERT", "GPT-2"}


@functools.cache
def tiny_t5():
    config = transformers.T5Config(vocab_size=500, d_model=32, d_kv=8, d_ff=48, num_layers=5, num_heads=4)
    torch.manual_seed(0)
    return SimpleNamespace(model=transformers.T5EncoderModel(config), tokenizer=fast(unigram(), "$A [SEP]"))


@pytest.fixture
def make(tmp_path):
    """Makes a sentence-transformers model in mteb's wrapper, as it is loaded from a folder."""

    def make(name, side="right", **options):
        plain = tiny_t5() if name == "T5" else tiny(name)
        plain.model.save_pretrained(tmp_path / name)
        plain.tokenizer.save_pretrained(tmp_path / name)
        module = Transformer(str(tmp_path / name))
        module.tokenizer.padding_side = side
        module.tokenizer.pad_token = module.tokenizer.pad_token or "[PAD]"
        return SentenceTransformerEncoderWrapper(
            SentenceTransformer(modules=[module, Pooling(32, "mean")], device="cpu", **options)
        )

    return make


def task_encoder(model):
    return TaskEncoder(
        model,
        TASK.metadata,
        hf_split="naturalistic",
        hf_subset="en",
        encode_kwargs={"batch_size": 4, "show_progress_bar": False},
        timer=TimingStack(),
    )


def spans_of(sentences=SENTENCES, spans=SPANS):
    return [Span.of(*place) for place in zip(sentences, spans, strict=True)]


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("name", "side"),
    [
        *((name, "right") for name in (*MODELS, "T5") if "prefix" not in name),
        *((name, "left") for name in ("BERT", "GPT-2", "Llama")),
    ],
)
def test_vectors_are_those_of_two_passes(make, name, side):
    layer_pooling = "concatenate" if name in ("GPT-2", "XLM-R") else "mean"
    model = make(name, side)
    expected = span_encoder(model, layer_pooling=layer_pooling, show_progress_bar=False).encode_spans(SENTENCES, SPANS)
    plain = task_encoder(model)(SENTENCES)
    again = make(name, side)  # another object, whose vectors nobody remembers
    rows, encode = rows_seen(again.model[0].auto_model), task_encoder(again)
    sentences, spans = encode.with_spans(SENTENCES, spans_of(), layer_pooling=layer_pooling)
    np.testing.assert_array_equal(sentences, plain)
    rounding = 1e-6 if side == "right" else 3e-6  # after padding, rotary positions are other angles
    np.testing.assert_allclose(unit(spans), unit(expected), atol=rounding)
    moved = side == "left" and name in POSITIONS_FROM_THE_FIRST_COLUMN
    assert encode.facts()["backend"] == ("torch" if moved else "torch, spans in one pass")
    if side == "right":
        assert sum(rows) == len(SENTENCES)


def test_the_next_task_remembers_from_which_pass_vectors_are(make):
    model = make("BERT")
    first = task_encoder(model).with_spans(SENTENCES, spans_of())
    rows, encode = rows_seen(model.model[0].auto_model), task_encoder(model)
    np.testing.assert_array_equal(encode.with_spans(SENTENCES, spans_of()), first)
    assert (rows, encode.facts()["backend"]) == ([], "torch, spans in one pass")


def test_sentences_with_a_prompt_go_through_the_model_again(make):
    model = make("BERT", prompts={"any": "the old room : "}, default_prompt_name="any")
    expected = span_encoder(model, show_progress_bar=False).encode_spans(SENTENCES, SPANS)
    rows, encode = rows_seen(model.model[0].auto_model), task_encoder(model)
    _, spans = encode.with_spans(SENTENCES, spans_of())
    np.testing.assert_allclose(spans, expected, atol=1e-5)
    assert (sum(rows), encode.facts()["backend"]) == (2 * len(SENTENCES), "torch")


def test_no_hidden_state_outlives_its_batch(make):
    model = make("BERT")
    module, batches = model.model[0].auto_model, []
    plain = module.forward

    def forward(*args, **kwargs):
        assert not any(state() is not None for state in batches)
        output = plain(*args, **kwargs)
        batches.extend(weakref.ref(state) for state in output.hidden_states[:-1])
        return output

    module.forward = forward
    task_encoder(model).with_spans(SENTENCES, spans_of())
    assert len(batches) == 2 * 5
    assert not any(state() is not None for state in batches)
    assert module.forward is forward


def test_words_that_are_cut_off_are_those_of_a_pass_of_its_own(make, caplog):
    _, spans = task_encoder(make("BERT")).with_spans([LONG], spans_of([LONG, LONG], [(1, 3), (178, 180)]))
    assert spans.any(axis=1).tolist() == [True, False]
    assert "cut off" in caplog.text


def test_spans_of_a_model_in_training_are_not_copied(make):
    model = make("BERT")
    encoder = span_encoder(model, show_progress_bar=False)
    encoder.token_model.model.train()
    along = SpansAlong(encoder, [(SENTENCES[0], SPANS[0])])
    with along.copying():
        model.model[0].auto_model(**model.model.tokenize([SENTENCES[0]]))
    assert not along.taken
