"""Vectors that depend on what else is encoded: seen by three texts alone, said on screen and in the
result.
"""

from __future__ import annotations

import logging

import numpy as np
import pytest

from harness_ext import load_results, measure
from harness_ext.show.numbers import formatted
from tests.command_line import harness_ext
from tests.planted import PlantedModel, entries_of, letters, random_vector, vectors_of

MINI = "MergeOppositesMini"
of_word = random_vector()


def padded(texts, *, mask):
    """The mean over the words of a text, or also over what fills it up to the longest of
    its batch.
    """
    longest = max(len(text.split()) for text in texts)
    fill = np.zeros_like(of_word("a")) if mask else of_word("[PAD]")
    sums = []
    for text in texts:
        words = text.split()
        total = (longest - len(words)) * fill
        for word in words:
            total = total + of_word(word)
        sums.append(total)
    return np.array(sums) / longest


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("mask", [True, False])
def test_padding_without_a_mask_is_seen(mask, caplog):
    asked = []

    def encode(texts):
        asked.append(texts)
        return padded(texts, mask=mask)

    found = measure(encode, MINI)
    all_texts, *alone = asked
    lengths = sorted(len(text) for text in all_texts)
    lengths_alone = [len(text) for (text,) in alone]
    middle = len(lengths) // 2
    assert lengths_alone == [lengths[0], lengths[middle], lengths[-1]]
    is_stored = "cosine_alone" in found.entry
    is_said = "encoded alone, is 0." in caplog.text
    assert is_stored is is_said is not mask
    if not mask:
        assert found.entry["cosine_alone"] < 0.9


@pytest.mark.usefixtures("without_baselines")
def test_the_result_and_its_readers_say_so(tmp_path):
    model = PlantedModel(letters)

    def encode(inputs, **_):
        texts = []
        for batch in inputs:
            texts.extend(batch["text"])
        return padded(texts, mask=False)

    model.encode = encode
    (entry,) = entries_of(model, MINI, tmp_path).values()
    cosine = entry["cosine_alone"]
    assert cosine < 0.9
    (stored,) = load_results(tmp_path).entries
    assert stored.scores["cosine_alone"] == cosine
    shown = " ".join(harness_ext("show", tmp_path).output.split())
    assert f"Vectors depend on the batch: {MINI} (cosine {formatted(cosine)})." in shown


def test_an_encoder_that_takes_no_single_text_is_measured_all_the_same(caplog, without_baselines):
    def fitted(texts):
        if len(texts) < 2:
            raise ValueError("fitted to several texts")
        return vectors_of(random_vector())(texts)

    with caplog.at_level(logging.WARNING):
        found = measure(fitted, MINI)
    assert "no text can be encoded alone (ValueError: fitted to several texts)" in caplog.text
    assert "cosine_alone" not in found.entry
