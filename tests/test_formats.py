"""`--format json` of every command that prints a table: its output is data, whatever else
it says.
"""

import json

import pytest
import typer.main

from harness_ext.cli import app
from tests.command_line import KNOWN, RANDOM, harness_ext, prepare, save_tiny

QUICK = {
    "compare": "results --pairs",
    "datasets check": "--dataset compound_mini",
    "datasets list": "",
    "needs": "merge_opposites",
    "show": "results --details",
    "tasks": "",
    "verify": "results",
}
"""Command -> its arguments; each takes less than two seconds."""

SLOW = {
    "layers": "-m ./tiny -t CaptionSwapMini --output-folder layers",
    "measure": f"merge_opposites pairs.csv -m {RANDOM} --output-folder own",
    "safe-to-merge": f"-m {RANDOM}",
    "submit": f"results -m {KNOWN} -o submission",
}


def with_formats(group, before=""):
    """The commands with the option, those of groups with the name of their group."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from with_formats(command, f"{name} ")
        elif any(is_format_of_tables(parameter) for parameter in command.params):
            yield f"{before}{name}"


def is_format_of_tables(parameter):
    """Whether an option is that of tables; `publish` has one of other formats."""
    return "--format" in parameter.opts and parameter.default == "table"


def test_every_command_with_formats_is_tried():
    commands = {*with_formats(typer.main.get_command(app))}
    assert commands == QUICK.keys() | SLOW.keys()


LINES = [
    *QUICK.items(),
    *[pytest.param(*line, marks=pytest.mark.slow) for line in SLOW.items()],
]


@pytest.mark.parametrize(("command", "arguments"), LINES)
def test_the_output_is_json(command, arguments, tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    if command == "layers":
        save_tiny(tmp_path)
    line = f"{command} {arguments} --format json"
    done = harness_ext(*line.split())
    records = json.loads(done.stdout)
    assert records, done.stderr
    assert all(isinstance(record, dict) and "" not in record for record in records)
