"""Words inside sentences from the pass that encodes the sentences, against a pass of their own."""

from types import SimpleNamespace

import mteb
import numpy as np
import pytest
import torch
import transformers
from mteb.models import SentenceTransformerEncoderWrapper
from mteb.timing import TimingStack
from sentence_transformers import SentenceTransformer

from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.memory import MEMORY
from harness_ext.encoders.one_pass import SpansAlong
from harness_ext.encoders.spans import span_encoder
from harness_ext.measures.core.inputs import Span
from tests.encoders.library_modules import Pooling, Transformer
from tests.encoders.tiny_transformers import (
    LONG,
    SENTENCES,
    SPANS,
    made,
    rows_seen,
    tiny,
    tiny_t5,
)

TASK = mteb.get_task("NounCompoundAffinityMini")
PLACES = [Span(sentence, *span) for sentence, span in zip(SENTENCES, SPANS, strict=True)]
N_LOOKS = 4  # passes of one short sentence, which show whether hooks see what they should


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


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


KINDS = ("BERT", "ModernBERT", "DeBERTa-v3", "GPT-2", "Llama", "T5")


@pytest.mark.parametrize(
    ("name", "side"), [*((name, "right") for name in KINDS), ("BERT", "left"), ("Llama", "left")]
)
def test_vectors_are_those_of_two_passes(make, name, side):
    """In the same pass, unless padding on the left moves positions; the vectors of sentences stay
    as they are.
    """
    layer_pooling = "concatenate" if name == "GPT-2" else "mean"
    model = make(name, side)
    encoder = span_encoder(model, layer_pooling=layer_pooling, show_progress_bar=False)
    expected, plain = encoder.encode_spans(SENTENCES, SPANS), task_encoder(model)(SENTENCES)
    MEMORY.forget()
    rows = rows_seen(model.model[0].auto_model)
    sentences, spans = task_encoder(model).with_spans(
        SENTENCES, PLACES, layer_pooling=layer_pooling
    )
    np.testing.assert_array_equal(sentences, plain)
    rounding = 1e-6 if side == "right" else 3e-6  # after padding, rotary positions are other angles
    np.testing.assert_allclose(unit(spans), unit(expected), atol=rounding)
    assert (sum(rows) <= len(SENTENCES) + N_LOOKS) == ((name, side) != ("BERT", "left"))
    rows.clear()
    again = task_encoder(model).with_spans(SENTENCES, PLACES, layer_pooling=layer_pooling)
    np.testing.assert_allclose(again[1], spans, rtol=0, atol=1e-6)
    # the next task remembers spans, except those of all layers side by side
    assert (sum(rows) <= N_LOOKS) == (layer_pooling == "mean")


def test_sentences_with_a_prompt_go_through_the_model_again(make):
    model = make("BERT", prompts={"any": "the old room : "}, default_prompt_name="any")
    expected = span_encoder(model, show_progress_bar=False).encode_spans(SENTENCES, SPANS)
    rows = rows_seen(model.model[0].auto_model)
    _, spans = task_encoder(model).with_spans(SENTENCES, PLACES)
    np.testing.assert_allclose(spans, expected, atol=1e-5)
    assert 2 * len(SENTENCES) <= sum(rows) <= 2 * len(SENTENCES) + N_LOOKS


def test_words_that_are_cut_off_are_those_of_a_pass_of_its_own(make, caplog):
    _, spans = task_encoder(make("BERT")).with_spans(
        [LONG], [Span(LONG, 1, 3), Span(LONG, 178, 180)]
    )
    assert spans.any(axis=1).tolist() == [True, False]
    assert "cut off" in caplog.text


def test_spans_are_not_taken_in_training_nor_where_hooks_see_something_else(make):
    model = make("BERT")
    bert = model.model[0].auto_model
    encoder = span_encoder(model, show_progress_bar=False)

    def taken():
        along = SpansAlong(encoder, [(SENTENCES[0], SPANS[0])])
        with along.looking():
            model.model.encode(SENTENCES[:1])
        return [*along.taken]

    assert taken() == [(SENTENCES[0], SPANS[0])]
    assert not bert._forward_hooks

    def negate_states(_, arguments):
        states, *others = arguments
        return (-states, *others)

    def encode(_):
        return None

    bert.encoder.layer[4].register_forward_pre_hook(negate_states)
    assert not taken()
    model.model.encode = encode
    bert.train()
    assert not taken()


def test_nan_from_half_precision_is_an_error_that_says_so():
    config, tokenizer = made("BERT")
    model = transformers.AutoModel.from_config(config).half()
    with torch.no_grad():
        model.encoder.layer[1].intermediate.dense.bias.fill_(60000)
        # the sum overflows: the largest half is 65504
        model.encoder.layer[1].output.dense.weight.fill_(1)
    meta = mteb.models.ModelMeta.create_empty({"name": "tiny/half"})
    half = SimpleNamespace(
        model=model,
        tokenizer=tokenizer,
        mteb_model_meta=meta,
        encode=lambda texts, **_: np.ones((1, 2)),
    )
    with pytest.raises(
        EncodingError, match=r"tiny/half.* NaN or infinite .* 'short one'.*half.*try float32"
    ):
        task_encoder(half).with_spans(["short one"], [Span("short one", 0, 2)])
