"""Two models never share results, however they are named; one model finds its own again."""

from __future__ import annotations

import json
import logging

import mteb
import numpy as np
import pytest
import torch
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from sentence_transformers import SentenceTransformer

from harness_ext.encoders.models.local_files import files_hash
from harness_ext.store.signature import Signature

pytestmark = pytest.mark.usefixtures("without_own_words")

TASK = "EpsilonCompositionalityMini"


class Results:
    """A folder of results, and what is measured into it."""

    def __init__(self, folder):
        self.cache = mteb.ResultCache(folder)

    @property
    def files(self):
        return sorted(self.cache.cache_path.rglob(f"{TASK}.json"))

    def measure(self, model, **kwargs):
        """The main score, whether computed or read."""
        task = mteb.get_task(TASK)
        result = mteb.evaluate(model, task, cache=self.cache, show_progress_bar=False, **kwargs)
        (entry,) = result.task_results[0].scores["naturalistic"]
        signature = Signature.parse(entry["signature"])
        assert (result.model_name, result.model_revision) == (signature.model, signature.revision)
        return entry["main_score"]

    def assert_kept_apart(self, one, other):
        """Each model has the score that it has with no cache at all, in whatever order they are asked for."""
        alone = [mteb_score(one()), mteb_score(other())]
        assert alone[0] != alone[1], "this test has shown nothing"
        assert [self.measure(model()) for model in (one, other, one, other)] == [*alone, *alone]
        assert len(self.files) == 2
        for file in self.files:
            (entry,) = json.loads(file.read_text())["scores"]["naturalistic"]
            assert Signature.parse(entry["signature"]).revision == file.parent.name


def mteb_score(model):
    result = mteb.evaluate(model, mteb.get_task(TASK), cache=None, show_progress_bar=False)
    return result.task_results[0].scores["naturalistic"][0]["main_score"]


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path / "results")


@pytest.mark.slow
def test_a_model_of_the_name_of_a_folder(save_static, results, tmp_path, monkeypatch):
    """As of `mteb run -m ckpt`, in two working folders."""
    folders = [tmp_path / name for name in "ab"]
    for seed, folder in enumerate(folders):
        save_static(folder / "ckpt", seed)

    def load(folder):
        monkeypatch.chdir(folder)
        return mteb.get_model("./ckpt", device="cpu")

    results.assert_kept_apart(*[lambda folder=folder: load(folder) for folder in folders])
    revisions = {files_hash([folder / "ckpt"]) for folder in folders}
    assert {file.parts[-3:-1] for file in results.files} == {("local__ckpt", revision) for revision in revisions}


def test_weights_changed_in_place_between_two_calls(save_static, results, tmp_path):
    model = SentenceTransformer(save_static(tmp_path / "ckpt", 0), device="cpu")
    first = results.measure(model)
    with torch.no_grad():
        model[0].embedding.weight.normal_()
    second = results.measure(model)
    assert first != second == mteb_score(model)
    assert len(results.files) == 2


def test_a_model_that_nothing_is_known_of_has_no_results_in_a_folder(results, caplog):
    class Unknown(AbsEncoder):
        mteb_model_meta = ModelMeta.create_empty()
        n_calls = 0

        def encode(self, inputs, **kwargs):
            type(self).n_calls += 1
            return np.random.default_rng(self.n_calls).normal(size=(len(inputs.dataset), 4))

    with caplog.at_level(logging.WARNING):
        assert results.measure(Unknown()) != results.measure(Unknown())
    assert not results.files
    line, again = (
        record.getMessage() for record in caplog.records if record.name == "harness_ext.harnesses.mteb.results"
    )
    assert line == again
    assert line == (
        f"{TASK}: nothing distinguishes Unknown from other models (it has no name with a revision, and no "
        "accessible weights), so no cached result is read or written. Give its mteb_model_meta a name and a "
        "revision."
    )
