"""A run goes on where the data of one task cannot be had, and ends with what is missing and how to go on."""

from __future__ import annotations

import json
import shlex

import mteb
import pytest

from harness_ext.data.sources import SourceError
from tests.planted import PlantedModel, letters

pytestmark = pytest.mark.usefixtures("without_own_words")

MODEL = "mteb/baseline-random-encoder"
NAMES = ("EpsilonCompositionality", "EpsilonCompositionalityMini")
COMMAND = ("mteb", "run", "-m", MODEL, "-t", *NAMES)


@pytest.fixture
def nothing_here(tmp_path, monkeypatch):
    """No mirror, an empty download cache, and no network."""
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "empty"))


@pytest.mark.slow
@pytest.mark.real_data
def test_the_others_are_measured_the_run_says_what_is_missing_and_goes_on(run, nothing_here, tmp_path, request):
    done = run(*COMMAND, "--output-folder", "my results", "-v", "1", check=False)
    assert done.returncode == 1
    assert len(list(tmp_path.glob("my results/results/*/*/EpsilonCompositionalityMini.json"))) == 1
    said = done.stderr[done.stderr.index("Not measured") :]
    assert said.startswith("Not measured, because the data is not available: EpsilonCompositionality.\n")
    assert said.count("has not been downloaded yet") == 1
    assert shlex.split(said.splitlines()[-1]) == [*COMMAND, "--output-folder", "my results", "-v", "1"]
    assert "Traceback" not in done.stderr
    assert len(said.splitlines()) < 12
    request.getfixturevalue("unverified_mirror")
    done = run(*shlex.split(said.splitlines()[-1])[:-2])
    assert "Results for EpsilonCompositionalityMini already exist" in done.stdout + done.stderr
    (file,) = tmp_path.glob("my results/results/*/*/EpsilonCompositionality.json")
    assert json.loads(file.read_text())["scores"]["naturalistic"]


def evaluate(names, **options):
    tasks = mteb.get_tasks(tasks=list(names))
    return mteb.evaluate(mteb.get_model(MODEL), tasks, show_progress_bar=False, **options)


def test_from_python_it_is_one_exception(nothing_here, tmp_path):
    cache = mteb.ResultCache(tmp_path / "results")
    message = r"(?s)data is not available: EpsilonCompositionality\..*call mteb\.evaluate again"
    with pytest.raises(SourceError, match=message) as error:
        evaluate(NAMES, cache=cache)
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    result = evaluate(["EpsilonCompositionalityMini"], cache=cache, overwrite_strategy="only-cache")
    assert [each.task_name for each in result.task_results] == ["EpsilonCompositionalityMini"]


def test_who_asks_for_no_errors_gets_none(nothing_here):
    result = evaluate(NAMES, cache=None, raise_error=False)
    assert [each.task_name for each in result.task_results] == ["EpsilonCompositionalityMini"]
    assert [each.task_name for each in result.exceptions] == ["EpsilonCompositionality"]


def test_a_split_that_there_is_not_is_an_error_that_says_which_there_are():
    (task,) = mteb.get_tasks(tasks=["EpsilonCompositionality"], eval_splits=["test"])
    with pytest.raises(
        ValueError, match=r"EpsilonCompositionality has no split 'test'\. There are: naturalistic, neutral"
    ):
        mteb.evaluate(mteb.get_model(MODEL), task, cache=None, show_progress_bar=False)


class Broken(PlantedModel):
    """Raises on the sentences of one of the tasks."""

    def encode(self, inputs, *, task_metadata, **kwargs):
        if task_metadata.name == "MontagueConsistencyFast":
            raise OSError("the device is gone")
        return super().encode(inputs, **kwargs)


@pytest.mark.slow
def test_a_task_that_fails_does_not_end_the_others(tmp_path, caplog):
    cache = mteb.ResultCache(tmp_path)
    tasks = mteb.get_tasks(tasks=["MontagueConsistencyFast", "EpsilonCompositionalityMini"])
    with pytest.raises(OSError, match="the device is gone"):
        mteb.evaluate(Broken(letters), tasks, cache=cache, show_progress_bar=False)
    assert "MontagueConsistencyFast failed." in caplog.text
    assert [
        file.stem for file in tmp_path.glob("results/*/*/*.json") if file.stem in {task.metadata.name for task in tasks}
    ] == ["EpsilonCompositionalityMini"]
