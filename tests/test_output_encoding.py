"""Every command prints on a terminal, and into a file, of any encoding."""

import io
import subprocess
import sys

import pytest

from harness_ext.cli import app
from tests.command_line import RESULTS

COMMANDS = (
    ["--help"],
    ["explain", "montague_consistency"],
    ["show", str(RESULTS), "--details"],
    ["show", str(RESULTS), "--format", "json"],
    ["show", "nirgends−ü"],  # refused, and named
)
"""Help, a text, tables, data and an error: whatever a command prints is one of these."""


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_ends_because_of_the_encoding_of_its_output(command, monkeypatch):
    found = []
    for encoding in ("utf-8", "cp1252", "ascii"):
        status, *texts = printed(command, encoding, monkeypatch)
        found.append((status, [text.count("\n") for text in texts]))
        assert any(texts)
    assert found == [found[0]] * 3


def printed(command, encoding, monkeypatch):
    """The exit status, and what a command prints, where Python has given its streams an encoding
    and strict errors.
    """
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict") for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", streams[0])
        patched.setattr(sys, "stderr", streams[1])
        patched.setenv("COLUMNS", "400")
        with pytest.raises(SystemExit) as ended:
            app(command)
    for stream in streams:
        stream.flush()
    # typer.echo takes ASCII for a mistake, and writes UTF-8
    known = "utf-8" if encoding == "ascii" else encoding
    return ended.value.code, *(stream.buffer.getvalue().decode(known) for stream in streams)


def test_signs_that_are_lacking_are_written_by_their_numbers(monkeypatch):
    _, text, _ = printed(["show", str(RESULTS)], "latin-1", monkeypatch)
    assert "↑" in printed(["show", str(RESULTS)], "utf-8", monkeypatch)[1]
    assert r"\u2191" in text


# of typer, and of rich
@pytest.mark.parametrize("command", ["explain affinity", f"show {RESULTS}"])
def test_a_command_whose_reader_ends_first_ends_as_other_programs(command):
    line = [sys.executable, "-m", "harness_ext", *command.split()]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert (running.stderr.read(), running.wait()) == (b"", 141)
