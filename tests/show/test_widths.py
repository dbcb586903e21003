"""No line is wider than COLUMNS says, and no name, score or interval is cut."""

import re

import pytest

from tests.command_line import RESULTS, harness_ext
from tests.conftest import ROOT

BOARD = ROOT / "leaderboard"
COMMANDS = {
    "show": ("show", RESULTS),
    "compare": ("compare", BOARD, "-t", "RoleSwapSimilarity"),
    "pairs": ("compare", BOARD, "-t", "RoleSwapSimilarity", "--pairs"),
    "tasks": ("tasks",),
    "needs": ("needs",),
    "columns": ("needs", "epsilon"),
    "terms": ("explain", "terms"),
    "task": ("explain", "EpsilonCompositionality"),
}


OF_THE_BOARD = {"compare", "pairs"}


def commands_and_widths():
    """Every command at both widths; those that compare the board's models are slow at the second."""
    for name, command in COMMANDS.items():
        marks = [pytest.mark.slow] if name in OF_THE_BOARD else []
        yield pytest.param(command, 80, id=f"{name}-80")
        yield pytest.param(command, 100, id=f"{name}-100", marks=marks)


@pytest.mark.parametrize(("command", "columns"), list(commands_and_widths()))
def test_output_fits(command, columns):
    # beside bars of `datasets`
    lines = harness_ext(*command, columns=str(columns)).stdout.splitlines()
    assert [line for line in lines if len(line) > columns] == []


@pytest.mark.parametrize("columns", [80, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("several", [False, True])
def test_a_comparison_is_one_table_with_the_interval_beside_the_names(columns, several):
    names = ("all-MiniLM-L6-v2", "all-mpnet-base-v2", "wordllama-256")[: 2 + several]
    command = ["compare", BOARD, "-t", "RoleSwapSimilarity", "--pairs"]
    for name in names:
        command += ["-m", name]
    output = harness_ext(*command, columns=str(columns)).stdout
    wide = harness_ext(*command, columns="400").stdout
    assert output.count("95 % interval") == 1
    shown = re.findall(r"^ ([-+]\S+) +([-+]\S+ to [-+]\S+) +(\S+) ", output, re.MULTILINE)
    of_wide = re.findall(r" ([-+]\S+) +([-+]\S+ to [-+]\S+) +\S+ +(\S+) ", wide)
    assert shown == of_wide
    assert len(shown) == (3 if several else 1)
    for name in names:
        assert name in output


@pytest.mark.slow
def test_many_models_with_published_ones_fit_and_are_whole():
    narrow = harness_ext("show", BOARD, columns="80").output
    wide = harness_ext("show", BOARD, columns="400").output
    assert max(map(len, narrow.splitlines())) <= 80
    names = {*re.findall(r"[\w-]+/[\w.-]+", wide)}
    assert {name for name in names if name not in narrow} == set()
