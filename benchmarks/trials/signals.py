"""Programs that are stopped, and disks that take no more: what was on disk stays, and the next run ends well.

A run is a child of this process, so that all of it is imported when it begins: it is stopped while it works.
"""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from benchmarks.trials.results import FIRST, SECOND, file_of, main_score, measure, sound
from benchmarks.trials.trial import Trial, Verdict, environment, harness_ext, judge, judge_command, unless_lost
from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.results.load import load_results
from harness_ext.store.item_files import read_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AREA = "signals and disk"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SECONDS = (0.02, 0.1, 0.2, 0.3, 0.5)
LIMIT = 300
"""Seconds that a child may take; one that is forked while another thread holds a lock would wait for ever."""


def trials() -> Iterator[Trial]:
    """Signals at several moments, two runs at once, disks that are full, pipes that are closed."""
    for number in SIGNALS:
        for seconds in SECONDS:
            attempt = functools.partial(_stopped, number, seconds)
            yield Trial(AREA, f"{number.name} after {seconds} s", attempt)
    yield Trial(AREA, "SIGKILL again and again", _stopped_again_and_again)
    yield Trial(AREA, "two runs of two models at once", functools.partial(_at_once, (FIRST, SECOND)))
    yield Trial(AREA, "two runs of one model at once", functools.partial(_at_once, (FIRST, FIRST)))
    for size in (0, 1_000, 20_000):
        yield Trial(AREA, f"no file may be larger than {size} bytes", functools.partial(_full, size))
    yield Trial(AREA, "no more files may be opened", _no_more_files)
    yield Trial(AREA, "a file in the place of the folder of results", _no_folder)
    yield Trial(AREA, "a full device for the table", functools.partial(_show_to, "> /dev/full"))
    yield Trial(AREA, "a pipe that is closed after a line", functools.partial(_show_to, "| head -1"))
    yield Trial(AREA, "a results folder on a device of no files", _device)


class Child:
    """A run in a child process; what it says of an error is kept.

    It is forked: whoever has started threads before, as of OpenMP or TensorFlow, may find that it never ends.
    """

    def __init__(self, folder: Path, work: Callable[[], Any]) -> None:
        self._said = folder / f"said-{time.monotonic_ns()}"
        if (pid := os.fork()) == 0:
            status = 0
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                tqdm.set_lock(threading.RLock())  # its own is one of all forks, and whoever is killed may hold it
                with contextlib.suppress(KeyboardInterrupt):
                    work()
            except BaseException:
                status = 1
                for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
                    _, hard = resource.getrlimit(limit)
                    resource.setrlimit(limit, (hard, hard))
                self._said.write_text(traceback.format_exc())
            finally:
                os._exit(status)
        self.pid = pid

    def wait(self, number: int = 0, after: float = 0) -> str:
        """The traceback of what it ended with, if with an error; a signal is sent to it after some seconds.

        Raises:
            TimeoutError: It has not ended after `LIMIT` seconds.
        """
        if number:
            time.sleep(after)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)
        deadline = time.monotonic() + LIMIT
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise TimeoutError(f"a child that has not ended after {LIMIT} s")
            time.sleep(0.002)
        return self._said.read_text() if self._said.is_file() else ""


def _anew(out: Path, model: str = FIRST) -> None:
    measure(out, model, overwrite_strategy="always")


def _as_before(out: Path, scores: dict[str, float]) -> bool:
    """Whether every result is there, with the score it had and the items that it was computed from."""
    entries = load_results(out).entries
    for entry in entries:
        items = read_items(entry.file, entry.measure.items, (entry.split, entry.subset), str(entry.digest))
        flat = ENCODER_TASKS[entry.task].measure.flat_scores(items)
        if abs(flat[entry.measure.main] - entry.main_score) > 1e-9:
            return False
    return {entry.model: entry.main_score for entry in entries} == scores


def _scores(out: Path) -> dict[str, float]:
    return {model: main_score(file_of(out, model)) for model in (FIRST, SECOND)}


def _stopped(number: signal.Signals, seconds: float, folder: Path) -> Verdict:
    """Half of the runs begin with a result, half with none; then it is run again."""
    out = sound(folder)
    scores = _scores(out)

    def stop() -> bool:
        Child(folder, lambda: _anew(out)).wait(number, seconds)
        in_between = _as_before(out, scores)
        measure(out)
        return in_between and _as_before(out, scores)

    return unless_lost(out, lambda: judge(stop, bool, "EpsilonCompositionalityMini.json"))


def _stopped_again_and_again(folder: Path) -> Verdict:
    out = sound(folder)
    scores = _scores(out)

    def stop() -> bool:
        whole = True
        for n in range(12):
            Child(folder, lambda: _anew(out)).wait(signal.SIGKILL, 0.03 * (n + 1))
            whole &= _as_before(out, scores)
        _anew(out)
        return whole and _as_before(out, scores) and not [*out.rglob("*.new")]

    return unless_lost(out, lambda: judge(stop, bool, "EpsilonCompositionalityMini.json"))


def _at_once(models: tuple[str, str], folder: Path) -> Verdict:
    out = sound(folder)
    scores = _scores(out)

    def both() -> bool:
        said = [child.wait() for child in [Child(folder, functools.partial(_anew, out, model)) for model in models]]
        return _as_before(out, scores) and not any(said)

    return unless_lost(out, lambda: judge(both, bool, "EpsilonCompositionalityMini.json"))


def _limited(folder: Path, limit: Callable[[], Any]) -> Verdict:
    """The run may end with the system's own error, as of any program; what was there is as it was."""
    out = sound(folder)
    scores = _scores(out)

    def work() -> bool:
        def limited() -> None:
            limit()
            _anew(out)

        said = Child(folder, limited).wait()
        return _as_before(out, scores) and "Error" in said

    return unless_lost(out, lambda: judge(work, bool, "EpsilonCompositionalityMini.json"))


def _full(size: int, folder: Path) -> Verdict:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return _limited(folder, limit)


def _no_more_files(folder: Path) -> Verdict:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _limited(folder, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, hard)))


def _no_folder(folder: Path) -> Verdict:
    (folder / "out").write_text("mine")

    def work() -> str:
        with contextlib.suppress(OSError):
            measure(folder / "out")
        return (folder / "out").read_text()

    return judge(work, lambda said: said == "mine", "out")


def _show_to(where: str, folder: Path) -> Verdict:
    """Neither ends in a traceback."""
    out = sound(folder)
    done = _shell(f"harness-ext show {out} {where}", folder)
    raw = "Traceback" in done.stdout + done.stderr
    return Verdict("raw" if raw else "clear", (done.stderr or done.stdout).strip().splitlines()[-1])


def _shell(command: str, folder: Path) -> Any:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with environment(PATH=path):
        return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)


def _device(folder: Path) -> Verdict:
    """`show` of what is no folder."""
    return judge_command(harness_ext("show", "/dev/null"), lambda said: False, "/dev/null", "no such folder")
