"""Ctrl-C ends every command with one line and the status 130, whatever it is doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from harness_ext.names import INTERRUPTED
from tests.every_command import QUICK, SLOW, prepare, save_tiny

SAID = "Interrupted. No file is half written; run the same command again to go on."
AT_IMPORT = """
import signal, sys
from harness_ext.__main__ import main
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
main()
"""
IN_A_CALLBACK = """
import signal, sys, weakref
from harness_ext.__main__ import main
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            watched = Interrupt()
            self.reference = weakref.ref(watched, lambda _: signal.raise_signal(signal.SIGINT))
            del watched
sys.meta_path.insert(0, Interrupt())
main()
"""
"""What is raised in a callback, as the interpreter has them for imports, is printed and lost."""


def assert_interrupted(status, stderr):
    assert "Traceback" not in stderr, stderr
    assert (status, stderr.strip().splitlines()) == (INTERRUPTED, [SAID])


@pytest.mark.parametrize(
    ("command", "imported"),
    [("show", "typer"), ("datasets export", "pyarrow"), ("leaderboard build", "harness_ext.leaderboard.build")],
)
def test_an_import_is_interrupted(command, imported, tmp_path):
    prepare(tmp_path)
    arguments = [*command.split(), *{**QUICK, **SLOW}[command].split()]
    line = [sys.executable, "-c", AT_IMPORT.format(name=imported), *arguments]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert_interrupted(done.returncode, done.stderr)


def test_an_interruption_is_not_lost_in_a_callback():
    done = subprocess.run([sys.executable, "-c", IN_A_CALLBACK, "tasks"], capture_output=True, text=True)
    assert_interrupted(done.returncode, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["finetune-pss", "leaderboard build", "measure", "sweep"])
def test_a_command_is_interrupted_as_by_ctrl_c(command, tmp_path):
    """One that trains, writes pages, encodes, and starts others. A signal to the whole group, sooner and later.

    What has ended before has ended well.
    """
    prepare(tmp_path)
    save_tiny(tmp_path)
    line, pipe = (
        [sys.executable, "-m", "harness_ext", *command.split(), *{**QUICK, **SLOW}[command].split()],
        subprocess.PIPE,
    )
    for seconds in (0.5, 3):
        with subprocess.Popen(
            line, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        ) as process:
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
