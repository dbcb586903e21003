"""One model of a sweep: what is to be measured of it, and the process that does so."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness_ext.sweep.journal import Journal
from harness_ext.sweep.models import SweepError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mteb.abstasks import AbsTask

BUSY = 75
"""What the process of a job ends with when another one has the model (EX_TEMPFAIL of sysexits.h)."""


@dataclass(frozen=True)
class Job:
    """One model and the tasks.

    Attributes:
        model: As `mteb run -m` takes it.
        task_names: The names of tasks, as `mteb run -t` takes them.
        benchmarks: The names of benchmarks, as `mteb run -b` takes them.
        output: The folder of the results.
        working_folder: From where the folders of models are named.
        batch_size: Texts per batch; None for mteb's own.
        patience: How many seconds to wait for another process that has the model.
    """

    model: str
    task_names: tuple[str, ...]
    benchmarks: tuple[str, ...]
    output: str
    working_folder: str
    batch_size: int | None = None
    patience: float = 10.0

    @classmethod
    def from_json(cls, text: str) -> Job:
        """As `to_json` writes it."""
        values: dict[str, Any] = json.loads(text)
        lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return cls(**{**values, **lists})

    def to_json(self) -> str:
        """A line."""
        return json.dumps(asdict(self))

    @cached_property
    def journal(self) -> Journal:
        """What became of it."""
        return Journal(self.output_folder, self.model)

    @property
    def output_folder(self) -> Path:
        """The folder of the results."""
        return Path(self.working_folder, self.output)

    @property
    def encode_kwargs(self) -> dict[str, Any]:
        """What `mteb.evaluate` takes under that name."""
        return {} if self.batch_size is None else {"batch_size": self.batch_size}

    def tasks(self) -> list[AbsTask]:
        """The tasks, each once, those of the benchmarks after the others.

        Raises:
            SweepError: A task or a benchmark is not known, or none is named.
        """
        import mteb

        if not self.task_names and not self.benchmarks:
            raise SweepError("Which tasks? Name them with -t TASK, or a benchmark with -b Compositionality.")
        try:
            tasks = [mteb.get_task(name) for name in self.task_names]
            for benchmark in mteb.get_benchmarks(names=list(self.benchmarks)) if self.benchmarks else ():
                tasks += benchmark.tasks
        except KeyError as error:
            raise SweepError(str(error.args[0])) from None
        return list({task.metadata.name: task for task in tasks}.values())

    def start(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start the process that measures it; it ends when this one does. What it prints is in the journal's `.log`.

        Args:
            environment: Variables that are added to those of this process.
        """
        self.journal.path.parent.mkdir(parents=True, exist_ok=True)
        with self.journal.path.with_suffix(".log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "harness_ext.sweep.worker", self.to_json()],
                stdin=subprocess.PIPE,  # closed when this process ends, and with it that one
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
            )

    def end(self, code: int) -> None:
        """Say in the journal if its process could not do so itself.

        Args:
            code: What it ended with.
        """
        if code == BUSY:
            self.journal.add("failed", reason="Another process is measuring this model into the same folder.")
        elif code < 0:
            killed = " (it may have wanted more memory than there is)" if -code == signal.SIGKILL else ""
            self.journal.add("failed", reason=f"Its process was ended by {signal.Signals(-code).name}{killed}.")
        elif code:
            self.journal.add("failed", reason=f"Its process ended with {code}; the log says why.")
