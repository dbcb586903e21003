"""Reading results imports no harness: not mteb, datasets, transformers or torch."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BOARD = Path(__file__).parents[2] / "docs" / "example_results"
"""Results of two encoders, with items."""

HARNESSES = ("mteb", "datasets", "transformers", "torch", "lm_eval")

SLOW = ("scipy.stats", "sklearn", "pandas", "jinja2", "altair")
"""Libraries that take as long to import as a small command takes in all."""

PROGRAM = f"""
import json, sys
from harness_ext.cli import app
for command in json.loads(sys.argv[1]):
    try:
        app(command)
    except SystemExit as done:
        assert not done.code, command
    found = sorted(set({HARNESSES!r}) & sys.modules.keys())
    print("imported", found, "by", command, file=sys.stderr)
"""


def python(program, *commands):
    """For each command, one after the other in one Python: which harnesses it imported."""
    arguments = json.dumps([list(map(str, command)) for command in commands])
    done = subprocess.run([sys.executable, "-c", program, arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return re.findall(r"^imported (\[.*?\])", done.stderr, flags=re.MULTILINE)


SMALL = [
    ("show", BOARD.parents[1] / "leaderboard"),
    ("explain", "rank_share_head_NC"),
    ("show", "--published", "TypeTokenIdiomaticity"),
    ("--help",),
]
READING = [
    *SMALL,
    ("show", "--details", "--format", "csv", BOARD, "-t", "PolaritySensitivityMini"),
    ("show", "--signature", BOARD),
    ("compare", BOARD, "-t", "TreeReconstructionMini"),
    ("tasks",),
]


@pytest.mark.parametrize(
    ("commands", "libraries"), [pytest.param(READING, HARNESSES, marks=pytest.mark.slow), (SMALL, SLOW)]
)
def test_commands_import_little(commands, libraries):
    assert python(PROGRAM.replace(repr(HARNESSES), repr(libraries)), *commands) == ["[]"] * len(commands)


@pytest.mark.slow
def test_rows_of_a_board_are_planned_without_a_harness(tmp_path, monkeypatch):
    """Items are compared with the plan of the pinned rows: that takes `datasets`, and no mteb."""
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "cache"))
    shutil.copytree(BOARD, tmp_path / "board")
    build = ("leaderboard", "build", tmp_path / "board", "-o", tmp_path / "site")
    assert python(PROGRAM, build) == ["['datasets']"]


def test_functions_that_read():
    program = f"""
import sys, harness_ext
found = harness_ext.load_results({str(BOARD)!r}).entries
assert len(found) > 8 and harness_ext.read_result(found[0].file) and found[0].items()
assert harness_ext.Results and harness_ext.Entry and found[0].declared_task.description
print("imported", sorted(set({HARNESSES!r}) & sys.modules.keys()), file=sys.stderr)
"""
    assert python(program) == ["[]"]
