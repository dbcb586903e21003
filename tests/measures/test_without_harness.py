"""Statistics and measures of vectors are tested without a harness, torch or `datasets`: whoever
changes a formula waits for none of them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HARNESSES = ("mteb", "torch", "sentence_transformers", "datasets", "lm_eval")
PROGRAM = """
import sys

import pytest


class Imported:
    def pytest_sessionfinish(self):
        print()
        print("imported:", sorted(set({harnesses!r}) & sys.modules.keys()))


sys.exit(pytest.main(["-p", "no:cacheprovider", *{paths!r}], plugins=[Imported()]))
"""


@pytest.mark.slow
def test_a_test_of_a_formula_imports_no_harness():
    """One test of statistics and one of ε, with all modules beside them collected."""
    paths = ["tests/statistics", "tests/measures/epsilon", "-k", "by_hand and one_sample"]
    program = PROGRAM.format(harnesses=HARNESSES, paths=paths)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "imported: []" in done.stdout
