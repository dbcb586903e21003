"""Ways to harm a board that were found to work: each is refused, named, or has no effect."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from harness_ext.cli import app
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.results.load import load_results
from harness_ext.show.report import write_report
from harness_ext.show.static_site import ReportError
from tests.leaderboard.small_board import board_of
from tests.leaderboard.synthetic import write_models
from tests.results.measured import QUICK, write_results

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


def edit(file, change):
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def refused(folder, **kwargs):
    return [finding for finding in verify(folder, **kwargs).findings if finding.refused]


# what a pull request replaces


def test_a_rival_s_result_is_not_replaced_unseen(board, pull_request, run):
    """The rival's files are those of a worse model, with items that give the scores."""
    for file in of_model(pull_request, MINE).glob(f"{TASK}*"):
        shutil.copy(file, of_model(pull_request))
    file = of_model(pull_request) / f"{TASK}.json"
    file.write_text(file.read_text().replace(MINE, RIVAL))
    assert file in [one.file for one in refused(pull_request, against=board) if "replaces a file" in one.message]
    allowed = verify(pull_request, against=board, allow_changes=True)
    assert any("replaces a file" in one.message for one in allowed.findings)
    assert not allowed.is_refused
    done = run("harness-ext", "verify", str(pull_request), "--against", str(board), check=False)
    assert done.returncode == 1
    assert "--allow-changes" in done.stdout


# scores without items


def test_scores_without_items_rank_below_all_recomputed_ones(tmp_path):
    write_models(tmp_path, range(3), ["PolaritySensitivity"])
    liar = tmp_path / "results/synthetic__model-00002/1/PolaritySensitivity.json"

    def lie(content):
        for entry in content["scores"]["reference"]:
            main = next(key for key, value in entry.items() if value == entry["main_score"] and key != "main_score")
            entry |= {"main_score": 1.0, main: 1.0, f"{main}_ci_low": 0.0, f"{main}_ci_high": 1.0}
            del entry["items"]

    edit(liar, lie)
    board, problems = board_of(tmp_path)
    assert problems == []
    for column in board.columns:
        ranks = {row.model: place.rank for row, place in board.ranked_scores[column].items()}
        trusts = {row.model: place.trust for row, place in board.ranked_scores[column].items()}
        assert trusts["synthetic/model-00002"] is Trust.SELF_REPORTED
        assert ranks["synthetic/model-00002"] == (3, 3)
    assert [row.model for row in board.overall_ranks][2] == "synthetic/model-00002"
    assert [one.ranks for one in board.overall_ranks.values()][2] == (3, 3)


@pytest.mark.slow
def test_own_words_left_out_cost_the_overall_rank_by_gains(tmp_path):
    """A model could otherwise be ranked by the columns of its greatest gains alone."""
    write_results(tmp_path, {RIVAL: 1, MINE: 2}, QUICK[:2])
    file = of_model(tmp_path, MINE) / f"{TASK}.json"

    def without_own_words(content):
        (entry,) = content["scores"]["naturalistic"]
        for key in [key for key in entry if key.startswith(("words_", "gain_"))]:
            del entry[key]

    edit(file, without_own_words)
    (note,) = [one for one in verify(tmp_path).findings if one.key == "words_items"]
    assert (note.file, note.refused) == (file, False)
    board, _ = board_of(tmp_path)
    assert [row.model for row in board.overall_ranks] == [RIVAL]


# folders of others


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


# names


def test_a_pull_request_with_misleading_names_is_refused(pull_request, board):
    shutil.rmtree(of_model(board, MINE).parent)
    there = pull_request / "results" / "planted__.." / "HEAD"
    there.parent.mkdir()
    of_model(pull_request, MINE).rename(there)
    edit(there / "model_meta.json", lambda meta: meta.update(name="planted/..", revision="HEAD"))
    experiment = of_model(pull_request) / "experiments" / "<b>bold"
    experiment.mkdir(parents=True)
    for file in of_model(pull_request).glob("*.*"):
        shutil.copy(file, experiment)
    found = {(finding.key, finding.file.parent): finding.message for finding in refused(pull_request, against=board)}
    assert {("name", there), ("experiment", experiment.parent)} <= found.keys()
    assert "A branch is another version tomorrow" in found["revision", there]


def test_an_experiment_may_have_the_items_of_its_model(board):
    there = of_model(board) / "experiments" / "batches"
    there.mkdir(parents=True)
    for file in of_model(board).glob("*.*"):
        shutil.copy(file, there)
    assert not refused(board)


@pytest.mark.parametrize("part", ["dtype:<script>", "backend:[x](javascript:1)", "level:@everyone", "mteb:=1+1"])
def test_signatures_that_cannot_be(board, part):
    key = part.partition(":")[0]
    file = of_model(board) / f"{TASK}.json"

    def sign(content):
        (entry,) = content["scores"]["naturalistic"]
        parts = [part if one.startswith(f"{key}:") else one for one in entry["signature"].split("|")]
        entry["signature"] = "|".join(parts)

    edit(file, sign)
    (finding,) = [finding for finding in refused(board) if finding.key == f"signature.{key}"]
    assert finding.found == part.partition(":")[2]


# Markdown


def test_a_comparison_in_markdown_shows_names_as_they_are(board):
    name = "a/<img src=x> [b](javascript:1) *c* `d` | e"
    edit(of_model(board, MINE) / "model_meta.json", lambda meta: meta.update(name=name))
    for path in of_model(board, MINE).glob("*.json"):
        path.write_text(path.read_text().replace(f"model:{MINE}", "model:a"))
    done = CliRunner().invoke(app, ["compare", str(board), "--format", "markdown"])
    assert done.exit_code == 0, done.output
    assert r"a/&lt;img src=x> [b]\(javascript:1) \*c\* \`d\` \| e" in done.output
    assert "<img" not in done.output
    assert "](j" not in done.output
