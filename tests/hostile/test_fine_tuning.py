"""Fine-tuning over what an earlier one left, with other settings or models: right are the scores of an untouched run.

`tests/tasks/test_polarity_finetuning.py` has damaged trainings and checkpoints, and options that are refused.
"""

import functools
import shutil
import tempfile
from pathlib import Path

import pytest
import torch
from sentence_transformers import SentenceTransformer

from harness_ext.harnesses.polarity_finetuning import finetune_pss, load_model
from tests.hostile.planted_models import tiny_model

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
TASK = "PolaritySensitivityMini"
SPLIT = "mini_limit_80"


def tune(out, model=None, **options):
    """Fine-tune one linear classifier for one epoch; the entry of the result file."""
    settings = {"task_name": TASK, "split": SPLIT, "seeds": (0,), "max_epochs": 1, "classifiers": ["linear"], **options}
    result = finetune_pss(load_model(str(tiny_model())) if model is None else model, out, **settings)
    ((entry,),) = result.scores.values()
    return dict(entry)


@functools.cache
def template():
    folder = tempfile.TemporaryDirectory()
    return folder, tune(Path(folder.name))


@pytest.fixture
def finished(tmp_path):
    """A folder with a finished fine-tuning, and its entry."""
    folder, entry = template()
    shutil.copytree(folder.name, tmp_path / "out")
    return tmp_path / "out", entry


def same(expected):
    """Whether what was found is what was to be expected, of both protocols."""
    return lambda found: all(found.get(key) == expected[key] for key in expected if key.startswith(("ft_", "fb_")))


def test_another_classifier_with_other_epochs(finished, tmp_path, judge):
    """What the one was trained with is not said of the other."""
    out, expected = finished
    alone = tune(tmp_path / "alone", classifiers=["dnn"], max_epochs=2)
    own = {key: value for key, value in alone.items() if key.startswith("ft_dnn")}
    judge(lambda: tune(out, classifiers=["dnn"], max_epochs=2), same(expected | own), "ft_", folder=out)


def test_fewer_seeds_than_before(tmp_path, judge):
    """Nothing of the earlier ones stays."""
    expected = tune(tmp_path / "out")
    tune(tmp_path / "out", seeds=(0, 1))

    def right(found):
        ours, theirs = ({key for key in entry if key.startswith("ft_")} for entry in (found, expected))
        return same(expected)(found) and ours == theirs

    judge(lambda: tune(tmp_path / "out"), right, "ft_")


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_bytes(file.read_bytes()[:100])])
def test_items_removed_or_cut(damage, finished, judge):
    out, expected = finished
    for file in out.glob("results/*/*/*.items.parquet"):
        damage(file)
    judge(lambda: tune(out), same(expected), TASK, folder=out)


def test_items_switched_off(tmp_path, environment, judge):
    environment(HARNESS_EXT_ITEMS="0")
    judge(lambda: tune(tmp_path / "out"), lambda found: "ft_linear_pss" in found, "HARNESS_EXT_ITEMS")


def test_another_model_in_a_folder_of_the_same_name(finished, tmp_path, judge):
    """Its result is its own, not that of the first."""
    out, _ = finished
    other = SentenceTransformer(str(tiny_model()), device="cpu")
    with torch.no_grad():
        for weight in other.parameters():
            weight.copy_(torch.randn(weight.shape, generator=torch.Generator().manual_seed(1)))
    other.save(str(tmp_path / tiny_model().name))
    model = load_model(str(tmp_path / tiny_model().name))
    alone = tune(tmp_path / "alone", model)
    judge(lambda: tune(out, model), same(alone), "tiny", folder=out)


def test_a_damaged_result_of_the_frozen_encoder(finished, judge):
    out, expected = finished
    (file,) = out.glob(f"results/*/*/{TASK}.json")
    file.write_bytes(file.read_bytes()[:500])
    judge(lambda: tune(out), same(expected), file.name)
