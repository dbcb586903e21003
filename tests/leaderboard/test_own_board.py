"""The project's own board: real encoders on the papers' data, and the page that says what they show."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from harness_ext.results.compare import overall
from harness_ext.results.load import load_results

from .small_board import board_of

ROOT = Path(__file__).parents[2]
BOARD = ROOT / "leaderboard"
MOST_BYTES = 40 * 2**20


def test_it_is_small_and_has_five_encoders():
    assert sum(path.stat().st_size for path in BOARD.rglob("*") if path.is_file()) < MOST_BYTES
    models = {entry.model for entry in load_results(BOARD).entries}
    assert len(models) == 5
    assert {"sentence-transformers/all-mpnet-base-v2", "local/glove.6B.50d.txt"} < models


@pytest.mark.slow
@pytest.mark.real_data
def test_nothing_is_wrong_with_it(run, mirror):
    done = run("harness-ext", "verify", str(BOARD), HARNESS_EXT_MIRROR=mirror)
    assert "Nothing is wrong with it." in done.stdout


@pytest.mark.slow
def test_its_ranks_are_those_of_compare():
    board, problems = board_of(BOARD)
    assert not problems
    assert len(board.overall_ranks) == 3  # GloVe knows too few words of some data, MPNet is not measured on all
    columns, compared = overall(load_results(BOARD).entries, "gain")
    assert (*columns,) == board.overall
    assert {row: one.ranks for row, one in compared.items()} == {
        row: one.ranks for row, one in board.overall_ranks.items()
    }
    for row, one in compared.items():  # a board reads the scores of other machines, with other last digits
        assert one.score == pytest.approx(board.overall_ranks[row].score, rel=1e-9)


@pytest.mark.slow
def test_every_figure_of_the_findings_is_that_of_the_items():
    page = runpy.run_path(str(ROOT / "docs" / "findings.py"))["page"]
    assert page(load_results(BOARD)) == (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


def test_a_claim_that_does_not_hold_ends_the_page():
    claim = runpy.run_path(str(ROOT / "docs" / "findings.py"))["claim"]
    assert claim(2 > 1, "Two is more than one.") == "Two is more than one."
    with pytest.raises(ValueError, match="do not bear out: 'One is more"):
        claim(1 > 2, "One is more than two.")
