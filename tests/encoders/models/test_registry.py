"""The papers' models by name, offline: metadata, and the page about them."""

import csv
import re
import shlex
from importlib.resources import files
from pathlib import Path

import mteb
import pytest
from mteb.cli.build_cli import build_cli
from mteb.models.model_implementations import MODEL_REGISTRY

from harness_ext.encoders.models import registry
from harness_ext.encoders.models.reference import ENCODERS
from harness_ext.encoders.models.registry import MODELS
from harness_ext.harnesses.mteb import registration
from harness_ext.tasks.papers import PAPER_MODELS, published_as

DOCS = Path(__file__).parents[3] / "docs"
PAGES = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("models.md", "paper_models.md"))
NAMES = sorted({model.name for models in PAPER_MODELS.values() for model in models})


@pytest.mark.parametrize("name", NAMES)
def test_every_model_of_the_papers_has_metadata_offline(name):
    # a file of vectors may be any
    meta = registry.meta_of(name) if "(" in name and "FILE" in name else mteb.get_model_meta(name)
    assert meta.name == name
    assert meta.loader is not None


@pytest.mark.parametrize("command", re.findall(r"`(mteb run .+?)`|^    (mteb run .+)$", PAGES, re.MULTILINE))
def test_every_command_of_the_page_resolves(command):
    arguments = build_cli().parse_args(shlex.split("".join(command))[1:])
    assert mteb.get_model_meta(arguments.model, fetch_from_hf=True).loader is not None
    tasks = mteb.get_tasks(tasks=arguments.tasks, languages=arguments.languages)
    assert [task.metadata.name for task in tasks] == arguments.tasks
    if arguments.languages:
        assert all(len(task.hf_subsets) == 1 < len(task.metadata.hf_subsets) for task in tasks)


def test_every_model_that_the_published_tables_name_by_its_checkpoint_has_metadata():
    tables = [
        path
        for path in (files("harness_ext.results") / "published").iterdir()
        if path.name.endswith(".csv") and path.name != "IdiomRetrieval.csv"
    ]
    lines = [line for path in tables for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines())]
    names = {line["model"] for line in lines if "/" in line.get("model", "")}
    assert len(names) >= 14
    assert names <= set(NAMES)


def test_every_model_of_ours_is_one_of_the_papers_but_for_the_other_sizes_of_glove_and_the_reference_encoders():
    other_sizes = {f"stanfordnlp/glove.6B.{size}d" for size in (50, 100, 200)}
    know_nothing = {f"compositionality/{name}" for name in ENCODERS}
    assert {meta.name for meta in MODELS} - set(NAMES) == other_sizes | know_nothing
    assert len({meta.name for meta in MODELS}) == len(MODELS)


@pytest.mark.parametrize("meta", MODELS, ids=lambda meta: meta.name)
def test_metadata_is_complete(meta):
    unknown = {field for field, value in meta if value is None}
    may_be_unknown = {"public_training_code", "public_training_data", "revision"}
    unused = {
        "adapted_from",
        "contacts",
        "experiment_kwargs",
        "extra_requirements_groups",
        "n_active_parameters_override",
        "output_dtypes",
        "superseded_by",
    }
    if "Llama-2" in meta.name:
        may_be_unknown |= {"training_datasets"}
    if "universal-sentence-encoder" in meta.name or "brwac" in meta.name:
        may_be_unknown |= {"n_embedding_parameters"}
    if "universal-sentence-encoder-large" in meta.name or "brwac" in meta.name:
        may_be_unknown |= {"n_parameters", "memory_usage_mb"}
    if meta.loader is registry.reference_encoder:  # a few lines of this package, of no language and no paper
        may_be_unknown |= {"languages", "release_date", "license", "reference", "citation"}
    assert unknown <= may_be_unknown | unused
    assert mteb.get_model_meta(meta.name) is meta
    assert "/" not in meta.model_name_as_path()


@pytest.mark.parametrize(
    ("model", "task", "subset", "label"),
    [
        ("allenai/elmo-original", "NounCompoundAffinity", "en", ["ELMo"]),
        ("allenai/elmo-original", "NounCompoundAffinity", "pt", []),
        ("allenai/elmo-portuguese-brwac", "TypeTokenIdiomaticity", "pt", ["ELMo"]),
        ("allenai/elmo-original (layer_pooling=concatenate)", "TreeReconstruction", "default", ["ELMo"]),
        ("allenai/elmo-original", "TreeReconstruction", "default", []),
        ("google/universal-sentence-encoder-4", "PolaritySensitivity", "default", ["USE DAN"]),
        ("google/universal-sentence-encoder-large-5", "TreeReconstruction", "default", ["USE Transformer"]),
        ("google/universal-sentence-encoder-4", "MontagueConsistency", "default", []),
        (
            "google-bert/bert-base-uncased (pooling=mean_last4_words, injected=bertram_en.txt)",
            "TypeTokenIdiomaticity",
            "en",
            ["BERTRAM"],
        ),
        ("my/model", "TypeTokenIdiomaticity", "en", []),
    ],
)
def test_what_the_papers_call_a_model(model, task, subset, label):
    assert published_as(model, task, subset) == [model, *label]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a/b (pooling=cls)", {"pooling": "cls"}),
        ("a/b (injected=/x/v, 2.txt)", {"injected": "/x/v, 2.txt"}),
        ("a/b (pooling=cls, injected=v.txt)", {"pooling": "cls", "injected": "v.txt"}),
        ("a/b (layer=6)", {"layer": 6}),
        ("a/b (pooling=cls, layer=12)", {"pooling": "cls", "layer": 12}),
        ("a/b (pooling=cls, layer=0, injected=v.txt)", {"pooling": "cls", "layer": 0, "injected": "v.txt"}),
        ("a/b", None),
        ("a/b ()", None),
        ("allenai/elmo-original (layer_pooling=concatenate)", None),
    ],
)
def test_options_in_names(name, options):
    meta = registry.meta_of(name)
    assert (meta.loader_kwargs if meta else None) == options


def test_what_mteb_has_metadata_of_stays_as_it_is(monkeypatch):
    name = "sentence-transformers/LaBSE"
    before = MODEL_REGISTRY[name]
    monkeypatch.setattr(registry, "MODELS", (MODELS[0].model_copy(update={"name": name}),))
    registration._register_models()
    assert MODEL_REGISTRY[name] is before
