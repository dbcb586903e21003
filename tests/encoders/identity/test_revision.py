"""Two models never share results, however they are named; one model finds its own again."""

from __future__ import annotations

import importlib.util
import json
import logging
import shutil
import sys

import mteb
import numpy as np
import pytest
import torch
from mteb.models import ModelMeta, SentenceTransformerEncoderWrapper
from mteb.models.abs_encoder import AbsEncoder
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Pooling, StaticEmbedding, Transformer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import WordLevelTrainer
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from harness_ext.cli.demo import REVISION
from harness_ext.encoders.identity.fingerprint import weights_revision
from harness_ext.encoders.identity.revision import identified
from harness_ext.encoders.models.local_files import files_hash
from harness_ext.encoders.models.pooled import PooledTransformer
from harness_ext.encoders.models.static import StaticVectors
from harness_ext.store.signature import Signature

TASK = "EpsilonCompositionalityMini"


@pytest.fixture(scope="module")
def words():
    """A tokenizer with all words of the small task."""
    task = mteb.get_task(TASK)
    task.load_data()
    tokenizer = Tokenizer(WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    trainer = WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False)
    rows = task.dataset["naturalistic"]
    texts = [*rows["sentence"], *(synonym["sentence"] for row in rows["words_syn"] for synonym in row)]
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


@pytest.fixture
def save_static(words):
    """Saves a sentence-transformers model of random word vectors."""

    def save(folder, seed):
        torch.manual_seed(seed)
        model = SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=16)], device="cpu")
        model.save(str(folder))
        return str(folder)

    return save


