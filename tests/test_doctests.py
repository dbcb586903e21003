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


SLOW = {"harness_ext.measuring"}
"""It measures a task with its baselines, as many other tests do."""


def modules():
    """The names of the modules with examples, marked as slow where they are."""
    for name in map(module_of, FILES):
        marks = [pytest.mark.slow] if name in SLOW else []
        yield pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", list(modules()))
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > found.failed == 0
