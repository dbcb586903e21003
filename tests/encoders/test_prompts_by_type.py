"""A model is run as its makers run it: its prompts and adapters are those of similarity, or it gets our instruction."""

from __future__ import annotations

import mteb
import pytest
from mteb.models import ModelMeta, SentenceTransformerEncoderWrapper
from mteb.models.abs_encoder import AbsEncoder
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

from harness_ext.encoders.identity.facts import prompt_of
from harness_ext.results.load import load_results
from harness_ext.store.signature import Signature
from tests.encoders.tiny_transformers import (
    BERT_LIKE,
    MODELS,
    fast,
    letters,
    save,
    save_pooled,
    save_static,
    small_bert,
)

pytestmark = pytest.mark.usefixtures("without_own_words")

TASKS = ("EpsilonCompositionalityMini", "MergeOppositesMini", "PolaritySensitivityMini")
PROMPTS = {"STS": "similar: ", "Compositionality": "parts: ", "query": "query: ", "document": "document: "}


class Watched(SentenceTransformerEncoderWrapper):
    """Keeps what it is asked with."""

    def encode(self, inputs, **asked):
        self.asked.append((asked["task_metadata"].type, asked["task_metadata"].prompt, asked.get("prompt_type")))
        return super().encode(inputs, **asked)


@pytest.fixture
def with_prompts(tmp_path):
    """A model of random word vectors in a folder, with prompts."""
    folder = save_static(tmp_path / "model", letters())
    return lambda prompts, **options: SentenceTransformer(folder, prompts=prompts, device="cpu", **options)


@pytest.mark.parametrize("name", TASKS)
def test_every_call_says_sts_and_the_task_stays_what_it_is(name, with_prompts):
    model = Watched(with_prompts(PROMPTS))
    model.asked = []
    task = mteb.get_task(name)
    mteb.evaluate(model, task, cache=None, show_progress_bar=False)
    assert set(model.asked) == {("STS", "Given a sentence, encode its semantic properties.", None)}
    assert task.metadata.type == mteb.get_task(name).metadata.type == "Compositionality"
    assert name in {each.metadata.name for each in mteb.get_tasks(task_types=["Compositionality"])}


def entry_of(model, folder=None, **options):
    """The result of the smallest task, whether computed or read from a folder."""
    cache = None if folder is None else mteb.ResultCache(folder)
    task = mteb.get_task("MergeOppositesMini")
    result = mteb.evaluate(model, task, cache=cache, encode_kwargs=options, show_progress_bar=False)
    (entry,) = result.task_results[0].scores["test"]
    return entry["main_score"], Signature.parse(entry["signature"])


@pytest.mark.slow
def test_a_saved_prompt_for_sts_is_taken_and_said(with_prompts):
    score, signature = entry_of(with_prompts(PROMPTS))
    assert signature.prompt == "similar: "
    assert score == entry_of(with_prompts({"all": "similar: "}, default_prompt_name="all"))[0]
    assert score != entry_of(with_prompts({}))[0]


def test_a_default_prompt_is_said(with_prompts):
    _, signature = entry_of(with_prompts({"all": "sum up | these: "}, default_prompt_name="all"))
    assert signature.prompt == "sum up | these: "
    assert entry_of(with_prompts({"all": "sum up: "}))[1].prompt == ""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda model, texts: model.encode(sentences=texts, prompt="of mine: "), "of mine: "),
        (lambda model, texts: model.encode(texts, "query"), "query: "),
        (lambda model, texts: model.encode([f"<{text}>" for text in texts]), "<…>"),
        (lambda model, texts: model.encode(texts, prompt_name="document", batch_size=4), "document: "),
    ],
)
def test_whatever_a_strangers_wrapper_puts_before_a_text_is_said(call, expected, with_prompts):
    class Wrapper(AbsEncoder):
        def encode(self, inputs, **_):
            return call(self.model, [text for batch in inputs for text in batch["text"]])

    model = Wrapper()
    model.model, model.mteb_model_meta = with_prompts(PROMPTS), ModelMeta.create_empty({"name": "a/b", "revision": "1"})
    assert prompt_of(model, mteb.get_task("MergeOppositesMini").metadata) == expected
    assert "encode" not in vars(model.model)


