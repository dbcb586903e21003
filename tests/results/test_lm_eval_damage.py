"""What is damaged in lm-eval's results or samples is named, and the rest is read."""

from __future__ import annotations

import json
import shutil

import pytest

from harness_ext.results.load import load_results
from harness_ext.store.item_files import ItemsError

from .scripted_output import N_PAIRS, PAIRS, TASKS, edited, entry_of, result_file, samples_file
from .test_load import BYTES


def in_result(**changes):
    return lambda content: content["results"][PAIRS].update({f"{key},none": value for key, value in changes.items()})


DAMAGES = {
    "a main score that is null": in_result(main_score=None),
    "a main score that is not the score it is": in_result(main_score=0.5),
    "a main score that is not defined": in_result(main_score=float("nan")),
    "no number of documents": lambda content: content["n-samples"].pop(PAIRS),
}
"""How the JSON of a task can be wrong."""

WHOLE = {
    "no name of the model": lambda content: content.pop("model_name"),
    "configs that are a list": lambda content: content.update(configs=[]),
}
"""How it can be wrong for all tasks."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_task_is_named_and_the_rest_is_read(output, damage):
    file = result_file(output)
    edited(file, DAMAGES[damage])
    results = load_results(output)
    (problem,) = results.problems
    assert str(file) in problem
    assert {(entry.task, entry.model) for entry in results.entries} == {
        (task, f"scripted/{model}") for task in TASKS for model in ("knows", "guesses")
    } - {(PAIRS, "scripted/knows")}


@pytest.mark.parametrize("damage", [*WHOLE, "half a file", "a file in another encoding", "a hundred thousand brackets"])
def test_a_damaged_file_is_named_and_the_others_are_read(output, damage):
    file = result_file(output)
    if damage in WHOLE:
        edited(file, WHOLE[damage])
    else:
        file.write_bytes(BYTES[damage](file.read_bytes()))
    results = load_results(output)
    assert results.problems
    assert all(str(file) in problem and "\n" not in problem for problem in results.problems)
    assert {entry.model for entry in results.entries} == {"scripted/guesses"}


def other_row(change):
    def damage(lines):
        sample = json.loads(lines[0])
        return [json.dumps({**sample, "main_score": change(sample["main_score"])}), *lines[1:]]

    return damage


SAMPLES = {
    "a line that is cut": (lambda lines: [lines[0], lines[1][:40], *lines[2:]], "line 2"),
    "a last line that is not there": (lambda lines: lines[:-1], f"has {N_PAIRS - 1} samples, {N_PAIRS} expected"),
    "a text in the place of a number": (other_row(lambda row: [*row[:6], "?", *row[7:]]), "main_score is not in every"),
    "a name that no file can hold": (other_row(lambda row: ["\ud800", *row[1:]]), "line 1"),
}


@pytest.mark.parametrize("damage", SAMPLES)
def test_damaged_samples_are_named(output, damage):
    change, message = SAMPLES[damage]
    file = samples_file(output)
    file.write_text("\n".join(change(file.read_text().splitlines())))
    entry = entry_of(output)
    assert entry.main_score == 1
    with pytest.raises(ItemsError, match="samples_") as error:
        entry.items()
    assert str(file) in str(error.value)
    assert message in str(error.value)


def test_samples_of_another_run_are_not_taken_for_those_of_the_scores(output):
    shutil.copy(samples_file(output, model="guesses"), samples_file(output))
    with pytest.raises(ItemsError, match=r"samples_.* gives accuracy_NC 0\.\d+, results_.*\.json has 1: one of"):
        entry_of(output).items()
