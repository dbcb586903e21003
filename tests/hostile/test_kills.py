"""Commands that are stopped at random moments: each file is the old one or the new one, and none is gone.

Then the command is run again, and must end well with the same output. Every second one begins with nothing there, the
others over what an earlier one has written. The folder that a killed program leaves is removed by the next command in
its place, unless it is still used.
"""

import os
import signal
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

from harness_ext.files import incomplete_folder, whole_file
from tests.hostile.writing_commands import COMMANDS, again, child, not_whole, prepare, reference, state

pytestmark = [pytest.mark.hostile, pytest.mark.usefixtures("without_own_words")]
KILLED = """
import os, pathlib, signal
from harness_ext.files import whole_file
with whole_file(pathlib.Path("file")) as partial:
    partial.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def pytest_generate_tests(metafunc):
    if "number" in metafunc.fixturenames:
        killed = [(name, "SIGKILL", n) for name in COMMANDS for n in range(metafunc.config.getoption("--kills"))]
        stopped = [("run", name, n) for name in ("SIGTERM", "SIGINT", "SIGHUP") for n in range(2)]
        metafunc.parametrize(("name", "sent", "number"), killed + stopped)


@pytest.mark.slow
def test_stopped(name, sent, number, tmp_path):
    after, seconds = reference(name)
    moment = float(np.random.default_rng([zlib.crc32(f"{name} {sent}".encode()), number]).uniform(0, 1.1 * seconds))
    prepare(name, tmp_path, number % 2 == 0)
    before = state(name, tmp_path)
    child(name, tmp_path).wait(getattr(signal, sent), moment)
    assert not not_whole(state(name, tmp_path), before, after)
    assert not again(name, tmp_path)
    assert not [*tmp_path.rglob(".incomplete-*")], "run again, it removes what it left"


@pytest.fixture
def incomplete(tmp_path, monkeypatch):
    """The names of the folders that programs leave in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda: sorted(path.name for path in tmp_path.glob(".incomplete-*"))


def test_the_folder_of_a_process_that_is_gone_is_removed(tmp_path, incomplete):
    subprocess.run([sys.executable, "-c", KILLED], check=False)
    assert len(incomplete()) == 1
    with whole_file(tmp_path / "other") as partial:
        partial.write_text("whole")
    assert not incomplete()


def test_the_folder_of_another_machine_is_removed_after_a_day(tmp_path, incomplete):
    old, new = (tmp_path / f".incomplete-elsewhere-1-{name}" for name in ("old", "new"))
    for folder in (old, new):
        folder.mkdir()
    os.utime(old, (time.time() - 25 * 3600,) * 2)
    with incomplete_folder(tmp_path) as own:
        assert incomplete() == sorted([new.name, own.name])


def test_the_folder_of_a_process_that_runs_stays(tmp_path, incomplete):
    program = "import pathlib, harness_ext.files as f\nwith f.whole_file(pathlib.Path('a')) as p: p.write_text('a')"
    with incomplete_folder(tmp_path) as own:
        subprocess.run([sys.executable, "-c", program], check=True)
        assert own.is_dir()
    assert (tmp_path / "a").is_file()
