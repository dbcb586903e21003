"""Records the outcome of each task of a model, a line per event, so that a killed sweep loses nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

State = Literal["started", "measured", "there", "failed"]


@dataclass(frozen=True)
class Event:
    """A line of a journal.

    Attributes:
        state: `started`: a process has started with the model; `measured`: the task was measured; `there`: the result
            existed already; `failed`: the task, or the whole model, failed.
        task: The task's name; None for the model as a whole.
        reason: The reason of a failure.
        file: The result file, relative to the folder of the results; None if the model's results are not kept.
        host: The machine.
        at: The time in UTC.
    """

    state: State
    task: str | None = None
    reason: str | None = None
    file: str | None = None
    host: str = ""
    at: str = ""


def now() -> str:
    """The current time, in the form of `Event.at`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Journal:
    """The journal of one job.

    Attributes:
        path: The file. Beside it are the output of the process (`.log`) and the lock of the model (`.lock`).
    """

    def __init__(self, output_folder: Path, model: str) -> None:
        digest = hashlib.sha256(model.encode()).hexdigest()[:8]  # keeps similar names apart
        readable = re.sub(r"[^\w.=-]+", "_", model).strip("._")[-80:]
        self.path = output_folder / "sweep" / f"{readable}-{digest}.jsonl"

    def add(self, state: State, task: str | None = None, reason: str | None = None, file: str | None = None) -> None:
        """Append an event, and wait until it is on disk."""
        event = Event(state, task, reason, file, socket.gethostname(), now())
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(event), ensure_ascii=False) + "\n")
            lines.flush()
            os.fsync(lines.fileno())

    def events(self) -> list[Event]:
        """Read all events, oldest first; skip a line that was cut when a machine went down."""
        events = []
        for line in self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else ():
            try:
                events.append(Event(**json.loads(line)))
            except (ValueError, TypeError):
                continue
        return events

    def kept(self, since: str) -> dict[str, State]:
        """Find the tasks with a result file: `measured` if any process measured them since then, else `there`."""
        kept: dict[str, State] = {}
        for event in self.events():
            if event.task and event.file and (self.path.parents[1] / event.file).is_file():
                is_new = event.state == "measured" and event.at >= since
                kept[event.task] = "measured" if is_new else kept.get(event.task, "there")
        return kept

    def last_run(self) -> tuple[dict[str, Event], str | None]:
        """Read the events of the latest process: task -> last event, and the reason why the whole model failed."""
        tasks: dict[str, Event] = {}
        failure = None
        for event in self.events():
            if event.state == "started":
                tasks, failure = {}, None
            elif event.task is None:
                failure = event.reason
            else:
                tasks[event.task] = event
        return tasks, failure
