"""Words that are cut off have no vector; spans, tokenizers and layers that cannot be are errors
that say so.
"""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import tokenizers
from tokenizers import Tokenizer
from tokenizers import models as tokenizer_models
from tokenizers import trainers as tokenizer_trainers

from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.spans import span_encoder
from tests.encoders.tiny_transformers import LONG, SPECIAL, fast, quiet, tiny


@pytest.mark.parametrize("name", ["BERT", "Llama"])
def test_a_span_beyond_the_models_limit_has_no_vector_and_one_before_it_has(name, caplog):
    encoder = quiet(tiny(name))
    caplog.clear()  # transformers warns of some configurations when the first model is made of them
    spans = [(1, 3), (178, 180)]
    before, beyond = encoder.encode_spans([LONG, LONG], spans)
    assert before.any()
    assert not beyond.any()
    (message,) = caplog.messages
    assert "1 of 2 words in sentences are left out, because they are cut off" in message
    assert re.search(r"span \(178, 180\) \('black box'\) of 'the black .* 120 tokens", message)
    assert not one_span(encoder, LONG, 178, 180).any()  # nothing else in the batch


def one_span(encoder, sentence, start, end):
    """The vector of a span of words, from `start` to before `end`."""
    (vector,) = encoder.encode_spans([sentence], [(start, end)])
    return vector


def test_a_word_of_which_only_some_tokens_are_left_is_cut_off(monkeypatch):
    bert = tiny("BERT")
    words = "the " * 117 + "unbelievably"  # 119 tokens with [CLS] and [SEP], and then several
    assert len(bert.tokenizer.tokenize("unbelievably")) > 1
    assert not one_span(quiet(bert), words, 117, 118).any()
    # on the left the beginning is cut off
    monkeypatch.setattr(bert.tokenizer, "truncation_side", "left")
    assert not one_span(quiet(bert), LONG, 1, 3).any()
    assert np.isfinite(one_span(quiet(bert), LONG, 178, 180)).all()


def test_positions_that_roberta_reserves_are_not_used(monkeypatch, caplog):
    roberta = tiny("XLM-R")  # 128 positions
    monkeypatch.setattr(roberta.tokenizer, "model_max_length", 10**30)
    one_span(quiet(roberta), LONG, 178, 180)
    assert "127 tokens" in caplog.text  # position 0 stands for padding


def test_a_span_that_is_none_and_a_word_without_a_token_are_errors():
    encoder = quiet(tiny("BERT"))
    for start, end in ((2, 2), (-1, 1), (0, 3)):
        message = f"The span ({start}, {end}) is outside the 2 words of 'short one'"
        with pytest.raises(EncodingError, match=re.escape(message)):
            one_span(encoder, "short one", start, end)
    with pytest.raises(EncodingError, match=r"span \(1, 3\).*no token of '\\u200b'"):
        one_span(encoder, "a \u200b b", 1, 3)


@pytest.mark.skipif(
    tokenizers.__version__.startswith("0.19"), reason="tokenizers 0.19 writes no merge over a blank"
)
def test_a_token_of_two_words_is_an_error():
    # no pre-tokenizer: merges run over blanks
    tokenizer = Tokenizer(tokenizer_models.BPE(unk_token="[UNK]"))
    trainer = tokenizer_trainers.BpeTrainer(
        vocab_size=200, special_tokens=SPECIAL, show_progress=False
    )
    tokenizer.train_from_iterator(["black box"] * 50, trainer)
    model = SimpleNamespace(model=tiny("BERT").model, tokenizer=fast(tokenizer))
    encoder = quiet(model)
    assert np.isfinite(one_span(encoder, "black box", 0, 2)).all()
    with pytest.raises(EncodingError, match=r"'black box' belongs to a word beside it too"):
        one_span(encoder, "black box", 1, 2)


def test_as_many_spans_as_sentences_and_of_none_no_vectors():
    bert = tiny("BERT")
    with pytest.raises(ValueError, match="2 sentences for 1 spans"):
        quiet(bert).encode_spans(["a b", "c"], [(0, 1)])
    nothing = quiet(bert, layer_pooling="concatenate").encode_spans([], [])
    assert nothing.shape == (0, 128)
    with pytest.raises(ValueError, match="'mean' or 'concatenate', not 'max'"):
        quiet(bert, layer_pooling="max")


def test_a_slow_tokenizer_is_an_error_that_names_the_model():
    def tokenizer(texts):
        """Any callable that is no fast tokenizer."""

    model = SimpleNamespace(
        model=tiny("BERT").model,
        tokenizer=tokenizer,
        mteb_model_meta=SimpleNamespace(name="some/model"),
    )
    with pytest.raises(
        ValueError, match=r"some/model: function is a slow tokenizer.*use_fast=True"
    ):
        span_encoder(model)
