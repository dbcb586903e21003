"""The public names of 1.0, written down here and in the tables beside this file: all answer.

- `public_names.csv`: commands with their options, tasks, datasets with their configs, and models.
- `public_score_keys.csv`: the keys of all scores, by measure, in the order of files.
- `public_score_attributes.csv`: what `measured.scores` has as attributes, with the shapes of
  arrays (`2x3`) and the keys of their values in order.

A name that is only added needs no line here before it is promised.
"""

from __future__ import annotations

import csv
import math
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import datasets
import mteb
import numpy as np
import pytest
import typer.main
from lm_eval.tasks import TaskManager

import harness_ext
from harness_ext import measure
from harness_ext.cli import app
from harness_ext.common.folders import lm_eval_tasks
from harness_ext.tasks import ENCODER_MEASURES, ENCODER_TASKS, LANGUAGE_MODEL_MEASURES
from tests.planted import letters, vectors_of

HERE = Path(__file__).parent

OFFERED = {
    "Comparisons",
    "CompositionalityEvaluator",
    "Entry",
    "MergeDecision",
    "Measured",
    "Results",
    "compare",
    "load_results",
    "measure",
    "plot",
    "read_result",
    "safe_to_merge",
}
"""What `harness_ext.__all__` names."""

VARIABLES = {
    "HARNESS_EXT_ADDITIVE",
    "HARNESS_EXT_ALLOW_UNVERIFIED",
    "HARNESS_EXT_API_KEY",
    "HARNESS_EXT_AUTOLOAD",
    "HARNESS_EXT_CACHE",
    "HARNESS_EXT_ELMO",
    "HARNESS_EXT_ITEMS",
    "HARNESS_EXT_MIRROR",
    "HARNESS_EXT_NOISE",
    "HARNESS_EXT_USE",
    "HARNESS_EXT_VECTORS",
}
"""Variables of the environment."""

BENCHMARKS = (
    pytest.param("Compositionality", marks=pytest.mark.slow),  # mteb imports all of its own
    "CompositionalityMini",
)

NOUNS = ("dog", "cat", "horse", "bird", "boy", "girl", "nurse", "pilot", "baker", "clerk", "judge")


def table(name):
    """The rows of a table beside this file."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def names(kind):
    """The names of a kind, with their parts: options of a command, configs of a dataset."""
    parts = defaultdict(list)
    for row in table("public_names.csv"):
        if row["kind"] == kind:
            parts[row["name"]].append(row["part"])
    return parts


def keys_by_measure():
    """The keys of each measure, in order."""
    keys = defaultdict(list)
    for row in table("public_score_keys.csv"):
        keys[row["measure"]].append(row["key"])
    return keys


class Attribute(NamedTuple):
    """What an attribute of `measured.scores` is: an array, or one number of shape ()."""

    shape: tuple[int, ...]
    keys: list[str]


def attributes_by_measure():
    """The attributes of `measured.scores`: of each measure, by their names."""
    attributes = defaultdict(dict)
    for row in table("public_score_attributes.csv"):
        lengths = filter(None, row["shape"].split("x"))
        attribute = Attribute(tuple(map(int, lengths)), row["keys"].split())
        attributes[row["measure"]][row["attribute"]] = attribute
    return attributes


KEYS = keys_by_measure()
ATTRIBUTES = attributes_by_measure()


def test_what_the_package_offers():
    assert {*harness_ext.__all__} >= OFFERED
    for name in OFFERED:
        assert getattr(harness_ext, name)


def command_of(path):
    """The command of these words."""
    command = typer.main.get_command(app)
    for word in path.split()[1:]:
        command = command.commands[word]
    return command


@pytest.mark.parametrize("path", names("command"))
def test_a_command(path):
    assert command_of(path).name == path.split()[-1]


@pytest.mark.parametrize(("path", "options"), names("option").items())
def test_the_options_of_a_command(path, options):
    answered = set()
    for parameter in command_of(path).params:
        answered |= {*parameter.opts, *parameter.secondary_opts}
    assert not {*options} - answered


def test_tasks_for_encoders():
    for name in names("task"):
        assert mteb.get_task(name).metadata.name == name
        assert getattr(harness_ext.tasks, name).metadata.name == name


def test_tasks_for_language_models():
    manager = TaskManager(include_path=str(lm_eval_tasks()), include_defaults=False)
    assert not names("lm-eval task").keys() - {*manager.all_tasks}
    assert not names("lm-eval group").keys() - {*manager.all_groups}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark(name):
    assert len(mteb.get_benchmark(name).tasks) > 10


@pytest.mark.parametrize(("name", "configs"), names("dataset").items())
def test_the_configs_of_a_dataset(name, configs):
    assert not {*configs} - {*datasets.get_dataset_config_names(name)}


def test_models():
    known = {str(meta.name) for meta in mteb.get_model_metas()}
    assert not names("model").keys() - known


def test_variables_are_read_and_explained():
    read = set()
    for path in (HERE.parent / "harness_ext").rglob("*.py"):
        read |= {*re.findall(r"HARNESS_EXT_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8"))}
    assert not VARIABLES - read
    tasks = (HERE.parent / "docs" / "tasks.md").read_text(encoding="utf-8")
    assert not {name for name in VARIABLES if f"`{name}`" not in tasks}


@pytest.mark.parametrize("name", KEYS)
def test_the_keys_of_a_measure(name):
    """Each is declared, and in the order of 1.0."""
    measures = {**ENCODER_MEASURES, **LANGUAGE_MODEL_MEASURES}
    declared = [key for key in measures[name].declarations if key in KEYS[name]]
    assert declared == KEYS[name]


def own_rows():
    """A user's own rows, by measure: of the four kinds, which no task has."""
    triplets = []
    rated_pairs = []
    pair_classes = []
    retrieval = []
    for number, noun in enumerate(NOUNS):
        call = f"Call the {noun}."
        ring = f"Ring up that {noun}."
        feed = f"Feed the {noun} now."
        give = f"Give the {noun} food."
        triplets.append({"anchor": call, "right": ring, "wrong": feed})
        rated_pairs.append({"sentence1": call, "sentence2": ring, "score": 5 - number % 3})
        rated_pairs.append({"sentence1": call, "sentence2": feed, "score": number % 4})
        pair_classes.append({"first": call, "second": ring, "class": "same", "group": noun})
        pair_classes.append({"first": call, "second": feed, "class": "another", "group": noun})
        senses = {call: "call", ring: "call", feed: "feed", give: "feed"}
        for text, sense in senses.items():
            row = {"text": text, "is_query": text in (call, give)}
            retrieval.append({**row, "group": noun, "sense": sense})
    return {
        "triplets": triplets,
        "rated_pairs": rated_pairs,
        "pair_classes": pair_classes,
        "retrieval": retrieval,
    }


