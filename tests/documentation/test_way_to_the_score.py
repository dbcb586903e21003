"""CONTRIBUTING.md draws the way from the command to the score: its files and names exist, in that
order of calls.
"""

import re
from importlib import import_module
from pathlib import Path

import mteb
import pytest
from mteb.results import TaskResult

ROOT = Path(__file__).parents[2]
STEPS = re.findall(
    r"^  (\S+\.py): (\w+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_there_is_a_drawing():
    assert STEPS


@pytest.mark.parametrize(("file", "name"), STEPS)
def test_every_step_is_defined_in_its_file(file, name):
    source = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf"^ *(def {name}\(|class {name}\b|{name}\b.*=)", source, re.MULTILINE)


def test_the_wrapped_functions_are_those_of_mteb():
    module = import_module("mteb.evaluate")  # `mteb.evaluate` itself is a function
    for function in (
        mteb.evaluate,
        module._evaluate_resolved,
        module._evaluate_task,
        TaskResult.to_disk,
    ):
        assert hasattr(function, "__wrapped__")
        assert function.__module__.startswith("mteb.")
