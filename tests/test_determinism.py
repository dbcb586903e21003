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
    entries = entries_of(mteb.get_model(model), task, folder, encode_kwargs=options)
    (entry,) = entries.values()
    items = {file.name: file.read_bytes() for file in folder.rglob("*.parquet")}
    return entry, items


def scores(entry):
    return {key: value for key, value in entry.items() if isinstance(value, float)}


def test_a_real_encoder_gives_the_same_bytes_and_in_other_batches_nearly_the_same(minilm, tmp_path):
    entry, items = measured(minilm, TASK, tmp_path / "a")
    assert items
    assert measured(minilm, TASK, tmp_path / "b") == (entry, items)
    variant, _ = measured(minilm, TASK, tmp_path / "c", batch_size=7)
    assert scores(variant) == pytest.approx(scores(entry), abs=OF_OTHER_BATCHES)


@pytest.mark.usefixtures("without_baselines")
def test_in_other_batches_a_classifier_answers_nearly_the_same(minilm, tmp_path):
    entry, _ = measured(minilm, "PolaritySensitivityMini", tmp_path / "a")
    variant, _ = measured(minilm, "PolaritySensitivityMini", tmp_path / "b", batch_size=7)
    assert scores(variant) == pytest.approx(scores(entry), abs=OF_OTHER_BATCHES)


def test_a_final_normalize_a_scale_and_batches_change_no_gain(minilm):
    """The words of a bag are directions."""
    shipped = SentenceTransformer(minilm, device="cpu")
    assert type(shipped[2]).__name__ == "Normalize"
    pooled = SentenceTransformer(modules=[*shipped][:2], device="cpu")

    def in_other_batches(texts):
        return shipped.encode(texts, batch_size=7)

    def without_normalize_and_longer(texts):
        return 7 * pooled.encode(texts)

    gain = measure(shipped.encode, TASK).gain
    assert measure(in_other_batches, TASK).gain == pytest.approx(gain, abs=1e-3)
    assert measure(without_normalize_and_longer, TASK).gain == pytest.approx(gain, abs=1e-3)
