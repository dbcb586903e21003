"""`harness-ext datasets check`: what is here, before a long run asks for it."""

from __future__ import annotations

import json

import pytest

from harness_ext.data.builder import builder_class
from harness_ext.data.check import check_sources
from tests.command_line import harness_ext


def test_what_cannot_be_had_is_named_and_ends_with_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    source = builder_class("ncimp").SOURCES["en"]["scores"]
    done = harness_ext("datasets", "check", "--dataset", "ncimp", "--dataset", "compound_mini")
    assert done.exit_code == 1
    assert "compound_mini default here in this package" in " ".join(done.stdout.split())
    assert source.url in "".join(done.stdout.split())
    assert "Error: files of ncimp (en), ncimp (pt), ncimp (it) cannot be had." in done.stderr
    (tmp_path / source.relative_path).parent.mkdir(parents=True)
    (tmp_path / source.relative_path).write_bytes(b"something else")
    for allowed, state in (("0", "refused"), ("1", "unverified")):
        monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", allowed)
        assert ("en", source.name, state) in {each[1:4] for each in check_sources(["ncimp"])}


@pytest.mark.real_data
def test_the_papers_files_are_here(mirror):
    done = harness_ext(
        "datasets", "check", "--dataset", "nctti", "--dataset", "ncimp", "--format", "json"
    )
    found = {(row["dataset"], row["file"]): row["state"] for row in json.loads(done.stdout)}
    assert found["nctti", "data_en.tsv"] == "here"
    assert {"here", "refused"} >= {
        state for (dataset, _), state in found.items() if dataset == "ncimp"
    }
