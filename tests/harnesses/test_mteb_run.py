"""A run goes on where a task cannot be measured, and reads no result on other data than there is
now.
"""

from __future__ import annotations

import json
import re
import shlex
import sys

import mteb
import pytest
from mteb.mocks.mock_tasks import MockSTSTask

from harness_ext.data.builder import builder_class
from harness_ext.data.sources import (
    Source,
    SourceError,
    git_blob_hash,
    revision_suffix,
)
from harness_ext.results.load import load_results
from harness_ext.tasks import ENCODER_TASKS
from tests.leaderboard.small_board import edit
from tests.planted import COMMIT, PlantedModel, bag_of_words, entries_of, letters

pytestmark = pytest.mark.usefixtures("without_baselines")

MODEL = "mteb/baseline-random-encoder"
MINI = "EpsilonCompositionalityMini"
NAMES = ("EpsilonCompositionality", MINI)


@pytest.fixture
def nothing_here(own_rows, tmp_path, monkeypatch):
    """No mirror, an empty download cache, no prepared rows, and no network."""
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "empty"))


def evaluate(names, model=None, **options):
    model = model or mteb.get_model(MODEL)
    tasks = mteb.get_tasks(tasks=list(names))
    return mteb.evaluate(model, tasks, show_progress_bar=False, **options)


@pytest.mark.slow
@pytest.mark.real_data
def test_the_others_are_measured_the_run_says_what_is_missing_and_goes_on(
    nothing_here, tmp_path, monkeypatch, request
):
    """As `mteb run`, which evaluates the tasks that it is asked for; tests/test_cli.py has it as a
    command.
    """
    tasks = ("TransitiveSimilarity", MINI)
    cache = mteb.ResultCache(tmp_path)
    line = ["mteb", "run", "-m", MODEL, "-t", *tasks, "--output-folder", "my results"]
    monkeypatch.setattr(sys, "argv", line)
    with pytest.raises(SystemExit) as ended:
        evaluate(tasks, cache=cache)
    said = ended.value.code
    assert said.startswith(
        "Not measured, because the data is not available: TransitiveSimilarity.\n"
    )
    assert said.count("has not been downloaded yet") == 1
    *lines, last_line = said.splitlines()
    assert shlex.split(last_line) == line
    assert len(lines) < 11
    (there,) = tmp_path.glob("results/*/*/EpsilonCompositionalityMini.json")
    before = there.stat().st_mtime_ns
    request.getfixturevalue("mirror")
    evaluate(tasks, cache=cache)
    assert there.stat().st_mtime_ns == before  # it exists already
    assert there.with_name("TransitiveSimilarity.json").is_file()


def test_the_last_lines_are_the_score_its_cells_and_the_next_command(tmp_path, monkeypatch, capsys):
    """As `mteb run`, to the errors; from Python nothing is printed."""
    folder = tmp_path / "my results"
    cache = mteb.ResultCache(folder)
    evaluate([MINI], cache=cache)
    assert MINI not in capsys.readouterr().out
    line = f"mteb run -m {MODEL} -t {MINI}"
    monkeypatch.setattr(sys, "argv", line.split())
    evaluate([MINI], cache=cache)
    (entry,) = load_results(folder).entries
    low, high = (f"{end:.3f}".lstrip("0") for end in entry.interval())
    score = f"{entry.main_score:.3f}".lstrip("0")
    *_, measured, cells, terms, following = capsys.readouterr().err.splitlines()
    assert measured == f"{MINI}, naturalistic: {score} [{low}, {high}]"
    assert cells.split() == ["vs", "chance:", "inconclusive"]
    assert terms == "Terms: harness-ext explain terms"
    assert shlex.split(following) == ["Next:", "harness-ext", "show", str(folder)]


def test_a_model_that_cannot_be_loaded_is_one_line(run):
    line = f"mteb run -m nobody/there -t {MINI}"
    done = run(*line.split(), check=False)
    assert done.returncode == 2
    *_, last = done.stderr.splitlines()
    assert last.startswith("Error: nobody/there cannot be loaded: ")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_from_python_it_is_one_exception(nothing_here, tmp_path):
    cache = mteb.ResultCache(tmp_path / "results")
    message = r"(?s)data is not available: EpsilonCompositionality\..*call mteb\.evaluate again"
    with pytest.raises(SourceError, match=message) as error:
        evaluate(NAMES, cache=cache)
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    result = evaluate([MINI], cache=cache, overwrite_strategy="only-cache")
    (result_of_task,) = result.task_results
    assert result_of_task.task_name == MINI


@pytest.mark.slow
def test_who_asks_for_no_errors_gets_none(nothing_here):
    result = evaluate(NAMES, cache=None, raise_error=False)
    (result_of_task,) = result.task_results
    assert result_of_task.task_name == MINI
    (exception,) = result.exceptions
    assert exception.task_name == "EpsilonCompositionality"


