"""The columns, rows and ranks of a board, and results that are left out of it."""

from __future__ import annotations

import runpy
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from harness_ext.leaderboard.board import make_board
from harness_ext.leaderboard.build import form_rows, page_tables
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.pinned_rows import row_findings
from harness_ext.leaderboard.checks.records import Records
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.measures.core.gain_keys import gain_key
from harness_ext.results.columns import Column
from harness_ext.results.compare import overall, ranks
from harness_ext.results.load import load_results
from harness_ext.results.ranks import Basis
from tests.leaderboard.small_board import FILE, board_of, change, truncated, write_models

ROOT = Path(__file__).parents[2]
BOARD = ROOT / "leaderboard"
"""The project's own board: real encoders on the papers' data."""


@pytest.fixture(scope="module")
def cells(four_models):
    """The results of four models, read once."""
    cells, problems = read_cells([four_models], Records())
    assert problems == []
    return cells


def test_a_board_has_every_cell(cells):
    board, problems = make_board(cells)
    assert problems == []
    assert [column[:3] for column in board.columns] == [
        ("PolaritySensitivity", "default", "reference"),
        ("PolaritySensitivity", "other", "reference"),
        ("TreeReconstruction", "default", "dev_words_from_train"),
        ("TreeReconstruction", "other", "dev_words_from_train"),
    ]
    polarity, trees = board.columns[:2], board.columns[2:]  # `other` is behind what its construct counts
    assert [(title, tuple(shown)) for title, shown in page_tables(board)[1:]] == [
        ("Polarity", polarity), ("In no construct", trees),
    ]  # fmt: skip
    assert len(board.rows) == 4
    assert all(len(board.ranked_scores[column]) == 4 for column in board.columns)
    assert board.overall == board.columns[:1]  # `other` is a subset that the tasks have not, trees are exploratory
    assert tuple(board.overall_ranks) == board.rows
    for column in board.columns:
        assert {place.basis for place in board.ranked_scores[column].values()} == {Basis.UNITS}
        assert {place.trust for place in board.ranked_scores[column].values()} == {Trust.RECOMPUTED}


@pytest.mark.slow
def test_a_construct_is_the_mean_of_its_columns(tmp_path):
    """Worked out from the tables; of one column it is that column, above chance."""
    write_models(tmp_path, range(2), ["TransitiveSimilarity", "RoleSwapSimilarity", "PolaritySensitivity"])
    board, _ = board_of(tmp_path)
    roles, polarity = sorted(board.constructs, key=lambda one: -len(one.columns))
    assert [column[:2] for column in roles.columns] == [
        ("RoleSwapSimilarity", "default"),
        ("TransitiveSimilarity", "gs2011"),
        ("TransitiveSimilarity", "ks2013"),
    ]
    (column,) = polarity.columns
    chance = board.score(column).chance
    for row in board.rows:
        values = [board.ranked_scores[one][row].value for one in roles.columns]
        place = roles.ranked_scores[row]
        assert place.value == pytest.approx(sum(values) / 3)
        widest = max(high - low for low, high in (board.ranked_scores[one][row].interval for one in roles.columns))
        assert 0 < place.interval[1] - place.interval[0] < widest
        one, same = polarity.ranked_scores[row], board.ranked_scores[column][row]
        assert one.value == pytest.approx(same.value - chance)
        assert one.interval == pytest.approx([end - chance for end in same.interval])
        assert one.rank == same.rank


def test_another_version_is_a_ranking_of_its_own(cells):
    changed = []
    for cell in cells:
        is_other = cell.entry.task == "PolaritySensitivity" and cell.entry.model[-1] in "23"
        signature = replace(cell.entry.signature, measure="polarity-99") if is_other else cell.entry.signature
        changed.append(replace(cell, entry=replace(cell.entry, signature=signature)))
    board, _ = make_board(changed)
    assert [column.data for column in board.others] == ["reference", "other reference"]
    assert all(len(board.ranked_scores[column]) == 2 for column in board.others)
    assert len(board.overall_ranks) == 2


def test_the_same_twice(cells):
    """A copy is nothing to speak of; another result of the same model is."""
    assert make_board([*cells, *cells])[1] == []
    other = replace(cells[0], entry=replace(cells[0].entry, main_score=0.987))
    (doubled,) = make_board([*cells, other])[1]
    assert str(other.entry.file) in doubled
    assert "0.987" in doubled


