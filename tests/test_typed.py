"""What a type checker, and somebody who types a dot, see of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import harness_ext

ROOT = Path(__file__).parents[1]
USE = """
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import harness_ext
from harness_ext import measure


def encode(texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.zeros((len(texts), 3))


number: int = load_results("results").entries[0].main_score
measure(3, "EpsilonCompositionalityMini")
harness_ext.compere("results")
"""


def test_what_a_dot_offers():
    assert set(harness_ext.__all__) == harness_ext._PUBLIC.keys()
    assert {*harness_ext.__all__} <= {*dir(harness_ext)}
    assert "os" not in dir(harness_ext)


@pytest.mark.slow  # mypy reads the whole package, strictly
def test_the_code_of_the_readme_is_typed(tmp_path):
    """The three mistakes of `USE` are found, and nothing in the README's own code."""
    for part in ("harness_ext", "harness_ext/tasks", "harness_ext/datasets_scripts"):
        shutil.copytree(ROOT / part.rpartition("/")[2], tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    readme = "".join(re.findall(r"(?s)```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8")))
    place = readme.index("measured = ")
    (tmp_path / "use.py").write_text(readme[:place] + USE + readme[place:], encoding="utf-8")
    options = ["--strict", "--follow-imports=silent", "--no-site-packages", "--ignore-missing-imports"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "use.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    found = re.findall(r"error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    assert found == ["assignment", "arg-type", "attr-defined"], done.stdout + done.stderr
