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
from harness_ext.measures.core.inputs import Span
from tests.encoders.library_modules import Pooling, Transformer
from tests.encoders.tiny_transformers import (
    LONG,
    SENTENCES,
    SPANS,
    made,
    quiet,
    rows_seen,
    tiny,
    tiny_t5,
)

TASK = mteb.get_task("NounCompoundAffinityMini")
SENTENCES_AND_SPANS = zip(SENTENCES, SPANS, strict=True)
PLACES = [Span(sentence, *span) for sentence, span in SENTENCES_AND_SPANS]
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
        modules = [module, Pooling(32, "mean")]
        model = SentenceTransformer(modules=modules, device="cpu", **options)
        return SentenceTransformerEncoderWrapper(model)

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
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("BERT", "right"),
        ("ModernBERT", "right"),
        ("DeBERTa-v3", "right"),
        ("GPT-2", "right"),
        ("Llama", "right"),
        ("T5", "right"),
        ("BERT", "left"),
        ("Llama", "left"),
    ],
)
def test_vectors_are_those_of_two_passes(make, name, side):
    """In the same pass, unless padding on the left moves positions; the vectors of sentences stay
    as they are.
    """
    layer_pooling = "concatenate" if name == "GPT-2" else "mean"
    model = make(name, side)
    expected = quiet(model, layer_pooling=layer_pooling).encode_spans(SENTENCES, SPANS)
    plain = task_encoder(model)(SENTENCES)
    MEMORY.forget()
    rows = rows_seen(model.model[0].auto_model)

    def with_spans():
        encode = task_encoder(model)
        return encode.with_spans(SENTENCES, PLACES, layer_pooling=layer_pooling)

    sentences, spans = with_spans()
    np.testing.assert_array_equal(sentences, plain)
    rounding = 1e-6 if side == "right" else 3e-6  # after padding, rotary positions are other angles
    np.testing.assert_allclose(unit(spans), unit(expected), atol=rounding)
    is_one_pass = sum(rows) <= len(SENTENCES) + N_LOOKS
    moves_positions = (name, side) == ("BERT", "left")
    assert is_one_pass != moves_positions
    rows.clear()
    _, again = with_spans()
    np.testing.assert_allclose(again, spans, rtol=0, atol=1e-6)
    # the next task remembers spans, except those of all layers side by side
    is_remembered = sum(rows) <= N_LOOKS
    assert is_remembered == (layer_pooling == "mean")


def test_sentences_with_a_prompt_go_through_the_model_again(make):
    model = make("BERT", prompts={"any": "the old room : "}, default_prompt_name="any")
    expected = quiet(model).encode_spans(SENTENCES, SPANS)
    rows = rows_seen(model.model[0].auto_model)
    _, spans = task_encoder(model).with_spans(SENTENCES, PLACES)
    np.testing.assert_allclose(spans, expected, atol=1e-5)
    two_passes = 2 * len(SENTENCES)
    assert two_passes <= sum(rows) <= two_passes + N_LOOKS


def test_words_that_are_cut_off_are_those_of_a_pass_of_its_own(make, caplog):
    encode = task_encoder(make("BERT"))
    places = [Span(LONG, 1, 3), Span(LONG, 178, 180)]
    _, (first, cut_off) = encode.with_spans([LONG], places)
    assert first.any()
    assert not cut_off.any()
    assert "cut off" in caplog.text


def test_spans_are_not_taken_in_training_nor_where_hooks_see_something_else(make):
    model = make("BERT")
    bert = model.model[0].auto_model
    encoder = quiet(model)
    place = (SENTENCES[0], SPANS[0])

    def taken():
        along = SpansAlong(encoder, [place])
        with along.looking():
            model.model.encode(SENTENCES[:1])
        return [*along.taken]

    assert taken() == [place]
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
    layer = model.encoder.layer[1]
    with torch.no_grad():
        layer.intermediate.dense.bias.fill_(60000)
        # the sum overflows: the largest half is 65504
        layer.output.dense.weight.fill_(1)

    def encode(texts, **_):
        return np.ones((1, 2))

    half = SimpleNamespace(
        model=model,
        tokenizer=tokenizer,
        mteb_model_meta=mteb.models.ModelMeta.create_empty({"name": "tiny/half"}),
        encode=encode,
    )
    place = Span("short one", 0, 2)
    with pytest.raises(
        EncodingError, match=r"tiny/half.* NaN or infinite .* 'short one'.*half.*try float32"
    ):
        task_encoder(half).with_spans(["short one"], [place])
