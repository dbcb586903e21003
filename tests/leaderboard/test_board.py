"""The columns, rows and ranks of a board, and results that are left out of it."""

from __future__ import annotations

import runpy
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from harness_ext.common.names import REFERENCE_MODELS
from harness_ext.leaderboard.board import make_board
from harness_ext.leaderboard.build import control_rows, page_tables
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.pinned_rows import row_findings
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.results.compare import ranks
from harness_ext.results.load import load_results
from harness_ext.results.overall import overall_places, values_of
from harness_ext.results.ranking_columns import Column
from harness_ext.results.ranks import Basis
from harness_ext.tasks.overall import LISTS
from tests.leaderboard.small_board import (
    FILE,
    board_of,
    change,
    lie,
    list_of,
    truncated,
    write_listed,
    write_models,
)

ROOT = Path(__file__).parents[2]
BOARD = ROOT / "leaderboard"
"""The project's own board: real encoders on the papers' data."""


@pytest.fixture(scope="module")
def cells(four_models):
    """The results of four models, read once."""
    read = read_cells([four_models], {})
    assert read.problems == []
    return read.cells


def test_a_board_has_every_cell(cells):
    board, problems = make_board(cells)
    assert problems == []
    assert [column[:3] for column in board.columns] == [
        ("PolaritySensitivity", "default", "reference"),
        ("PolaritySensitivity", "other", "reference"),
        ("TreeReconstruction", "default", "dev_words_from_train"),
        ("TreeReconstruction", "other", "dev_words_from_train"),
    ]
    polarity, trees = board.columns[:2], board.columns[2:]  # trees are exploratory
    assert [(title, tuple(shown)) for title, shown in page_tables(board)] == [
        ("Polarity", polarity),
        ("In no category", trees),
    ]
    assert len(board.rows) == 4
    assert all(len(board.ranked_scores[column]) == 4 for column in board.columns)
    for column in board.columns:
        assert {place.basis for place in board.ranked_scores[column].values()} == {Basis.UNITS}
        assert {place.trust for place in board.ranked_scores[column].values()} == {Trust.FOLLOWING}


def test_a_category_is_the_mean_of_its_columns_on_their_scale(tmp_path, monkeypatch):
    """Worked out from the tables: people reach .875 on role swaps; trust is that of the least
    trusted column.
    """
    write_models(tmp_path, range(2), ["TransitiveSimilarity", "RoleSwapSimilarity"])
    listed = [
        one
        for one in LISTS["english"]
        if one.task in {"TransitiveSimilarity", "RoleSwapSimilarity"}
    ]
    list_of(monkeypatch, *listed)
    lie(tmp_path, "results/synthetic__model-00001/1/TransitiveSimilarity.json")
    board, _ = board_of(tmp_path)
    (roles,) = board.categories.values()
    one, liar = board.rows
    values = [
        board.ranked_scores[column][one].value
        for column in board.columns
        if column.subset != "other"
    ]
    assert roles.ranked_scores[one].value == pytest.approx(
        (values[0] / 0.875 + values[1] + values[2]) / 3
    )
    assert (roles.title, roles.averaged) == ("Roles of words", "3 columns")
    assert [roles.ranked_scores[row].trust for row in (one, liar)] == [
        Trust.FOLLOWING,
        Trust.SELF_REPORTED,
    ]
    assert (roles.ranked_scores[one].rank, roles.ranked_scores[liar].rank) == ((1, 1), (2, 2))
    overall = board.overall["english"]  # of one category it is the mean in that category
    assert vars(overall.ranked_scores[one]) == vars(roles.ranked_scores[one])
    assert board.overall["all"].ranked_scores == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
def test_removing_or_copying_a_model_changes_no_other_s_score(name, tmp_path, monkeypatch):
    """Three models in every column of a list, through files, checks and resamples."""
    write_listed(tmp_path, range(3), LISTS[name])
    list_of(monkeypatch, *LISTS[name])
    read = read_cells([tmp_path], {})
    assert read.problems == []
    cells = read.cells
    copies = [
        replace(cell, entry=replace(cell.entry, model=f"copy/{n}"))
        for cell in cells
        for n in range(15)
        if cell.entry.model.endswith("2")
    ]
    whole = make_board(cells)[0]
    assert len(whole.overall["english"].ranked_scores) == 3
    for others in (
        [cell for cell in cells if not cell.entry.model.endswith("2")],
        [*cells, *copies],
    ):
        board, _ = make_board(others)
        for average, expected in zip(_averages(board), _averages(whole), strict=True):
            common = average.ranked_scores.keys() & expected.ranked_scores.keys()
            assert {row.model[-1] for row in common} >= {"0", "1"}
            for row in common:
                now, then = average.ranked_scores[row], expected.ranked_scores[row]
                assert (now.value, now.interval) == (then.value, then.interval)


def _averages(board):
    return board.overall["english"], *board.categories.values()


def test_another_version_is_a_ranking_of_its_own(cells):
    changed = []
    for cell in cells:
        is_other = cell.entry.task == "PolaritySensitivity" and cell.entry.model[-1] in "23"
        signature = (
            replace(cell.entry.signature, measure="polarity-99")
            if is_other
            else cell.entry.signature
        )
        changed.append(replace(cell, entry=replace(cell.entry, signature=signature)))
    board, _ = make_board(changed)
    assert [column.data for column in board.others] == ["reference", "other reference"]
    assert all(len(board.ranked_scores[column]) == 2 for column in board.others)


