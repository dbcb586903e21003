"""Ways to harm a board that were found to work: each is refused, named, or has no effect."""

from __future__ import annotations

import re
import shutil

import pytest

from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.measures.polarity.sensitivity import POLARITY
from harness_ext.results.load import load_results
from harness_ext.show.report import write_report
from harness_ext.show.static_site import ReportError
from harness_ext.tasks.overall import ListedColumn
from tests.command_line import harness_ext
from tests.leaderboard.small_board import board_of, edit, lie, list_of, write_models
from tests.results.measured import QUICK, rename

TASK = QUICK[0]
RIVAL, MINE = "planted/one", "planted/other"


@pytest.fixture
def board(measured_folder, tmp_path):
    """The results of two models in one task."""
    return shutil.copytree(measured_folder, tmp_path / "board", ignore=shutil.ignore_patterns("Noun*"))


@pytest.fixture
def pull_request(board, tmp_path):
    """The board as a pull request leaves it."""
    return shutil.copytree(board, tmp_path / "pull_request")


def of_model(folder, model=RIVAL):
    return folder / "results" / model.replace("/", "__") / "1"


def refused(folder, **kwargs):
    return [finding for finding in verify(folder, **kwargs).findings if finding.refused]


def test_a_rival_s_result_is_not_replaced_unseen(board, pull_request):
    """The rival's files are those of a worse model, with items that give the scores."""
    for file in of_model(pull_request, MINE).glob(f"{TASK}*"):
        shutil.copy(file, of_model(pull_request))
    file = of_model(pull_request) / f"{TASK}.json"
    file.write_text(file.read_text().replace(MINE, RIVAL))
    assert file in [one.file for one in refused(pull_request, against=board) if "replaces a file" in one.message]
    allowed = verify(pull_request, against=board, allow_changes=True)
    assert any("replaces a file" in one.message for one in allowed.findings)
    assert not allowed.is_refused


def test_scores_without_items_rank_below_all_recomputed_ones(tmp_path, monkeypatch):
    list_of(monkeypatch, ListedColumn("PolaritySensitivity", "default", POLARITY.definition, ("reference",)))
    write_models(tmp_path, range(3), ["PolaritySensitivity"])
    lie(tmp_path, "results/synthetic__model-00002/1/PolaritySensitivity.json")
    board, problems = board_of(tmp_path)
    assert problems == []
    liar = "synthetic/model-00002"
    for column in board.columns:
        (place,) = [place for row, place in board.ranked_scores[column].items() if row.model == liar]
        assert (place.trust, place.rank) == (Trust.SELF_REPORTED, (3, 3))
    *_, (row, last) = board.overall["english"].places.items()
    assert (row.model, last.ranks) == (liar, (3, 3))


def test_a_baseline_left_out_is_a_note(board):
    file = of_model(board, MINE) / f"{TASK}.json"

    def without_baselines(content):
        (entry,) = content["scores"]["naturalistic"]
        for key in [key for key in entry if key.startswith(("additive_", "gain_"))]:
            del entry[key]

    edit(file, without_baselines)
    (note,) = [one for one in verify(board).findings if one.key == "additive_items"]
    assert (note.file, note.refused) == (file, False)


@pytest.mark.slow
def test_pages_are_not_written_over_a_stranger_s(board, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    for name in ("notes.txt", "index.html"):
        (site / name).write_text("<h1>My thesis</h1>")
        with pytest.raises(ReportError, match=rf"site is not empty.*{name}.*--force"):
            write_report(load_results(board), site)
    assert [path.read_text() for path in site.iterdir()] == ["<h1>My thesis</h1>"] * 2
    write_report(load_results(board), site, force=True)
    assert "thesis" not in (site / "index.html").read_text()
    write_report(load_results(board), site)  # ours by now


def test_a_pull_request_with_misleading_names_is_refused(pull_request, board):
    shutil.rmtree(of_model(board, MINE).parent)
    there = pull_request / "results" / "planted__.." / "HEAD"
    there.parent.mkdir()
    of_model(pull_request, MINE).rename(there)
    edit(there / "model_meta.json", lambda meta: meta.update(name="planted/..", revision="HEAD"))
    experiment = of_model(pull_request) / "experiments" / "<b>bold"
    shutil.copytree(of_model(pull_request), experiment)
    found = {(finding.key, finding.file.parent): finding.message for finding in refused(pull_request, against=board)}
    assert {("name", there), ("experiment", experiment.parent)} <= found.keys()
    assert "A branch is another version tomorrow" in found["revision", there]


def test_an_experiment_may_have_the_items_of_its_model(board):
    shutil.copytree(of_model(board), of_model(board) / "experiments" / "batches")
    assert not refused(board)


@pytest.mark.parametrize("part", ["dtype:<script>", "backend:[x](javascript:1)"])
def test_signatures_that_cannot_be(board, part):
    key, _, value = part.partition(":")
    file = of_model(board) / f"{TASK}.json"
    file.write_text(re.sub(rf"\|{key}:[^|]*", f"|{part}", file.read_text()))
    (finding,) = refused(board)
    assert (finding.key, finding.found) == (f"signature.{key}", value)


def test_a_comparison_in_markdown_shows_names_as_they_are(board):
    rename(board, MINE, "a/<img src=x> [b](javascript:1) *c* `d` | e")
    done = harness_ext("compare", board, "--format", "markdown")
    assert done.exit_code == 0, done.output
    assert r"a/&lt;img src=x> [b]\(javascript:1) \*c\* \`d\` \| e" in done.output
    assert "<img" not in done.output
    assert "](j" not in done.output
