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
    """A call in a process of its own, which is begun at once, within a limit of the system such as (RLIMIT_NOFILE, 4).

    The function and its arguments can be pickled.
    """

    def __init__(self, folder, limit, work, *arguments):
        variables = {"PYTHONPATH": str(ROOT), "HF_DATASETS_CACHE": str(datasets.config.HF_DATASETS_CACHE)}
        with mock.patch.dict(os.environ, variables):
            multiprocessing.forkserver.ensure_running()
        self._said = folder / f"said-{time.monotonic_ns()}"
        self._process = FORKS.Process(target=_do, args=(self._said, limit, work, arguments))
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


def _do(said, limit, work, arguments):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    tqdm.set_lock(threading.RLock())  # its own is one of all forks, and whoever is killed may hold it
    with Path(os.devnull).open("w") as null:
        for terminal in (1, 2):
            os.dup2(null.fileno(), terminal)
    number, size = limit or (resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    hard = resource.getrlimit(number)[1]
    resource.setrlimit(number, (size, hard))
    status = 0
    try:
        with contextlib.suppress(KeyboardInterrupt):
            work(*arguments)
    except BaseException:
        status = 1
        resource.setrlimit(number, (hard, hard))
        said.write_text(traceback.format_exc())
    finally:
        os._exit(status)