SMALL = {task.measure.name: name for name, task in ENCODER_TASKS.items() if task.quick}
"""Measure -> its task on data written for this project."""

PAPERS = {
    "expression_paraphrase": ("CompoundParaphrase", "pt"),
    "type_token": ("TypeTokenIdiomaticity", "pt"),
    "idiom_retrieval": ("IdiomRetrieval", "default"),
    "negation_importance": ("NegationImportance", "zh"),
    "token_idiomaticity": ("TokenIdiomaticity", "it"),
}
"""Measure -> a task on a paper's data, and a subset: of the measures without small data."""

NOT_DEFINED = {
    "affinity": "forced_choice_nc",
    "scaled_similarity": "contrast_syn",
    "polarity": "ft_epochs",
}
"""Measure -> an array with NaN, of an encoder without fine-tuning and vectors inside sentences."""


def assert_answers_as_in_1_0(measured, name):
    """What a caller of `measure` could ask `measured.scores` in 1.0."""
    scores = measured.scores
    flat = scores.flat()
    assert flat
    assert not any(map(math.isnan, flat.values()))
    of_1_0 = [key for key in flat if key in KEYS[name]]
    assert of_1_0 == [key for key in KEYS[name] if key in flat]
    frame = scores.to_pandas()
    assert frame["value"].to_dict() == pytest.approx(flat)
    assert [*frame.columns] == ["value", "chance", "better", "range", "title", "source"]
    assert frame.index.name == "score"
    assert measured.main in scores._repr_html_()
    for attribute, promised in ATTRIBUTES[name].items():
        value = np.asarray(getattr(scores, attribute), dtype=float)
        assert value.shape == promised.shape, attribute
        expected = [flat.get(key, math.nan) for key in promised.keys]
        np.testing.assert_array_equal(value.ravel(), expected, err_msg=attribute)


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name == "montague" else name for name in SMALL],
)
def test_what_the_scores_of_a_small_task_answer(name):
    measured = measure(vectors_of(letters), SMALL[name])
    assert_answers_as_in_1_0(measured, name)
    if name in NOT_DEFINED:
        values = getattr(measured.scores, NOT_DEFINED[name])
        assert np.isnan(values).any()


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("name", own_rows())
def test_what_the_scores_of_own_rows_answer(name):
    measured = measure(vectors_of(letters), own_rows()[name], name)
    assert_answers_as_in_1_0(measured, name)


@pytest.mark.usefixtures("without_baselines")
def test_a_number_that_is_not_defined_is_nan():
    """Of rows of one kind, there is no difference between the kinds."""
    rows = []
    for number, noun in enumerate(NOUNS):
        pair = {"sentence1": f"Call the {noun}.", "sentence2": f"Ring that {noun}."}
        rows.append({**pair, "similarity": number % 5, "kind": "adversarial"})
    measured = measure(vectors_of(letters), rows, "role_swap")
    assert_answers_as_in_1_0(measured, "role_swap")
    assert not math.isnan(measured.scores.spearman_adversarial)
    assert math.isnan(measured.scores.spearman_difference)
    assert "spearman_difference" not in measured.scores.flat()


@pytest.mark.real_data
@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines", "mirror")
@pytest.mark.parametrize("name", PAPERS)
def test_what_the_scores_of_a_papers_data_answer(name):
    task, subset = PAPERS[name]
    measured = measure(vectors_of(letters), task, subset=subset)
    assert_answers_as_in_1_0(measured, name)


def test_every_measure_of_encoders_is_asked():
    asked = {*SMALL, *own_rows(), *PAPERS}
    assert ATTRIBUTES.keys() == asked
