"""lm-eval's results on a board: ranked by their samples, self-reported, and not to be submitted."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from harness_ext.leaderboard.build import build
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.submission import SubmissionError, submit
from harness_ext.results.compare import ranks
from harness_ext.results.load import load_results
from harness_ext.results.ranks import Basis

from ..results.scripted_output import PAIRS, guesses_otherwise, knows_idioms, result_file, samples_file, save
from .small_board import board_of
from .synthetic import write_models

pytestmark = pytest.mark.slow

TASKS = (PAIRS, "modifier_entailment")


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
    assert "idiom_<wbr>minimal_<wbr>pairs_<wbr>mini" in (site / "index.html").read_text()
    assert len([*(site / "models").glob("*.html")]) == 4
    board, _ = board_of(results)
    columns = [column for column in board.columns if column.is_of_language_models]
    assert [(column.task, column.version, column.languages) for column in columns] == [
        ("idiom_minimal_pairs_mini", "2", ["eng"]),
        ("modifier_entailment", "2", ["eng"]),
    ]
    assert [column.is_of_language_models for column in board.columns] == [False, False, True, True]
    assert [column.task for column in board.overall] == ["PolaritySensitivity"]  # no model has columns of both kinds
    for column in columns:
        entries = list(load_results(results, [column.task]).entries)
        expected = {entry.model: rank for entry, rank in ranks(entries).items()}
        places = board.ranked_scores[column]
        assert {row.model: place.rank for row, place in places.items()} == expected
        undefined = any(np.isnan(entry.statistic(entry.measure.main).resamples()).any() for entry in entries)
        assert {place.basis for place in places.values()} == {Basis.NOTHING if undefined else Basis.UNITS}
        assert {place.trust for place in places.values()} == {Trust.SELF_REPORTED}


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


def on_other_rows(results):
    file = samples_file(results)
    text = file.read_text()
    assert '"dataset": "compound_mini/default"' in text
    file.write_text(text.replace('"dataset": "compound_mini/default', '"dataset": "compound_mini/default+unverified-1'))


BAD = {
    "unverified rows": (on_other_rows, "files other than the pinned files"),
    "no samples": (lambda results: samples_file(results).unlink(), "Nothing says which data was measured"),
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
    folder = tmp_path / "board" / "results" / "scripted__knows"
    shutil.copytree(result_file(results).parent, folder)
    findings = verify(tmp_path / "board").findings
    assert len(findings) == 3
    assert all(finding.refused and "lm-eval wrote it." in finding.message for finding in findings)
