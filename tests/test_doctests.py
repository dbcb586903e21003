"""The examples in the docstrings run."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [
    file
    for file in sorted(ROOT.glob("harness_ext/**/*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]


def module_of(file):
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("name", list(map(module_of, FILES)))
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > found.failed == 0
