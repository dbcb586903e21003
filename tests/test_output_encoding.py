"""Every command prints on a terminal, and into a file, of any encoding."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from harness_ext.cli import app
from tests.every_command import QUICK, RESULTS, SLOW, every_command, prepare, save_tiny

MORE = [
    ("--help", ""),
    ("show", "results --format csv"),
    ("show", "results --format json"),
    ("show", "nirgends−ü"),  # refused, and named
    ("needs", ""),
]


def test_every_command_is_tried():
    assert QUICK.keys() | SLOW.keys() == every_command()


@pytest.mark.parametrize(
    ("command", "arguments"),
    [*QUICK.items(), *MORE, *(pytest.param(*line, marks=pytest.mark.slow) for line in SLOW.items())],
)
def test_no_command_ends_because_of_the_encoding_of_its_output(command, arguments, tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_WORDS", "0")
    found = []
    for encoding in ("ascii",) if command in SLOW else ("utf-8", "cp1252", "ascii"):
        folder = tmp_path / encoding  # in which no earlier command has written
        folder.mkdir()
        monkeypatch.chdir(folder)
        prepare(folder)
        if command in SLOW:
            save_tiny(folder)
        status, *texts = printed([*command.split(), *arguments.split()], encoding, monkeypatch)
        bars = "\r"  # they may come or not
        found.append((status, [sum(bars not in line for line in text.split("\n")) for text in texts]))
        assert any(texts)
    assert all(one == found[0] for one in found)
    assert command not in SLOW or found[0][0] == (command == "safe-to-merge")  # vectors of nothing are not safe


def printed(command, encoding, monkeypatch):
    """The exit status, and what a command prints, where Python has given its streams an encoding and strict errors."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict") for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", streams[0])
        patched.setattr(sys, "stderr", streams[1])
        patched.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            app(command)
    for stream in streams:
        stream.flush()
    known = "utf-8" if encoding == "ascii" else encoding  # typer.echo takes ASCII for a mistake, and writes UTF-8
    return ended.value.code, *(stream.buffer.getvalue().decode(known) for stream in streams)


def test_signs_that_are_lacking_are_written_by_what_says_the_same(monkeypatch):
    _, text, _ = printed(["show", str(RESULTS)], "latin-1", monkeypatch)
    assert "^" in text and "↑" in printed(["show", str(RESULTS)], "utf-8", monkeypatch)[1]
    assert "?" not in text
    _, text, _ = printed(["explain", "montague_consistency"], "latin-1", monkeypatch)
    assert "?" not in text.replace("?\n", "")


@pytest.mark.parametrize("command", ["explain affinity", f"show {RESULTS}"])  # of typer, and of rich
def test_a_command_whose_reader_ends_first_ends_as_other_programs(command):
    line = [sys.executable, "-m", "harness_ext", *command.split()]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert (running.stderr.read(), running.wait()) == (b"", 141)
