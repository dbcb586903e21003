"""A model is run as its makers run it: its prompts and adapters are those of similarity, or it gets
our instruction.
"""

from __future__ import annotations

import mteb
import numpy as np
import pytest
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from sentence_transformers import SentenceTransformer

from harness_ext.encoders.identity.facts import prompt_of
from harness_ext.results.load import load_results
from harness_ext.store.signature import Signature
from tests.encoders.library_modules import Normalize, Pooling, Transformer
from tests.encoders.tiny_transformers import letters, made, save, save_static
from tests.planted import entries_of

pytestmark = pytest.mark.usefixtures("without_baselines")

TASK = "EpsilonCompositionalityMini"
PROMPTS = {
    "STS": "similar | these: ",
    "Compositionality": "parts: ",
    "query": "query: ",
    "document": "document: ",
}


@pytest.fixture
def with_prompts(tmp_path):
    """A model of random word vectors in a folder, with prompts."""
    folder = save_static(tmp_path / "model", letters())

    def model(prompts, **options):
        return SentenceTransformer(folder, prompts=prompts, device="cpu", **options)

    return model


def entry_of(model, folder=None, **options):
    """The score and the signature of a result, whether computed or read from a folder."""
    entries = entries_of(model, TASK, folder, encode_kwargs=options)
    (entry,) = entries.values()
    return entry["main_score"], Signature.parse(entry["signature"])


@pytest.mark.slow
def test_a_saved_prompt_for_sts_or_a_default_prompt_is_taken_and_said(with_prompts):
    score, signature = entry_of(with_prompts(PROMPTS))
    assert signature.prompt == "similar | these: "
    saved = {"all": signature.prompt}
    score_by_default, by_default = entry_of(with_prompts(saved, default_prompt_name="all"))
    assert score_by_default == score
    assert by_default.prompt == signature.prompt
    score_without, without = entry_of(with_prompts(saved, default_prompt_name=None))
    assert score_without != score
    assert without.prompt == ""
    tasks_of_our_type = mteb.get_tasks(task_types=["Compositionality"])
    assert TASK in {task.metadata.name for task in tasks_of_our_type}


def with_a_prompt(model, texts):
    return model.encode(sentences=texts, prompt="of mine: ")


def with_a_name_by_place(model, texts):
    return model.encode(texts, "query")


def with_a_name_by_keyword(model, texts):
    return model.encode(texts, prompt_name="document", batch_size=4)


def in_brackets(model, texts):
    return model.encode([f"<{text}>" for text in texts])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (with_a_prompt, "of mine: "),
        (with_a_name_by_place, "query: "),
        (in_brackets, "<…>"),
        (with_a_name_by_keyword, "document: "),
    ],
)
def test_whatever_a_strangers_wrapper_puts_before_a_text_is_said(call, expected, with_prompts):
    class Wrapper(AbsEncoder):
        def encode(self, inputs, **_):
            texts = []
            for batch in inputs:
                texts += batch["text"]
            return call(self.model, texts)

    model = Wrapper()
    model.model = with_prompts(PROMPTS)
    model.mteb_model_meta = ModelMeta.create_empty({"name": "a/b", "revision": "1"})
    assert prompt_of(model, mteb.get_task(TASK).metadata) == expected
    assert "encode" not in vars(model.model)


@pytest.mark.slow
def test_two_that_differ_in_an_option_share_no_result(with_prompts, tmp_path):
    def measured(folder=None, **options):
        return entry_of(with_prompts({}), folder, **options)

    whole = measured()
    cut = measured(truncate_dim=2)
    assert whole[0] != cut[0], "this test has shown nothing"
    assert measured(tmp_path) == whole
    assert measured(tmp_path, truncate_dim=2) == cut
    assert measured(tmp_path, batch_size=2) == whole
    assert measured(tmp_path, truncate_dim=2) == cut
    assert whole[1].options == ""
    assert cut[1].options == "truncate_dim=2"
    assert len(list(tmp_path.rglob(f"{TASK}.json"))) == 2
    entries = load_results(tmp_path).entries
    found = {entry.model: entry.signature.options for entry in entries}
    name = whole[1].model
    assert found == {name: "", f"{name} [truncate_dim_2]": "truncate_dim=2"}


def test_a_signature_without_options_is_read_and_written_as_before():
    line = "task:T|dataset:d@1|split:s|subset:en|measure:m-1|model:a/b|revision:1|level:sentence|prompt:|dtype:float32|"
    line += "backend:torch|mteb:2.26|sentence_transformers:6.2"
    assert str(Signature.parse(line)) == line
    other = Signature.parse(f"{line}|options:truncate_dim=64")
    assert other.options == "truncate_dim=64"
    assert other != Signature.parse(line)
    assert Signature.parse(str(other)) == other


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("unverified_mirror")
def test_the_command_of_the_first_page_with_qwen3(run, tmp_path):
    """Small random weights under its name, in a cache of the Hub."""
    name = "Qwen/Qwen3-Embedding-0.6B"
    config, tokenizer = made("Qwen3")
    config.max_position_embeddings = tokenizer.model_max_length = 512
    modules = [
        Transformer(save(tmp_path / "plain", config, tokenizer)),
        Pooling(config.hidden_size, "lasttoken"),
        Normalize(),
    ]
    repository = tmp_path / "hub" / f"models--{name.replace('/', '--')}"
    revision = mteb.get_model_meta(name).revision
    model = SentenceTransformer(modules=modules, device="cpu")
    model.save(str(repository / "snapshots" / revision))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    run(
        "mteb",
        "run",
        "-m",
        name,
        "-t",
        "EpsilonCompositionality",
        HF_HUB_CACHE=str(tmp_path / "hub"),
    )
    (entry,) = load_results(tmp_path / "results").entries
    assert entry.model == name
    assert entry.revision == revision
    assert entry.task == "EpsilonCompositionality"
    instruction = "Instruct: Given a sentence, encode its semantic properties.\nQuery:"
    assert entry.signature.prompt == instruction
    assert np.isfinite(entry.main_score)
