"""Programs that are stopped, and disks that take no more: what was on disk stays, and the next run ends well."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness_ext.catalogue.every_row import CATALOGUE
from harness_ext.results.load import load_results
from harness_ext.store.item_files import read_items
from tests.hostile.child_process import Child
from tests.hostile.judge import harness_ext
from tests.hostile.planted_results import FIRST, SECOND, TASK, measure, sound

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
AREA = "signals and disk"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Kept:
    """A folder of results, and whether they are as they were."""

    def __init__(self, folder):
        self.out = sound(folder)
        self.scores = {entry.model: entry.main_score for entry in load_results(self.out).entries}

    def child(self, model=FIRST, limit=None):
        """A process that measures a model anew, within a limit of the system."""
        return Child(self.out.parent, _anew, self.out, model, limit)

    def is_whole(self):
        """Whether every result is there, with the score it had and the items that it was computed from."""
        entries = load_results(self.out).entries
        for entry in entries:
            items = read_items(entry.file, entry.measure.items, (entry.split, entry.subset), str(entry.digest))
            flat = CATALOGUE[entry.task].measure.flat_scores(items)
            if abs(flat[entry.measure.main] - entry.main_score) > 1e-9:
                return False
        return {entry.model: entry.main_score for entry in entries} == self.scores


def _anew(out, model, limit):
    if limit:
        number, size = limit
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(number, (size, resource.getrlimit(number)[1]))
    measure(out, model, overwrite_strategy="always")


@pytest.fixture
def kept(tmp_path):
    return Kept(tmp_path)


@pytest.fixture
def holds(judge, kept):
    """Judges whether something holds, while no score is lost."""
    return lambda action: judge(action, bool, f"{TASK}.json", folder=kept.out)


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.2, 0.3, 0.5])
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_stopped(number, seconds, kept, holds):
    def stop():
        kept.child().wait(number, seconds)
        in_between = kept.is_whole()
        measure(kept.out)
        return in_between and kept.is_whole()

    holds(stop)


def test_killed_again_and_again(kept, holds):
    def stop():
        whole = True
        for n in range(12):
            kept.child().wait(signal.SIGKILL, 0.03 * (n + 1))
            whole &= kept.is_whole()
        measure(kept.out, overwrite_strategy="always")
        return whole and kept.is_whole() and not [*kept.out.rglob("*.new")]

    holds(stop)


@pytest.mark.parametrize("models", [(FIRST, SECOND), (FIRST, FIRST)])
def test_two_runs_at_once(models, kept, holds):
    def both():
        said = [child.wait() for child in [kept.child(model) for model in models]]
        return kept.is_whole() and not any(said)

    holds(both)


LIMITS = [*((resource.RLIMIT_FSIZE, size) for size in (0, 1_000, 20_000)), (resource.RLIMIT_NOFILE, 4)]


@pytest.mark.parametrize("limit", LIMITS)
def test_no_larger_and_no_more_files(limit, kept, holds):
    """The run may end with the system's own error, as of any program; what was there is as it was."""

    def work():
        said = kept.child(limit=limit).wait()
        return kept.is_whole() and "Error" in said

    holds(work)


def test_a_file_in_the_place_of_the_folder_of_results(tmp_path, holds):
    (tmp_path / "mine").write_text("mine")

    def work():
        with contextlib.suppress(OSError):
            measure(tmp_path / "mine")
        return (tmp_path / "mine").read_text() == "mine"

    holds(work)


@pytest.mark.parametrize("where", ["> /dev/full", "| head -1"])
def test_show_to_a_full_device_and_to_a_pipe_that_is_closed(where, kept, environment, judge):
    """Neither ends in a traceback."""
    environment(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    line = ["bash", "-c", f"harness-ext show {kept.out} {where}"]
    judge(lambda: subprocess.run(line, capture_output=True, text=True), bool)


def test_show_of_a_device(judge):
    judge(lambda: harness_ext("show", "/dev/null"), None, "/dev/null", "no such folder")
