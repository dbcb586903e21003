"""The fixtures of all tests do what they promise."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.processes import ended

TESTS = """
import os


def test_one(mirror):
    assert mirror == os.environ["HARNESS_EXT_MIRROR"] == "the mirror that was named"


def test_other(mirror):
    assert "PYTEST_XDIST_WORKER" in os.environ


def test_that_asks_for_no_mirror():
    assert "HARNESS_EXT_MIRROR" not in os.environ
"""


@pytest.mark.slow  # three interpreters that load all fixtures
def test_workers_know_the_mirror_that_was_named(tmp_path):
    """In a folder beside which there is no shared/."""
    tests = tmp_path / "checkout" / "tests"
    tests.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("conftest.py"), tests)
    (tests / "test_mirror.py").write_text(TESTS)
    named = {
        "HARNESS_EXT_MIRROR": "the mirror that was named",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    unnamed = ("TESTS_MIRROR", "PYTEST_XDIST_WORKER")
    environment = {name: value for name, value in os.environ.items() if name not in unnamed}
    options = ["-n", "2", "-p", "no:cacheprovider", "--rootdir", tests.parent]
    line = [sys.executable, "-m", "pytest", *options, tests]
    done = ended(line, tests.parent, environment | named)
    assert re.search(r"^=* ?3 passed in ", done.stdout, re.MULTILINE), done.stdout + done.stderr
