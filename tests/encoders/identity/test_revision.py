"""A model's revision: what mteb loads by name keeps the Hub's, all else is a hash of files or of
what is in it.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import mteb
import pytest
import torch
from mteb.models import ModelMeta, SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer

from harness_ext.cli.demo import REVISION
from harness_ext.encoders.identity.fingerprint import weights_revision
from harness_ext.encoders.identity.revision import identified
from harness_ext.encoders.models.local_files import files_hash
from tests.encoders.library_modules import Pooling
from tests.encoders.tiny_transformers import letters, save_bert, save_pooled, save_static
from tests.planted import PlantedModel


def wrapped(place):
    return SentenceTransformerEncoderWrapper(SentenceTransformer(place, device="cpu"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    return save_pooled(place / "st", save_bert(place / "plain"))


class TestFilesHash:
    def test_it_is_of_the_files_inside_but_hidden_ones_and_checkpoints_and_not_of_the_place(
        self, folder, tmp_path
    ):
        copy = shutil.copytree(folder, tmp_path / "st")
        for name in (".cache", "checkpoint-500"):
            (copy / name).mkdir()
            (copy / name / "file").write_text("x")
        assert files_hash([copy]) == files_hash([Path(folder)])
        config = copy / "1_Pooling" / "config.json"
        config.write_text(config.read_text().replace("mean", "max"))
        assert files_hash([copy]) != files_hash([Path(folder)])

    def test_two_files_that_change_places(self, tmp_path):
        for name in "12":
            (tmp_path / name).mkdir()
        hashes = set()
        for texts in ("ab", "ba"):
            for name, text in zip("12", texts, strict=True):
                (tmp_path / name / "config.json").write_text(text)
            hashes.add(files_hash([tmp_path]))
        assert len(hashes) == 2

    def test_an_adapter_counts_with_the_model_that_it_is_put_on(self, tmp_path):
        for name in ("base", "adapter"):
            (tmp_path / name).mkdir()
        said = {"base_model_name_or_path": str(tmp_path / "base")}
        (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps(said))
        before = files_hash([tmp_path / "adapter"])
        (tmp_path / "base" / "model.safetensors").write_text("b")
        assert files_hash([tmp_path / "adapter"]) != before

    @pytest.mark.parametrize("said", [{}, {"base_model_name_or_path": None}])
    def test_an_adapter_of_no_named_model_does_not_count_with_the_current_folder(
        self, said, tmp_path, monkeypatch
    ):
        (tmp_path / "adapter").mkdir()
        (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps(said))
        hashes = set()
        for name in ("one", "other"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "file.txt").write_text(name)
            monkeypatch.chdir(tmp_path / name)
            hashes.add(files_hash([tmp_path / "adapter"]))
        assert len(hashes) == 1


def change_a_weight(model):
    model[0].auto_model.embeddings.word_embeddings.weight.data[7, 0].add_(1)


def change_the_dtype(model):
    model.half()


def change_the_length(model):
    model.max_seq_length = 5


def change_the_prompts(model):
    model.prompts.update(query="q: ")


def change_the_dimensions(model):
    model.truncate_dim = 8


def change_the_pooling(model):
    model.append(Pooling(16, "max"))


def change_the_tokenizer(model):
    model[0].tokenizer.add_tokens(["blackbox"])


def change_the_configuration(model):
    model[0].auto_model.config.num_attention_heads = 1


class TestWeightsRevision:
    def test_it_is_the_same_for_the_same_model(self, folder, tmp_path):
        shutil.copytree(folder, tmp_path / "elsewhere")
        model = wrapped(folder)
        first = weights_revision(model)
        model.model.encode(["a black box", "a box"], batch_size=1)
        assert weights_revision(model) == first
        model_elsewhere = wrapped(str(tmp_path / "elsewhere"))
        assert weights_revision(model_elsewhere) == first

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(change_a_weight, id="weight"),
            pytest.param(change_the_dtype, id="dtype"),
            pytest.param(change_the_length, id="length"),
            pytest.param(change_the_prompts, id="prompts"),
            pytest.param(change_the_dimensions, id="dimensions"),
            pytest.param(change_the_pooling, id="pooling"),
            pytest.param(change_the_tokenizer, id="tokenizer"),
            pytest.param(change_the_configuration, id="configuration"),
        ],
    )
    def test_it_is_another_for_another_model(self, folder, change):
        model = wrapped(folder)
        before = weights_revision(model)
        change(model.model)
        assert weights_revision(model) != before

    def test_code_of_ones_own_counts(self, tmp_path, monkeypatch):
        def load(pooling):
            file = tmp_path / "own_encoder.py"
            body = f"def forward(self, states): return states.{pooling}(dim=1)"
            file.write_text(f"import torch\nclass Encoder(torch.nn.BatchNorm1d):\n    {body}\n")
            spec = importlib.util.spec_from_file_location("own_encoder", file)
            module = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, "own_encoder", module)
            spec.loader.exec_module(module)
            return weights_revision(module.Encoder(2))

        assert load("mean") == load("mean") != load("sum")

    def test_without_weights_or_without_code_there_is_none(self):
        assert weights_revision(object()) is None
        assert weights_revision(torch.nn.ReLU()) is None
        namespace = {"__name__": "nowhere"}
        exec("import torch\nclass Layer(torch.nn.Linear):\n    pass", namespace)
        assert weights_revision(namespace["Layer"](2, 2)) is None


def who(model):
    meta = identified(model, model.mteb_model_meta)
    return meta.name, meta.revision


def test_what_mteb_loads_by_its_name_keeps_the_revision_of_the_hub_and_what_an_author_named_is_that(
    minilm,
):
    assert who(mteb.get_model(minilm, device="cpu")) == (minilm, REVISION)
    model = PlantedModel(len, "me/mine", "3")
    model.layer = torch.nn.Linear(2, 2)
    assert who(model) == ("me/mine", "3")


def test_of_an_object_mteb_only_guesses_the_name(minilm):
    """Whatever was done to it since it was loaded; and of two names, one may be a title that many
    models have.
    """
    model = wrapped(minilm)
    # older versions ask the Hub
    assert model.mteb_model_meta.name in {minilm, ModelMeta.create_empty().name}
    before = who(model)[1]
    assert before.startswith("weights-")
    model.model[0].auto_model.embeddings.word_embeddings.weight.data[7, 0] += 1
    assert before != who(model)[1]


def test_a_folder_of_the_name_of_a_model(minilm, tmp_path, monkeypatch):
    """sentence-transformers takes the folder, also where mteb has loaded by name."""
    save_static(tmp_path / minilm, letters())
    monkeypatch.chdir(tmp_path)
    name, revision = who(mteb.get_model(minilm, device="cpu"))
    assert name == f"local/{minilm.split('/')[1]}"
    assert revision.startswith("weights-")
