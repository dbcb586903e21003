"""The same machine and the same inputs give the same bytes; other batches, figures within a stated
bound.

`test_contracts.py` has the small tasks; `encoders/test_additive_baseline.py` what changes no bag.
"""

import mteb
import pytest
from sentence_transformers import SentenceTransformer

from harness_ext import measure
from tests.planted import entries_of

pytestmark = pytest.mark.slow
TASK = "CaptionSwapMini"
OF_OTHER_BATCHES = 2e-3
"""How far a score of all-MiniLM-L6-v2 may be from itself in other batches."""


def measured(model, task, folder, **options):
    """Its entry, and file name -> the bytes of items."""
    encoder = mteb.get_model(model)
    entries = entries_of(encoder, task, folder, encode_kwargs=options)
    (entry,) = entries.values()
    items = {file.name: file.read_bytes() for file in folder.rglob("*.parquet")}
    return entry, items


def assert_nearly_the_same(entry, other):
    assert entry.keys() == other.keys()
    for key, value in entry.items():
        if isinstance(value, float):
            assert other[key] == pytest.approx(value, abs=OF_OTHER_BATCHES), key


def test_a_real_encoder_gives_the_same_bytes_and_in_other_batches_nearly_the_same(minilm, tmp_path):
    entry, items = measured(minilm, TASK, tmp_path / "a")
    assert items
    again, items_again = measured(minilm, TASK, tmp_path / "b")
    assert again == entry
    assert items_again == items
    in_other_batches, _ = measured(minilm, TASK, tmp_path / "c", batch_size=7)
    assert_nearly_the_same(entry, in_other_batches)


@pytest.mark.usefixtures("without_baselines")
def test_in_other_batches_a_classifier_answers_nearly_the_same(minilm, tmp_path):
    task = "PolaritySensitivityMini"
    entry, _ = measured(minilm, task, tmp_path / "a")
    in_other_batches, _ = measured(minilm, task, tmp_path / "b", batch_size=7)
    assert_nearly_the_same(entry, in_other_batches)


def test_a_final_normalize_a_scale_and_batches_change_no_gain(minilm):
    """The words of a bag are directions."""
    shipped = SentenceTransformer(minilm, device="cpu")
    assert type(shipped[2]).__name__ == "Normalize"
    pooled = SentenceTransformer(modules=[*shipped][:2], device="cpu")

    def in_other_batches(texts):
        return shipped.encode(texts, batch_size=7)

    def without_normalize_and_longer(texts):
        return 7 * pooled.encode(texts)

    expected = measure(shipped.encode, TASK)
    for encode in (in_other_batches, without_normalize_and_longer):
        found = measure(encode, TASK)
        assert found.gain == pytest.approx(expected.gain, abs=1e-3)
