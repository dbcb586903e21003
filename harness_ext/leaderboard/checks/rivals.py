"""Finds results whose items are those of another model: a copy, or a copy with a little noise."""

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from harness_ext.common.arrays import Array
from harness_ext.common.experiments import model_and_experiment
from harness_ext.common.json_files import DamagedFileError, JsonModel, Number, read_model
from harness_ext.common.model_name import ModelName
from harness_ext.common.names import CONTROLS, REFERENCE_MODELS
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.measures.core.items import Items
from harness_ext.results.entry import Entry
from harness_ext.statistics.correlation import rho_of_known

SAME = 1e-4
"""Numbers in items that differ by at most so much are the same."""

SAME_OF_SPREAD = 0.1
"""In a column of small numbers, the same as a part of their standard deviation."""

SAME_ORDER = 1e-6
"""Columns are in the same order if their rank correlation is less than 1 by at most so much: a
forger may bend all numbers of a column. In 2 000 numbers 600 neighbors may change places.
"""

SHARE = 0.9
"""Items are copied if so many of their numbers are the same; a forger may change some."""

NEAR = 0.05
"""Main scores of items that agree differ by less: others are not compared."""

FEWEST = 10
"""The fewest numbers that tell two models apart."""

_MOST = 2_000
"""The numbers of a column that are compared."""

_COMMIT = "commit"
"""Where a commit begins in git's list of files, all of which stand below `results/`."""


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """The numbers of items that tell one encoder from another.

    Attributes:
        numbers: Column -> its numbers at places that are the same for all encoders, shape (n,). NaN
            where a number tells nothing: it is missing, 0 or 1, or tied with many.
    """

    numbers: Mapping[str, Array]

    @classmethod
    def of(cls, items: Items) -> Self:
        """Take the numbers of the measured columns."""
        numbers = {}
        for name, table in items.tables().items():
            all_values = table.values()
            for column in table.measured():
                values = all_values.get(column)
                if values is not None and values.dtype.kind == "f":
                    step = 1 + len(values) // _MOST
                    numbers[f"{name}.{column}"] = _telling(values[::step])
        return cls(numbers)

    def agrees(self, other: Self) -> bool:
        """Whether most of the numbers that tell something in both are the same, or in the same
        order.
        """
        if self.numbers.keys() != other.numbers.keys():
            return False
        n_compared = 0
        n_same = 0
        for column, ours in self.numbers.items():
            theirs = other.numbers[column]
            if len(ours) != len(theirs):
                return False
            differences = np.abs(ours - theirs)
            compared = np.isfinite(differences)
            if compared.any():
                tolerance = min(SAME, SAME_OF_SPREAD * float(ours[compared].std()))
                n_of_column = int(compared.sum())
                n_compared += n_of_column
                if _are_in_same_order(ours[compared], theirs[compared]):
                    n_same += n_of_column
                else:
                    n_same += int((differences[compared] <= tolerance).sum())
        return n_compared >= FEWEST and n_same >= SHARE * n_compared


def _are_in_same_order(ours: Array, theirs: Array) -> bool:
    """Whether the numbers of two columns are in the same order, shapes (n,)."""
    if len(ours) < FEWEST:
        return False
    correlation = rho_of_known(ours, theirs)
    return correlation >= 1 - SAME_ORDER


def _telling(values: Array) -> Array:
    """The numbers that tell something, NaN for all others, shape (n,)."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    most_tied = max(1, len(values) // 10)
    is_tied = (counts > most_tied)[places]
    is_end = np.isin(np.round(values, 6), (0.0, 1.0))
    return np.where(is_tied | is_end, np.nan, values).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A result that may be a copy.

    Attributes:
        entry: The entry.
        fingerprint: Of its items.
        is_rerun: Whether a maintainer ran the model, and got the same scores.
    """

    entry: Entry
    fingerprint: Fingerprint
    is_rerun: bool


def base_name(model: str) -> str:
    """The name of a model without experiment and options: what these are of is no rival."""
    name, _ = model_and_experiment(model)
    return ModelName.parse(name).checkpoint


def are_rivals(entry: Entry, other: Entry) -> bool:
    """Whether two entries are of different models, neither of which is a control encoder."""
    names = (base_name(entry.model), base_name(other.model))
    for name in names:
        if name in REFERENCE_MODELS or name.startswith(CONTROLS):
            return False
    return names[0] != names[1]


def may_be_copies(entry: Entry, other: Entry) -> bool:
    """Whether two entries in a column are of rivals, and their main scores are near each other."""
    is_near = abs(entry.main_score - other.main_score) <= NEAR
    return is_near and are_rivals(entry, other)


def copies(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Find the copies among results on the same data.

    Args:
        candidates: The results, the earliest first.

    Yields:
        A copy, and the model whose items it has: one that a maintainer got again, or else the
        earliest. A result that a maintainer got again is no copy.
    """
    for number, candidate in enumerate(candidates):
        if candidate.is_rerun:
            continue
        others = [*_reruns(candidates), *candidates[:number]]
        for other in others:
            if not may_be_copies(candidate.entry, other.entry):
                continue
            if candidate.fingerprint.agrees(other.fingerprint):
                yield candidate, other
                break


def _reruns(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that a maintainer got again: they are the originals, whenever they came."""
    return [candidate for candidate in candidates if candidate.is_rerun]


def copy_finding(entry: Entry, model: str) -> Finding:
    """The note on items that are those of another model."""
    message = f"The items are those of {model}. It has no place in the ranks until a rerun."
    return Finding(entry.file, "items", entry.model, model, message, refused=False)


Order = Callable[[Entry], tuple[float, float, str]]
"""Says of an entry when it came."""


def by_submission(board: Path | None) -> Order:
    """An order of entries: when their files came to the board, by its repository; else by the date
    that they state; else by their places.

    Args:
        board: The board; None if there is none.
    """
    added = {} if board is None else _added(board)

    def order(entry: Entry) -> tuple[float, float, str]:
        came = added.get(entry.file.resolve(), float("inf"))
        return came, _stated(entry.file), str(entry.file)

    return order


def _added(board: Path) -> Mapping[Path, int]:
    """File -> which commit of the board's branch has brought it, as a number that grows with time;
    empty without git.

    A submission's own commits do not count: their authors choose the dates. What they bring comes
    with the merge.
    """
    command = ["git", "-C", str(board), "log", "--no-show-signature", "--first-parent", "-m"]
    options = ["--diff-filter=A", "--no-renames", "--name-only", "--relative", "-z"]
    try:
        log = subprocess.run(
            [*command, *options, f"--format=%x00{_COMMIT}", "--", "results"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    added: dict[Path, int] = {}
    number = 0
    for part in log.split("\0"):
        text = part.strip()
        if text == _COMMIT:
            number -= 1  # the newest commit comes first
        elif text:
            added[(board / text).resolve()] = number
    return added


class _Dated(JsonModel):
    date: Number | None = None


def _stated(file: Path) -> float:
    """The date that a result states, in seconds; infinity without one."""
    try:
        date = read_model(file, _Dated).date
    except DamagedFileError:
        date = None
    return float("inf") if date is None else float(date)
