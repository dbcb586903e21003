"""What is submitted is what a board accepts, and nothing else; the walk of docs/submitting.md leads to a line on it."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import harness_ext
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.submission import SubmissionError, submit
from harness_ext.names import UnknownNameError
from harness_ext.results.load import read_result
from harness_ext.show.numbers import formatted
from harness_ext.store.item_files import DIGEST, WORDS_DIGEST
from tests.results.measured import QUICK

from .conftest import MODEL

SIMILAR = ("similarities", "sentences", "compounds")
DOCUMENT = Path(harness_ext.__file__).parents[1] / "docs" / "submitting.md"


def test_a_submission_has_the_model_s_files_and_no_others(sound, measured_folder):
    written = {str(path.relative_to(sound)) for path in sound.rglob("*") if path.is_file()}
    tables = {"EpsilonCompositionalityMini": ("samples", "compounds")}
    expected = set()
    for task in QUICK:
        (entry,) = json.loads((sound / "results/planted__one/1" / f"{task}.json").read_text())["scores"]["naturalistic"]
        names = itertools.product((entry[DIGEST], entry[WORDS_DIGEST]), tables.get(task, SIMILAR))
        expected |= {f"{task}.{digest[:16]}.{table}.parquet" for digest, table in names}
    expected |= {f"{task}.json" for task in QUICK} | {"model_meta.json"}
    assert written == {f"results/planted__one/1/{name}" for name in expected} | {"PULL_REQUEST.md"}
    for path in sound.glob("results/*/*/*"):
        assert path.read_bytes() == (measured_folder / path.relative_to(sound)).read_bytes()
    assert not verify(sound).is_refused


def test_the_text_of_the_pull_request_says_what_is_submitted_and_how_it_was_made(sound):
    text = (sound / "PULL_REQUEST.md").read_text()
    assert text.startswith("# Results of planted/one\n")
    assert f'mteb run -m "planted/one" --model-revision 1 -t {" ".join(QUICK)}' in text
    for task in QUICK:
        (entry,) = read_result(sound / "results/planted__one/1" / f"{task}.json")
        assert f"| planted/one | {task} | naturalistic | {formatted(entry.main_score)} |" in text
        assert f"Revision `1`, `{entry.signature.dtype or 'unknown dtype'}`, `{entry.signature.backend}`" in text


@pytest.mark.parametrize("damage", ["tampered", "no metadata"])
def test_what_a_board_would_refuse_is_not_written(measured_copy, tmp_path, damage):
    file = measured_copy / "results" / "planted__one" / "1" / f"{QUICK[0]}.json"
    content = json.loads(file.read_text())
    (entry,) = content["scores"]["naturalistic"]
    if damage == "tampered":
        entry["rank_share_NC"] += 1e-6
    else:
        (file.parent / "model_meta.json").unlink()
    file.write_text(json.dumps(content))
    with pytest.raises(SubmissionError, match="a board would refuse this") as error:
        submit(measured_copy, MODEL, tmp_path / "submission")
    assert {finding.file.parent for finding in error.value.findings} == {file.parent}
    assert not (tmp_path / "submission").exists()
    assert not [*tmp_path.glob(".incomplete*")]


@pytest.mark.parametrize("n_damaged", [1, 3])
def test_a_damaged_result_is_not_left_out_in_silence(measured_copy, tmp_path, n_damaged):
    files = [measured_copy / "results" / "planted__one" / "1" / f"{task}.json" for task in QUICK[:n_damaged]]
    for file in files:
        file.write_text("{")
    with pytest.raises(SubmissionError, match="cannot be read") as error:
        submit(measured_copy, MODEL, tmp_path / "submission")
    assert any(str(file) in str(error.value) for file in files)


def test_folders_of_the_submitter_s_machine_are_left_out(measured_copy, tmp_path):
    file = measured_copy / "results" / "planted__one" / "1" / "model_meta.json"
    content = json.loads(file.read_text())
    content |= {"adapted_from": "/home/me/secret/gemma", "loader_kwargs": {"folder": "/home/me/secret/one", "n": 1}}
    file.write_text(json.dumps(content))
    submit(measured_copy, MODEL, tmp_path / "submission")
    (copied,) = (tmp_path / "submission").glob("results/*/*/model_meta.json")
    assert json.loads(copied.read_text()) == content | {
        "adapted_from": "gemma",
        "loader_kwargs": {"folder": "one", "n": 1},
    }


def test_one_revision_is_submitted(measured_copy, tmp_path):
    of_model = measured_copy / "results" / "planted__one"
    shutil.copytree(of_model / "1", of_model / "2")
    for file in (of_model / "2").glob("*.json"):
        text = file.read_text().replace("revision:1", "revision:2").replace('"revision": "1"', '"revision": "2"')
        file.write_text(text)
    with pytest.raises(SubmissionError, match=r"has 2 revisions of planted/one: 1, 2\. Name one with --revision"):
        submit(measured_copy, MODEL, tmp_path / "submission")
    submit(measured_copy, MODEL, tmp_path / "submission", revision="2")
    assert [path.name for path in (tmp_path / "submission" / "results" / "planted__one").iterdir()] == ["2"]
    with pytest.raises(FileNotFoundError, match="Its revisions are 1, 2"):
        submit(measured_copy, MODEL, tmp_path / "third", revision="3")


def test_nothing_is_written_over(measured_folder, tmp_path):
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="is not empty"):
        submit(measured_folder, MODEL, folder)
    with pytest.raises(UnknownNameError, match="Did you mean planted/one"):
        submit(measured_folder, "../planted", tmp_path / "other")


def commands():
    """The first block of commands."""
    if not DOCUMENT.is_file():
        pytest.skip("the documentation is not installed with the package")
    (block, *_) = re.findall(r"(?:^    .+\n)+", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    return [line.strip() for line in block.splitlines()]


@pytest.mark.slow
def test_the_walk_leads_to_a_line_on_a_board(minilm, tmp_path):
    """As a new user: an empty folder, an empty home, nothing cached but the model."""
    home = tmp_path / "home"
    home.mkdir()
    folder = tmp_path / "work"
    folder.mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(home), "PATH": path, "HARNESS_EXT_CACHE": str(home / "cache"),
                   "HF_DATASETS_CACHE": str(home / "datasets")}  # fmt: skip
    *walk, serve = commands()
    assert len(walk) < 8
    assert walk[1].startswith("mteb run ") and minilm in walk[1]
    for command in walk:
        done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True,
                              text=True, timeout=600)  # fmt: skip
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert "harness-ext submit" not in command or "git switch -c " in done.stdout
    server = subprocess.Popen(["bash", "-c", f"exec {serve} 0"], cwd=folder, stdout=subprocess.PIPE, text=True,
                              env={**environment, "PYTHONUNBUFFERED": "1"})  # fmt: skip
    try:
        port = re.search(r"port (\d+)", server.stdout.readline())[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/board.csv") as answer:
            line = answer.read().decode().splitlines()[1]
    finally:
        server.terminate()
        server.wait()
    assert line.startswith(f"{minilm},")
    assert ",recomputed," in line