def test_a_split_that_there_is_not_is_an_error_that_says_which_there_are():
    task = mteb.get_task("EpsilonCompositionality", eval_splits=["test"])
    model = mteb.get_model(MODEL)
    with pytest.raises(ValueError, match=r"has no split 'test'\. There are: naturalistic, neutral"):
        mteb.evaluate(model, task, cache=None, show_progress_bar=False)


class Broken(PlantedModel):
    """Raises on the sentences of two of the tasks."""

    def encode(self, inputs, *, task_metadata, **kwargs):
        if task_metadata.name in {"MontagueConsistencyFast", "CaptionSwapMini"}:
            raise OSError("the device is gone")
        return super().encode(inputs, **kwargs)


def test_the_end_of_a_run_has_the_reason_of_each_task(nothing_here):
    tasks = ["EpsilonCompositionality", "CaptionSwapMini"]
    with pytest.raises(
        SourceError,
        match=r"(?s)^Not measured: CaptionSwapMini\. the device is gone\n.*not been downloaded",
    ):
        evaluate(tasks, Broken(letters), cache=None)


@pytest.mark.slow
def test_a_task_that_fails_does_not_end_the_others(tmp_path, caplog):
    cache = mteb.ResultCache(tmp_path)
    tasks = ["MontagueConsistencyFast", MINI]
    with pytest.raises(OSError, match="the device is gone"):
        evaluate(tasks, Broken(letters), cache=cache)
    assert "MontagueConsistencyFast failed." in caplog.text
    (_,) = tmp_path.glob("results/*/*/EpsilonCompositionalityMini.json")


def stated(file):
    """The revision of the data of a result, and its score."""
    content = json.loads(file.read_text())
    ((entry,),) = content["scores"].values()
    return content["dataset_revision"], entry["main_score"]


@pytest.mark.slow
def test_on_other_data_a_task_is_measured_anew_and_the_result_is_set_aside(
    tmp_path, monkeypatch, caplog
):
    """The small task with a source file besides, which is not always the pinned one.

    It is measured by two models of one name, so that it can be seen whose score is returned.
    """
    (tmp_path / "pinned").write_text("pinned")
    source = Source("https://example.org/data.txt", git_blob_hash(tmp_path / "pinned"))
    sources = {"default": {"data": source}}
    monkeypatch.setattr(builder_class("compound_mini"), "SOURCES", sources)
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    data = tmp_path / "mirror" / source.relative_path
    data.parent.mkdir(parents=True)
    file = tmp_path / "results" / "planted__model" / COMMIT / f"{MINI}.json"

    def measure(seed, **options):
        model = PlantedModel(bag_of_words(seed))
        (entry,) = entries_of(model, MINI, tmp_path, **options).values()
        return entry["main_score"]

    data.write_text("pinned")
    of_data = ENCODER_TASKS[MINI].dataset["revision"]
    first_score = measure(1)
    assert stated(file) == (of_data, first_score)
    data.write_text("other")
    of_other = of_data + revision_suffix([source])
    with pytest.raises(ValueError, match=f"no results found in cache for task {MINI}"):
        measure(2, overwrite_strategy="only-cache")
    said = f"{file} was computed on other data ({of_data}) than the current data ({of_other})."
    with pytest.raises(FileNotFoundError, match=re.escape(said)):
        mteb.ResultCache(tmp_path).load_task_result(
            MINI, "planted/model", COMMIT, raise_if_not_found=True
        )
    assert stated(file) == (of_data, first_score)
    second_score = measure(2)
    assert second_score != first_score
    assert f"{said} {MINI}" in caplog.text
    assert stated(file) == (of_other, second_score)
    set_aside = file.with_name(f"{file.name}.set-aside-1")
    assert stated(set_aside) == (of_data, first_score)


def of_another_revision(content):
    content["dataset_revision"] = "another"


def test_results_of_other_tasks_are_mtebs_business(tmp_path):
    task = MockSTSTask()
    entries_of(PlantedModel(bag_of_words()), task, tmp_path)
    (file,) = tmp_path.rglob("MockSTSTask.json")
    edit(file, of_another_revision)
    cache = mteb.ResultCache(tmp_path)
    found = cache.load_task_result(task.metadata.name, "planted/model", COMMIT)
    assert found.dataset_revision == "another"


@pytest.mark.usefixtures("without_baselines")
def test_the_bar_counts_the_texts_of_the_whole_task_from_its_start(capsys):
    task = mteb.get_task("IdiomParaphraseMini")
    model = PlantedModel(letters)
    entries_of(model, task, encode_kwargs={"show_progress_bar": True})
    n_texts = [len(texts) for texts in model.calls if len(texts) > 1]
    assert len(n_texts) == len(task.eval_splits) > 1
    total = sum(n_texts)
    bars = re.findall(r"IdiomParaphraseMini: .*?(\d+/\d+) \[", capsys.readouterr().err)
    assert bars[0] == f"0/{total}"
    assert f"{n_texts[0]}/{total}" in bars
    assert bars[-1] == f"{total}/{total}"
