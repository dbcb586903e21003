"""What killed programs leave, disks that are full, and pipes that are closed."""

import os
import subprocess
import sys
import time

import pytest

from harness_ext.common.files import incomplete_folder
from tests.command_line import harness_ext
from tests.results.measured import QUICK


def test_the_folder_of_a_killed_program_is_removed_after_a_day(tmp_path):
    old, new = (tmp_path / f".incomplete-{name}" for name in ("old", "new"))
    for folder in (old, new):
        folder.mkdir()
    os.utime(old, (time.time() - 25 * 3600,) * 2)
    with incomplete_folder(tmp_path) as own:
        assert {*tmp_path.glob(".incomplete-*")} == {new, own}


@pytest.fixture
def disk(tmp_path):
    """A disk of its own for a folder, with room for 16 kB; skips where none can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    done = subprocess.run(line, capture_output=True, text=True) if sys.platform.startswith("linux") else None
    if done is None or done.returncode:
        pytest.skip("no small disk can be mounted here, which takes root on Linux")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk(disk):
    """One message with the reason and the place; what was there is there, and with room the command ends well."""
    line = ("datasets", "export", disk, "--dataset", "compound_mini")
    (disk / "mine").write_text("mine")
    done = harness_ext(*line)
    assert (done.exit_code, type(done.exception)) == (2, SystemExit)
    said = " ".join(done.output.replace("│", " ").split())
    assert "No space left" in said
    assert str(disk) in said
    assert [path.name for path in disk.rglob("*") if path.is_file()] == ["mine"]
    subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
    assert harness_ext(*line).exit_code == 0
    assert len([*disk.rglob("*.parquet")]) > 0


@pytest.mark.slow
def test_show_to_a_full_device_ends_without_a_traceback(measured_folder):
    line = f"{sys.executable} -m harness_ext show {measured_folder} --task {QUICK[0]} > /dev/full"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert done.stderr
    assert "Traceback" not in done.stderr
