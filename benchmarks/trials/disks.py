"""Disks that are full or only to be read, and a command twice at once in one folder.

The disk is a small tmpfs of its own, which takes root to mount; where that is not to be had, these are left out, and it
is said. A command that finds no room ends with a message that says so and where; what was there before is there, and
with room it ends well. For `run` and `download`, where mteb or `datasets` is what writes, the system's own error that
names the file is enough.
"""

from __future__ import annotations

import functools
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks.trials.commands import COMMANDS, Command, reference, working_in
from benchmarks.trials.kills import not_whole
from benchmarks.trials.signals import Child
from benchmarks.trials.trial import Trial, Verdict, harness_ext, judge_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AREA = "disks"
SHARES = (0.0, 0.3, 0.6, 0.9)
"""Of what the command writes, how much there is room for."""

FULL = ("No space left", "disk is full", "disk I/O error")
READ_ONLY = ("Read-only file system", "readonly", "unable to open database file")


def trials() -> Iterator[Trial]:
    """Each command on each disk; at once with itself."""
    for command in COMMANDS:
        yield Trial(AREA, f"{command.name}, twice at once", functools.partial(_at_once, command))
    if why := why_no_disk():
        sys.stderr.write(f"{AREA}: neither full disks nor read-only ones: {why}\n")
        return
    for command in COMMANDS:
        for place in ("out", "cache"):
            if (command.name, place) in WRITES_NOTHING:
                continue
            for share in SHARES:
                attempt = functools.partial(_full, command, place, share)
                yield Trial(AREA, f"{command.name}, room for {share:.0%} of it on the disk of {place}", attempt)
            yield Trial(AREA, f"{command.name}, {place} only to be read", functools.partial(_read_only, command, place))


WRITES_NOTHING = {("run", "cache"), ("export", "cache"), ("report", "cache"), ("download", "out")}


def why_no_disk() -> str:
    """Why no small disk can be mounted here; nothing if it can."""
    if not sys.platform.startswith("linux"):
        return "a tmpfs is mounted on Linux only"
    done = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True
    )
    return done.stderr.strip() if done.returncode else ""


@contextmanager
def _disk(folder: Path) -> Iterator[None]:
    """A tmpfs in the place of the folder."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


def _full(command: Command, place: str, share: float, folder: Path) -> Verdict:
    """In pages of 4096 bytes, of which the least that a tmpfs may have is what is on it."""

    def fill() -> None:
        before, after = command.state(folder), reference(command)[0]
        new = sum(len(content) for name, content in after.items() if before.get(name) != content)
        pages = sum(-(-path.stat().st_size // 4096) for path in (folder / place).rglob("*") if path.is_file())
        _remount(folder / place, f"size={4096 * (pages + 1 + int(share * new) // 4096)}")

    return _on_disk(command, place, fill, "size=64m", FULL, folder)


def _read_only(command: Command, place: str, folder: Path) -> Verdict:
    return _on_disk(command, place, lambda: _remount(folder / place, "ro"), "rw", READ_ONLY, folder)


def _on_disk(command, place, limit, unlimited, said, folder) -> Verdict:  # type: ignore[no-untyped-def]
    after, _ = reference(command)
    with working_in(folder), _disk(folder / place):
        command.prepare(folder, True)
        before = command.state(folder)
        limit()
        verdict = _judged(command, place, said, folder)
        if wrong := not_whole(command.state(folder), before, after):
            return wrong
        _remount(folder / place, unlimited)
        if error := Child(folder, functools.partial(command.work, folder)).wait():
            return Verdict("raw", f"with room again: {error.strip().splitlines()[-1]}")
        if command.state(folder) != after:
            return Verdict("silent", "other output with room again")
    return verdict


def _judged(command: Command, place: str, said: tuple[str, ...], folder: Path) -> Verdict:
    """What the command says; right if it ends well all the same."""
    after, _ = reference(command)
    where = str(folder / place)
    if command.line is None:
        error = Child(folder, functools.partial(command.work, folder)).wait().strip()
        last = error.splitlines()[-1] if error else ""
        if not error:
            return Verdict("right" if command.state(folder) == after else "silent", "")
        is_clear = any(one in error for one in said) and where in error
        return Verdict("clear" if is_clear else "raw", last)
    done = harness_ext(*command.line(folder))
    verdict = judge_command(done, lambda _: command.state(folder) == after, where)
    if verdict.outcome == "clear" and not any(one in done.output for one in said):
        return Verdict("raw", verdict.said)
    return verdict


def _at_once(command: Command, folder: Path) -> Verdict:
    """Both end well, and the output is that of one."""
    after, _ = reference(command)
    with working_in(folder):
        command.prepare(folder, True)
        before = command.state(folder)
        children = [Child(folder, functools.partial(command.work, folder)) for _ in range(2)]
        said = [child.wait() for child in children]
        left = command.state(folder)
    if any(said):
        return Verdict("raw", max(said).strip().splitlines()[-1])
    return not_whole(left, before, after) or Verdict("right" if left == after else "silent", "")
