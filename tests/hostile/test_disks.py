"""Disks that are full or only to be read, and a command twice at once in one folder.

The disk is a small tmpfs of its own, which takes root to mount; where that is not to be had, these are skipped. A
command that finds no room ends with a message that says so and where; what was there before is there, and with room it
ends well. For `run` and `download`, where mteb or `datasets` writes, the system's own error with the path is enough.
Limits of the system on files need no root.
"""

import resource
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.hostile.judge import harness_ext
from tests.hostile.writing_commands import COMMANDS, again, not_whole, reference, sources, working_in

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
SHARES = (0.0, 0.6)
"""Of what the command writes, how much there is room for."""

FULL = ("No space left", "disk is full", "disk I/O error")
READ_ONLY = ("Read-only file system", "readonly", "unable to open database file")
WRITES_NOTHING = {("run", "cache"), ("export", "cache"), ("report", "cache"), ("board", "cache"), ("download", "out")}
PLACES = [(name, place) for name in COMMANDS for place in ("out", "cache") if (name, place) not in WRITES_NOTHING]


@pytest.fixture(scope="session")
def disks():
    """Skips where no small disk can be mounted."""
    if not sys.platform.startswith("linux"):
        pytest.skip("a tmpfs is mounted on Linux only")
    line = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")


@contextmanager
def disk(folder):
    """A tmpfs in the place of the folder."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def remount(folder, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


@pytest.fixture
def on_disk(disks, tmp_path):
    """Tries a command while the disk of one of its folders is limited, and again when it is not."""

    def on_disk(name, place, limit, unlimited, said):
        command, (after, _) = COMMANDS[name], reference(name)
        with working_in(tmp_path, sources()), disk(tmp_path / place):
            command.prepare(tmp_path, True)
            before = command.state(tmp_path)
            limit(command, before, after)

            def work():
                if command.line is not None:
                    return harness_ext(*command.line(tmp_path))
                if error := command.child(tmp_path).wait():
                    raise OSError(error)
                return None

            wrong = attempt(work, lambda: command.state(tmp_path) == after, str(tmp_path / place), said)
            wrong = wrong or not_whole(command.state(tmp_path), before, after)
            remount(tmp_path / place, unlimited)
            assert not (wrong or again(command, tmp_path))

    return on_disk


def attempt(work, is_right, where, said):
    """What is wrong, unless it is right or said where and why: in a line of ours or, of mteb, by the system."""
    try:
        done = work()
    except OSError as error:
        text, ended, traced = str(error), False, False
    else:
        text = done.output if done else ""
        ended, traced = done is None or done.exit_code == 0, "Traceback (most recent call last)" in text
        if done and done.exception and not isinstance(done.exception, SystemExit):
            return f"raw: {done.exception!r}"
    if ended:
        return "" if is_right() else "silent"
    flat = "".join(text.replace("│", " ").split())
    told = any("".join(reason.split()) in flat for reason in said) and where in flat
    return "" if told and not traced else f"raw: {text[-300:]}"


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("name", "place"), PLACES)
def test_full(name, place, share, tmp_path, on_disk):
    """In pages of 4096 bytes, of which the least that a tmpfs may have is what is on it."""

    def fill(command, before, after):
        new = sum(len(content) for file, content in after.items() if before.get(file) != content)
        pages = sum(-(-path.stat().st_size // 4096) for path in (tmp_path / place).rglob("*") if path.is_file())
        remount(tmp_path / place, f"size={4096 * (pages + 1 + int(share * new) // 4096)}")

    on_disk(name, place, fill, "size=64m", FULL)


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_only_to_be_read(name, place, tmp_path, on_disk):
    on_disk(name, place, lambda *_: remount(tmp_path / place, "ro"), "rw", READ_ONLY)


@pytest.mark.parametrize("name", COMMANDS)
def test_twice_at_once(name, tmp_path):
    """Both end well, and the output is that of one."""
    command, (after, _) = COMMANDS[name], reference(name)
    command.prepare(tmp_path, True)
    before = command.state(tmp_path)
    said = [child.wait() for child in [command.child(tmp_path) for _ in range(2)]]
    left = command.state(tmp_path)
    assert not any(said)
    assert not not_whole(left, before, after)
    assert left == after


LIMITS = [(resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_FSIZE, 20_000), (resource.RLIMIT_NOFILE, 4)]


@pytest.mark.parametrize("limit", LIMITS)
def test_no_larger_and_no_more_files(limit, tmp_path):
    """The run may end with the system's own error, as of any program; what was there is as it was."""
    command = COMMANDS["run"]
    command.prepare(tmp_path, True)
    before = command.state(tmp_path)
    assert "Error" in command.child(tmp_path, limit).wait()
    assert not not_whole(command.state(tmp_path), before, reference("run")[0])
    assert not again(command, tmp_path)
