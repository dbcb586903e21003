"""Reading results imports no harness: not mteb, datasets, transformers or torch."""

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
from harness_ext import Entry, Results, load_results, read_result
from harness_ext.cli import app
for command in json.loads(sys.argv[1]):
    try:
        app(command)
    except SystemExit as done:
        assert not done.code, command
    found = sorted(set({HARNESSES!r}) & sys.modules.keys())
    print("imported", found, "by", command, file=sys.stderr)
"""


def imported_by(program, *commands):
    """For each command, one after the other in one Python: which harnesses it imported."""
    arguments = json.dumps(commands, default=str)
    done = subprocess.run(
        [sys.executable, "-c", program, arguments],
        capture_output=True,
        text=True,
        check=False,
    )
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


@pytest.mark.slow
def test_small_commands_import_little():
    program = PROGRAM.replace(repr(HARNESSES), repr(SLOW))
    assert imported_by(program, *SMALL) == ["[]"] * len(SMALL)


@pytest.mark.slow
def test_reading_and_a_board_import_no_harness(tmp_path, monkeypatch):
    """A board compares items with the digests of the plans of the pinned rows."""
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "cache"))
    shutil.copytree(BOARD, tmp_path / "board")
    build = ("leaderboard", "build", tmp_path / "board", "-o", tmp_path / "site")
    commands = [*READING, build]
    assert imported_by(PROGRAM, *commands) == ["[]"] * len(commands)
