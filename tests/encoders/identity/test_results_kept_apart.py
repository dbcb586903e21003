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


def test_a_model_of_the_name_of_a_folder(tmp_path, monkeypatch):
    """As of `mteb run -m ckpt`, in two working folders."""
    folders = [tmp_path / name for name in "ab"]
    for seed, folder in enumerate(folders):
        save_static(folder / "ckpt", letters(), seed)

    def load(folder):
        monkeypatch.chdir(folder)
        return mteb.get_model("./ckpt", device="cpu")

    (one, first), (other, second), *again = [
        measured(load(folder), tmp_path / "results") for folder in folders * 2
    ]
    assert one != other, "this test has shown nothing"
    assert [first, second] == [files_hash([folder / "ckpt"]) for folder in folders]
    assert again == [(one, first), (other, second)]
    files = {file.parts[-3:-1] for file in tmp_path.rglob(f"{TASK}.json")}
    assert files == {("local__ckpt", first), ("local__ckpt", second)}


def test_weights_changed_in_place_between_two_calls(tmp_path):
    model = SentenceTransformer(save_static(tmp_path / "ckpt", letters()), device="cpu")
    first = measured(model, tmp_path)
    with torch.no_grad():
        model[0].embedding.weight.normal_()
    second = measured(model, tmp_path)
    assert first[0] != second[0]
    assert second == measured(model)
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
