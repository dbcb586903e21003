"""Every command prints on a terminal, and into a file, of any encoding."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from harness_ext.cli import app

RESULTS = Path(__file__).parents[1] / "docs" / "example_results"
COMMANDS = [
    ("--help",),
    ("show", RESULTS, "--details"),
    ("show", RESULTS, "--format", "csv"),
    ("show", RESULTS, "--format", "json"),
    ("compare", RESULTS, "--pairs"),
    ("published", "EpsilonCompositionality"),
    ("datasets", "list"),
    ("schema", "EpsilonCompositionality"),
    ("relate", RESULTS),  # refused, because there are too few models
    ("show", "nirgends−ü"),  # refused, and named
    ("explain", "montague_consistency"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(str(part) for part in command[:2]))
def test_no_command_ends_because_of_the_encoding_of_its_output(command, monkeypatch):
    expected = printed(command, "utf-8", monkeypatch)
    for encoding in ("cp1252", "ascii"):
        found = printed(command, encoding, monkeypatch)
        assert found[0] == expected[0]  # the exit status
        for utf8, plain in zip(expected[1:], found[1:], strict=True):
            assert len(plain.splitlines()) == len(utf8.splitlines())


def printed(command, encoding, monkeypatch):
    """The exit status, and what a command prints, where Python has given its streams an encoding and strict errors."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict") for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", streams[0])
        patched.setattr(sys, "stderr", streams[1])
        patched.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            app([str(part) for part in command])
    for stream in streams:
        stream.flush()
    known = "utf-8" if encoding == "ascii" else encoding  # typer.echo takes ASCII for a mistake, and writes UTF-8
    return ended.value.code, *(stream.buffer.getvalue().decode(known) for stream in streams)


def test_signs_that_are_lacking_are_written_by_what_says_the_same(monkeypatch):
    _, text, _ = printed(("show", RESULTS), "latin-1", monkeypatch)
    assert "^" in text and "↑" in printed(("show", RESULTS), "utf-8", monkeypatch)[1]
    assert "?" not in text
    _, text, _ = printed(("explain", "montague_consistency"), "latin-1", monkeypatch)
    assert "?" not in text.replace("?\n", "")
