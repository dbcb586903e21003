"""Global random states stay as they are wherever this package makes a task, which mteb seeds."""

import importlib
import multiprocessing
import random
import sys

import mteb
import numpy as np
import pytest
import torch

from harness_ext import CompositionalityEvaluator, load_results, measure, safe_to_merge
from harness_ext.common.random_states import random_states_kept
from harness_ext.deciding import jaccard
from harness_ext.harnesses.mteb import benchmarks
from harness_ext.harnesses.mteb.registration import task_named
from harness_ext.leaderboard.checks.rerun import _measured_again
from harness_ext.leaderboard.hub import eval_config
from harness_ext.tasks import MergeOppositesMini
from tests.planted import PlantedModel, bag_of_words, letters, vectors_of

MINI = "MergeOppositesMini"
ROWS = [
    {
        "sentence": f"She tried number {number} to break the ice.",
        "entailed": f"She tried number {number} to start the talk.",
        "not_entailed": f"She tried number {number} to smash the ice cube.",
    }
    for number in range(14)
]
encode = vectors_of(letters)


def seed():
    random.seed(1)
    np.random.seed(2)
    torch.manual_seed(3)


def draw():
    return random.random(), np.random.random(), torch.rand(1).item()


def make_a_task():
    task_named(MINI)


def make_a_task_of_another_project():
    task_named("STS12")


def measure_a_task_by_its_name():
    measure(encode, MINI)


def measure_a_task_by_its_class():
    measure(encode, MergeOppositesMini)


def measure_own_rows():
    measure(encode, ROWS, "idiom_paraphrase")


def are_near(first, second):
    return jaccard(first, second) >= 0.7


def decide_by_a_function():
    safe_to_merge(are_near)


def decide_by_an_encoder():
    safe_to_merge(encode)


def make_an_evaluator():
    CompositionalityEvaluator(MINI)


def write_an_eval_config():
    eval_config("merge_opposites")


PLACES = (
    make_a_task,
    make_a_task_of_another_project,
    measure_a_task_by_its_name,
    measure_a_task_by_its_class,
    measure_own_rows,
    decide_by_a_function,
    decide_by_an_encoder,
    make_an_evaluator,
    write_an_eval_config,
    pytest.param(benchmarks.register, marks=pytest.mark.slow),
)
"""Calls of every function of the package that makes a task."""


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("make", PLACES)
def test_they_stay_wherever_a_task_is_made(make):
    seed()
    expected = draw()
    seed()
    make()
    assert draw() == expected


@pytest.mark.usefixtures("without_baselines")
def test_they_stay_where_a_task_is_given_as_an_object():
    task = mteb.get_task(MINI)
    seed()
    expected = draw()
    seed()
    measure(encode, task)
    assert draw() == expected


@pytest.mark.usefixtures("without_baselines")
def test_they_stay_in_a_rerun(measured_folder):
    entry = load_results(measured_folder).entries[0]
    model = PlantedModel(bag_of_words(1), entry.model, entry.revision)
    seed()
    expected = draw()
    seed()
    _measured_again(model, entry)
    assert draw() == expected


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_a_study_of_noise_draws_anew_in_each_run():
    drawn = []

    def noisy(texts):
        noise = np.random.normal(size=(len(texts), 26))
        drawn.append(noise[0, 0])
        return encode(texts) + noise

    entries = [measure(noisy, MINI).entry for _ in range(3)]
    assert len({*drawn}) == len(drawn)
    assert len({entry["threshold_90"] for entry in entries}) == 3


def test_they_stay_if_the_block_raises():
    seed()
    expected = draw()
    seed()
    with pytest.raises(KeyError), random_states_kept():
        seed()
        raise KeyError
    assert draw() == expected


def use_the_package_for_the_first_time():
    """In a process whose random states must then be as they were."""
    for name in list(sys.modules):
        if name.partition(".")[0] in ("mteb", "harness_ext"):
            del sys.modules[name]
    finders = [finder for finder in sys.meta_path if "harness_ext" not in type(finder).__module__]
    sys.meta_path[:] = finders  # without the one that waits for the import of mteb
    package = importlib.import_module("harness_ext")
    assert "mteb" not in sys.modules
    seed()
    expected = draw()
    seed()
    assert package.measure
    assert "mteb" in sys.modules
    assert draw() == expected


@pytest.mark.slow
def test_the_first_use_of_the_package_changes_none_either():
    """The import of mteb seeds everything too. In a fork, which need not import what mteb needs."""
    process = multiprocessing.get_context("fork").Process(target=use_the_package_for_the_first_time)
    process.start()
    process.join()
    assert process.exitcode == 0
