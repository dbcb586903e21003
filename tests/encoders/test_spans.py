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
    expected = [
        np.mean(
            [
                reference(encoder, sentence, (word, word + 1))
                for word in range(len(sentence.split()))
            ],
            axis=0,
        )
        for sentence in some
    ]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(found).max() > 0.1


def test_batches_padding_side_and_order_change_nothing(encoder, monkeypatch):
    expected = quiet(encoder).encode_spans(SENTENCES, SPANS)
    monkeypatch.setattr(encoder.tokenizer, "padding_side", "left")
    order = np.random.default_rng(0).permutation(len(SENTENCES))
    sentences, spans = [SENTENCES[row] for row in order], [SPANS[row] for row in order]
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
    found = quiet(bert, batch_size=2).encode_spans(
        [SENTENCES[0]] * 5 + [SENTENCES[4]], [(1, 3)] * 4 + [(0, 1), (0, 2)]
    )
    assert sum(rows) == 2
    assert (found[:4] == found[0]).all()
    assert not np.allclose(found[4], found[0])


def test_sentence_transformers_older_lower_casing():
    bert = tiny("XLM-R")
    lower = SimpleNamespace(
        auto_model=bert.model, tokenizer=bert.tokenizer, max_seq_length=50, do_lower_case=True
    )
    np.testing.assert_allclose(
        quiet(lower).encode_spans(["The BLACK Box ."], [(1, 3)]),
        quiet(bert).encode_spans(["the black box ."], [(1, 3)]),
        atol=1e-6,
    )


@settings(max_examples=15)
@given(
    st.lists(st.text(alphabet="abckoxABÉİß-'.,", min_size=1, max_size=8), min_size=1, max_size=8),
    st.data(),
)
def test_any_words_and_blanks(words, data):
    blanks = data.draw(
        st.lists(st.sampled_from([" ", "  ", "\t"]), min_size=len(words), max_size=len(words))
    )
    start = data.draw(st.integers(0, len(words) - 1))
    bert = tiny("BERT")
    text = "".join(blank + word for blank, word in zip(blanks, words, strict=True))
    found = quiet(bert).encode_spans([text], [(start, start + 1)])
    np.testing.assert_allclose(found[0], reference(bert, text, (start, start + 1)), atol=1e-5)


def test_half_precision_is_averaged_in_full():
    config, tokenizer = made("BERT")
    encoder = SimpleNamespace(model=random_model(config), tokenizer=tokenizer)
    expected = quiet(encoder).encode_spans(SENTENCES, SPANS)
    encoder.model.to(torch.bfloat16)
    found = quiet(encoder).encode_spans(SENTENCES, SPANS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=0.05)
    # a mean of several
    assert not np.array_equal(found, torch.tensor(found).bfloat16().float().numpy())


def test_dropout_is_off():
    bert = tiny("BERT")
    expected = quiet(bert).encode_spans(SENTENCES, SPANS)
    bert.model.train()
    np.testing.assert_array_equal(quiet(bert).encode_spans(SENTENCES, SPANS), expected)
