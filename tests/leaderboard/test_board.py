"""The columns, rows and ranks of a board, and how far each result is trusted."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest

from harness_ext.framework.gain_keys import gain_key
from harness_ext.leaderboard.board import make_board
from harness_ext.leaderboard.build import build, form_rows, page_tables
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.records import Records, Rerun, cell_key
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.results.compare import overall, ranks
from harness_ext.results.load import load_results
from harness_ext.results.ranks import Basis

from .small_board import FILE, board_of
from .synthetic import write_models

ROOT = Path(__file__).parents[2]
BOARD = ROOT / "leaderboard"
"""The project's own board: real encoders on the papers' data."""


def test_a_board_has_every_cell(made_up):
    board, problems = board_of(made_up)
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
    write_models(tmp_path, range(3), ["TransitiveSimilarity", "RoleSwapSimilarity", "PolaritySensitivity"])
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


@pytest.mark.slow
def test_ranks_are_those_of_compare(measured):
    board, _ = board_of(measured)
    assert len({place.rank for column in board.columns for place in board.ranked_scores[column].values()}) > 1
    for column in board.columns:
        assert board.keys[column] == gain_key(column.definition.main)
        expected = ranks(load_results(measured, [column.task]).entries, board.keys[column])
        found = {row.model: place.rank for row, place in board.ranked_scores[column].items()}
        assert found.pop("compositionality/letters") is None
        assert found == {entry.model: rank for entry, rank in expected.items()}
    over, of_all = overall(load_results(measured).entries, "gain")
    assert over == board.overall
    assert of_all == board.overall_ranks
    assert {row.model for row in of_all} == {"planted/0", "planted/1", "planted/2"}


@pytest.mark.slow
def test_another_version_is_a_ranking_of_its_own(made_up, tmp_path):
    for name in ("00002", "00003"):
        path = made_up / FILE.replace("00001", name)
        path.write_text(path.read_text().replace("polarity-", "polarity-9"))
    board, _ = board_of(made_up)
    assert [column.data for column in board.others] == ["reference", "other reference"]
    assert all(len(board.ranked_scores[column]) == 2 for column in board.others)
    assert len(board.overall_ranks) == 2
    site = tmp_path / "site"
    build([made_up], site)
    assert "another version" in (site / "tasks" / "polaritysensitivity.html").read_text()


def test_the_same_twice(made_up, tmp_path):
    """A copy is nothing to speak of; another result of the same model is."""
    again = shutil.copytree(made_up, tmp_path / "again")
    cells, _ = read_cells([made_up, again], Records())
    assert make_board(cells)[1] == []
    other = next(cell.entry for cell in cells if "again" in str(cell.entry.file))
    object.__setattr__(other, "main_score", 0.987)
    (doubled,) = make_board(cells)[1]
    assert str(other.file) in doubled
    assert "0.987" in doubled


def test_revisions_and_precisions_are_rows_of_their_own(made_up):
    model = made_up / "results/synthetic__model-00001"
    shutil.copytree(model / "1", model / "2")
    for file in (model / "2").glob("[PT]*.json"):
        file.write_text(file.read_text().replace("revision:1", "revision:2"))
    board, problems = board_of(made_up)
    assert problems == []
    assert len(board.rows) == 5
    column = board.columns[0]
    assert board.reliabilities[column].models == 5  # all made up alike: no overall rank is by this column
    assert not board.reliabilities[column].can_rank
    assert board.overall == ()


def test_the_ladder_of_trust(made_up):
    entry = next(entry for entry in load_results(made_up).entries if entry.model.endswith("1"))
    rerun = Rerun(
        entry.model, entry.revision, entry.task, entry.split, entry.subset, str(entry.digest), "float32",
        dict(entry.scores), "a maintainer", "2026-01-31",
    )  # fmt: skip
    board, _ = board_of(made_up, records=Records({cell_key(rerun): rerun}))
    places = {row.model[-1]: place for row, place in board.ranked_scores[board.columns[0]].items()}
    assert {model: place.trust for model, place in places.items()} == {
        "0": Trust.RECOMPUTED, "1": Trust.RERUN, "2": Trust.RECOMPUTED, "3": Trust.RECOMPUTED,
    }  # fmt: skip


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


def test_our_own_is_small_and_has_six_encoders():
    assert sum(path.stat().st_size for path in BOARD.rglob("*") if path.is_file()) < 40 * 2**20
    models = {entry.model for entry in load_results(BOARD).entries}
    assert len(models) == 6
    assert {"sentence-transformers/all-mpnet-base-v2", "local/glove.6B.50d.txt"} < models


@pytest.mark.slow
@pytest.mark.real_data
def test_nothing_is_wrong_with_our_own(mirror, tmp_path):
    """All tasks of one encoder; the next test reads four tasks of all, which checks them too."""
    name = "sentence-transformers__all-MiniLM-L6-v2"
    shutil.copytree(BOARD / "results" / name, tmp_path / "results" / name)
    assert not verify(tmp_path).is_refused


@pytest.mark.slow
def test_the_ranks_of_our_own_are_those_of_compare(tmp_path):
    """Of four of its tasks: bootstraps of all would take minutes."""
    kept = {"model_meta", "RoleSwapSimilarity", "TransitiveSimilarity", "IdiomParaphrase", "CaptionSwap"}
    for file in BOARD.glob("results/*/*/*"):
        if file.name.split(".")[0] in kept:
            copied = tmp_path / file.relative_to(BOARD)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)
    board, problems = board_of(tmp_path)
    assert not problems
    assert len(board.overall_ranks) == 6
    columns, compared = overall(load_results(tmp_path).entries, "gain")
    assert columns == board.overall
    assert {row: one.ranks for row, one in compared.items()} == {
        row: one.ranks for row, one in board.overall_ranks.items()
    }
    for row, one in compared.items():  # a board reads the scores of other machines, with other last digits
        assert one.score == pytest.approx(board.overall_ranks[row].score, rel=1e-9)


@pytest.mark.slow
def test_every_figure_of_the_findings_is_that_of_the_items():
    page = runpy.run_path(str(ROOT / "docs" / "findings.py"))["page"]
    assert page(load_results(BOARD)) == (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
