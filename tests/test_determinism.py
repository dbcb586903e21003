"""The same machine and the same inputs give the same bytes; other batches, figures within a stated bound.

`test_contracts.py` has the small tasks; `encoders/test_own_words.py` what changes no bag.
"""

from __future__ import annotations

import mteb
import pytest
from sentence_transformers import SentenceTransformer

from harness_ext import measure
from tests.planted import entries_of

pytestmark = pytest.mark.slow
OF_OTHER_BATCHES = 2e-3
"""How far a score of all-MiniLM-L6-v2 may be from itself in other batches."""


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
    one, _ = measured(mteb.get_model(minilm), name, tmp_path / "a")
    variant, _ = measured(mteb.get_model(minilm), name, tmp_path / "c", batch_size=7)
    for place, entry in one.items():
        scores = {key: value for key, value in entry.items() if isinstance(value, float)}
        for key, value in scores.items():
            assert variant[place][key] == pytest.approx(value, abs=OF_OTHER_BATCHES), key


def test_a_final_normalize_a_scale_and_batches_change_no_gain(minilm):
    """Own words are of directions."""
    shipped, name = SentenceTransformer(minilm, device="cpu"), "EpsilonCompositionalityMini"
    assert type(shipped[2]).__name__ == "Normalize"
    pooled = SentenceTransformer(modules=[*shipped][:2], device="cpu")
    gain = measure(shipped.encode, name).gain
    for encode in (lambda texts: shipped.encode(texts, batch_size=7), lambda texts: 7 * pooled.encode(texts)):
        assert measure(encode, name).gain == pytest.approx(gain, abs=1e-3)
