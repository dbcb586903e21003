"""`--format json` of every command that prints a table: its output is data, whatever else it says."""

from __future__ import annotations

import json

import pytest
import typer.main

from harness_ext.cli import app
from tests.command_line import harness_ext
from tests.every_command import QUICK, SLOW, every_command, prepare, save_tiny

TEXT = {"check", "datasets export", "demo", "explain", "finetune-pss", "leaderboard build", "leaderboard init"}
"""Commands that print sentences or names of files; the demo is to be read."""

TEXT |= {"publish", "report", "sweep"}


def options(command):
    group = typer.main.get_command(app)
    for name in command.split():
        group = group.commands[name]
    return {name for parameter in group.params for name in parameter.opts}


def test_every_command_with_a_table_has_formats():
    assert {command for command in every_command() if "--format" not in options(command)} == TEXT


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        *((name, line) for name, line in QUICK.items() if name not in TEXT),
        *(pytest.param(name, line, marks=pytest.mark.slow) for name, line in SLOW.items() if name not in TEXT),
        ("compare", "results -m all-MiniLM"),  # a single model
    ],
)
def test_the_output_is_json(command, arguments, tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_WORDS", "0")
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    if command == "layers":
        save_tiny(tmp_path)
    done = harness_ext(*command.split(), *arguments.split(), "--format", "json")
    records = json.loads(done.stdout)
    assert records, done.stderr
    assert all(isinstance(record, dict) and "" not in record for record in records)
