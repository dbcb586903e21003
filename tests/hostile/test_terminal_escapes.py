"""Letters that move the cursor never reach a terminal from a stranger's file, whatever names
them.
"""

from __future__ import annotations

import json
import shutil

import pytest

from tests.command_line import harness_ext
from tests.leaderboard.small_board import edit
from tests.planted import COMMIT
from tests.results.measured import QUICK

ESCAPES = "\x1b[2J\x1b]0;owned\x07\nError: all is well\r\u202e"
"""Clears the screen, names the window, writes a line of its own and turns the text around."""


def key_of_scores(content):
    content["scores"][ESCAPES] = "none"


def split_with_a_subset_twice(content):
    (records,) = content["scores"].values()
    content["scores"][ESCAPES] = records * 2


def name_of_the_split(content):
    content["scores"][ESCAPES] = next(iter(content["scores"].values()))


def name_of_the_subset(content):
    (records,) = content["scores"].values()
    records[0]["hf_subset"] = ESCAPES


def name_of_the_task(content):
    content["task_name"] = ESCAPES


def signature(content):
    (records,) = content["scores"].values()
    records[0]["signature"] = ESCAPES


def revision_of_the_data(content):
    content["dataset_revision"] = ESCAPES


PLACES = [
    key_of_scores,
    split_with_a_subset_twice,
    name_of_the_split,
    name_of_the_subset,
    name_of_the_task,
    signature,
    revision_of_the_data,
]


def name_of_the_model(content):
    content.update({"name": ESCAPES, ESCAPES: 1})


@pytest.fixture(scope="module")
def board(measured_folder, tmp_path_factory):
    """Results of a model in one task; each revision has escapes in another place."""
    folder = tmp_path_factory.mktemp("board")
    sound = measured_folder / "results" / "planted__other" / COMMIT
    leave_out = shutil.ignore_patterns("Noun*")
    for number, place in enumerate([*PLACES, name_of_the_model]):
        revision = folder / "results" / "planted__other" / f"{number:040x}"
        shutil.copytree(sound, revision, ignore=leave_out)
        for file in revision.glob("*.json"):
            file.write_text(file.read_text().replace(COMMIT, revision.name))
        is_of_model = place is name_of_the_model
        edit(revision / ("model_meta.json" if is_of_model else f"{QUICK[0]}.json"), place)
    return folder


@pytest.mark.parametrize("command", [("show",), ("leaderboard", "build"), ("verify", "--board")])
def test_no_escape_reaches_the_terminal(board, tmp_path, command):
    options = ("-o", tmp_path / "site") if "build" in command else ()
    done = harness_ext(*command, board, *options)
    for letter in ("\x1b", "\x07", "\r", "\u202e"):
        assert letter not in done.output
    assert "\nError: all is well" not in done.output
    assert f"{QUICK[0]}.json" in done.output


def test_keys_of_records_are_escaped(board, tmp_path):
    record = tmp_path / "reruns" / "one.json"
    record.parent.mkdir()
    record.write_text(json.dumps({ESCAPES: 1}))
    done = harness_ext("verify", "--board", tmp_path)
    assert "one.json" in done.output
    assert "\x1b" not in done.output
    assert "\nError: all is well" not in done.output
