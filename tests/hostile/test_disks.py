"""Disks that are full or only to be read, limits on files, and a command twice at once in one folder.

The disk is a small tmpfs of its own, which takes root to mount; where that is not to be had, these are skipped. A
command that finds no room ends with a message that says so and where; what was there before is there, and with room it
ends well. For `run`, where mteb writes, the system's own error with the path is enough.
"""

import resource
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.hostile.writing_commands import COMMANDS, again, child, do, not_whole, prepare, reference, state

pytestmark = [pytest.mark.hostile, pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]
SHARE = 0.6
"""Of what the command writes, how much there is room for."""

FULL = ("No space left",)
READ_ONLY = ("Read-only file system",)


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
    """Tries a command while the disk that it writes to is limited, and again when it is not."""

    def on_disk(name, limit, unlimited, reasons):
        after, _ = reference(name)
        out = tmp_path / "out"
        with disk(out):
            prepare(name, tmp_path, True)
            before = state(name, tmp_path)
            limit(before, after)
            is_ended, said = attempt(name, tmp_path)
            left = state(name, tmp_path)
            if is_ended:
                assert left == after
            else:
                flat = "".join(said.replace("│", " ").split())
                assert any("".join(reason.split()) in flat for reason in reasons), said[-300:]
                assert str(out) in flat
            assert not not_whole(left, before, after)
            remount(out, unlimited)
            assert not again(name, tmp_path)

    return on_disk


def attempt(name, folder):
    """Whether the command ends well, and what it says; a command of ours says it without a traceback."""
    if name == "run":
        said = child(name, folder).wait()
        return not said, said
    done = do(name, folder)
    assert isinstance(done.exception, SystemExit | None), repr(done.exception)
    assert "Traceback (most recent call last)" not in done.output
    return done.exit_code == 0, done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_full(name, tmp_path, on_disk):
    """In pages of 4096 bytes, of which the least that a tmpfs may have is what is on it."""

    def fill(before, after):
        new = sum(len(content) for file, content in after.items() if before.get(file) != content)
        pages = sum(-(-path.stat().st_size // 4096) for path in (tmp_path / "out").rglob("*") if path.is_file())
        remount(tmp_path / "out", f"size={4096 * (pages + 1 + int(SHARE * new) // 4096)}")

    on_disk(name, fill, "size=64m", FULL)


@pytest.mark.parametrize("name", COMMANDS)
def test_only_to_be_read(name, tmp_path, on_disk):
    on_disk(name, lambda *_: remount(tmp_path / "out", "ro"), "rw", READ_ONLY)


@pytest.mark.parametrize(
    "limit", [(resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_FSIZE, 20_000), (resource.RLIMIT_NOFILE, 4)]
)
def test_no_larger_and_no_more_files(limit, tmp_path):
    """The run may end with the system's own error, as of any program; what was there is as it was."""
    prepare("run", tmp_path, True)
    before = state("run", tmp_path)
    assert "Error" in child("run", tmp_path, limit).wait()
    assert not not_whole(state("run", tmp_path), before, reference("run")[0])
    assert not again("run", tmp_path)


@pytest.mark.parametrize("name", COMMANDS)
def test_twice_at_once(name, tmp_path):
    """Both end well, and the output is that of one."""
    prepare(name, tmp_path, True)
    said = [each.wait() for each in [child(name, tmp_path) for _ in range(2)]]
    assert not any(said)
    assert state(name, tmp_path) == reference(name)[0]
