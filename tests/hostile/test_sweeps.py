"""Two sweeps of one folder, and interrupted ones."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness_ext.results.load import load_results
from tests.hostile.planted_results import TASK
from tests.test_sweep import wait_for

pytestmark = [pytest.mark.hostile, pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]
MODEL = "mteb/baseline-random-encoder"


@pytest.fixture
def sweep():
    """Begin a sweep of tasks in an empty folder."""

    def begin(*tasks):
        Path("models.txt").write_text(MODEL)
        program = str(Path(sys.executable).with_name("harness-ext"))
        return subprocess.Popen(
            [program, "sweep", "--models", "models.txt", "-t", *tasks], stdout=subprocess.PIPE, text=True
        )

    return begin


def test_two_sweeps_of_one_folder_at_once(judge, sweep):
    """Each measures what the other has not finished; the result is whole."""

    def both():
        sweeps = [sweep(TASK), sweep(TASK)]
        return [(one.communicate()[0], one.returncode) for one in sweeps]

    judge(both, lambda found: all("0 missing" in said and code == 0 for said, code in found))
    assert len(load_results("results").entries) == 1


def test_a_sweep_that_is_interrupted_goes_on(judge, sweep):
    def interrupted():
        with sweep(TASK, "MontagueConsistency") as process:
            wait_for(lambda: [*Path("results").rglob(f"{TASK}.json")], process)
            process.send_signal(signal.SIGINT)
            return process.communicate()[0], process.wait()

    judge(interrupted, lambda found: "2 missing" in found[0] and "Interrupted" in found[0] and found[1] == 130)
    assert "0 measured, 1 there already, 0 missing" in sweep(TASK).communicate()[0]
