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

pytestmark = [pytest.mark.hostile, pytest.mark.usefixtures("without_own_words")]
MODEL = "mteb/baseline-random-encoder"


@pytest.mark.slow
def test_another_sweep_begins_with_a_model_that_was_measured(tmp_path, judge):
    job, since = Job(MODEL, (TASK,), (), "results", str(tmp_path)), now()
    measure(job)
    job.journal.add("started")  # as another process does once it has the model
    judge(lambda: summary([job], [TASK], since)[0][0], lambda said: "1 measured, 0 there already, 0 missing" in said)
    later = now()
    assert "0 measured, 1 there already, 0 missing" in summary([job], [TASK], later)[0][0]
    next((tmp_path / "results").rglob(f"{TASK}.json")).unlink()
    assert "0 measured, 0 there already, 1 missing" in summary([job], [TASK], later)[0][0]


@pytest.mark.slow
def test_two_sweeps_of_one_folder_at_once(tmp_path, judge):
    """Each says what is in the folder when it ends: measured, there already, or in the hands of the other."""
    Path("models.txt").write_text(MODEL)
    program = str(Path(sys.executable).with_name("harness-ext"))
    line = [program, "sweep", "--models", "models.txt", "-t", TASK]

    def both():
        sweeps = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        return [(sweep.communicate()[0], sweep.returncode) for sweep in sweeps]

    def right(found):
        said, codes = zip(*found, strict=True)
        busy = ["Another process is measuring this model" in one for one in said]
        return "not begun" not in "".join(said) and codes == tuple(map(int, busy)) and not all(busy)

    judge(both, right)


@pytest.mark.slow
def test_a_sweep_that_is_interrupted_counts_what_is_there(tmp_path, judge):
    Path("models.txt").write_text(MODEL)
    program = str(Path(sys.executable).with_name("harness-ext"))
    line = [program, "sweep", "--models", "models.txt", "-t", TASK, "MontagueConsistency"]
    journal = Job(MODEL, (), (), "results", str(tmp_path)).journal

    def interrupted():
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
            wait_for(lambda: TASK in journal.last_run()[0], process)
            process.send_signal(signal.SIGINT)
            return process.communicate()[0]

    said = "1 models × 2 tasks: 1 measured, 0 there already, 1 missing."
    judge(interrupted, lambda found: said in found and "It was interrupted." in found)
