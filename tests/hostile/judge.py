"""Judge what becomes of hostile input by rules alone, and write the table of docs/trust.md.

right   the result is as it ought to be
clear   one message of this project names what is at fault; no traceback on the command line
raw     an exception out of numpy, torch, mteb …, a traceback, or a message that does not name what is at fault
silent  another result than it ought to be, and no such message
lost    a result that was on disk before is gone

Each test of this folder is one trial of the area that its module names. `pytest -m hostile --write-trust` writes the
rows of the areas that ran.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

OUTCOMES = ("right", "clear", "raw", "silent", "lost")
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "trust.md"
_FEWEST_WORDS = 3
"""A name alone, as of a KeyError, is no message."""
_OURS = tuple(str(ROOT / folder) for folder in ("harness_ext", "tasks", "datasets_scripts"))


class PlantedError(Exception):
    """An error of a planted encoder, which is passed on as it is."""


class Judge:
    """Judges one trial; a test fails unless its outcome is right or clear."""

    def __init__(self, area, properties):
        self.area, self.properties = area, properties
        self._record("raw")  # where the test itself ends before anything is judged

    def __call__(self, action, is_right, *names, folder=None):
        """Do something in this process, and judge what comes of it.

        Args:
            action: Does it; gives a value, or a finished command of `harness_ext` or `command`.
            is_right: Whether the value, or the command's output, is as it ought to be; None if a message alone will do.
            names: What a message must have in it: the file, row, model or option at fault.
            folder: Where no score may be lost.
        """
        before = results_below(folder) if folder else set()
        outcome, said = _outcome(action, is_right or (lambda value: False), names)
        gone = before - results_below(folder) if folder else ()
        self.found(*(("lost", f"{sorted(gone)[0]}; {said}") if gone else (outcome, said)))

    def found(self, outcome, said):
        """Record an outcome, and what was said last."""
        self._record(outcome)
        assert outcome in {"right", "clear"}, f"{outcome}: {said[:300]}"

    def _record(self, outcome):
        self.properties[:] = [("trial", [self.area, outcome])]


@pytest.fixture
def judge(request, tmp_path, monkeypatch):
    """Judges the trial that a test is, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Judge(request.module.AREA, request.node.user_properties)


@pytest.fixture
def environment(monkeypatch):
    """Set environment variables, and remove those that are to be None."""

    def environment(**variables):
        for name, value in variables.items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)

    return environment


def _outcome(action, is_right, names):
    with _heard() as records:
        try:
            value = action()
        except (Exception, SystemExit) as error:
            return _of_error(error, names)
        if hasattr(value, "exit_code") or isinstance(value, subprocess.CompletedProcess):
            return _of_command(value, is_right, names)
        right = is_right(value)
    if right:
        return "right", records[-1] if records else ""
    told = [line for line in records if all(name in line for name in names)]
    return ("clear", told[-1]) if told else ("silent", f"returned {value!r}")


def _of_error(error, names):
    """Clear if a line of this project's code raised it, and its message has all the names."""
    message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
    ours = raised_in.startswith(_OURS) or type(error).__module__.startswith("harness_ext")
    ours |= isinstance(error, PlantedError)
    clear = ours and len(message.split()) > _FEWEST_WORDS and all(name in message for name in names)
    return "clear" if clear else "raw", f"{type(error).__name__}: {message.strip()}"


def _of_command(done, is_right, names):
    exception = getattr(done, "exception", None)
    if exception is not None and not isinstance(exception, SystemExit):
        return "raw", f"{type(exception).__name__}: {exception}"
    said = done.stdout + done.stderr
    flat = " ".join(said.replace("│", " ").split())
    if "Traceback (most recent call last)" in said:
        return "raw", last_line(said)
    if done.returncode == 0 if isinstance(done, subprocess.CompletedProcess) else done.exit_code == 0:
        return "right" if is_right(said) else "silent", last_line(said)
    return "clear" if all(" ".join(name.split()) in flat for name in names) else "raw", last_line(said)


def last_line(said):
    """The last line with a letter in it."""
    return next((line for line in reversed(said.splitlines()) if line.strip(" │╰─╯")), "")


@contextmanager
def _heard():
    """What this project logs, and what it warns of, meanwhile."""
    records = []

    class Listener(logging.Handler):
        def emit(self, record):
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


def harness_ext(*arguments, columns="200"):
    """The command `harness-ext` in this process."""
    from harness_ext.cli import app

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": columns})


def command(*line, timeout=400, **environment):
    """A command of this environment in a process, as a person would give it."""
    program = Path(sys.executable).with_name(str(line[0]))
    variables = {**os.environ, "COLUMNS": "200", **environment}
    return subprocess.run(
        [str(program), *map(str, line[1:])], env=variables, capture_output=True, text=True, timeout=timeout
    )


def results_below(folder):
    """Every score on disk: model, task, revision of the data, split, subset. What cannot be read is none."""
    found = set()
    for file in folder.rglob("*.json"):
        parts = file.parts
        model = "/".join(parts[parts.index("results") + 1 :][:2]) if "results" in parts else ""
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            for split, entries in content["scores"].items():
                for entry in entries:
                    float(entry["main_score"])
                    place = (content["task_name"], content["dataset_revision"], split, entry["hf_subset"])
                    found.add((model, *place))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            continue
    return found


def pytest_addoption(parser):
    parser.addoption(
        "--write-trust", action="store_true", help="write the outcomes of the hostile tests to docs/trust.md"
    )
    parser.addoption("--kills", type=int, default=6, help="moments at which each writing command is killed; default 6")


def pytest_terminal_summary(terminalreporter, config):
    """Write the rows of the areas that ran."""
    if not config.getoption("--write-trust"):
        return
    counts = {}
    for report in (each for reports in terminalreporter.stats.values() for each in reports):
        found = dict(getattr(report, "user_properties", ()))
        if "trial" in found and report.when == "call":
            area, outcome = found["trial"]
            judged = "silent" if report.failed and outcome in {"right", "clear"} else outcome
            counts.setdefault(area, Counter())[judged] += 1
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), counts), encoding="utf-8")
    terminalreporter.write_line(f"{PAGE}: {', '.join(counts) or 'no hostile test ran'}")


def counts_in(page):
    """Area -> how many ended in each outcome, of the page's first table."""
    rows = [[*map(str.strip, line.split("|")[1:-1])] for line in page.splitlines() if line.startswith("| ")]
    first = [row for row in rows if len(row) == len(OUTCOMES) + 2 and row[1].isdecimal() and row[0] != "**all**"]
    return {area: Counter(dict(zip(OUTCOMES, map(int, numbers), strict=True))) for area, _, *numbers in first}


def with_table(page, counts):
    """The page with these counts in its table, and those of other areas as they are."""
    counts = counts_in(page) | counts
    counts["**all**"] = sum(counts.values(), Counter())
    rows = [(area, count.total(), *(count[outcome] for outcome in OUTCOMES)) for area, count in counts.items()]
    lines = [("", "tried", *OUTCOMES), ("---", *["---:"] * (1 + len(OUTCOMES))), *rows]
    head, _, rest = page.partition("|  | tried |")
    _, _, tail = rest.partition("\n\n")
    return head + "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n\n" + tail