@pytest.mark.slow
def test_two_that_differ_in_an_option_share_no_result(with_prompts, tmp_path):
    whole, cut = {}, {"truncate_dim": 2}
    alone = {16: entry_of(with_prompts({}), **whole), 2: entry_of(with_prompts({}), **cut)}
    assert alone[16][0] != alone[2][0], "this test has shown nothing"
    for size, options in ((16, whole), (2, cut), (16, {"batch_size": 2}), (2, cut)):
        assert entry_of(with_prompts({}), tmp_path, **options) == alone[size]
    assert (alone[16][1].options, alone[2][1].options) == ("", "truncate_dim=2")
    assert len(list(tmp_path.rglob("MergeOppositesMini.json"))) == 2
    assert {name_and_options(entry) for entry in load_results(tmp_path).entries} == {
        (alone[16][1].model, ""),
        (f"{alone[16][1].model} [truncate_dim_2]", "truncate_dim=2"),
    }


def name_and_options(entry):
    return entry.model, entry.signature.options


def test_a_signature_without_options_is_read_and_written_as_before():
    line = "task:T|dataset:d@1|split:s|subset:en|measure:m-1|model:a/b|revision:1|level:sentence|prompt:|dtype:float32|"
    line += "backend:torch|mteb:2.26|sentence_transformers:6.2"
    assert str(Signature.parse(line)) == line
    other = Signature.parse(f"{line}|options:truncate_dim=64")
    assert other.options == "truncate_dim=64"
    assert Signature.parse(str(other)) == other != Signature.parse(line)


class Adapters(SentenceTransformer):
    """As the code of jina-embeddings-v3, which takes the name of an adapter."""

    adapters: list

    def encode(self, texts, task=None, **options):
        type(self).adapters.append(task)
        return super().encode(texts, **options)


@pytest.mark.slow
def test_models_of_mteb_by_name(tmp_path, monkeypatch):
    """Their wrappers, with small random weights; test_registry_walk.py has the others without weights."""
    config = small_bert(letters(), max_position_embeddings=512)
    folder = save_pooled(tmp_path / "pooled", save(tmp_path / "plain", config, fast(letters(), BERT_LIKE)))
    Adapters.adapters = []

    def tiny(_, *, prompts=None, **__):
        return Adapters(folder, prompts=prompts, device="cpu")

    said = {}
    for name in (
        "ai-forever/FRIDA",
        "jinaai/jina-embeddings-v3",
        "HIT-TMG/KaLM-embedding-multilingual-mini-instruct-v1",
    ):
        meta = mteb.get_model_meta(name)
        with monkeypatch.context() as patched:
            patched.setattr("sentence_transformers.SentenceTransformer", tiny)
            model = meta.loader(name, meta.revision, **meta.loader_kwargs)  # `load_model` wants their own packages
        model.mteb_model_meta = meta
        model.model.prompts |= model.model_prompts or {}
        said[name] = entry_of(model)[1].prompt
    assert said == {
        "ai-forever/FRIDA": "paraphrase: ",
        "jinaai/jina-embeddings-v3": "",  # before the text is nothing: similarity has an adapter
        "HIT-TMG/KaLM-embedding-multilingual-mini-instruct-v1": "",  # which has no instruction for similarity
    }
    assert set(Adapters.adapters) == {None, "text-matching"}


@pytest.mark.slow
def test_the_command_of_the_first_page_with_qwen3(run, tmp_path):
    """Small random weights under its name, in a cache of the Hub."""
    task = "EpsilonCompositionalityMini"
    name = "Qwen/Qwen3-Embedding-0.6B"
    config, tokenizer = (make() for make in MODELS["Qwen3"])
    config.max_position_embeddings = tokenizer.model_max_length = 512
    transformer = Transformer(save(tmp_path / "plain", config, tokenizer))
    modules = [transformer, Pooling(config.hidden_size, "lasttoken"), Normalize()]
    repository = tmp_path / "hub" / f"models--{name.replace('/', '--')}"
    revision = mteb.get_model_meta(name).revision
    SentenceTransformer(modules=modules, device="cpu").save(str(repository / "snapshots" / revision))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    run("mteb", "run", "-m", name, "-t", task, HF_HUB_CACHE=str(tmp_path / "hub"))
    (entry,) = load_results(tmp_path / "results").entries
    assert (entry.model, entry.revision, entry.task) == (name, revision, task)
    assert entry.signature.prompt == "Instruct: Given a sentence, encode its semantic properties.\nQuery:"
