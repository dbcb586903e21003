"""Judge what becomes of hostile input by rules alone; docs/trust.md lists what is tried.

A trial ends well if the result is as it ought to be, or if one message of this project names what is at fault. It
fails on an exception out of numpy, torch, mteb …, on a traceback, on a message that does not name what is at fault, on
another result without a message, and on a score that was on disk before and is gone.
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
from pathlib import Path

import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
_FEWEST_WORDS = 3
"""A name alone, as of a KeyError, is no message."""
_OURS = tuple(str(ROOT / folder) for folder in ("harness_ext", "tasks", "datasets_scripts"))


class PlantedError(Exception):
    """An error of a planted encoder, which is passed on as it is."""


def assert_right_or_clear(action, is_right, *names, folder=None):
    """Do something in this process, and judge what comes of it.

    Args:
        action: Does it; gives a value, or a finished command of `harness_ext` or `command`.
        is_right: Whether the value, or the command's output, is as it ought to be; None if a message alone will do.
        names: What a message must have in it: the file, row, model or option at fault.
        folder: Where no score may be lost.
    """
    before = results_below(folder) if folder else set()
    wrong = _wrong(action, is_right or (lambda value: False), names)
    assert not wrong, wrong[:300]
    gone = before - results_below(folder) if folder else ()
    assert not gone, f"lost: {sorted(gone)[0]}"


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """`assert_right_or_clear` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return assert_right_or_clear


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


def _wrong(action, is_right, names):
    """What is wrong with the outcome; nothing if it is right or clear."""
    with _heard() as records:
        try:
            value = action()
        except (Exception, SystemExit) as error:
            return _wrong_with_error(error, names)
        if hasattr(value, "exit_code") or isinstance(value, subprocess.CompletedProcess):
            return _wrong_with_command(value, is_right, names)
        right = is_right(value)
    told = any(all(name in line for name in names) for line in records)
    return "" if right or told else f"silent: returned {value!r}"


def _wrong_with_error(error, names):
    """Nothing if a line of this project's code raised it, and its message has all the names."""
    message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
    ours = raised_in.startswith(_OURS) or type(error).__module__.startswith("harness_ext")
    ours |= isinstance(error, PlantedError)
    clear = ours and len(message.split()) > _FEWEST_WORDS and all(name in message for name in names)
    return "" if clear else f"raw: {type(error).__name__}: {message.strip()}"


def _wrong_with_command(done, is_right, names):
    exception = getattr(done, "exception", None)
    if exception is not None and not isinstance(exception, SystemExit):
        return f"raw: {type(exception).__name__}: {exception}"
    said = done.stdout + done.stderr
    flat = " ".join(said.replace("│", " ").split())
    last = next((line for line in reversed(said.splitlines()) if line.strip(" │╰─╯")), "")
    if "Traceback (most recent call last)" in said:
        return f"raw: {last}"
    if done.returncode == 0 if isinstance(done, subprocess.CompletedProcess) else done.exit_code == 0:
        return "" if is_right(said) else f"silent: {last}"
    return "" if all(" ".join(name.split()) in flat for name in names) else f"raw: {last}"


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
    scores = set()
    for file in folder.rglob("*.json"):
        parts = file.parts
        model = "/".join(parts[parts.index("results") + 1 :][:2]) if "results" in parts else ""
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            for split, entries in content["scores"].items():
                for entry in entries:
                    float(entry["main_score"])
                    place = (content["task_name"], content["dataset_revision"], split, entry["hf_subset"])
                    scores.add((model, *place))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            continue
    return scores


def pytest_addoption(parser):
    parser.addoption("--kills", type=int, default=2, help="moments at which each writing command is killed; default 2")
