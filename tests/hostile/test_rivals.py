"""A rival's items under another name are named, and have no place in the ranks until a rerun."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from harness_ext.leaderboard.build import build
from harness_ext.leaderboard.checks.records import RERUNS, Rerun, cell_key
from harness_ext.leaderboard.checks.rivals import Fingerprint
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.results.load import read_result
from tests.leaderboard.conftest import Submission, changed
from tests.leaderboard.small_board import board_of, edit
from tests.planted import COMMIT
from tests.results.measured import QUICK

pytestmark = pytest.mark.slow  # each builds and verifies boards

TASK = QUICK[0]
RIVAL, MINE = "planted/one", "mine/best"


@pytest.fixture
def board(measured_folder, tmp_path):
    """The results of two models in one task."""
    return shutil.copytree(
        measured_folder, tmp_path / "board", ignore=shutil.ignore_patterns("Noun*")
    )


def copied(folder, name=MINE, revision=COMMIT):
    """Copy the results of the rival to another name."""
    source = folder / "results" / "planted__one" / COMMIT
    there = folder / "results" / name.replace("/", "__").replace(" ", "_") / revision
    shutil.copytree(source, there)
    for file in there.glob("*.json"):
        file.write_text(file.read_text().replace(RIVAL, name).replace(COMMIT, revision))
    return there


def submission_of(folder):
    """The results of a model as what a forger changes."""
    submission = Submission.__new__(Submission)
    submission.folder = folder.parents[2]
    submission.of_model = folder
    submission.file = folder / f"{TASK}.json"
    return submission


def noisy(folder, scale, share=1.0):
    """Change the distances a little, and compute everything again."""
    submission = submission_of(folder)
    random = np.random.default_rng(0)

    def change_items(items):
        distance = items.samples.context_distance.astype(np.float64)
        noise = random.normal(scale=scale, size=len(distance))
        where = random.random(len(distance)) < share
        moved = np.clip(distance + np.where(where, noise, 0), 0, 2)
        return changed(items, "samples", context_distance=moved.astype(np.float32))

    submission.forge(change_items)


def notes(folder, **kwargs):
    return notes_of(verify(folder, **kwargs).findings)


def notes_of(findings):
    return {
        one.file.parents[1].name: one.message
        for one in findings
        if "The items are those of" in one.message
    }


def ranks(folder):
    (scores,) = board_of(folder)[0].ranked_scores.values()
    return {row.model: (place.rank is not None, place.original) for row, place in scores.items()}


def halved(folder):
    """Halve the distances of sentences, and compute everything again: the scores stay."""
    submission = submission_of(folder)

    def change_items(items):
        samples = items.samples
        return changed(
            items,
            "samples",
            context_distance=samples.context_distance / 2,
            baseline_context_distance=samples.baseline_context_distance / 2,
        )

    submission.forge(change_items)


FORGERIES = {
    "digest for digest": lambda folder: None,
    "noise of 10⁻⁶": lambda folder: noisy(folder, 1e-6),
    "noise of 10⁻⁵": lambda folder: noisy(folder, 1e-5),
    "halved distances": halved,
    "a few other distances": lambda folder: noisy(folder, 0.1, share=0.02),
}


SLOW = {"noise of 10⁻⁶"}
"""What is more noise of the same kind is quick."""


def forgeries():
    """The ways of a forger, marked as slow where they are."""
    for way in FORGERIES:
        marks = [pytest.mark.slow] if way in SLOW else []
        yield pytest.param(way, marks=marks)


@pytest.mark.parametrize("way", list(forgeries()))
def test_a_rival_s_items_are_named_and_not_ranked(board, tmp_path, way):
    pull_request = shutil.copytree(board, tmp_path / "pull_request")
    there = copied(pull_request)
    FORGERIES[way](there)
    findings = verify(pull_request, against=board).findings
    assert not [one for one in findings if one.refused]
    expected = f"The items are those of {RIVAL}. It has no place in the ranks until a rerun."
    assert notes_of(findings) == {"mine__best": expected}
    edit(there / f"{TASK}.json", lambda content: content.update(date=2e9))
    ranks_of_models = ranks(pull_request)
    assert ranks_of_models[MINE] == (False, RIVAL)
    assert ranks_of_models[RIVAL] == (True, "")


def test_the_page_of_a_task_says_whose_items_a_copy_has(board, tmp_path):
    there = copied(board)
    edit(there / f"{TASK}.json", lambda content: content.update(date=2e9))
    build([board], tmp_path / "site")
    (page,) = (tmp_path / "site" / "tasks").glob("*.html")
    assert page.read_text().count(f"the items are those of {RIVAL}") == 1


def test_models_of_one_name_are_no_rivals(board, tmp_path):
    """A revision, an experiment, and the additive baseline of a model whose words alone count."""
    copied(board, RIVAL, "ab" * 20)
    copied(board, f"{RIVAL} (additive)")
    experiment = board / "results" / "planted__one" / COMMIT / "experiments" / "batches"
    shutil.copytree(
        board / "results" / "planted__one" / COMMIT,
        experiment,
        ignore=shutil.ignore_patterns("experiments"),
    )
    edit(experiment / "model_meta.json", lambda meta: meta.update(experiment_kwargs={"batch": 1}))
    assert notes(board) == {}
    assert all(is_ranked for is_ranked, _ in ranks(board).values())


def test_another_model_is_no_copy(board):
    assert notes(board) == {}
    assert notes(board, is_board=True) == {}


GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")


def git(board, *words, date="2026-01-01T00:00:00"):
    """Run git in a board, on a date that its user chooses."""
    env = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date, "PATH": "/usr/bin:/bin"}
    subprocess.run([*GIT, *words], cwd=board, check=True, env=env, capture_output=True)


def commit(board, date):
    git(board, "add", "--all")
    git(board, "commit", "--quiet", "-m", "x", date=date)


def test_the_earlier_submission_keeps_its_place_whatever_the_files_say(board):
    """The board's history says which came first; without one, the dates of the results."""
    there = copied(board, "a/first")  # by its name, and by the date it states
    edit(there / f"{TASK}.json", lambda content: content.update(date=1.0))
    assert ranks(board)[RIVAL] == (False, "a/first")
    elsewhere = board.parent / "later"
    shutil.move(there.parent, elsewhere)
    git(board, "init", "--quiet")
    commit(board, "2026-01-01T00:00:00")
    shutil.move(elsewhere, there.parent)
    commit(board, "2026-02-01T00:00:00")
    assert copies_of_folder(board) == {"a/first": RIVAL}
    assert notes(board, is_board=True) == {
        "a__first": f"The items are those of {RIVAL}. It has no place in the ranks until a rerun."
    }


