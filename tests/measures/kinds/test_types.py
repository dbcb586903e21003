"""mypy knows the columns of a kind's items, and those that a task adds."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = """
from harness_ext.measures.kinds.triplets import TRIPLETS
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES

triplets = TRIPLETS.planned([], "").triplets
pairs = MERGE_OPPOSITES.planned([], "").pairs
reveal_type(triplets.won)
reveal_type(pairs.source)
reveal_type(pairs.is_same)
pairs.sauce
triplets.source
"""


@pytest.mark.slow
def test_mypy_knows_the_columns(tmp_path):
    (tmp_path / "columns.py").write_text(CODE, encoding="utf-8")
    config = (
        "--config-file",
        ROOT / "pyproject.toml",
        "--follow-imports",
        "silent",
        "--cache-dir",
        tmp_path / "cache",
    )
    line = [sys.executable, "-m", "mypy", *config, tmp_path / "columns.py"]
    said = subprocess.run(line, cwd=ROOT, capture_output=True, text=True).stdout
    dtypes = re.findall(
        r'note: Revealed type is "numpy\.ndarray\[.*?numpy\.dtype\[(?:numpy\.)?(\S+?)[\[\]]', said
    )
    assert dtypes == ["float64", "str_", "bool"], said
    errors = re.findall(r'error: "(\w+)" has no attribute "(\w+)"', said)
    assert errors == [("Opposites", "sauce"), ("TripletTable", "source")], said
