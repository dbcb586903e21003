"""Global random states stay as they are wherever this package makes a task, which mteb seeds."""

import random
import subprocess
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


PLACES = {
    "task_named": lambda: task_named(MINI),
    "a task of another project": lambda: task_named("STS12"),
    "measure, a name": lambda: measure(encode, MINI),
    "measure, a class": lambda: measure(encode, MergeOppositesMini),
    "measure, own rows": lambda: measure(encode, ROWS, "idiom_paraphrase"),
    "safe_to_merge": lambda: safe_to_merge(lambda one, other: jaccard(one, other) >= 0.7),
    "safe_to_merge, an encoder": lambda: safe_to_merge(encode),
    "CompositionalityEvaluator": lambda: CompositionalityEvaluator(MINI),
    "eval_config": lambda: eval_config("merge_opposites"),
    "the benchmarks": benchmarks.register,
}
"""Where the package makes a task -> a call of it."""


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("place", PLACES)
def test_they_stay_wherever_a_task_is_made(place):
    seed()
    expected = draw()
    seed()
    PLACES[place]()
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


@pytest.mark.usefixtures("without_baselines")
def test_a_study_of_noise_draws_anew_in_each_run():
    drawn = []

    def noisy(texts):
        noise = np.random.normal(size=(len(texts), 26))
        drawn.append(noise[0, 0])
        return encode(texts) + noise

    scores = {measure(noisy, MINI).entry["threshold_90"] for _ in range(3)}
    assert len({*drawn}) == len(drawn)
    assert len(scores) == 3


def test_they_stay_if_the_block_raises():
    seed()
    expected = draw()
    seed()
    with pytest.raises(KeyError), random_states_kept():
        seed()
        raise KeyError
    assert draw() == expected


def test_the_first_use_of_the_package_changes_none_either():
    """The import of mteb seeds everything too."""
    code = (
        "import random, harness_ext, numpy\n"
        "random.seed(1), numpy.random.seed(2)\n"
        "harness_ext.measure\n"
        "assert 'mteb' in __import__('sys').modules\n"
        "assert random.random() == random.Random(1).random()\n"
        "assert numpy.random.rand() == numpy.random.RandomState(2).rand()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
