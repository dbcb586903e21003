"""What killed programs leave, disks that are full, and pipes that are closed."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harness_ext.common.files import incomplete_folder, whole_file, write_file
from tests.command_line import harness_ext
from tests.results.measured import QUICK


def test_the_folder_of_a_killed_program_is_removed_after_a_day(tmp_path):
    old, new = (tmp_path / f".incomplete-{name}" for name in ("old", "new"))
    for folder in (old, new):
        folder.mkdir()
    os.utime(old, (time.time() - 25 * 3600,) * 2)
    with incomplete_folder(tmp_path) as own:
        assert {*tmp_path.glob(".incomplete-*")} == {new, own}


def read(path, into):
    """Read a pipe to its end, as `cat` does."""
    reader = threading.Thread(target=lambda: into.append(path.read_text()), daemon=True)
    reader.start()
    return reader


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    for text in ("first", "x" * 200_000):  # more than a pipe holds
        reader = read(pipe, got)
        write_file(pipe, text)
        reader.join(60)
        assert got[-1] == text
    assert pipe.is_fifo()
    reader = read(pipe, got)
    done = harness_ext("safe-to-merge", "--check", "harness_ext.deciding:jaccard", "--curve", pipe)
    reader.join(60)
    assert done.exit_code == 1
    assert got[-1].startswith("model,threshold,hit_rate,")
    assert pipe.is_fifo()
    assert [*tmp_path.iterdir()] == [pipe]


def test_a_link_stays_and_the_file_that_it_leads_to_is_replaced(tmp_path):
    """Also a link to a link, in another folder, and one to a file that is not there yet."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "old").write_text("old")
    for target in ("old", "new"):
        link = tmp_path / f"to {target}"
        link.symlink_to(f"folder/{target}")
        other = tmp_path / f"to the link to {target}"
        other.symlink_to(link)
        write_file(other, "written")
        assert link.is_symlink()
        assert other.is_symlink()
        assert (folder / target).read_text() == "written"
        with pytest.raises(RuntimeError), whole_file(link) as partial:
            partial.write_text("half")
            raise RuntimeError
        assert (folder / target).read_text() == "written"
    assert {path.name for path in folder.iterdir()} == {"old", "new"}


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux has /proc/self/fd")
@pytest.mark.parametrize("mode", ["w", "a"])
def test_the_file_that_the_output_goes_to_gets_both(mode, tmp_path):
    """By a link of its own, as /dev/stdout is one: nobody replaces what the shell has opened."""
    link = tmp_path / "stdout"
    link.symlink_to("/proc/self/fd/1")
    program = (
        "from pathlib import Path; from harness_ext.common.files import write_file; "
        "print('before'); write_file(Path('stdout'), 'written\\n'); print('after')"
    )
    file = tmp_path / "output"
    file.write_text("earlier\n")
    line = [sys.executable, "-c", program]
    with file.open(mode) as output:
        subprocess.run(line, cwd=tmp_path, stdout=output, check=True)
    earlier = "earlier\n" if mode == "a" else ""
    assert file.read_text() == f"{earlier}before\nwritten\nafter\n"
    piped = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert piped.stdout == "before\nwritten\nafter\n"
    assert link.is_symlink()


def circle(folder):
    (folder / "one").symlink_to("other")
    (folder / "other").symlink_to("one")
    return folder / "one"


def folder_of_that_name(folder):
    (folder / "curve.csv").mkdir()
    return folder / "curve.csv"


def below_a_file(folder):
    (folder / "file").write_text("mine")
    return folder / "file" / "below" / "curve.csv"


def in_a_file(folder):
    (folder / "file").write_text("mine")
    return folder / "file" / "curve.csv"


PLACES = {
    "in a file": (in_a_file, "File exists"),
    "below a file": (below_a_file, "Not a directory"),
    "long name": (lambda folder: folder / f"{'x' * 300}.csv", "File name too long"),
    "links in a circle": (circle, "Too many levels of symbolic links"),
    "a folder": (folder_of_that_name, "Is a directory"),
}


@pytest.mark.parametrize("kind", PLACES)
def test_a_place_that_cannot_be_written_to_is_named_in_one_line(kind, tmp_path):
    make, said = PLACES[kind]
    place = make(tmp_path)
    with pytest.raises(OSError, match=said) as failed:
        write_file(place, "text")
    if kind.endswith("a file"):
        assert str(failed.value.filename).startswith(str(tmp_path / "file"))
    else:
        assert failed.value.filename == str(place)
    rows = tmp_path / "rows.csv"
    lines = [f"It is {n}.,It is just {n}.,It is not {n}.\n" for n in range(12)]
    rows.write_text("".join(["sentence,entailed,not_entailed\n", *lines]))
    options = ("idiom_paraphrase", rows, "-m", "compositionality/letters")
    if kind == "long name":
        options += ("--output-folder", tmp_path / "out", "--name", "x" * 300)
    else:
        options += ("--output-folder", place if kind != "a folder" else rows)
    done = harness_ext("measure", *options)
    assert done.exit_code == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert str(tmp_path) in line
    assert line.endswith("Name another file or folder.")
    assert "Traceback" not in done.stderr
    assert rows.read_text().startswith("sentence,")


@pytest.fixture
def disk(tmp_path):
    """A disk of its own for a folder, with room for 16 kB; skips where none can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    done = (
        subprocess.run(line, capture_output=True, text=True)
        if sys.platform.startswith("linux")
        else None
    )
    if done is None or done.returncode:
        pytest.skip("no small disk can be mounted here, which takes root on Linux")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk(disk):
    """One message with the reason and the place; what was there is there, and with room the command
    ends well.
    """
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
