"""A board of a few synthetic models, and ways to spoil their results."""

from __future__ import annotations

import json

from harness_ext.leaderboard.board import make_board
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.records import Records

TASKS = ("PolaritySensitivity", "TreeReconstruction")
FILE = "results/synthetic__model-00001/1/PolaritySensitivity.json"
"""The result that is spoiled where nothing else is said."""


def board_of(*folders, records=None):
    """The board, and what is left out."""
    cells, problems = read_cells(folders, records or Records())
    board, doubled = make_board(cells)
    return board, problems + doubled


def change(folder, file=FILE, place=0, **changed):
    """Other values in one entry of a result file."""
    path = folder / file
    content = json.loads(path.read_text())
    (found,) = content["scores"].values()
    found[place] |= changed
    path.write_text(json.dumps(content))


def truncated(path):
    path.write_bytes(path.read_bytes()[:-100])
