"""What is submitted is what a board accepts, and nothing else; the walk of docs/submitting.md leads
to a line on it.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import mteb
import pytest

from harness_ext.leaderboard.submission import SubmissionError, commands, submit
from harness_ext.results.load import load_results, read_result
from harness_ext.show.numbers import formatted
from harness_ext.tasks import ENCODER_TASKS
from tests.leaderboard.conftest import MODEL
from tests.leaderboard.small_board import change, edit, write_models
from tests.planted import COMMIT
from tests.results.measured import QUICK

DOCUMENT = Path(__file__).parents[2] / "docs" / "submitting.md"


def test_a_submission_has_the_model_s_files_and_no_others(sound, measured_folder):
    written = {path.relative_to(sound) for path in sound.rglob("*") if path.is_file()}
    of_model = {
        path.relative_to(measured_folder)
        for path in measured_folder.glob("results/planted__one/*/[!.r]*")
    }
    assert written == of_model | {Path("PULL_REQUEST.md")}
    assert len(of_model) == 7  # metadata, three results with their items
    for path in sound.glob("results/*/*/*"):
        assert path.read_bytes() == (measured_folder / path.relative_to(sound)).read_bytes()


def test_the_text_of_the_pull_request_says_what_is_submitted_and_how_it_was_made(sound):
    text = (sound / "PULL_REQUEST.md").read_text()
    assert text.startswith("# Results of planted/one\n")
    assert f'mteb run -m "planted/one" --model-revision {COMMIT} -t {" ".join(QUICK)}' in text
    (entry,) = read_result(sound / "results/planted__one" / COMMIT / f"{QUICK[0]}.json")
    assert f"| planted/one | {QUICK[0]} | naturalistic | {formatted(entry.main_score)} |" in text
    assert (
        f"Revision `{COMMIT}`, `{entry.signature.dtype or 'unknown dtype'}`, "
        f"`{entry.signature.backend}`" in text
    )


def test_the_printed_runs_make_the_splits_that_are_there(tmp_path):
    """`--eval-splits` replaces the splits of every task of a run, so a task without one of them
    would fail.
    """
    splits = {
        "EpsilonCompositionality": ["naturalistic", "naturalistic_rebuilt"],
        "IdiomParaphrase": ["idioms", "magpie"],
        "IdiomRetrieval": ["test"],
        "TreeReconstruction": ["dev"],
        "TypeTokenIdiomaticity": ["naturalistic", "naturalistic_rebuilt"],
        "NounCompoundAffinity": ["naturalistic", "neutral"],
    }
    for task, of_task in splits.items():
        write_models(
            tmp_path, [0], [task], [(split, ENCODER_TASKS[task].subsets[0]) for split in of_task]
        )
    printed = commands(load_results(tmp_path).entries, "a/b")
    assert len(printed) == 4
    made = {}
    for command in printed:
        before, _, given = command.partition(" --eval-splits ")
        for task in mteb.get_tasks(
            before.partition(" -t ")[2].split(), eval_splits=given.split() or None
        ):
            assert task.metadata.name not in made
            made[task.metadata.name] = [*task.eval_splits]
            assert {*task.eval_splits} <= {*task.declared.dataset_splits(task.hf_subsets[0])}
    assert made == splits


def test_the_text_names_places_that_are_there_and_each_note_once(measured_copy, tmp_path):
    """Notes on scores of two tasks that have no baselines, measured with an option, in a split of
    no default run.
    """
    of_model = measured_copy / "results" / "planted__one" / COMMIT
    for task in QUICK[:2]:
        edit(of_model / f"{task}.json", without_baselines)
    folder = tmp_path / "submission"
    verification = submit(measured_copy, MODEL, folder)
    text = (folder / "PULL_REQUEST.md").read_text()
    assert ".incomplete" not in text
    assert (
        text.count("There is no matched noise") == text.count("There is no additive baseline") == 1
    )
    assert "With these settings: options of encode: `truncate_dim=64`." in text
    assert {finding.file.exists() for finding in verification.findings} == {True}


def without_baselines(content):
    for entry in (entry for of_split in content["scores"].values() for entry in of_split):
        for key in [
            key for key in entry if key.startswith(("additive_", "gain_", "noise_", "over_noise_"))
        ]:
            del entry[key]
        entry["signature"] += "|options:truncate_dim=64"


def test_what_a_board_would_refuse_is_not_written(measured_copy, tmp_path):
    file = measured_copy / "results" / "planted__one" / COMMIT / f"{QUICK[0]}.json"
    change(measured_copy, file, rank_share_NC=0.25)
    with pytest.raises(SubmissionError, match="a board would refuse this") as error:
        submit(measured_copy, MODEL, tmp_path / "submission")
    assert {finding.file for finding in error.value.findings} == {file}
    assert not (tmp_path / "submission").exists()
    assert not [*tmp_path.glob(".incomplete*")]


@pytest.mark.parametrize("n_damaged", [1, 3])
def test_a_damaged_result_is_not_left_out_in_silence(measured_copy, tmp_path, n_damaged):
    files = [
        measured_copy / "results" / "planted__one" / COMMIT / f"{task}.json"
        for task in QUICK[:n_damaged]
    ]
    for file in files:
        file.write_text("{")
    with pytest.raises(SubmissionError, match="cannot be read") as error:
        submit(measured_copy, MODEL, tmp_path / "submission")
    assert any(str(file) in str(error.value) for file in files)


def test_folders_of_the_submitter_s_machine_are_left_out(measured_copy, tmp_path):
    file = measured_copy / "results" / "planted__one" / COMMIT / "model_meta.json"
    local = {
        "adapted_from": "/home/me/secret/gemma",
        "loader_kwargs": {"folder": "/home/me/secret/one", "n": 1},
    }
    edit(file, lambda content: content.update(local))
    submit(measured_copy, MODEL, tmp_path / "submission", tasks=QUICK[:1])
    (copied,) = (tmp_path / "submission").glob("results/*/*/model_meta.json")
    shown = {"adapted_from": "gemma", "loader_kwargs": {"folder": "one", "n": 1}}
    assert json.loads(copied.read_text()) == json.loads(file.read_text()) | shown


def test_one_revision_is_submitted(measured_copy, tmp_path):
    of_model, later = measured_copy / "results" / "planted__one", "d00d" * 10
    shutil.copytree(of_model / COMMIT, of_model / later)
    for file in (of_model / later).glob("*.json"):
        file.write_text(file.read_text().replace(COMMIT, later))
    both = f"{COMMIT}, {later}"
    with pytest.raises(
        SubmissionError, match=rf"has 2 revisions of planted/one: {both}\. Name one with --revision"
    ):
        submit(measured_copy, MODEL, tmp_path / "submission")
    submit(measured_copy, MODEL, tmp_path / "submission", revision=later, tasks=QUICK[:1])
    assert [
        path.name for path in (tmp_path / "submission" / "results" / "planted__one").iterdir()
    ] == [later]
    with pytest.raises(FileNotFoundError, match=f"Its revisions are {both}"):
        submit(measured_copy, MODEL, tmp_path / "third", revision="3")


def test_nothing_is_written_over(measured_folder, tmp_path):
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="is not empty"):
        submit(measured_folder, MODEL, folder)


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_the_walk_leads_to_a_line_on_a_board(minilm, run, tmp_path):
    """As a new user: an empty folder, nothing cached but the model."""
    blocks = re.findall(r"(?:^    .+\n)+", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    (block,) = (block for block in blocks if "leaderboard init" in block)
    *walk, serve = map(str.strip, block.splitlines())
    assert walk[1].startswith("mteb run ") and minilm in walk[1]
    for command in walk:
        if command.startswith("cp "):
            subprocess.run(shlex.split(command), cwd=tmp_path, check=True)
        else:
            done = run(*shlex.split(command), HARNESS_EXT_CACHE=str(tmp_path / "cache"))
        assert "harness-ext submit" not in command or "git switch -c " in done.stdout
    _, *serving = shlex.split(serve)
    server = subprocess.Popen(
        [sys.executable, "-u", *serving, "0"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        port = re.search(r"port (\d+)", server.stdout.readline())[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/board.csv") as answer:
            line = answer.read().decode().splitlines()[1]
    finally:
        server.terminate()
        server.wait()
    assert line.startswith(f"{minilm},")
    assert ",recomputed," in line
