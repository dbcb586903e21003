"""Files that several processes read: the same outcomes in the same order as in one."""

import os
from pathlib import Path

import pytest

from harness_ext.common import processes
from harness_ext.common.processes import MOST_TOGETHER, of_files
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.verify import verify

FILES = [Path(folder, name) for name in ("A.json", "B.json") for folder in "abcdefghijk"]


@pytest.fixture
def two_processors(monkeypatch):
    """A machine with two processors, on which no file is too small for a process of its own."""
    monkeypatch.setattr(processes, "_processors", lambda: 2)
    monkeypatch.setattr(processes, "_can_fork", lambda: True)  # tests may have imported torch
    monkeypatch.setattr(processes, "BYTES_A_PROCESS", 1)


def _name_and_process(file):
    return str(file), os.getpid()


def test_outcomes_are_in_the_order_of_the_files(two_processors):
    prepared = []
    sizes = [*range(len(FILES))]
    outcomes = of_files(_name_and_process, FILES, sizes, prepare=lambda: prepared.append(1))
    assert [name for name, _ in outcomes] == [*map(str, FILES)]
    assert os.getpid() not in {process for _, process in outcomes}
    assert prepared == [1]


def test_files_of_a_name_are_read_by_one_process_up_to_a_number(two_processors):
    tasks = processes._tasks(FILES, [1] * len(FILES))
    assert [len(task.files) for task in tasks] == [MOST_TOGETHER, 3] * 2
    assert [task.size for task in tasks] == [MOST_TOGETHER, 3] * 2


@pytest.mark.parametrize("lacks", ["_processors", "_can_fork", "bytes"])
def test_one_process_where_several_are_of_no_use(two_processors, monkeypatch, lacks):
    if lacks == "bytes":
        monkeypatch.setattr(processes, "BYTES_A_PROCESS", 100)
    else:
        monkeypatch.setattr(processes, lacks, lambda: False)
    outcomes = of_files(_name_and_process, FILES, [5] * len(FILES))
    assert outcomes == [(str(file), os.getpid()) for file in FILES]


def _fail(file):
    raise ValueError(file.name)


def test_an_error_of_a_process_is_that_of_the_call(two_processors):
    with pytest.raises(ValueError, match=r"[AB]\.json"):
        of_files(_fail, FILES, [1] * len(FILES))


@pytest.mark.slow
def test_checks_in_processes_find_what_one_process_finds(
    measured_folder, two_processors, monkeypatch
):
    in_two = verify(measured_folder, is_board=True)
    read_in_two = read_cells([measured_folder], {})
    monkeypatch.setattr(processes, "_processors", lambda: 1)
    in_one = verify(measured_folder, is_board=True)
    read_in_one = read_cells([measured_folder], {})
    assert in_two.findings == in_one.findings
    assert in_two.cells
    for cell, other in zip(in_two.cells, in_one.cells, strict=True):
        assert (cell.entry.file, cell.trust, cell.findings, cell.shown.scores) == (
            other.entry.file,
            other.trust,
            other.findings,
            other.shown.scores,
        )
    assert read_in_two.problems == read_in_one.problems
    assert len(read_in_two.cells) == len(read_in_one.cells) > 0
    for cell, other in zip(read_in_two.cells, read_in_one.cells, strict=True):
        assert cell.entry.file == other.entry.file
        assert cell.estimate.drawn.tobytes() == other.estimate.drawn.tobytes()
        assert cell.fingerprint is None or cell.fingerprint.agrees(other.fingerprint)