def test_many_results_of_another_version_do_not_take_the_first_page(cells):
    here = [
        cell
        for cell in cells
        if cell.entry.task == "PolaritySensitivity" and cell.entry.subset == "default"
    ]
    today, *others = here

    def earlier(cell):
        signature = replace(cell.entry.signature, measure="polarity-1")
        return replace(cell, entry=replace(cell.entry, signature=signature))

    board, _ = make_board([today, *map(earlier, others)])
    assert [column.measure for column in board.columns] == [today.entry.signature.measure]
    assert [column.measure for column in board.others] == ["polarity-1"]


def test_results_in_no_folder_of_results_are_read(made_up, tmp_path):
    """As `mteb.MTEB.run` lays them out."""
    (made_up / "results").rename(tmp_path / "plain")
    read = read_cells([tmp_path / "plain"], {})
    assert read.cells and not read.problems


def test_the_same_twice(cells):
    """A copy is nothing to speak of; another result of the same model is."""
    assert make_board([*cells, *cells])[1] == []
    other = replace(cells[0], entry=replace(cells[0].entry, main_score=0.987))
    (doubled,) = make_board([*cells, other])[1]
    assert str(other.entry.file) in doubled
    assert "0.987" in doubled


def test_revisions_are_rows_of_their_own(cells):
    later = [
        replace(one, entry=replace(one.entry, revision="2"))
        for one in cells
        if one.entry.model.endswith("1")
    ]
    board, problems = make_board([*cells, *later])
    assert problems == []
    assert len(board.rows) == 5


def linked(folder):
    of_model = (folder / FILE).parents[1]
    of_model.symlink_to(shutil.move(of_model, folder / "elsewhere"))


def linked_results(folder):
    (folder / "results").symlink_to(shutil.move(folder / "results", folder / "elsewhere"))


def linked_metadata(folder):
    meta = (folder / FILE).with_name("model_meta.json")
    meta.symlink_to(shutil.move(meta, folder / "meta.json"))


BAD = {
    "a digit of a score": (
        lambda folder: change(folder, fb_linear_accuracy=0.123),
        "does not follow",
    ),
    "truncated JSON": (lambda folder: truncated(folder / FILE), "cannot be read"),
    "a huge file": (lambda folder: (folder / FILE).write_text(" " * 3_000_000), "too large"),
    "a link": (linked, "links are not followed"),
    "linked metadata": (linked_metadata, "links are not followed"),
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


@pytest.mark.slow
def test_encoders_that_know_nothing_are_never_ranked():
    """On the project's own board one of them is measured, and all are shipped."""
    board, _ = board_of(ROOT / "docs" / "example_results")
    for places in board.ranked_scores.values():
        assert {row.model: place.rank is None for row, place in places.items()} == {
            "mteb/baseline-random-encoder": True,
            "sentence-transformers/all-MiniLM-L6-v2": False,
        }
    shipped = control_rows(board)
    assert shipped.keys() == {*REFERENCE_MODELS}
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
    """The rows of all tasks of one encoder; scores, whose intervals take a minute in all, of the
    quickest.
    """
    for entry in load_results(BOARD, models="sentence-transformers/all-MiniLM-L6-v2").entries:
        assert not [*row_findings(entry, entry.items())]
        entry.forget_items()
    quickest = "IdiomParaphrase", "PolaritySensitivity", "TransitiveSimilarity"
    assert not verify(
        copied(tmp_path, quickest, "sentence-transformers__all-MiniLM-L6-v2")
    ).is_refused


@pytest.mark.slow
def test_the_ranks_of_our_own_are_those_of_compare(tmp_path, monkeypatch):
    """Of three of its tasks: bootstraps of all would take minutes."""
    tasks = "RoleSwapSimilarity", "TransitiveSimilarity", "CaptionSwap"
    copied(tmp_path, tasks)
    monkeypatch.setitem(
        LISTS, "english", tuple(one for one in LISTS["english"] if one.task in tasks)
    )
    board, problems = board_of(tmp_path)
    assert not problems
    places = board.overall["english"].ranked_scores
    assert len(places) == 7
    entries = load_results(tmp_path).entries
    compared = overall_places(LISTS["english"], values_of(entries))
    assert {row: one.ranks for row, one in compared.items()} == {
        row: one.rank for row, one in places.items()
    }
    # a board reads the scores of other machines, with other last digits
    for row, one in compared.items():
        assert one.mean.score == pytest.approx(places[row].value, rel=1e-9)
    for column in board.columns:
        expected = ranks(
            [entry for entry in entries if Column.of(entry) == column], column.definition.main
        )
        places = board.ranked_scores[column]
        assert {row.model: place.rank for row, place in places.items()} == {
            entry.model: rank for entry, rank in expected.items()
        }


@pytest.mark.slow
def test_every_figure_of_the_findings_is_that_of_the_items(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")  # as for `python docs/findings.py`
    page = runpy.run_path(str(ROOT / "docs" / "findings.py"))["page"]
    assert page(load_results(BOARD)) == (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
