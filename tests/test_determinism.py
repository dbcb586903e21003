"""The same machine and the same inputs give the same bytes; other batches and threads, figures within stated bounds."""

from __future__ import annotations

import json

import mteb
import numpy as np
import pytest
import torch
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder

from harness_ext.tasks import ENCODER_TASKS

NEED_DATA = {
    *("EpsilonCompositionality", "NounCompoundAffinity", "NounCompoundScaledSimilarity", "TypeTokenIdiomaticity"),
    *("PolaritySensitivity", "TreeReconstruction", "RoleSwapSimilarity", "TransitiveSimilarity"),
    *("CaptionSwap", "IdiomParaphrase"),
}
NAMES = sorted(ENCODER_TASKS)
OF_OTHER_BATCHES = 2e-3
"""How far a score of all-MiniLM-L6-v2 may be from itself in other batches or on other numbers of threads."""


class Letters(AbsEncoder):
    """A random projection of the pairs of letters in a text."""

    mteb_model_meta = ModelMeta.create_empty(overwrites={"name": "planted/letters", "revision": "1"})

    def encode(self, inputs, **kwargs):
        directions = np.random.default_rng(0).normal(size=(32 * 32, 64)).astype(np.float32)
        vectors = [
            directions[[(ord(one) * 32 + ord(other)) % 1024 for one, other in zip(f" {text}", f"{text} ", strict=True)]]
            for batch in inputs
            for text in batch["text"]
        ]
        return np.array(
            [np.tanh(vector.sum(axis=0) / 4) for vector in vectors]
        )  # no sums, which trees would fit exactly


def measured(model, name, folder, **encode_kwargs):
    """Whatever a result has but times: file name -> its bytes."""
    cache = mteb.ResultCache(folder)
    mteb.evaluate(model, mteb.get_task(name), cache=cache, encode_kwargs=encode_kwargs, show_progress_bar=False)
    (file,) = folder.rglob(f"{name}.json")
    items = {path.name: path.read_bytes() for path in file.parent.glob(f"{name}.*items.parquet")}
    assert items
    return items | {file.name: json.dumps(json.loads(file.read_text())["scores"]).encode()}


def numbers(result, name):
    """(split, subset, key) -> every score."""
    return {
        (split, entry["hf_subset"], key): value
        for split, entries in json.loads(result[f"{name}.json"]).items()
        for entry in entries
        for key, value in entry.items()
        if isinstance(value, float)
    }


@pytest.mark.parametrize("name", sorted(set(NAMES) - NEED_DATA - {"MontagueConsistency"}))
def test_the_same_inputs_give_the_same_bytes(name, tmp_path):
    one, other = (measured(Letters(), name, tmp_path / folder) for folder in "ab")
    assert one == other


@pytest.mark.slow
def test_the_same_inputs_give_the_same_bytes_for_all_phrases(tmp_path):
    one, other = (measured(Letters(), "MontagueConsistency", tmp_path / folder) for folder in "ab")
    assert one == other


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("name", ["EpsilonCompositionality", "NounCompoundAffinity", "TypeTokenIdiomaticity"])
def test_the_same_inputs_give_the_same_bytes_on_the_papers_data(name, tmp_path, unverified_mirror):
    one, other = (measured(Letters(), name, tmp_path / folder) for folder in "ab")
    assert one == other


@pytest.mark.slow
@pytest.mark.parametrize("name", ["EpsilonCompositionalityMini", "NounCompoundAffinityMini", "PolaritySensitivityMini"])
def test_a_real_encoder_gives_the_same_bytes_and_in_other_batches_nearly_so(name, minilm, tmp_path):
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one, other = (measured(mteb.get_model(minilm), name, tmp_path / folder) for folder in "ab")
        assert one == other
        torch.set_num_threads(2)
        variant = measured(mteb.get_model(minilm), name, tmp_path / "c", batch_size=7)
    finally:
        torch.set_num_threads(threads)
    assert numbers(variant, name) == pytest.approx(numbers(one, name), abs=OF_OTHER_BATCHES)
