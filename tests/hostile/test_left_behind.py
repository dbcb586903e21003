"""Folders that a killed program leaves: the next command in their place removes them, and no one that is still used."""

import os
import subprocess
import sys
import time

import pytest

from harness_ext.files import incomplete_folder, whole_file

pytestmark = pytest.mark.hostile
AREA = "kills"
KILLED = """
import os, pathlib, signal
from harness_ext.files import whole_file
with whole_file(pathlib.Path("file")) as partial:
    partial.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def incomplete(folder):
    return sorted(path.name for path in folder.glob(".incomplete-*"))


def test_of_a_process_that_is_gone(tmp_path, judge):
    subprocess.run([sys.executable, "-c", KILLED], check=False)
    assert len(incomplete(tmp_path)) == 1

    def write():
        with whole_file(tmp_path / "other") as partial:
            partial.write_text("whole")
        return incomplete(tmp_path)

    judge(write, lambda left: left == [], "incomplete")


def test_of_another_machine_a_day_later(tmp_path, judge):
    old, new = (tmp_path / f".incomplete-elsewhere-1-{name}" for name in ("old", "new"))
    for folder in (old, new):
        folder.mkdir()
    before = time.time() - 25 * 3600
    os.utime(old, (before, before))

    def write():
        with incomplete_folder(tmp_path) as folder:
            return incomplete(tmp_path), folder.name

    judge(write, lambda found: found[0] == sorted([new.name, found[1]]), "incomplete")


def test_of_a_process_that_runs(tmp_path, judge):
    """Another program asks for a folder beside it."""
    program = "import pathlib, harness_ext.files as f\nwith f.whole_file(pathlib.Path('a')) as p: p.write_text('a')"

    def write():
        with incomplete_folder(tmp_path) as folder:
            subprocess.run([sys.executable, "-c", program], check=True)
            return folder.is_dir() and (tmp_path / "a").is_file()

    judge(write, bool)
