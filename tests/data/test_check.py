"""`harness-ext datasets check`: what is here, before a long run asks for it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from harness_ext.cli import app
from harness_ext.data.builder import builder_class
from harness_ext.data.check import check_sources


def check(*arguments):
    return CliRunner().invoke(app, ["datasets", "check", *arguments])


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A source of ncimp, and its place in a mirror that is empty so far."""
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path / "mirror"))
    source = next(each for each in builder_class("ncimp").SOURCES["en"].values() if each.blob)
    path = tmp_path / "mirror" / source.relative_path
    path.parent.mkdir(parents=True)
    return source, path


def states(config="en"):
    return {each.file: each.state for each in check_sources(["ncimp"]) if each.config == config}


def test_what_is_in_the_package_is_here():
    done = check("--dataset", "compound_mini")
    assert done.exit_code == 0
    assert "compound_mini default here in this package" in " ".join(done.stdout.split())


def test_what_is_missing_offline_is_named_and_ends_with_an_error(source):
    done = check("--dataset", "ncimp", "--dataset", "compound_mini")
    assert done.exit_code == 1
    assert source[0].url in "".join(done.stdout.split())
    assert "Error: files of ncimp (en), ncimp (pt), ncimp (it) cannot be had." in done.stderr


def test_another_file_than_the_published_one_is_refused_unless_allowed(source, monkeypatch):
    source, path = source
    path.write_bytes(b"something else")
    assert states()[source.name] == "refused"
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    assert states()[source.name] == "unverified"


@pytest.mark.real_data
def test_the_papers_files_are_here(mirror):
    done = check("--format", "json")
    found = {(row["dataset"], row["file"]): row["state"] for row in json.loads(done.stdout)}
    assert found["nctti", "data_en.tsv"] == "here"
    assert {"here", "refused"} >= {state for (dataset, _), state in found.items() if dataset == "ncimp"}
