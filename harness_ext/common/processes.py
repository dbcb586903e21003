"""Work on files in several processes at once, where the machine has several processors and the
files are large enough for it.
"""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tqdm.auto import tqdm

BYTES_A_PROCESS = 2**20
"""A process is started for so many bytes of files: fewer are read while it starts."""

MOST_TOGETHER = 8
"""The most files that a process is given at once, so that no process waits for a long one."""

Outcome = TypeVar("Outcome")


class _Task(NamedTuple):
    """Files that a process reads one after the other.

    Attributes:
        files: Their places in the list of all files.
        size: Their bytes.
    """

    files: list[int]
    size: int


def of_files(
    function: Callable[[Path], Outcome],
    files: Sequence[Path],
    sizes: Sequence[int],
    description: str = "",
    prepare: Callable[[], None] | None = None,
) -> list[Outcome]:
    """Call a function for each file, with a progress bar.

    Processes are copies of this one (`fork`), so the function may be any; what it returns must be
    picklable. Without that (outside Linux, or beside torch, whose threads a copy lacks), on one
    processor, or for few bytes, it is called in this process.

    Args:
        function: Called with a file.
        files: The files; those of one name, which share data, stand together.
        sizes: How many bytes are read for each file.
        description: Stands before the bar.
        prepare: Called before there are copies of this process, for what each would do again.

    Returns:
        What the function returned, in the order of the files.

    Raises:
        Exception: What the function raises.
    """
    n_processes = min(_processors(), sum(sizes) // BYTES_A_PROCESS)
    with tqdm(total=len(files), desc=description, unit="file", disable=None) as bar:
        if n_processes < 2 or not _can_fork():
            in_order: list[Outcome] = []
            for file in files:
                in_order.append(function(file))
                bar.update()
            return in_order
        if prepare is not None:
            prepare()
        by_place: dict[int, Outcome] = {}
        for places, outcomes in _in_processes(function, files, sizes, n_processes):
            by_place |= zip(places, outcomes, strict=True)
            bar.update(len(places))
    return [by_place[place] for place in range(len(files))]


def _in_processes(
    function: Callable[[Path], Outcome],
    files: Sequence[Path],
    sizes: Sequence[int],
    n_processes: int,
) -> Iterator[tuple[list[int], list[Outcome]]]:
    """Yield places and outcomes of files as they come, the largest tasks first."""
    tasks = sorted(_tasks(files, sizes), key=lambda task: -task.size)
    with ProcessPoolExecutor(
        n_processes,
        mp_context=multiprocessing.get_context("fork"),
        initializer=_keep_function,
        initargs=(function,),
    ) as executor:
        places: dict[Future[list[Outcome]], list[int]] = {}
        for task in tasks:
            files_of_task = [files[place] for place in task.files]
            places[executor.submit(_outcomes, files_of_task)] = task.files
        try:
            for done in as_completed(places):
                yield places[done], done.result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _tasks(files: Sequence[Path], sizes: Sequence[int]) -> list[_Task]:
    """Divide files among tasks: those of one name together, up to `MOST_TOGETHER`."""
    tasks: list[_Task] = []
    name = ""
    for place, file in enumerate(files):
        if file.name != name or len(tasks[-1].files) == MOST_TOGETHER:
            tasks.append(_Task([], 0))
            name = file.name
        task = tasks[-1]
        tasks[-1] = _Task([*task.files, place], task.size + sizes[place])
    return tasks


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_fork() -> bool:
    """Whether a copy of this process works as it does."""
    return sys.platform == "linux" and "torch" not in sys.modules


_function: Callable[[Path], Any] | None = None
"""What a process calls for its files; a copy of this process has it without pickling."""


def _keep_function(function: Callable[[Path], Any]) -> None:
    """Remember what this process calls; Ctrl-C ends it at once, and the first process says so."""
    global _function
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _outcomes(files: Sequence[Path]) -> list[Any]:
    """Call the function for each file, in a process of its own."""
    assert _function is not None  # the initializer has set it
    return [_function(file) for file in files]
