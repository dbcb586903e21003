"""Two models never share results, however they are named; one model finds its own again."""

from __future__ import annotations

import logging

import mteb
import pytest
import torch
from mteb.models import ModelMeta
from sentence_transformers import SentenceTransformer

from harness_ext.encoders.models.local_files import files_hash
from harness_ext.store.signature import Signature
from tests import planted
from tests.encoders.tiny_transformers import letters, save_static

pytestmark = pytest.mark.usefixtures("without_baselines")
TASK = "EpsilonCompositionalityMini"


def measured(model, folder=None):
    """The main score and the revision in its signature, whether computed or read from a folder."""
    (entry,) = planted.entries_of(model, TASK, folder).values()
    return entry["main_score"], Signature.parse(entry["signature"]).revision


@pytest.mark.slow
def test_a_model_of_the_name_of_a_folder(tmp_path, monkeypatch):
    """As of `mteb run -m ckpt`, in two working folders."""
    one = tmp_path / "a"
    other = tmp_path / "b"
    save_static(one / "ckpt", letters(), seed=0)
    save_static(other / "ckpt", letters(), seed=1)

    def measured_in(folder):
        monkeypatch.chdir(folder)
        model = mteb.get_model("./ckpt", device="cpu")
        return measured(model, tmp_path / "results")

    score, revision = measured_in(one)
    other_score, other_revision = measured_in(other)
    assert score != other_score, "this test has shown nothing"
    assert revision == files_hash([one / "ckpt"])
    assert other_revision == files_hash([other / "ckpt"])
    assert measured_in(one) == (score, revision)
    assert measured_in(other) == (other_score, other_revision)
    files = {file.parts[-3:-1] for file in tmp_path.rglob(f"{TASK}.json")}
    assert files == {("local__ckpt", revision), ("local__ckpt", other_revision)}


def test_weights_changed_in_place_between_two_calls(tmp_path):
    folder = save_static(tmp_path / "ckpt", letters())
    model = SentenceTransformer(folder, device="cpu")
    score, _ = measured(model, tmp_path)
    with torch.no_grad():
        model[0].embedding.weight.normal_()
    score_of_others, revision = measured(model, tmp_path)
    assert score_of_others != score
    assert measured(model) == (score_of_others, revision)
    assert len(list(tmp_path.rglob(f"{TASK}.json"))) == 2


def test_a_model_that_nothing_is_known_of_has_no_results_in_a_folder(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            model = planted.PlantedModel(planted.letters)
            model.mteb_model_meta = ModelMeta.create_empty()
            measured(model, tmp_path)
            assert model.calls
    assert not list(tmp_path.rglob(f"{TASK}.json"))
    said = [
        each.getMessage()
        for each in caplog.records
        if each.name == "harness_ext.harnesses.mteb.results"
    ]
    assert len(said) == 2
    for line in said:
        assert line.startswith(f"{TASK}: nothing distinguishes PlantedModel from other models ")
        assert line.endswith("Give its mteb_model_meta a name and a revision.")
