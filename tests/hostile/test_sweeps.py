"""Sweeps of one folder by several processes, and interrupted ones."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness_ext.sweep.job import Job
from harness_ext.sweep.journal import now
from harness_ext.sweep.summary import summary
from harness_ext.sweep.worker import measure
from tests.hostile.planted_results import TASK
from tests.test_sweep import wait_for

pytestmark = pytest.mark.usefixtures("without_own_words")
MODEL = "mteb/baseline-random-encoder"


@pytest.mark.slow
def test_another_sweep_begins_with_a_model_that_was_measured(tmp_path):
    job, since = Job(MODEL, (TASK,), (), "results", str(tmp_path)), now()
    measure(job)
    job.journal.add("started")  # as another process does once it has the model
    assert "1 measured, 0 there already, 0 missing" in summary([job], [TASK], since)[0][0]
    later = now()
    assert "0 measured, 1 there already, 0 missing" in summary([job], [TASK], later)[0][0]
    next((tmp_path / "results").rglob(f"{TASK}.json")).unlink()
    assert "0 measured, 0 there already, 1 missing" in summary([job], [TASK], later)[0][0]


@pytest.mark.slow
def test_two_sweeps_of_one_folder_at_once(tmp_path, monkeypatch):
    """Each says what is in the folder when it ends: measured, there already, or in the hands of the other."""
    monkeypatch.chdir(tmp_path)
    Path("models.txt").write_text(MODEL)
    program = str(Path(sys.executable).with_name("harness-ext"))
    line = [program, "sweep", "--models", "models.txt", "-t", TASK]

    sweeps = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said, codes = zip(*((sweep.communicate()[0], sweep.returncode) for sweep in sweeps), strict=True)
    busy = ["Another process is measuring this model" in one for one in said]
    assert "not begun" not in "".join(said)
    assert codes == tuple(map(int, busy))
    assert not all(busy)


@pytest.mark.slow
def test_a_sweep_that_is_interrupted_counts_what_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("models.txt").write_text(MODEL)
    program = str(Path(sys.executable).with_name("harness-ext"))
    line = [program, "sweep", "--models", "models.txt", "-t", TASK, "MontagueConsistency"]
    journal = Job(MODEL, (), (), "results", str(tmp_path)).journal

    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        wait_for(lambda: TASK in journal.last_run()[0], process)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[0]
    assert "1 models × 2 tasks: 1 measured, 0 there already, 1 missing." in said
    assert "It was interrupted." in said
