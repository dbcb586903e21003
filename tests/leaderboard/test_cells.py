"""Result files as they are read for a board: what is left out, and why."""

from __future__ import annotations

import os
import shutil

import pytest

from .small_board import FILE, board_of, change, truncated


def answers(folder):
    return min((folder / FILE).parent.glob("PolaritySensitivity.*.answers.parquet"))


def piped(folder):
    (folder / FILE).unlink()
    os.mkfifo(folder / FILE)


BAD = {
    "a digit of a score": (lambda folder: change(folder, fb_linear_accuracy=0.123), "does not follow"),
    "no items": (lambda folder: answers(folder).unlink(), "are missing"),
    "truncated JSON": (lambda folder: truncated(folder / FILE), "cannot be read"),
    "a huge file": (lambda folder: (folder / FILE).write_text(" " * 3_000_000), "too large"),
    "a pipe": (piped, "no plain file"),
}


@pytest.mark.parametrize("how", BAD)
def test_a_bad_file_is_left_out_with_its_reason(made_up, how):
    spoil, reason = BAD[how]
    spoil(made_up)
    board, problems = board_of(made_up)
    assert problems
    assert all("model-00001" in problem for problem in problems)
    assert any(reason in problem for problem in problems), problems
    assert {len(board.ranked_scores[column]) for column in board.columns} == {3, 4}


def test_links_are_not_followed(made_up, tmp_path):
    elsewhere = shutil.move(made_up / "results/synthetic__model-00001", tmp_path / "elsewhere")
    (made_up / "results/synthetic__model-00001").symlink_to(elsewhere)
    board, problems = board_of(made_up)
    assert len(problems) == 2
    assert all("link" in problem for problem in problems)
    assert len(board.rows) == 3
