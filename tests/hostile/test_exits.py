"""Code of others that calls `sys.exit()`: an error of that code, never a status of 0."""

import logging
import math
import subprocess
import sys
from dataclasses import replace

import mteb
import pytest
from mteb.models import ModelMeta
from mteb.models.model_implementations import MODEL_REGISTRY

from harness_ext import CompositionalityEvaluator, measure, safe_to_merge
from harness_ext.common.foreign_code import ForeignExitError, no_exit
from harness_ext.common.interrupt import INTERRUPTED, IntendedExit
from harness_ext.leaderboard.checks.rerun import rerun
from harness_ext.results.load import load_results
from harness_ext.sweep.job import Job
from tests.command_line import RESULTS, harness_ext
from tests.planted import PlantedModel, letters

TASK = "CaptionSwapMini"
OTHER_TASK = "RoleSwapSimilarityMini"
ENDS = {
    "script": ("import sys\ndef same(a, b):\n    return True\nsys.exit(0)\n", 4),
    "built_in": ("def same(a, b):\n    exit()\n", 2),
    "in_call": ("import sys\ndef same(a, b):\n    sys.exit()\n", 3),
    "with_message": ("def same(a, b):\n    raise SystemExit('done')\n", 2),
    "in_lists": ("import sys\ndef same(a, b):\n    sys.exit(0)\nsame.batched = True\n", 3),
}
"""Name of a module -> its text, with a check, and the line that ends the program."""


def exits(texts):
    sys.exit(0)


def exits_when_loaded(*_, **__):
    sys.exit(0)


def exits_when_asked(*_, **__):
    return PlantedModel(exits, EXITS_WHEN_ASKED)


EXITS_WHEN_LOADED = "planted/exits-when-loaded"
EXITS_WHEN_ASKED = "planted/exits-when-asked"


@pytest.fixture
def registered(monkeypatch):
    """Two models that mteb knows: one exits when it is loaded, one when it is asked for vectors."""
    loaders = {EXITS_WHEN_LOADED: exits_when_loaded, EXITS_WHEN_ASKED: exits_when_asked}
    for name, loader in loaders.items():
        meta = ModelMeta.create_empty({"name": name, "revision": "1", "loader": loader})
        monkeypatch.setitem(MODEL_REGISTRY, name, meta)


@pytest.mark.parametrize("module", ENDS)
def test_a_check_that_ends_the_program_has_failed(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, line = ENDS[module]
    (tmp_path / f"{module}_check.py").write_text(text)
    done = harness_ext("safe-to-merge", "--check", f"{module}_check:same", "--at-most", "1")
    assert done.exit_code == 2, done.output
    assert f"{module}_check:same" in done.stderr
    assert "ends the program: SystemExit(" in done.stderr
    assert f"{module}_check.py, line {line}." in done.stderr


def test_an_encoder_that_ends_the_program_has_failed():
    said = r"local/exits ends the program: SystemExit\(0\) in .*test_exits\.py"
    with pytest.raises(ForeignExitError, match=said):
        measure(exits, TASK)
    with pytest.raises(ForeignExitError, match=said):
        safe_to_merge(exits)


@pytest.mark.usefixtures("registered", "without_baselines")
@pytest.mark.parametrize(
    ("model", "said", "status_of_run"),
    [
        (EXITS_WHEN_LOADED, "cannot be loaded: it ends", 2),
        (EXITS_WHEN_ASKED, "ends", 1),
    ],
)
def test_a_model_that_ends_the_program_has_failed(model, said, status_of_run, run, tmp_path):
    """In a command of ours, in a run of mteb, and in a sweep."""
    done = harness_ext("safe-to-merge", "-m", model, "--at-most", "1")
    assert (done.exit_code, f"{said} the program" in done.stderr) == (2, True), done.output
    ran = run("mteb", "run", "-m", model, "-t", TASK, "--output-folder", "results", check=False)
    assert ran.returncode == status_of_run, ran.stderr
    assert f"{said} the program" in ran.stderr
    assert "Traceback" not in ran.stderr
    outcomes = Job(model, (TASK,), (), tmp_path / "swept").measure()
    assert "ends the program: SystemExit(0)" in outcomes[TASK]


@pytest.mark.usefixtures("without_baselines")
def test_the_other_tasks_of_a_run_are_measured(tmp_path):
    calls = []

    def vector(text):
        if not calls:
            calls.append(text)
            sys.exit(0)
        return letters(text)

    tasks = mteb.get_tasks(tasks=[TASK, OTHER_TASK])
    cache = mteb.ResultCache(tmp_path)
    with pytest.raises(ForeignExitError, match="planted/model ends the program"):
        mteb.evaluate(PlantedModel(vector), tasks, cache=cache, show_progress_bar=False)
    assert len(calls) == 1
    assert len(load_results(tmp_path).entries) == 1


def test_a_training_goes_on(caplog):
    evaluator = CompositionalityEvaluator(TASK)
    with caplog.at_level(logging.WARNING):
        found = evaluator(PlantedModel(exits))
    assert [*map(math.isnan, found.values())] == [True]
    assert "the training goes on" in caplog.text
    assert "ends the program" in caplog.text


@pytest.mark.usefixtures("registered", "without_baselines")
def test_a_rerun_goes_on_and_ctrl_c_ends_it(monkeypatch):
    (entry, *_) = load_results(RESULTS).entries
    models = (EXITS_WHEN_ASKED, EXITS_WHEN_LOADED)
    of_models = [replace(entry, model=name, revision="1") for name in models]
    for record, (finding,) in rerun(of_models, "A. Maintainer"):
        assert record is None
        assert "It could not be run: ForeignExitError: " in finding.message

    def interrupted(*_, **__):
        raise IntendedExit(INTERRUPTED)  # as the handler of Ctrl-C does, wherever the program is

    facts = {"name": EXITS_WHEN_LOADED, "revision": "1", "loader": interrupted}
    meta = ModelMeta.create_empty(facts)
    monkeypatch.setitem(MODEL_REGISTRY, EXITS_WHEN_LOADED, meta)
    with pytest.raises(IntendedExit):
        [*rerun(of_models, "A. Maintainer")]


@pytest.mark.parametrize("end", ["SystemExit(0)", "type('Panic', (BaseException,), {})('in Rust')"])
def test_a_library_that_ends_the_program_is_an_error_of_any_command(end, tmp_path, monkeypatch):
    for module in [name for name in sys.modules if name.partition(".")[0] == "openpyxl"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "openpyxl.py").write_text(f"raise {end}\n")
    done = harness_ext("needs", "triplets", "--template", tmp_path / "rows.xlsx")
    assert done.exit_code == 2, done.output
    assert ("openpyxl.py, line 1." if "System" in end else "Panic: in Rust") in done.stderr


def test_what_this_project_ends_is_ended():
    with pytest.raises(IntendedExit), no_exit("a check"):
        raise IntendedExit(INTERRUPTED)
    with pytest.raises(KeyboardInterrupt), no_exit("a check"):
        raise KeyboardInterrupt


@pytest.mark.slow
def test_ctrl_c_in_a_check_ends_the_command(tmp_path):
    (tmp_path / "interrupted.py").write_text(
        "import signal\ndef same(a, b):\n    signal.raise_signal(signal.SIGINT)\n    return True\n"
    )
    line = [sys.executable, "-m", "harness_ext", "safe-to-merge", "--check", "interrupted:same"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == INTERRUPTED, done.stderr
    assert "Traceback" not in done.stderr
