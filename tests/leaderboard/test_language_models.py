"""lm-eval's results on a board: ranked by their samples, self-reported, and not to be submitted."""

from __future__ import annotations

import shutil

import pytest

from harness_ext.leaderboard.build import build
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.submission import SubmissionError, submit
from harness_ext.results.compare import ranks
from harness_ext.results.load import load_results
from harness_ext.results.ranks import Basis
from tests.leaderboard.small_board import board_of, write_models
from tests.results.scripted_output import (
    PAIRS,
    guesses_otherwise,
    knows_idioms,
    result_file,
    samples_file,
    save,
)

pytestmark = pytest.mark.slow

TASKS = (PAIRS, "compound_question_mini")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Two language models, and two encoders in the same folder."""
    folder = tmp_path_factory.mktemp("results")
    save(folder, "scripted/guesses", guesses_otherwise, TASKS)
    save(folder, "scripted/knows", knows_idioms(), TASKS)
    write_models(folder, range(2), ("PolaritySensitivity",))
    return folder


@pytest.fixture
def results(measured, tmp_path):
    """A copy that a test may spoil."""
    return shutil.copytree(measured, tmp_path / "results")


def test_they_are_ranked_by_their_samples_and_by_themselves(results, tmp_path):
    site = tmp_path / "site"
    assert build([results], site) == []
    assert "idiom_minimal_pairs_mini" in (site / "index.html").read_text()
    assert len([*(site / "models").glob("*.html")]) == 4
    board, _ = board_of(results)
    columns = [column for column in board.columns if column.declared_task.harness == "lm-eval"]
    assert [(column.task, column.version) for column in columns] == [(task, "3") for task in TASKS]
    for column in columns:
        places = board.ranked_scores[column]
        expected = ranks(load_results(results, [column.task]).entries)
        assert {row.model: place.rank for row, place in places.items()} == {
            entry.model: rank for entry, rank in expected.items()
        }
        assert {place.trust for place in places.values()} == {Trust.SELF_REPORTED}
    assert {place.basis for place in board.ranked_scores[columns[0]].values()} == {Basis.UNITS}


def test_the_last_run_counts(results):
    """lm-eval never writes over an earlier one."""
    folder = result_file(results).parent
    for file in sorted(folder.iterdir()):
        shutil.copy(file, file.with_name(file.name.replace("_20", "_30")))
    (late,) = folder.glob("results_30*")
    late.write_text(late.read_text().replace('"model_source": "hf"', '"model_source": "vllm"'))
    board, problems = board_of(results)
    assert problems == []
    entries = [cell.entry for column in board.columns for cell in board.cells[column].values()]
    assert {entry.file for entry in entries if entry.model == "scripted/knows"} == {late}


def linked(results):
    file = samples_file(results)
    file.rename(results / "elsewhere")
    file.symlink_to(results / "elsewhere")


BAD = {
    "no samples": (
        lambda results: samples_file(results).unlink(),
        "Nothing says which data was measured",
    ),
    "a link": (linked, "is a link"),
}


@pytest.mark.parametrize("how", BAD)
def test_what_is_wrong_is_left_out_with_its_reason(results, how):
    spoil, reason = BAD[how]
    spoil(results)
    board, problems = board_of(results)
    assert any(reason in problem for problem in problems), problems
    (column,) = [column for column in board.columns if column.task == PAIRS]
    assert [row.model for row in board.ranked_scores[column]] == ["scripted/guesses"]


def test_they_can_be_neither_submitted_nor_verified(results, tmp_path):
    for tasks in (None, [PAIRS]):
        with pytest.raises(SubmissionError, match=r"neither verified nor submitted"):
            submit(results, "scripted/knows", tmp_path / "submission", tasks=tasks)
    shutil.copytree(result_file(results).parent, tmp_path / "board" / "results" / "scripted__knows")
    (*_, finding) = findings = verify(tmp_path / "board").findings
    assert len(findings) == 3
    assert finding.refused and "lm-eval wrote it." in finding.message
