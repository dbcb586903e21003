"""What a trial is, and how its outcome is judged: by rules alone, so that nobody's opinion enters the table.

right   the result is the one that it ought to be
clear   one message of this project that names what is at fault; no traceback on the command line
raw     an exception out of numpy, torch, mteb …, a traceback, or a message that does not name what is at fault
silent  another result than it ought to be, and no such message
lost    a result that was on disk before is gone
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import traceback
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OUTCOMES = ("right", "clear", "raw", "silent", "lost")
ROOT = Path(__file__).parents[2]
_FEWEST_WORDS = 3
"""A name alone, as of a KeyError, is no message."""
_OURS = tuple(str(ROOT / folder) for folder in ("harness_ext", "tasks", "datasets_scripts"))


class Verdict(NamedTuple):
    """An outcome, and the last line of what was said."""

    outcome: str
    said: str


@dataclass(frozen=True)
class Trial:
    """One hostile thing done.

    Attributes:
        area: Its row in the table.
        name: What is done.
        attempt: Does it, in an empty folder of its own.
    """

    area: str
    name: str
    attempt: Callable[[Path], Verdict]


def judge(action: Callable[[], Any], is_right: Callable[[Any], bool], *names: str) -> Verdict:
    """Do something in this process.

    Args:
        action: Does it.
        is_right: Whether what it returns is what it ought to be.
        names: What a message must have in it: the file, row, model or option at fault.
    """
    with _heard() as records:
        try:
            value = action()
        except (Exception, SystemExit) as error:
            return of_error(error, names)
        right = is_right(value)
    if right:
        return Verdict("right", records[-1] if records else "")
    told = [line for line in records if all(name in line for name in names)]
    return Verdict("clear", told[-1]) if told else Verdict("silent", f"returned {value!r}"[:200])


def of_error(error: BaseException, names: tuple[str, ...]) -> Verdict:
    """Clear if a line of this project's code raised it, and its message has all the names."""
    message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
    ours = raised_in.startswith(_OURS) or type(error).__module__.startswith("harness_ext")
    clear = ours and len(message.split()) > _FEWEST_WORDS and all(name in message for name in names)
    line = message.strip().splitlines()[0] if message.strip() else ""
    return Verdict("clear" if clear else "raw", f"{type(error).__name__}: {line}")


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What this project logs, and what anybody warns of, meanwhile."""
    records: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record.getMessage())

    logger, listener = logging.getLogger("harness_ext"), Listener(logging.WARNING)
    logger.addHandler(listener)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            yield records
            records += [str(each.message) for each in warned if each.filename.startswith(_OURS)]
    finally:
        logger.removeHandler(listener)


def harness_ext(*arguments: object, columns: str = "200") -> Any:
    """The command `harness-ext` in this process: typer's result, with exit_code, output, exception."""
    from typer.testing import CliRunner

    from harness_ext.cli import app

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": columns})


def judge_command(done: Any, is_right: Callable[[str], bool], *names: str) -> Verdict:
    """Judge a finished command, of `harness_ext` or `run`.

    Args:
        done: What it returned.
        is_right: Whether its output is what it ought to be; asked if its exit status is 0.
        names: What a message must have in it.
    """
    exception = getattr(done, "exception", None)
    if exception is not None and not isinstance(exception, SystemExit):
        return Verdict("raw", f"{type(exception).__name__}: {exception}")
    status = done.returncode if isinstance(done, subprocess.CompletedProcess) else done.exit_code
    said = done.stdout + done.stderr
    last = next((line for line in reversed(said.splitlines()) if line.strip(" │╰─╯")), "")
    flat = " ".join(said.replace("│", " ").split())
    if "Traceback (most recent call last)" in said:
        return Verdict("raw", last)
    if status == 0:
        return Verdict("right" if is_right(said) else "silent", last)
    return Verdict("clear" if all(" ".join(name.split()) in flat for name in names) else "raw", last)


def run(*command: object, folder: Path, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of this environment as a person would give it, in `folder`."""
    program = Path(sys.executable).with_name(str(command[0]))
    return subprocess.run(
        [str(program), *map(str, command[1:])],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@contextmanager
def environment(**variables: str | None) -> Iterator[None]:
    """Environment variables that are set, or None for those that are not, meanwhile."""
    before = {name: os.environ.get(name) for name in variables}
    for name, value in variables.items():
        _set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            _set(name, value)


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def results_below(folder: Path) -> set[tuple[str, ...]]:
    """Every score on disk: model, task, revision of the data, split, subset. What cannot be read is none."""
    found = set()
    for file in folder.rglob("*.json"):
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            for split, entries in content["scores"].items():
                for entry in entries:
                    place = (content["task_name"], content["dataset_revision"], split, entry["hf_subset"])
                    float(entry["main_score"])
                    found.add((_model_folder(file), *place))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            continue
    return found


def _model_folder(file: Path) -> str:
    parts = file.parts
    return "/".join(parts[parts.index("results") + 1 :][:2]) if "results" in parts else ""


def unless_lost(folder: Path, attempt: Callable[[], Verdict]) -> Verdict:
    """The verdict of an attempt, unless a score below `folder` is gone after it."""
    before = results_below(folder)
    verdict = attempt()
    gone = before - results_below(folder)
    return Verdict("lost", f"{sorted(gone)[0]}; {verdict.said}") if gone else verdict
