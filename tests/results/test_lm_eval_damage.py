"""What is damaged in lm-eval's results or samples is named, and the rest is read."""

import json
import shutil

import pytest

from harness_ext.results.load import load_results
from harness_ext.store.item_files import ItemsError

from .scripted_output import N_PAIRS, OF_BOTH, PAIRS, TASKS, edited, entry_of, result_file, samples_file


def in_result(**changes):
    return lambda content: content["results"][PAIRS].update({f"{key},none": value for key, value in changes.items()})


DAMAGES = {
    "a main score that is null": (PAIRS, in_result(main_score=None)),
    "a main score that is not the score it is": (PAIRS, in_result(main_score=0.5)),
    "a main score that is not defined": (PAIRS, in_result(main_score=float("nan"))),
    "no number of documents": (PAIRS, lambda content: content["n-samples"].pop(PAIRS)),
    "no name of the model": ("", lambda content: content.pop("model_name")),
    "configs that are a list": ("", lambda content: content.update(configs=[])),
    "half a file": ("", None),
}
"""How a result can be wrong -> the task that it spoils, or all (empty), and what is done to the JSON."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_named_and_the_rest_is_read(output, damage):
    file, (task, change) = result_file(output), DAMAGES[damage]
    if change:
        edited(file, change)
    else:
        file.write_bytes(file.read_bytes()[:999])
    results = load_results(output)
    assert len(results.problems) == 1
    assert str(file) in results.problems[0]
    assert "\n" not in results.problems[0]
    expected = {"scripted/guesses": {*OF_BOTH}, "scripted/knows": {*TASKS} - {*([task] if task else TASKS)}}
    for model, tasks in expected.items():
        assert {entry.task for entry in results.entries if entry.model == model} == tasks


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
