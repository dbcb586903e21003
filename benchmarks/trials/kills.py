"""Commands that are killed (SIGKILL) at random moments: each file is the old one or the new one, and none is gone.

Then the command is run again, and must end well with the same output. Every second one begins with nothing there, the
others over what an earlier one has written. A command is a child of this process, with all of it imported, so that it
is killed while it works.
"""

from __future__ import annotations

import functools
import signal
import zlib
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.trials.commands import COMMANDS, Command, State, reference, working_in
from benchmarks.trials.signals import Child
from benchmarks.trials.trial import Trial, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AREA = "kills"
MOMENTS = 50
"""Of each command."""


def trials() -> Iterator[Trial]:
    """Each command at each moment."""
    for command in COMMANDS:
        for number in range(MOMENTS):
            yield Trial(AREA, f"{command.name}, moment {number + 1:02}", functools.partial(_killed, command, number))


def _killed(command: Command, number: int, folder: Path) -> Verdict:
    after, seconds = reference(command)
    moment = float(np.random.default_rng([zlib.crc32(command.name.encode()), number]).uniform(0, 1.1 * seconds))
    with working_in(folder):
        command.prepare(folder, number % 2 == 0)
        before = command.state(folder)
        Child(folder, functools.partial(command.work, folder)).wait(signal.SIGKILL, moment)
        left = command.state(folder)
        if verdict := not_whole(left, before, after):
            return verdict
        if said := Child(folder, functools.partial(command.work, folder)).wait():
            return Verdict("raw", f"run again after {moment:.3f} s: {said.strip().splitlines()[-1]}")
        if command.state(folder) != after:
            return Verdict("silent", f"other output when it is run again after {moment:.3f} s")
    new = sum(left.get(name) == content for name, content in after.items())
    return Verdict("right", f"after {moment:.3f} of {seconds:.3f} s; {new} of {len(after)} files were new")


def not_whole(left: State, before: State, after: State) -> Verdict | None:
    """Lost, if something that was there is gone; silent, if something is neither as before nor as afterwards."""
    if gone := sorted(before.keys() - left.keys()):
        return Verdict("lost", f"{gone[0]} is gone")
    if half := sorted(name for name, content in left.items() if content not in (before.get(name), after.get(name))):
        return Verdict("silent", f"{half[0]} is neither as before nor as afterwards")
    return None
