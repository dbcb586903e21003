"""What a board accepts, mteb can read: else one submission breaks it for everybody."""

from __future__ import annotations

import shutil

import mteb
import pytest

from harness_ext.leaderboard.checks.mteb_reader import MTEB, mteb_findings
from harness_ext.leaderboard.checks.verify import verify
from tests.leaderboard.small_board import edit
from tests.planted import COMMIT
from tests.results.measured import QUICK

TASK = QUICK[0]


@pytest.fixture
def board(measured_folder, tmp_path):
    """The results of two models in one task."""
    return shutil.copytree(
        measured_folder, tmp_path / "board", ignore=shutil.ignore_patterns("Noun*")
    )


def record_of(content):
    (records,) = content["scores"].values()
    return records[0]


def with_value(key, value):
    """A forgery of a value of a file."""

    def forge(content):
        content[key] = value

    return forge


def without(key):
    """A forgery that leaves a value of a file out."""

    def forge(content):
        del content[key]

    return forge


def without_languages(content):
    del record_of(content)["languages"]


def with_languages_in_a_text(content):
    record_of(content)["languages"] = "eng"


RESULTS = {
    "a date that is none": with_value("date", float("nan")),
    "a date in words": with_value("date", "yesterday"),
    "a date beyond time": with_value("date", 1e299),
    "a version that is a number": with_value("mteb_version", 7),
    "a version that is a list": with_value("mteb_version", ["2.26"]),
    "a version in words": with_value("mteb_version", "newest"),
    "no version": without("mteb_version"),
    "a time in words": with_value("evaluation_time", "long"),
    "no time": without("evaluation_time"),
    "carbon in words": with_value("kg_co2_emissions", "little"),
    "phases that are a number": with_value("evaluation_phases", 3),
    "phases without a name": with_value("evaluation_phases", [{"start": 1}]),
    "no languages": without_languages,
    "languages that are a text": with_languages_in_a_text,
    "a version of 4 200 digits": with_value("mteb_version", "1" * 4200),
}
METADATA = {
    "an unknown key": with_value("planted", 1),
    "a date in words": with_value("release_date", "yesterday"),
    "languages that are a number": with_value("languages", 3),
    "no revision": with_value("revision", None),
    "experiments that are a text": with_value("experiment_kwargs", "x"),
}


def forgeries():
    """File, forgery and name of each."""
    for way, forge in RESULTS.items():
        yield pytest.param(f"{TASK}.json", forge, id=way)
    for way, forge in METADATA.items():
        yield pytest.param("model_meta.json", forge, id=f"metadata: {way}")


def accepted(folder):
    return not any(finding.refused for finding in verify(folder).findings)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "forge"), list(forgeries()))
def test_mteb_reads_each_forgery_that_is_accepted(board, name, forge):
    file = board / "results" / "planted__other" / COMMIT / name
    edit(file, forge)
    if accepted(board):
        results = mteb.ResultCache(board).load_results(include_remote=False)
        assert {result.model_name for result in results.model_results}
    else:
        findings = [finding for finding in verify(board).findings if finding.refused]
        assert {finding.file for finding in findings} == {file}


@pytest.mark.parametrize(
    ("way", "key"),
    [
        ("a date that is none", "date"),
        ("a version that is a number", "mteb_version"),
        ("a time in words", "evaluation_time"),
        ("phases that are a number", "evaluation_phases"),
        ("no languages", "scores"),
    ],
)
def test_what_mteb_cannot_read_is_refused_with_its_key(board, way, key):
    file = board / "results" / "planted__other" / COMMIT / f"{TASK}.json"
    edit(file, RESULTS[way])
    (finding,) = [finding for finding in verify(board).findings if finding.refused]
    assert finding.file == file
    assert finding.key == key
    assert "mteb cannot read it" in finding.message


@pytest.mark.slow
def test_a_process_of_mteb_that_died_is_named_and_the_next_is_asked(board):
    folder = board / "results" / "planted__other" / COMMIT
    files = [folder / "model_meta.json", folder / f"{TASK}.json"]
    assert not mteb_findings(files)
    MTEB.process.kill()
    (finding,) = mteb_findings(files)
    assert "died" in finding.message
    assert not mteb_findings(files)
