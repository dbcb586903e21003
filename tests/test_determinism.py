"""The same machine and the same inputs give the same bytes; other batches and threads, figures within stated bounds.

`test_contracts.py` has the small tasks.
"""

from __future__ import annotations

import functools

import mteb
import numpy as np
import pytest
import torch
from datasets import load_dataset

from harness_ext import measure
from harness_ext.encoders.own_words import own_words
from tests.planted import entries_of

pytestmark = pytest.mark.slow
OF_OTHER_BATCHES = 2e-3
"""How far a score of all-MiniLM-L6-v2 may be from itself in other batches or on other numbers of threads."""
OF_LENGTHS_AND_ORDER = 1e-3
"""How far a gain may be from itself where vectors have other lengths, or texts another order."""


def measured(model, name, folder, **encode_kwargs):
    """(split, subset) -> scores, and file name -> the bytes of items."""
    entries = entries_of(model, name, folder, encode_kwargs=encode_kwargs)
    items = {file.name: file.read_bytes() for file in folder.rglob(f"{name}.*.parquet")}
    assert items
    return entries, items


def test_a_real_encoder_gives_the_same_bytes(minilm, tmp_path):
    one, other = (measured(mteb.get_model(minilm), "CaptionSwapMini", tmp_path / folder) for folder in "ab")
    assert one == other


def test_in_other_batches_a_classifier_answers_nearly_the_same(minilm, tmp_path):
    name = "PolaritySensitivityMini"
    one = measured(mteb.get_model(minilm), name, tmp_path / "a")
    variant, _ = measured(mteb.get_model(minilm), name, tmp_path / "c", batch_size=7)
    for place, entry in one[0].items():
        scores = {key: value for key, value in entry.items() if isinstance(value, float)}
        for key, value in scores.items():
            assert variant[place][key] == pytest.approx(value, abs=OF_OTHER_BATCHES), key


@pytest.fixture(scope="module")
def as_pooled(minilm):
    """The encoder without its module Normalize, and with it, in batches of 7 on two threads."""
    from sentence_transformers import SentenceTransformer

    shipped = SentenceTransformer(minilm, device="cpu")
    assert type(shipped[2]).__name__ == "Normalize"
    pooled = SentenceTransformer(modules=[*shipped][:2], device="cpu")
    known = {}

    def encode(texts):
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, pooled.encode(new), strict=True))
        return np.array([known[text] for text in texts])

    return encode, functools.partial(shipped.encode, batch_size=7)


def test_lengths_of_vectors_and_batches_change_no_gain(as_pooled):
    """Own words are of directions: normalised or not, seven times as long, in other batches and on two threads."""
    pooled, in_batches = as_pooled
    name = "EpsilonCompositionalityMini"
    gain = measure(pooled, name).gain
    for change in (lambda vectors: 7 * vectors, lambda vectors: vectors / np.linalg.norm(vectors, axis=1)[:, None]):
        changed = measure(lambda texts, change=change: change(pooled(texts)), name)
        assert changed.gain == pytest.approx(gain, abs=OF_LENGTHS_AND_ORDER)
    name = "IdiomParaphraseMini"
    gain = measure(pooled, name).gain
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        assert measure(in_batches, name).gain == pytest.approx(gain, abs=OF_LENGTHS_AND_ORDER)
    finally:
        torch.set_num_threads(threads)


def test_the_order_of_texts_changes_no_bag(as_pooled):
    pooled, _ = as_pooled
    rows = load_dataset("compound_mini", split="naturalistic")
    texts = sorted({sentence for row in rows for sentence in (row["sentence"], row["syn"]["sentence"])})
    vectors = pooled(texts)
    order = np.random.default_rng(0).permutation(len(texts))

    def bags(places):
        found = own_words([texts[place] for place in places], vectors[places], pooled, "")
        return found.bags / np.linalg.norm(found.bags, axis=1, keepdims=True)

    np.testing.assert_allclose(bags(order), bags(np.arange(len(texts)))[order], atol=OF_LENGTHS_AND_ORDER)