@pytest.fixture
def save_bert(words):
    """Saves a plain random BERT, and as a sentence-transformers model, in the folder's `plain` and `st`."""

    def save(folder, seed):
        torch.manual_seed(seed)
        config = BertConfig(vocab_size=words.get_vocab_size(), hidden_size=16, num_hidden_layers=4,
                            num_attention_heads=2, intermediate_size=16, max_position_embeddings=64)  # fmt: skip
        BertModel(config).save_pretrained(folder / "plain")
        named = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep")}
        fast = PreTrainedTokenizerFast(tokenizer_object=words, **named)
        special = [(token, words.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
        fast.backend_tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
        fast.save_pretrained(folder / "plain")
        modules = [Transformer(str(folder / "plain")), Pooling(16, "mean")]
        SentenceTransformer(modules=modules, device="cpu").save(str(folder / "st"))
        return folder

    return save


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


def wrapped(*args, **kwargs):
    return SentenceTransformerEncoderWrapper(SentenceTransformer(*args, device="cpu", **kwargs))


class TestThroughMteb:
    def test_static_vectors_in_two_files_of_one_name(self, words, results, tmp_path):
        for seed, folder in enumerate(("sa", "sb")):
            vectors = np.random.default_rng(seed).normal(size=(words.get_vocab_size(), 8))
            (tmp_path / folder).mkdir()
            lines = [
                f"{word} {' '.join(map(str, vector))}\n"
                for word, vector in zip(words.get_vocab(), vectors, strict=True)
            ]
            (tmp_path / folder / "vec.txt").write_text("".join(lines))
        results.assert_kept_apart(*[
            lambda folder=folder: StaticVectors(str(tmp_path / folder / "vec.txt")) for folder in ("sa", "sb")
        ])  # fmt: skip
        assert {file.parts[-3] for file in results.files} == {"local__vec.txt"}

    def test_pooled_transformers_in_two_folders_of_one_name(self, save_bert, results, tmp_path):
        folders = [str(save_bert(tmp_path / name, seed) / "plain") for seed, name in enumerate("ab")]
        results.assert_kept_apart(
            *[lambda folder=folder: PooledTransformer(folder, device="cpu") for folder in folders]
        )

    def test_sentence_transformers_objects(self, save_static, results, tmp_path):
        folders = [save_static(tmp_path / name / "ckpt", seed) for seed, name in enumerate("ab")]
        results.assert_kept_apart(*[
            lambda folder=folder: SentenceTransformer(folder, device="cpu") for folder in folders
        ])  # fmt: skip

    def test_a_model_of_the_name_of_a_folder(self, save_static, results, tmp_path, monkeypatch):
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

    @pytest.mark.slow
    def test_metadata_that_has_no_revision_before_the_model_is_loaded(self, save_bert, results, tmp_path, monkeypatch):
        for seed, name in enumerate("ab"):
            save_bert(tmp_path / name, seed)

        def meta(name):
            monkeypatch.chdir(tmp_path / name)
            return mteb.get_model_meta("plain (pooling=cls)", fetch_from_hf=True)

        alone = []
        for name in "abab":
            alone.append(mteb_score(meta(name)))
            assert results.measure(meta(name)) == alone[-1]
        assert len(set(alone)) == len(results.files) == 2

    def test_weights_changed_in_place_between_two_calls(self, save_static, results, tmp_path):
        model = SentenceTransformer(save_static(tmp_path / "ckpt", 0), device="cpu")
        first = results.measure(model)
        with torch.no_grad():
            model[0].embedding.weight.normal_()
        second = results.measure(model)
        assert first != second == mteb_score(model)
        assert len(results.files) == 2

    def test_weights_of_a_named_model_changed_in_place(self, results, words):
        class Named(AbsEncoder):
            def __init__(self):
                torch.manual_seed(0)
                self.vectors = torch.nn.Embedding(words.get_vocab_size(), 8)
                self.mteb_model_meta = ModelMeta.create_empty({"name": "me/mine", "revision": "3"})

            def encode(self, inputs, **kwargs):
                texts = [text for batch in inputs for text in batch["text"]]
                ids = [words.encode(text).ids for text in texts]
                return np.array([self.vectors(torch.tensor(row)).mean(dim=0).detach().numpy() for row in ids])

        model = Named()
        first = results.measure(model)
        before = model.vectors.weight.data.clone()
        model.vectors.weight.data += torch.randn_like(before)
        second = results.measure(model)
        assert first != second == mteb_score(model)
        model.vectors.weight.data.copy_(before)
        assert results.measure(model) == first
        names = {file.parts[-3] for file in results.files}
        revisions = {file.parts[-2] for file in results.files}
        assert names == {"me__mine"}
        assert revisions > {"3"}
        assert len(revisions) == 2

    def test_a_model_that_nothing_is_known_of_has_no_results_in_a_folder(self, results, caplog):
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
            record.getMessage() for record in caplog.records if record.name == "harness_ext.harnesses.mteb_results"
        )
        assert line == again
        assert line == (
            f"{TASK}: nothing distinguishes Unknown from other models (it has no name with a revision, and no "
            "accessible weights), so no cached result is read or written. Give its mteb_model_meta a name and a "
            "revision."
        )

    def test_predictions_of_two_models_are_not_mixed(self, save_static, results, tmp_path, caplog):
        for seed, name in enumerate("ab"):
            model = SentenceTransformer(save_static(tmp_path / name / "ckpt", seed), device="cpu")
            results.measure(model, prediction_folder=tmp_path)
        about = json.loads((tmp_path / f"{TASK}_predictions.json").read_text())["mteb_model_meta"]
        meta = identified(SentenceTransformerEncoderWrapper(model), ModelMeta.create_empty())
        assert about == {"model_name": "local/SentenceTransformer", "revision": meta.revision}
        assert "was another model's; it is replaced" in caplog.text

    def test_other_tasks_are_mtebs_business(self, save_static, tmp_path):
        from mteb.mocks.mock_tasks import MockSTSTask

        model = SentenceTransformer(save_static(tmp_path / "ckpt", 0), device="cpu")
        mteb.evaluate(model, MockSTSTask(), cache=mteb.ResultCache(tmp_path / "results"), co2_tracker=False)
        (file,) = (tmp_path / "results").rglob("MockSTSTask.json")
        assert file.parts[-3:-1] == ("no_model_name__available", "no_revision_available")


@pytest.mark.slow
def test_mteb_run_with_a_folder(run, save_static, tmp_path):
    """The literal command, in two folders with models of one name, into one folder of results."""
    command = ["mteb", "run", "-t", TASK, "--output-folder", "results"]
    scores = []
    for seed, name in enumerate("ab"):
        save_static(tmp_path / name / "model", seed)
        run(*command, "-m", f"{name}/model")
        (file,) = tmp_path.glob(f"results/results/local__model/{files_hash([tmp_path / name / 'model'])}/{TASK}.json")
        scores.append(json.loads(file.read_text())["scores"]["naturalistic"][0]["main_score"])
    assert scores == [mteb_score(mteb.get_model(str(tmp_path / name / "model"), device="cpu")) for name in "ab"]
    assert scores[0] != scores[1]
    again = run(*command, "-m", "a/model")
    assert "already exist" in again.stdout + again.stderr


@pytest.mark.slow
def test_finetuning_of_folders_of_one_name(run, save_static, tmp_path):
    """The literal command: neither the frozen scores nor the training of one model are taken for the other's."""
    command = ["harness-ext", "finetune-pss", "--task", "PolaritySensitivityMini", "--output-folder", "results"]
    command += ["--classifier", "linear", "--seeds", "1", "--max-epochs", "1"]
    for seed, name in enumerate("ab"):
        save_static(tmp_path / name / "model", seed)
        run(*command, "-m", f"{name}/model")
    revisions = {files_hash([tmp_path / name / "model"]) for name in "ab"}
    for place in ("results/results/local__model/*/PolaritySensitivityMini.json", "results/finetune/local__model/*/*/*"):
        assert {path.relative_to(tmp_path).parts[3] for path in tmp_path.glob(place)} == revisions


class TestFinetuning:
    def test_folders_of_one_name(self, save_static, tmp_path):
        from harness_ext.tasks.polarity_finetuning import load_model, trainable_encoder

        metas = []
        for seed, name in enumerate("ab"):
            model = load_model(save_static(tmp_path / name / "model", seed))
            assert trainable_encoder(model)
            metas.append(model.mteb_model_meta)
        assert {meta.name for meta in metas} == {"local/model"}
        assert [meta.revision for meta in metas] == [files_hash([tmp_path / name / "model"]) for name in "ab"]
        assert metas[0].revision != metas[1].revision


class TestFilesHash:
    def test_it_is_of_the_files_not_of_the_place(self, save_bert, tmp_path):
        folder = save_bert(tmp_path / "a", 0) / "st"
        shutil.copytree(folder, tmp_path / "b" / "st")
        assert files_hash([folder]) == files_hash([tmp_path / "b" / "st"])

    def test_files_inside_count(self, save_bert, tmp_path):
        folder = save_bert(tmp_path, 0) / "st"
        before = files_hash([folder])
        config = folder / "1_Pooling" / "config.json"
        config.write_text(config.read_text().replace("mean", "max"))
        assert files_hash([folder]) != before

    def test_hidden_files_and_checkpoints_inside_do_not(self, save_bert, tmp_path):
        folder = save_bert(tmp_path, 0) / "st"
        before = files_hash([folder])
        for name in (".cache", "checkpoint-500"):
            (folder / name).mkdir()
            (folder / name / "file").write_text("x")
        assert files_hash([folder]) == before

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
