"""Every command prints on a terminal, and into a file, of any encoding."""

import io
import subprocess
import sys
from typing import NamedTuple

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
    statuses = []
    line_counts = []
    for encoding in ("utf-8", "cp1252", "ascii"):
        done = printed(command, encoding, monkeypatch)
        statuses.append(done.status)
        line_counts.append((done.stdout.count("\n"), done.stderr.count("\n")))
        assert done.stdout or done.stderr
    assert len({*statuses}) == 1
    assert len({*line_counts}) == 1


class Printed(NamedTuple):
    """How a command has ended."""

    status: int
    stdout: str
    stderr: str


def strict_stream(encoding):
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")


def printed(command, encoding, monkeypatch):
    """A command that has ended, where Python has given its streams an encoding and strict errors."""
    streams = [strict_stream(encoding), strict_stream(encoding)]
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
    stdout, stderr = [stream.buffer.getvalue().decode(known) for stream in streams]
    return Printed(ended.value.code, stdout, stderr)


def test_signs_that_are_lacking_are_written_by_their_numbers(monkeypatch):
    command = ["show", str(RESULTS)]
    assert "↑" in printed(command, "utf-8", monkeypatch).stdout
    assert r"\u2191" in printed(command, "latin-1", monkeypatch).stdout


@pytest.mark.slow
# of typer, and of rich
@pytest.mark.parametrize("command", ["explain affinity", f"show {RESULTS}"])
def test_a_command_whose_reader_ends_first_ends_as_other_programs(command):
    line = [sys.executable, "-m", "harness_ext", *command.split()]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdout=pipe, stderr=pipe) as running:
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 141
