"""Fine-tuning with damaged checkpoints, other settings, unfit models: right are the scores of an untouched run."""

import functools
import json
import shutil
import tempfile
from pathlib import Path

import pytest
import torch
from sentence_transformers import SentenceTransformer

from harness_ext.harnesses.polarity_finetuning import finetune_pss, load_model
from tests.hostile.judge import harness_ext
from tests.hostile.planted_models import tiny_model
from tests.hostile.planted_results import Planted

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


DONE = {
    "cut in half": lambda whole: whole[: len(whole) // 2],
    "a list": lambda whole: b"[]",
    "without labels": lambda whole: b'{"epochs": 1.0}',
    "of too few labels": lambda whole: json.dumps({"epochs": 1.0, "labels": [0, 1]}).encode(),
    "of labels that there are not": lambda whole: whole.replace(b"1,", b"7,"),
    "in UTF-16": lambda whole: whole.decode().encode("utf-16"),
}


@pytest.mark.parametrize("kind", DONE)
def test_a_finished_training_that_is(kind, finished, judge):
    """It is trained anew, and that is said."""
    out, expected = finished
    (file,) = out.glob("finetune/**/linear-seed0.json")
    file.write_bytes(DONE[kind](file.read_bytes()))
    judge(lambda: tune(out), same(expected), file.name, folder=out)


CHECKPOINTS = {
    "that is an empty folder": lambda checkpoint: None,
    "of damaged files": lambda checkpoint: [
        (checkpoint / name).write_bytes(b"\x00{" * 50)
        for name in ("model.safetensors", "optimizer.pt", "scheduler.pt", "trainer_state.json", "rng_state.pth")
    ],
    "with a state of no epochs": lambda checkpoint: (checkpoint / "trainer_state.json").write_text("{}"),
}


@pytest.mark.parametrize("kind", CHECKPOINTS)
def test_a_checkpoint(kind, finished, judge):
    out, expected = finished
    (file,) = out.glob("finetune/**/linear-seed0.json")
    file.unlink()
    checkpoint = file.with_suffix("") / "checkpoint-3"
    checkpoint.mkdir(parents=True)
    CHECKPOINTS[kind](checkpoint)
    judge(lambda: tune(out), same(expected), checkpoint.name, folder=out)


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


OPTIONS = {
    "a task that there is not": ({"task_name": "PolaritySensitivityMaxi"}, ("PolaritySensitivityMaxi",)),
    "a task of mteb": ({"task_name": "STS12", "split": None}, ("STS12",)),
    "a split that there is not": ({"split": "test"}, ("test", "mini")),
    "a classifier that there is not": ({"classifiers": ["tree"]}, ("tree",)),
    "no seeds": ({"seeds": ()}, ("seed",)),
    "no epochs": ({"max_epochs": 0}, ("epoch",)),
    "a batch of no sentences": ({"batch_size": 0}, ("batch",)),
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_options(kind, tmp_path, judge):
    options, names = OPTIONS[kind]
    judge(lambda: tune(tmp_path / "out", **options), None, *names)


COMMANDS = {
    "a model that there is not": (("-m", "no/such-model"), ("no/such-model",)),
    "a classifier that there is not": (("-m", "x", "--classifier", "tree"), ("tree", "linear")),
    "no seeds": (("-m", "x", "--seeds", "0"), ("--seeds",)),
    "a split that there is not": (("-m", "MODEL", "--task", TASK, "--split", "test"), ("test",)),
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_command_with(kind, judge):
    arguments, names = COMMANDS[kind]
    line = (str(tiny_model()) if each == "MODEL" else each for each in arguments)
    judge(lambda: harness_ext("finetune-pss", *line), None, *names)


def test_a_model_without_weights(tmp_path, judge):
    judge(lambda: tune(tmp_path / "out", Planted(name="planted/none")), None, "planted/none")
