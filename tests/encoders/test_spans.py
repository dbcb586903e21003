"""Span vectors against a slow, obvious reference, however they are batched, cased or rounded."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from harness_ext.encoders import transformer
from harness_ext.encoders.models.pooled import PooledTransformer
from harness_ext.encoders.spans import LAST_FOUR
from tests.encoders.tiny_transformers import (
    MODELS,
    SENTENCES,
    SPANS,
    made,
    mean_over_words,
    quiet,
    random_model,
    reference,
    rows_seen,
    tiny,
)


@pytest.fixture(params=MODELS)
def encoder(request):
    return tiny(request.param)


@pytest.mark.parametrize("pooling", ["mean", "concatenate"])
def test_equal_to_the_reference(encoder, pooling):
    """Of words that occur twice in a sentence, the place counts."""
    found = quiet(encoder, layer_pooling=pooling).encode_spans(SENTENCES, SPANS)
    expected = [
        reference(encoder, sentence, span, LAST_FOUR, pooling == "concatenate")
        for sentence, span in zip(SENTENCES, SPANS, strict=True)
    ]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(found).max() > 0.1  # so that 1e-5 says something


@pytest.mark.parametrize("name", ["BERT", "GPT-2", "Llama"])
def test_the_mean_over_words_equals_the_reference(name, tmp_path):
    encoder = tiny(name)
    encoder.model.save_pretrained(tmp_path)
    encoder.tokenizer.save_pretrained(tmp_path)
    model = PooledTransformer(str(tmp_path), device="cpu", pooling="mean_last4_words")
    some = [*SENTENCES[4:7], SENTENCES[3]]
    found = model.encode_sentences(some, batch_size=3, show_progress_bar=False)
    expected = [mean_over_words(encoder, sentence) for sentence in some]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(found).max() > 0.1


def test_batches_padding_side_and_order_change_nothing(encoder, monkeypatch):
    expected = quiet(encoder).encode_spans(SENTENCES, SPANS)
    monkeypatch.setattr(encoder.tokenizer, "padding_side", "left")
    order = np.random.default_rng(0).permutation(len(SENTENCES))
    sentences = [SENTENCES[row] for row in order]
    spans = [SPANS[row] for row in order]
    found = quiet(encoder, batch_size=3).encode_spans(sentences, spans)
    np.testing.assert_allclose(found, expected[order], atol=1e-5)


def test_a_batch_is_split_when_its_hidden_states_would_be_large(monkeypatch):
    bert = tiny("BERT")
    expected = quiet(bert).encode_spans(SENTENCES, SPANS)
    monkeypatch.setattr(transformer, "_HIDDEN_STATES_BYTES", 1)
    rows = rows_seen(bert.model)
    found = quiet(bert).encode_spans(SENTENCES, SPANS)
    assert rows == [1] * len(SENTENCES)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_equal_sentences_are_run_once():
    bert = tiny("BERT")
    rows = rows_seen(bert.model)
    one = SENTENCES[0]
    other = SENTENCES[4]
    sentences = [one, one, one, one, one, other]
    spans = [(1, 3), (1, 3), (1, 3), (1, 3), (0, 1), (0, 2)]
    found = quiet(bert, batch_size=2).encode_spans(sentences, spans)
    assert sum(rows) == 2
    assert (found[:4] == found[0]).all()
    assert not np.allclose(found[4], found[0])


def test_sentence_transformers_older_lower_casing():
    bert = tiny("XLM-R")
    lower = SimpleNamespace(
        auto_model=bert.model,
        tokenizer=bert.tokenizer,
        max_seq_length=50,
        do_lower_case=True,
    )
    spans = [(1, 3)]
    found = quiet(lower).encode_spans(["The BLACK Box ."], spans)
    expected = quiet(bert).encode_spans(["the black box ."], spans)
    np.testing.assert_allclose(found, expected, atol=1e-6)


WORD = st.text(alphabet="abckoxABÉİß-'.,", min_size=1, max_size=8)
BLANK = st.sampled_from([" ", "  ", "\t"])


@settings(max_examples=15)
@given(
    st.lists(st.tuples(BLANK, WORD), min_size=1, max_size=8),
    st.data(),
)
def test_any_words_and_blanks(blanks_and_words, data):
    last = len(blanks_and_words) - 1
    start = data.draw(st.integers(0, last))
    span = (start, start + 1)
    bert = tiny("BERT")
    text = "".join(blank + word for blank, word in blanks_and_words)
    found = quiet(bert).encode_spans([text], [span])
    np.testing.assert_allclose(found[0], reference(bert, text, span), atol=1e-5)


def test_half_precision_is_averaged_in_full():
    config, tokenizer = made("BERT")
    encoder = SimpleNamespace(model=random_model(config), tokenizer=tokenizer)
    expected = quiet(encoder).encode_spans(SENTENCES, SPANS)
    encoder.model.to(torch.bfloat16)
    found = quiet(encoder).encode_spans(SENTENCES, SPANS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=0.05)
    in_half = torch.tensor(found).bfloat16().float()
    assert not np.array_equal(found, in_half.numpy())  # a mean of several


def test_dropout_is_off():
    bert = tiny("BERT")
    expected = quiet(bert).encode_spans(SENTENCES, SPANS)
    bert.model.train()
    found = quiet(bert).encode_spans(SENTENCES, SPANS)
    np.testing.assert_array_equal(found, expected)
