"""Names: of models, tasks, splits, keys, files; and one's own modules and folders of our names."""

from pathlib import Path

import mteb
import pytest
from datasets import load_dataset
from mteb.models import ModelMeta

from tests.hostile.judge import harness_ext
from tests.hostile.planted_results import SECOND, TASK, Planted, main_score, sound

pytestmark = pytest.mark.hostile
COMMANDS = {
    "show without a folder": (("show",), ("results_dir",)),
    "compare with a model that there is not": (("compare", "OUT", "-m", SECOND, "-m", "no/model"), ("no/model",)),
    "ranks of one model": (("compare", "OUT", "-m", SECOND, "--ranks"), (SECOND, "two")),
    "compare by an axis that there is not": (("compare", "OUT", "--by", "colour"), ("colour", "class")),
    "explain of a key that there is not": (("explain", "auc_nc_vs_d"), ("auc_nc_vs_d", "auc_nc_vs_c")),
}

MODELS = {
    "a pooling that there is not": ("a/model (pooling=median)", ("median",)),
    "an empty pooling": ("a/model (pooling=)", ("pooling",)),
    "injected vectors that there are not": ("a/model (injected=/no/such.txt)", ("/no/such.txt",)),
    "states that there are not": ("a/model (lm_states=nonsense)", ("nonsense",)),
    "word vectors that are not here": ("stanfordnlp/glove.6B.300d", ("HARNESS_EXT_VECTORS",)),
}

DATASETS = {
    "a config that there is not": (lambda: load_dataset("ncimp", "xx"), ("xx",)),
    "a split that there is not": (lambda: load_dataset("compound_mini", split="tset"), ("tset",)),
    "a part of a split": (lambda: load_dataset("compound_mini", split="naturalistic[:10]"), ()),
}


RAW = pytest.mark.xfail(strict=True, reason="`datasets` names it, and those there are, in an exception of its own")


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_command(kind, tmp_path, judge):
    line, names = COMMANDS[kind]
    out = sound(tmp_path) if "OUT" in line else tmp_path
    judge(lambda: harness_ext(*(out if each == "OUT" else each for each in line)), None, *names)


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_with(kind, tmp_path, environment, judge):
    name, names = MODELS[kind]
    environment(HARNESS_EXT_VECTORS=None, GENSIM_DATA_DIR=str(tmp_path))
    judge(lambda: mteb.get_model(name), None, *names)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=RAW if names else ()) for kind, (_, names) in DATASETS.items()]
)
def test_a_dataset_with(kind, judge):
    load, names = DATASETS[kind]
    judge(load, lambda rows: len(rows) == 10, *names)


@pytest.mark.slow
def test_ones_own_folder_of_a_datasets_name(judge):
    """It wins, with a line; a task is measured on ours."""
    Path("ncimp").mkdir()
    Path("ncimp", "train.csv").write_text("a,b\n1,2\n")
    judge(lambda: load_dataset("ncimp")["train"][0], lambda row: row == {"a": 1, "b": 2}, "ncimp")


@pytest.mark.slow
def test_two_models_without_a_name(tmp_path, judge):
    """The second does not get the score of the first."""

    def scores(folder):
        models = [Planted(signs=sign) for sign in (False, True)]
        for model in models:
            model.mteb_model_meta = ModelMeta.create_empty()
        return [main_score(TASK, model, folder) for model in models]

    expected = scores(None)
    judge(lambda: scores(tmp_path), lambda found: found == expected, "Planted")


@pytest.mark.slow
def test_a_model_of_another_kind(judge):
    """A task of encoders, and a model that searches."""

    class Search:
        mteb_model_meta = Planted().mteb_model_meta

    judge(lambda: main_score(TASK, Search()), None, TASK, "Search")
