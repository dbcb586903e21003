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

from harness_ext.leaderboard.build import build
from harness_ext.leaderboard.submission import SubmissionError, commands, submit
from harness_ext.results.load import load_results, read_result
from harness_ext.show.numbers import formatted
from tests.command_line import harness_ext
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
    with_noise, *without = QUICK
    command = f'mteb run -m "planted/one" --model-revision {COMMIT} -t'
    assert f"\n    {command} {with_noise}\n" in text
    assert f"\n    HARNESS_EXT_ADDITIVE=0 {command} {' '.join(without)}\n" in text
    (entry,) = read_result(sound / "results/planted__one" / COMMIT / f"{QUICK[0]}.json")
    assert f"| planted/one | {QUICK[0]} | naturalistic | {formatted(entry.main_score)} |" in text
    assert (
        f"Revision `{COMMIT}`, `{entry.signature.dtype or 'unknown dtype'}`, "
        f"`{entry.signature.backend}`" in text
    )


def test_the_printed_runs_make_the_scores_that_are_there_and_no_others(tmp_path):
    """`--eval-splits` and `-l` hold for every task of a run, so a task without one of them would
    fail, or be left out.
    """
    measured = {
        "EpsilonCompositionality": [("naturalistic", "en"), ("naturalistic_rebuilt", "en")],
        "IdiomParaphrase": [("idioms", "default"), ("magpie", "default")],
        "IdiomRetrieval": [("test", "default")],
        "TreeReconstruction": [("dev", "default")],
        "NounCompoundAffinity": [("naturalistic", "pt"), ("neutral", "pt")],
        "NegationImportance": [("test", "de"), ("test", "fr")],
        "TypeTokenIdiomaticity": [("naturalistic", "pt")],
    }
    for task, places in measured.items():
        write_models(tmp_path, [0], [task], places)
    made = {}
    for command in commands(load_results(tmp_path).entries, "a/b"):
        match = re.fullmatch(
            r'(?:HARNESS_EXT_\w+=0 )*mteb run -m "a/b" --model-revision 1 -t ([\w ]+?)'
            r"( --eval-splits [\w ]+?)?( -l [\w ]+)?",
            command,
        )
        names, splits, languages = (part and part.split() for part in match.groups())
        for task in mteb.get_tasks(
            names,
            eval_splits=splits and splits[1:],
            languages=languages and languages[1:],
        ):
            assert task.metadata.name not in made
            made[task.metadata.name] = [
                (split, subset)
                for subset in task.hf_subsets
                for split in task.eval_splits
                if split in task.declared.dataset_splits(subset)
            ]
    assert {task: sorted(places) for task, places in made.items()} == {
        task: sorted(places) for task, places in measured.items()
    }


def test_a_subset_that_no_language_tells_from_others_is_named(tmp_path):
    write_models(tmp_path, [0], ["TransitiveSimilarity"], [("test", "gs2011")])
    (command,) = commands(load_results(tmp_path).entries, "a/b")
    assert command.endswith(" -l eng  # of its subsets only gs2011")


@pytest.mark.parametrize("variable", ["ADDITIVE", "NOISE", "ITEMS"])
def test_the_printed_runs_have_the_variables_of_the_result(measured_copy, variable):
    """Without the baseline and noise, without noise, and without any items."""
    file = measured_copy / "results" / "planted__one" / COMMIT / f"{QUICK[0]}.json"
    noise = ("noise_", "over_noise_")
    lacking = {"ADDITIVE": ("additive_", "gain_", *noise), "NOISE": noise}

    def leave_out(content):
        (entry,) = content["scores"]["naturalistic"]
        for key in list(entry):
            is_digest = key == "items" or key.endswith("_items")
            if is_digest if variable == "ITEMS" else key.startswith(lacking[variable]):
                del entry[key]

    edit(file, leave_out)
    (entry,) = load_results(measured_copy, QUICK[0], MODEL).entries
    (command,) = commands([entry], MODEL)
    assert command.startswith(f"HARNESS_EXT_{variable}=0 mteb run ")


@pytest.mark.slow
def test_nobody_can_rerun_a_local_folder(measured_copy, tmp_path):
    """The text of the pull request, the command, verify and the page say so."""
    local = "local/tiny"
    for file in measured_copy.glob("results/*/*/*.json"):
        if file.parents[1].name == "planted__one":
            file.write_text(file.read_text().replace(MODEL, local))
    (measured_copy / "results" / "planted__one").rename(
        measured_copy / "results" / local.replace("/", "__")
    )
    folder = tmp_path / "submission"
    done = harness_ext("submit", measured_copy, "-m", local, "-o", folder, "--task", QUICK[0])
    assert done.exit_code == 0, done.output
    said = "It is a local folder; nobody can rerun it."
    assert said in done.output
    text = (folder / "PULL_REQUEST.md").read_text()
    assert f"{said} Made with, in the place of its folder:" in text
    assert said in harness_ext("verify", folder).output
    build([folder], tmp_path / "site")
    (page,) = (tmp_path / "site" / "models").glob("*.html")
    assert said in page.read_text()


@pytest.mark.parametrize("place", ["results", ""])
def test_a_folder_above_or_below_a_submission_is_named(sound, tmp_path, place):
    """In place of a refusal for each file of the board."""
    above = tmp_path / "above"
    submission = shutil.copytree(sound, above / "submission")
    folder = submission / place if place else above
    done = harness_ext("verify", folder, "--against", sound)
    assert done.exit_code == 2
    assert f"Name {submission}" in done.stderr
    assert "refused" not in done.output


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
