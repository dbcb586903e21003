"""Every command and the Python of docs/own_data.md run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness_ext.cli import app
from harness_ext.results.load import load_results

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_examples_run_as_they_stand(minilm, tmp_path, monkeypatch):
    page = (DOCS / "own_data.md").read_text(encoding="utf-8")
    for file in (DOCS / "own_data").glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in "".join(re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL)).splitlines():
        done = CliRunner().invoke(app, shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.output, done.exception)
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, {})
    entries = load_results("results").entries
    assert {entry.task for entry in entries} == {
        *("own/faq_pairs", "own/legal_triplets", "own/german_compounds", "own/german_compounds_60", "own/faq")
    }
    for entry in entries:
        if entry.model == minilm:
            assert f"{entry.main_score:.3f}".removeprefix("0") in page, (entry.task, entry.main_score)
