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
    (entry,) = entries_of(mteb.get_model(model), task, folder, encode_kwargs=options).values()
    return entry, {file.name: file.read_bytes() for file in folder.rglob("*.parquet")}


def scores(entry):
    return {key: value for key, value in entry.items() if isinstance(value, float)}


def test_a_real_encoder_gives_the_same_bytes_and_in_other_batches_nearly_the_same(minilm, tmp_path):
    one, items = measured(minilm, TASK, tmp_path / "a")
    assert items
    assert measured(minilm, TASK, tmp_path / "b") == (one, items)
    variant, _ = measured(minilm, TASK, tmp_path / "c", batch_size=7)
    assert scores(variant) == pytest.approx(scores(one), abs=OF_OTHER_BATCHES)


@pytest.mark.usefixtures("without_baselines")
def test_in_other_batches_a_classifier_answers_nearly_the_same(minilm, tmp_path):
    one, _ = measured(minilm, "PolaritySensitivityMini", tmp_path / "a")
    variant, _ = measured(minilm, "PolaritySensitivityMini", tmp_path / "b", batch_size=7)
    assert scores(variant) == pytest.approx(scores(one), abs=OF_OTHER_BATCHES)


def test_a_final_normalize_a_scale_and_batches_change_no_gain(minilm):
    """The words of a bag are directions."""
    shipped = SentenceTransformer(minilm, device="cpu")
    assert type(shipped[2]).__name__ == "Normalize"
    pooled = SentenceTransformer(modules=[*shipped][:2], device="cpu")
    gain = measure(shipped.encode, TASK).gain
    for encode in (
        lambda texts: shipped.encode(texts, batch_size=7),
        lambda texts: 7 * pooled.encode(texts),
    ):
        assert measure(encode, TASK).gain == pytest.approx(gain, abs=1e-3)
