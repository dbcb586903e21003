"""Sweeps that are interrupted."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.results.measured import QUICK
from tests.test_sweep import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]
TASK, MODEL = QUICK[0], "mteb/baseline-random-encoder"


def sweep(*tasks):
    """Begin a sweep of tasks in this folder."""
    Path("models.txt").write_text(MODEL)
    program = str(Path(sys.executable).with_name("harness-ext"))
    return subprocess.Popen(
        [program, "sweep", "--models", "models.txt", "-t", *tasks], stdout=subprocess.PIPE, text=True
    )


def test_a_sweep_that_is_interrupted_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with sweep(TASK, "MontagueConsistency") as process:
        wait_for(lambda: [*Path("results").rglob(f"{TASK}.json")], process)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[0]
    assert process.returncode == 130
    assert "2 missing" in said
    assert "Interrupted" in said
    assert "0 measured, 1 there already, 0 missing" in sweep(TASK).communicate()[0]
