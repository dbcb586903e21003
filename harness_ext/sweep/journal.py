"""What became of each task of a model, line by line in a file, so that a sweep that is killed loses none of it."""

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
    """A line.

    Attributes:
        state: `started`: a process has begun with the model; `measured`: now; `there`: the result was there already.
        task: Of which task; None of the model as a whole.
        reason: Why it failed.
        file: The result file of the task, from the folder of the results; None where the model's result is not kept.
        host: The machine.
        at: When, in UTC.
    """

    state: State
    task: str | None = None
    reason: str | None = None
    file: str | None = None
    host: str = ""
    at: str = ""


def now() -> str:
    """This moment, as events have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Journal:
    """The journal of one model.

    Attributes:
        path: The file; what its process says is beside it, as `.log`, and the lock of who measures it, as `.lock`.
    """

    def __init__(self, output_folder: Path, model: str) -> None:
        digest = hashlib.sha256(model.encode()).hexdigest()[:8]  # two models never share one
        readable = re.sub(r"[^\w.=-]+", "_", model).strip("._")[-80:]
        self.path = output_folder / "sweep" / f"{readable}-{digest}.jsonl"

    def add(self, state: State, task: str | None = None, reason: str | None = None, file: str | None = None) -> None:
        """Write a line; it is on disk when this returns."""
        event = Event(state, task, reason, file, socket.gethostname(), now())
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(event), ensure_ascii=False) + "\n")
            lines.flush()
            os.fsync(lines.fileno())

    def events(self) -> list[Event]:
        """All lines, the oldest first; a line that was cut when a machine went down is left out."""
        events = []
        for line in self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else ():
            try:
                events.append(Event(**json.loads(line)))
            except (ValueError, TypeError):
                continue
        return events

    def kept(self, since: str) -> dict[str, State]:
        """Tasks whose results are in the folder: `measured` if they were since that moment, by whichever process."""
        found: dict[str, State] = {}
        for event in self.events():
            if event.task and event.file and (self.path.parents[1] / event.file).is_file():
                is_new = event.state == "measured" and event.at >= since
                found[event.task] = "measured" if is_new else found.get(event.task, "there")
        return found

    def last_run(self) -> tuple[dict[str, Event], str | None]:
        """What the process that began last has said: task -> its last event; and why the model as a whole failed."""
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
