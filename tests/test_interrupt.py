"""Ctrl-C ends every command with one line and the status 130, whatever it is doing."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from harness_ext.common.interrupt import INTERRUPTED
from tests.command_line import prepare, save_tiny
from tests.processes import ended

SAID = "Interrupted. No file is half written; run the same command again to go on."
PROGRAM = """
import signal, sys, weakref
from harness_ext.__main__ import main
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            {interrupt}
sys.meta_path.insert(0, Interrupt())
main()
"""
AT_ONCE = "signal.raise_signal(signal.SIGINT)"
IN_A_CALLBACK = f"weakref.finalize(Interrupt(), lambda: {AT_ONCE})"
"""What is raised in a callback, as the interpreter has them for imports, is printed and lost."""


@pytest.mark.parametrize(
    ("command", "imported", "interrupt"),
    [
        ("show results", "typer", AT_ONCE),
        ("leaderboard build results -o site", "harness_ext.leaderboard.build", AT_ONCE),
        ("tasks", "typer", IN_A_CALLBACK),
    ],
)
def test_an_import_is_interrupted(command, imported, interrupt, tmp_path):
    prepare(tmp_path)
    program = PROGRAM.format(name=imported, interrupt=interrupt)
    done = ended([sys.executable, "-c", program, *command.split()], tmp_path)
    assert done.returncode == INTERRUPTED
    assert done.stderr.strip() == SAID


@pytest.mark.slow
def test_mteb_run_of_our_tasks_is_interrupted(tmp_path):
    prepare(tmp_path)
    program = PROGRAM.replace(
        "from harness_ext.__main__ import main", "sys.argv[0] = 'mteb'; from mteb.cli import main"
    )
    name = "harness_ext.datasets_scripts.merge_opposites.merge_opposites"
    command = "run -m compositionality/letters -t MergeOppositesMini --output-folder results"
    interrupted = program.format(name=name, interrupt=AT_ONCE)
    done = ended([sys.executable, "-c", interrupted, *command.split()], tmp_path)
    assert done.returncode == INTERRUPTED, done.stderr
    assert done.stderr.count(SAID) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "finetune-pss -m ./tiny --task PolaritySensitivityMini --seeds 1 --max-epochs 1",
        "sweep --models models.txt -t MergeOppositesMini",
    ],
)
def test_a_command_is_interrupted_as_by_ctrl_c(command, tmp_path):
    """One that trains, and one that starts others. A signal to the whole group, sooner and later.

    What has ended before has ended well.
    """
    prepare(tmp_path)
    save_tiny(tmp_path)
    line = [sys.executable, "-m", "harness_ext", *command.split()]
    pipe = subprocess.PIPE
    start = partial(subprocess.Popen, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    for seconds in (0.5, 3):
        with start(line, cwd=tmp_path) as process:
            time.sleep(seconds)
            is_running = process.poll() is None
            if is_running:
                os.killpg(process.pid, signal.SIGINT)
            _, stderr = process.communicate(timeout=60)
        assert "Traceback" not in stderr
        if not is_running or process.returncode in (0, 1):
            break
        assert process.returncode == INTERRUPTED, stderr
        assert stderr.count(SAID) == 1
