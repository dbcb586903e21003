"""Describes one job of a sweep, a model under one instruction, and starts the process that measures it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness_ext.names import EXPERIMENT_OF_PROMPT, name_in_experiment, unknown_name
from harness_ext.own_data.own_task import add_own_tasks
from harness_ext.sweep.journal import Journal
from harness_ext.sweep.models import SweepError

if TYPE_CHECKING:
    from mteb.abstasks import AbsTask

BUSY = 75
"""Exit status of a job's process if another process measures the model (EX_TEMPFAIL of sysexits.h)."""


@dataclass(frozen=True)
class Job:
    """A model and its tasks.

    Attributes:
        model: The model's name or folder, as for `mteb run -m`.
        task_names: Names of tasks, as for `mteb run -t`.
        benchmarks: Names of benchmarks, as for `mteb run -b`.
        output: The folder of the results.
        working_folder: The folder that relative paths start from.
        batch_size: Texts per batch; None for mteb's default.
        patience: Seconds to wait for another process that measures the model.
        prompt_name: The name of the instruction; None to leave the instruction to mteb.
        prompt: The instruction; empty for none.
    """

    model: str
    task_names: tuple[str, ...]
    benchmarks: tuple[str, ...]
    output: str
    working_folder: str
    batch_size: int | None = None
    patience: float = 10.0
    prompt_name: str | None = None
    prompt: str = ""

    @classmethod
    def from_json(cls, text: str) -> Job:
        """Read the line that `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return cls(**{**values, **lists})

    def to_json(self) -> str:
        """Write the job as one line."""
        return json.dumps(asdict(self))

    @cached_property
    def journal(self) -> Journal:
        """The journal of this job."""
        return Journal(self.output_folder, self.name)

    @property
    def name(self) -> str:
        """The name of the model in its results: with that of the instruction, `MODEL [prompt_NAME]`."""
        experiment = "" if self.prompt_name is None else f"{EXPERIMENT_OF_PROMPT}_{self.prompt_name}"
        return name_in_experiment(self.model, experiment)

    @property
    def experiment(self) -> dict[str, str]:
        """The settings by which mteb keeps the results of an instruction apart."""
        return {} if self.prompt_name is None else {EXPERIMENT_OF_PROMPT: self.prompt_name}

    @property
    def output_folder(self) -> Path:
        """The folder of the results."""
        return Path(self.working_folder, self.output)

    @property
    def encode_kwargs(self) -> dict[str, Any]:
        """The argument `encode_kwargs` of `mteb.evaluate`."""
        return {} if self.batch_size is None else {"batch_size": self.batch_size}

    def tasks(self) -> list[AbsTask]:
        """List each task once; tasks of benchmarks follow tasks named by themselves.

        Raises:
            UnknownNameError: There is no such task or benchmark.
            SweepError: None of both is named.
        """
        import mteb

        from harness_ext.harnesses.mteb.registration import task_named

        if not self.task_names and not self.benchmarks:
            raise SweepError("Which tasks? Name them with -t TASK, or a benchmark with -b Compositionality.")
        add_own_tasks(self.output_folder, self.task_names)
        tasks = [task_named(name) for name in self.task_names]
        for name in self.benchmarks:
            try:
                tasks += mteb.get_benchmark(name).tasks
            except KeyError:
                known = [each.name for each in mteb.get_benchmarks()]
                raise unknown_name("benchmark", name, known, "`mteb available-benchmarks` lists them all.") from None
        return list({task.metadata.name: task for task in tasks}.values())

    def start(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start a process that measures the model and prints into the journal's `.log`. It ends with this process.

        Args:
            environment: Variables to add to those of this process.
        """
        self.journal.path.parent.mkdir(parents=True, exist_ok=True)
        with self.journal.path.with_suffix(".log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "harness_ext.sweep.worker", self.to_json()],
                stdin=subprocess.PIPE,  # the pipe closes when this process ends, which ends the worker
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
            )

    def end(self, code: int) -> None:
        """Record a failure that the process could not record itself.

        Args:
            code: The exit status of the process.
        """
        if code == BUSY:
            self.journal.add("failed", reason="Another process is measuring this model into the same folder.")
        elif code < 0:
            killed = " (it may have wanted more memory than there is)" if -code == signal.SIGKILL else ""
            self.journal.add("failed", reason=f"Its process was ended by {signal.Signals(-code).name}{killed}.")
        elif code:
            self.journal.add("failed", reason=f"Its process ended with {code}; the log says why.")
