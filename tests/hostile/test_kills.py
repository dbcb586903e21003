"""Commands that are killed (SIGKILL) at random moments: each file is the old one or the new one, and none is gone.

Then the command is run again, and must end well with the same output. Every second one begins with nothing there, the
others over what an earlier one has written.
"""

import signal
import zlib

import numpy as np
import pytest

from tests.hostile.writing_commands import COMMANDS, again, not_whole, reference

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
AREA = "kills"


def pytest_generate_tests(metafunc):
    metafunc.parametrize("number", range(metafunc.config.getoption("--kills")))


@pytest.mark.parametrize("name", COMMANDS)
def test_killed(name, number, tmp_path, judge):
    command, (after, seconds) = COMMANDS[name], reference(name)
    moment = float(np.random.default_rng([zlib.crc32(name.encode()), number]).uniform(0, 1.1 * seconds))
    command.prepare(tmp_path, number % 2 == 0)
    before = command.state(tmp_path)
    command.child(tmp_path).wait(signal.SIGKILL, moment)
    wrong = not_whole(command.state(tmp_path), before, after) or again(command, tmp_path)
    judge.found(*(wrong or ("right", "")))
    assert not [*tmp_path.rglob(".incomplete-*")], "run again, it removes what it left"
