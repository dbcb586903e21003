"""How time and memory are measured: runs in turn, the clock and the processor, the peak of a
process.
"""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from operator import truediv
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from benchmarks.bench.report import Settings


Result = TypeVar("Result")


class Spent(NamedTuple):
    """What something took, in seconds. Processor time says more on a machine with other
    work to do.
    """

    clock: float
    processor: float

    def __add__(self, other: Spent) -> Spent:  # type: ignore[override]
        clock = self.clock + other.clock
        processor = self.processor + other.processor
        return Spent(clock, processor)

    def __sub__(self, other: Spent) -> Spent:  # type: ignore[override]
        clock = self.clock - other.clock
        processor = self.processor - other.processor
        return Spent(clock, processor)


def now() -> Spent:
    """The clock, and the processor time of this process, of all its threads."""
    return Spent(time.perf_counter(), time.process_time())


def spent(run: Callable[[], object]) -> Spent:
    """What `run()` takes in this process."""
    start = now()
    run()
    return now() - start


def in_rounds(
    run: Callable[[], Mapping[str, Any]],
    settings: Settings,
) -> dict[str, list[Any]]:
    """Repeat a round that does the same in several ways, for so many minutes. Returns way -> its
    result in each.
    """
    end = time.perf_counter() + settings.minutes * 60
    rounds = [run()]
    while len(rounds) < settings.repeats and time.perf_counter() < end:
        rounds.append(run())
    results: dict[str, list[Any]] = {way: [] for way in rounds[0]}
    for results_of_round in rounds:
        for way, result in results_of_round.items():
            results[way].append(result)
    return results


def seconds(
    runs: Mapping[str, Sequence[Any]],
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """By the clock and of the processor, those of each run of each way; a run has a `time`."""
    clock: dict[str, list[float]] = {}
    processor: dict[str, list[float]] = {}
    for way, runs_of_way in runs.items():
        clock[way] = [run.time.clock for run in runs_of_way]
        processor[way] = [run.time.processor for run in runs_of_way]
    return clock, processor


def ratio(ones: Sequence[float], others: Sequence[float]) -> float:
    """The median of the ratios of runs that were made in turn."""
    return statistics.median(map(truediv, ones, others))


def peak_megabytes() -> float:
    """The largest resident size that this process has had, in MB (10⁶ bytes).

    Linux has it in /proc; what `getrusage` says there begins with the size of the process that
    started this one.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except FileNotFoundError:
        return _megabytes(resource.RUSAGE_SELF)
    _, _, rest = status.partition("VmHWM:")
    kibibytes, *_ = rest.split()
    return int(kibibytes) * 1024 / 1e6


def _megabytes(whose: int) -> float:
    """The largest resident size that `getrusage` has, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(whose).ru_maxrss * unit / 1e6


def in_a_process(
    function: Callable[..., Result],
    *arguments: Any,
) -> Result:
    """Call a function in a new process, whose peak of memory says something."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def of_command(arguments: Sequence[str]) -> tuple[float, float]:
    """The seconds by the clock that a command of `harness-ext` takes, and the megabytes of its
    largest process.

    Raises:
        RuntimeError: It fails; says what it said.
    """
    return in_a_process(_of_command, [sys.executable, "-m", "harness_ext", *arguments])


def _of_command(line: Sequence[str]) -> tuple[float, float]:
    start = time.perf_counter()
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(line)} ends with {done.returncode}: {done.stderr}")
    return time.perf_counter() - start, _megabytes(resource.RUSAGE_CHILDREN)
