"""A model's revision: another one for other files, weights, settings or code, and the Hub's own where it holds."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys

import mteb
import pytest
import torch
from mteb.models import SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling

from harness_ext.cli.demo import REVISION
from harness_ext.encoders.identity.fingerprint import weights_revision
from harness_ext.encoders.identity.revision import identified
from harness_ext.encoders.models.local_files import files_hash
from harness_ext.encoders.models.pooled import PooledTransformer


def wrapped(*args, **kwargs):
    return SentenceTransformerEncoderWrapper(SentenceTransformer(*args, device="cpu", **kwargs))


class TestFilesHash:
    def test_it_is_of_the_files_inside_but_hidden_ones_and_checkpoints_and_not_of_the_place(self, save_bert, tmp_path):
        folder = save_bert(tmp_path, 0) / "st"
        before = files_hash([folder])
        for name in (".cache", "checkpoint-500"):
            (folder / name).mkdir()
            (folder / name / "file").write_text("x")
        shutil.copytree(folder, tmp_path / "b" / "st")
        assert files_hash([folder]) == files_hash([tmp_path / "b" / "st"]) == before
        config = folder / "1_Pooling" / "config.json"
        config.write_text(config.read_text().replace("mean", "max"))
        assert files_hash([folder]) != before

    def test_two_files_that_change_places(self, tmp_path):
        for name, text in (("1", "a"), ("2", "b")):
            (tmp_path / name).mkdir()
            (tmp_path / name / "config.json").write_text(text)
        before = files_hash([tmp_path])
        (tmp_path / "1" / "config.json").write_text("b")
        (tmp_path / "2" / "config.json").write_text("a")
        assert files_hash([tmp_path]) != before

    def test_an_adapter_counts_with_the_model_that_it_is_put_on(self, tmp_path):
        (tmp_path / "base").mkdir()
        (tmp_path / "adapter").mkdir()
        (tmp_path / "base" / "model.safetensors").write_text("a")
        (tmp_path / "adapter" / "adapter_config.json").write_text(
            json.dumps({"base_model_name_or_path": str(tmp_path / "base")})
        )
        before = files_hash([tmp_path / "adapter"])
        (tmp_path / "base" / "model.safetensors").write_text("b")
        assert files_hash([tmp_path / "adapter"]) != before


class TestWeightsRevision:
    @pytest.fixture
    def folder(self, save_bert, tmp_path):
        return str(save_bert(tmp_path / "a", 0) / "st")

    def test_it_is_the_same_for_the_same_model(self, folder, tmp_path):
        shutil.copytree(folder, tmp_path / "elsewhere")
        model = wrapped(folder)
        first = weights_revision(model)
        model.model.encode(["a black box", "a box"], batch_size=1)
        assert first == weights_revision(model) == weights_revision(wrapped(str(tmp_path / "elsewhere")))

    @pytest.mark.parametrize(
        "change",
        [
            lambda model: model[0].auto_model.embeddings.word_embeddings.weight.data[7, 0].add_(1),
            lambda model: model.half(),
            lambda model: setattr(model, "max_seq_length", 5),
            lambda model: model.prompts.update(query="q: "),
            lambda model: setattr(model, "truncate_dim", 8),
            lambda model: model.append(Pooling(16, "max")),
            lambda model: model[0].tokenizer.add_tokens(["blackbox"]),
            lambda model: setattr(model[0].auto_model.config, "layer_norm_eps", 0.5),
        ],
        ids=["weight", "dtype", "length", "prompts", "dimensions", "pooling", "tokenizer", "configuration"],
    )
    def test_it_is_another_for_another_model(self, folder, change):
        model = wrapped(folder)
        before = weights_revision(model)
        change(model.model)
        assert weights_revision(model) != before

    def test_code_of_ones_own_counts(self, tmp_path):
        def load(pooling):
            file = tmp_path / "own_encoder.py"
            file.write_text(
                "import torch\n"
                "class Encoder(torch.nn.Module):\n"
                "    def __init__(self):\n"
                "        super().__init__()\n"
                "        self.layer = torch.nn.Linear(2, 2)\n"
                "        torch.nn.init.ones_(self.layer.weight)\n"
                "        torch.nn.init.ones_(self.layer.bias)\n"
                f"    def forward(self, states):\n        return states.{pooling}(dim=1)\n"
            )
            spec = importlib.util.spec_from_file_location("own_encoder", file)
            sys.modules["own_encoder"] = module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return weights_revision(module.Encoder())

        try:
            assert load("mean") == load("mean") != load("sum")
        finally:
            sys.modules.pop("own_encoder", None)

    def test_without_weights_or_without_code_there_is_none(self):
        assert weights_revision(object()) is None
        assert weights_revision(torch.nn.ReLU()) is None
        namespace = {"__name__": "nowhere"}
        exec("import torch\nclass Layer(torch.nn.Linear):\n    pass", namespace)
        assert weights_revision(namespace["Layer"](2, 2)) is None


class TestHub:
    """Models with a name and a revision of the Hub, as long as they are what these say."""

    @pytest.fixture
    def named(self, minilm):
        """The packaged encoder, where sentence-transformers knows without a network which model it loaded."""
        if SentenceTransformer(minilm, device="cpu").model_card_data.base_model is None:
            pytest.skip("this sentence-transformers asks the Hub for the name of a model that it has loaded")
        return minilm

    def who(self, model):
        meta = identified(model, model.mteb_model_meta)
        return meta.name, meta.revision

    def test_they_stay_as_they_are(self, named):
        half = mteb.get_model(named, device="cpu", model_kwargs={"torch_dtype": "float16"})  # mteb says so itself
        for model in (wrapped(named), mteb.get_model(named, device="cpu"), half):
            assert self.who(model) == (named, REVISION)
            assert self.who(model) == (named, REVISION)
        pooled = mteb.get_model(f"{named} (pooling=cls)", device="cpu")
        assert self.who(pooled) == (f"{named} (pooling=cls)", REVISION)
        assert self.who(mteb.get_model("mteb/baseline-random-encoder"))[0] == "mteb/baseline-random-encoder"

    def test_one_that_was_trained_before_it_is_first_seen(self, named):
        model = SentenceTransformer(named, device="cpu")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        prepare = getattr(model, "preprocess", None) or model.tokenize
        model(prepare(["a black box"]))["sentence_embedding"].sum().backward()
        optimizer.step()
        wrapper = SentenceTransformerEncoderWrapper(model)
        assert wrapper.mteb_model_meta.revision == REVISION  # what mteb would keep its results under
        name, revision = self.who(wrapper)
        assert name == named
        assert revision.startswith("weights-")

    @pytest.mark.parametrize(
        "load",
        [
            lambda name: wrapped(name, truncate_dim=64),
            lambda name: SentenceTransformerEncoderWrapper(SentenceTransformer(name, device="cpu").half()),
            lambda name: PooledTransformer(name, device="cpu", dtype="float16"),
        ],
        ids=["fewer dimensions", "lower precision", "pooled, lower precision"],
    )
    def test_what_the_name_does_not_say(self, minilm, load):
        assert self.who(load(minilm))[1].startswith("weights-")

    def test_a_folder_of_the_name_of_a_model(self, minilm, save_static, tmp_path, monkeypatch):
        """sentence-transformers takes the folder, also where mteb has loaded by name."""
        save_static(tmp_path / minilm, 0)
        monkeypatch.chdir(tmp_path)
        name, revision = self.who(mteb.get_model(minilm, device="cpu"))
        assert name == f"local/{minilm.split('/')[1]}"
        assert revision.startswith("weights-")

    def test_the_title_of_a_model_trained_from_one_is_no_name(self, minilm):
        model = SentenceTransformer(minilm, device="cpu")
        model.model_card_data.model_name = f"SentenceTransformer based on {minilm}"  # as sentence-transformers does
        assert self.who(SentenceTransformerEncoderWrapper(model))[1].startswith("weights-")