@pytest.mark.parametrize("way", ["merged", "on the branch"])
def test_a_commit_of_an_earlier_date_takes_no_place(board, way):
    """Who commits chooses the date."""
    git(board, "init", "--quiet", "--initial-branch=main")
    commit(board, "2026-01-01T00:00:00")
    git(board, "switch", "--quiet", "--create=submission")
    copied(board, "a/first")
    commit(board, "2001-01-01T00:00:00")
    if way == "merged":
        git(board, "switch", "--quiet", "main")
        git(board, "merge", "--quiet", "--no-ff", "-m", "x", "submission")
    assert copies_of_folder(board) == {"a/first": RIVAL}


def copies_of_folder(folder):
    """Copy -> its original."""
    (scores,) = board_of_folder(folder)
    return {row.model: place.original for row, place in scores.items() if place.original}


def board_of_folder(folder):
    from harness_ext.leaderboard.board import make_board
    from harness_ext.leaderboard.cells import read_cells

    return make_board(read_cells([folder], {}).cells, folder)[0].ranked_scores.values()


def test_a_rerun_gives_the_place_back(board):
    there = copied(board)
    edit(there / f"{TASK}.json", lambda content: content.update(date=2e9))
    assert notes(board, is_board=True)
    (entry,) = read_result(there / f"{TASK}.json")
    record = Rerun(
        *cell_key(entry),
        items=entry.digest,
        dtype="float32",
        scores=entry.scores,
        by="A. Maintainer",
        date="2026-01-31",
    )
    record.write(board)
    assert json.loads(next((board / RERUNS).glob("*.json")).read_text())
    assert [*notes(board, is_board=True)] == ["planted__one"]


def test_ties_throughout_are_no_copy(board):
    """Two encoders of words alone: each sentence and its paraphrase have the same vector."""
    (entry,) = read_result(board / "results" / "planted__one" / COMMIT / f"{TASK}.json")
    items = entry.items()
    n = len(items.samples)
    for number in (0.0, 0.25, 1.0):
        columns = dict.fromkeys(items.samples.measured(), np.full(n, number, dtype=np.float32))
        tied = replace(items, samples=type(items.samples).of({**items.samples.values(), **columns}))
        assert not Fingerprint.of(tied).agrees(Fingerprint.of(tied))
    assert Fingerprint.of(items).agrees(Fingerprint.of(items))


def test_small_numbers_are_not_the_same_because_they_are_small():
    """Errors of trees are 10⁻⁶: they differ by less than 10⁻⁴."""
    random = np.random.default_rng(0)
    one, other = (Fingerprint({"trees.error": random.random(300) * 1e-6}) for _ in range(2))
    assert not one.agrees(other)
    assert one.agrees(one)
