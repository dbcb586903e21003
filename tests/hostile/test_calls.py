"""Calls of the functions with what people pass in the place of what is asked for."""

import copy
import json

import pytest

from harness_ext import measure
from harness_ext.results.load import load_results
from tests.hostile.judge import command
from tests.hostile.planted_results import FIRST, SECOND, TASK, Planted, sound
from tests.planted import bag_of_words, entries_of, vectors_of

pytestmark = [pytest.mark.hostile, pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]


@pytest.mark.parametrize("names", [{"models": FIRST}, {"models": FIRST, "tasks": TASK}])
def test_a_string_is_one_name(names, tmp_path, judge):
    out = sound(tmp_path)
    judge(lambda: [entry.model for entry in load_results(out, **names).entries], lambda found: found == [FIRST])


@pytest.mark.parametrize("names", [{"models": f"{FIRST} {SECOND}"}, {"models": "planted"}, {"tasks": TASK[:-4]}])
def test_a_string_is_the_whole_name(names, tmp_path, judge):
    out = sound(tmp_path)
    judge(lambda: load_results(out, **names), None, *names.values())


def test_a_result_and_its_copy(judge):
    found, other = (measure(vectors_of(bag_of_words(seed)), TASK) for seed in (1, 2))
    judge(lambda: (found == copy.deepcopy(found), found == other), lambda equal: equal == (True, False))


@pytest.mark.parametrize("splits", [["mini"], ["mini", "mini_limit_80"]])
def test_the_seconds_of_a_run_are_counted_once(splits, tmp_path, judge):
    """mteb saves a run after every subset and once more at its end; counted twice, the seconds were twice as many."""
    import mteb

    seconds = 0.0
    for n in range(len(splits)):
        task = mteb.get_task("PolaritySensitivityMini", eval_splits=splits[: n + 1])
        entries_of(Planted(name=FIRST), task, tmp_path)
        (file,) = tmp_path.rglob("PolaritySensitivityMini.json")
        content = json.loads(file.read_text())
        seconds += max(phase["end"] for phase in content["evaluation_phases"])  # as mteb, of the last run alone
    phases = [(phase["name"], phase["split"], phase["subset"]) for phase in content["evaluation_phases"]]
    measured = [phase for phase in phases if phase[0] == "Measuring"]
    judge(lambda: content["evaluation_time"], lambda found: seconds / 1.7 < found < 1.7 * seconds)
    assert len({*measured}) == len(measured) == 1


def test_a_score_that_is_not_defined_for_want_of_documents(judge):
    line = ["lm-eval", "run", "--tasks", "polarity_sensitivity_mini", "--model", "dummy", "--limit", "1"]
    done = command(*line, "--output_path", "out", "--log_samples")
    assert done.returncode == 0, done.stderr
    judge(lambda: command("harness-ext", "show", "out"), None, "polarity_sensitivity_mini", "--limit")
