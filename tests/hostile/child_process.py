"""Work in a process of its own, so that it can be stopped while it works.

It is forked from a server that has imported all and runs nothing else. A fork of the tests' own process, in which
OpenMP and TensorFlow have threads, may never end.
"""

import contextlib
import multiprocessing
import multiprocessing.forkserver
import os
import resource
import signal
import threading
import time
import traceback
from pathlib import Path
from unittest import mock

import datasets
from tqdm import tqdm

ROOT = Path(__file__).parents[2]
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.hostile.forked"])
LIMIT = 300
"""Seconds that a child may take."""


class Child:
    """A call in a process of its own, which is begun at once."""

    def __init__(self, folder, work, *arguments):
        found = {"PYTHONPATH": str(ROOT), "HF_DATASETS_CACHE": str(datasets.config.HF_DATASETS_CACHE)}
        with mock.patch.dict(os.environ, found):
            multiprocessing.forkserver.ensure_running()
        self._said = folder / f"said-{time.monotonic_ns()}"
        self._process = FORKS.Process(target=_do, args=(self._said, Path.cwd(), work, arguments))
        self._process.start()

    def wait(self, number=0, after=0.0):
        """The traceback of what it ended with, if with an error; a signal is sent to it after some seconds."""
        if number:
            time.sleep(after)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)
        self._process.join(LIMIT)
        if self._process.is_alive():
            self._process.kill()
            raise TimeoutError(f"a child that has not ended after {LIMIT} s")
        return self._said.read_text() if self._said.is_file() else ""


def _do(said, folder, work, arguments):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tqdm.set_lock(threading.RLock())  # its own is one of all forks, and whoever is killed may hold it
    os.chdir(folder)
    with Path(os.devnull).open("w") as null:
        for terminal in (1, 2):
            os.dup2(null.fileno(), terminal)
    status = 0
    try:
        with contextlib.suppress(KeyboardInterrupt):
            work(*arguments)
    except BaseException:
        status = 1
        for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
            _, hard = resource.getrlimit(limit)
            resource.setrlimit(limit, (hard, hard))
        said.write_text(traceback.format_exc())
    finally:
        os._exit(status)
