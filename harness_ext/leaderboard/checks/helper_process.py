"""A process that answers questions about strangers' files, and may die of them."""

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any


class HelperProcess:
    """A program that answers a line of JSON with another; it is started when it is first asked, and
    again when it died.

    Args:
        program: What Python runs: a file, or `-m` and a module.
    """

    def __init__(self, *program: str) -> None:
        self._program = program
        self._owner = 0
        self.process: subprocess.Popen[str] | None = None
        atexit.register(self.close)

    def start(self) -> None:
        """Start the program before it is asked: what it imports takes time."""
        self._started()

    def ask(self, question: Sequence[Any]) -> list[Any] | None:
        """Ask a question; None if the program died of it."""
        process = self._started()
        assert process.stdin and process.stdout
        answer = ""
        with suppress(BrokenPipeError):
            process.stdin.write(f"{json.dumps(question)}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        if not answer:
            self.close()
            return None
        answered: list[Any] = json.loads(answer)
        return answered

    def _started(self) -> subprocess.Popen[str]:
        """The process, started if there is none; a copy of this process starts one of its own."""
        if self.process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self.process = subprocess.Popen(
                [sys.executable, "-P", *self._program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1"},
            )
        return self.process

    def close(self) -> None:
        """End the process."""
        if self.process is not None and self._owner == os.getpid():
            self.process.kill()
            self.process.communicate()
        self.process = None