def test_revisions_are_rows_of_their_own(cells):
    later = [replace(one, entry=replace(one.entry, revision="2")) for one in cells if one.entry.model.endswith("1")]
    board, problems = make_board([*cells, *later])
    assert problems == []
    assert len(board.rows) == 5
    column = board.columns[0]
    assert board.reliabilities[column].models == 5  # all made up alike: no overall rank is by this column
    assert not board.reliabilities[column].can_rank
    assert board.overall == ()


def linked(folder):
    of_model = (folder / FILE).parents[1]
    of_model.symlink_to(shutil.move(of_model, folder / "elsewhere"))


BAD = {
    "a digit of a score": (lambda folder: change(folder, fb_linear_accuracy=0.123), "does not follow"),
    "truncated JSON": (lambda folder: truncated(folder / FILE), "cannot be read"),
    "a huge file": (lambda folder: (folder / FILE).write_text(" " * 3_000_000), "too large"),
    "a link": (linked, "links are not followed"),
}


@pytest.mark.parametrize("how", BAD)
def test_a_bad_file_is_left_out_with_its_reason(made_up, how):
    shutil.rmtree(made_up / "results" / "synthetic__model-00003")
    spoil, reason = BAD[how]
    spoil(made_up)
    board, problems = board_of(made_up)
    assert problems
    assert all("model-00001" in problem for problem in problems)
    assert any(reason in problem for problem in problems), problems
    assert len(board.ranked_scores[board.columns[0]]) == 2


def test_encoders_that_know_nothing_are_never_ranked():
    """On the project's own board one of them is measured, and the others are shipped."""
    board, _ = board_of(ROOT / "docs" / "example_results")
    assert [row.model for row in board.overall_ranks] == ["sentence-transformers/all-MiniLM-L6-v2"]
    assert {row.model for row in board.rows} - {row.model for row in board.overall_ranks} == {
        "mteb/baseline-random-encoder"
    }
    for places in board.ranked_scores.values():
        assert {row.model: place.rank is None for row, place in places.items()} == {
            "mteb/baseline-random-encoder": True,
            "sentence-transformers/all-MiniLM-L6-v2": False,
        }
    shipped = form_rows(board)
    assert shipped.keys() == {f"compositionality/{name}" for name in ("length", "letters", "random-words", "trigrams")}
    assert all(cells.keys() <= {*board.columns} for cells in shipped.values())


def copied(folder, tasks, model="*"):
    """A part of the project's own board."""
    for file in BOARD.glob(f"results/{model}/*/*"):
        if file.name.split(".")[0] in {"model_meta", *tasks}:
            copy = folder / file.relative_to(BOARD)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    return folder


@pytest.mark.slow
@pytest.mark.real_data
def test_nothing_is_wrong_with_our_own(mirror, tmp_path):
    """The rows of all tasks of one encoder; scores, whose intervals take a minute in all, of the quickest."""
    for entry in load_results(BOARD, models="sentence-transformers/all-MiniLM-L6-v2").entries:
        assert not [*row_findings(entry, entry.items())]
        entry.forget_items()
    quickest = "IdiomParaphrase", "PolaritySensitivity", "TransitiveSimilarity"
    assert not verify(copied(tmp_path, quickest, "sentence-transformers__all-MiniLM-L6-v2")).is_refused


@pytest.mark.slow
def test_the_ranks_of_our_own_are_those_of_compare(tmp_path):
    """Of three of its tasks: bootstraps of all would take minutes."""
    copied(tmp_path, ("RoleSwapSimilarity", "TransitiveSimilarity", "CaptionSwap"))
    board, problems = board_of(tmp_path)
    assert not problems
    assert len(board.overall_ranks) == 6
    entries = load_results(tmp_path).entries
    columns, compared = overall(entries, "gain")
    assert columns == board.overall
    assert {row: one.ranks for row, one in compared.items()} == {
        row: one.ranks for row, one in board.overall_ranks.items()
    }
    for row, one in compared.items():  # a board reads the scores of other machines, with other last digits
        assert one.score == pytest.approx(board.overall_ranks[row].score, rel=1e-9)
    for column in columns:
        assert board.keys[column] == gain_key(column.definition.main)
        expected = ranks([entry for entry in entries if Column.of(entry) == column], board.keys[column])
        places = board.ranked_scores[column]
        assert {row.model: place.rank for row, place in places.items()} == {
            entry.model: rank for entry, rank in expected.items()
        }


@pytest.mark.slow
@pytest.mark.xfail(strict=True, reason="until the board is made anew")
def test_every_figure_of_the_findings_is_that_of_the_items():
    page = runpy.run_path(str(ROOT / "docs" / "findings.py"))["page"]
    assert page(load_results(BOARD)) == (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
