"""Reads strangers' files of Parquet in a process that may die of them: a few bytes can unpack to
more than the memory, or take an hour.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from harness_ext.leaderboard.checks import parquet_program
from harness_ext.leaderboard.checks.helper_process import HelperProcess

FIRST_SECONDS = 5
"""The processor seconds in which all files of a folder are read, whatever their size; in each
process, if several read them.
"""

SECONDS_A_MEGABYTE = 5
"""The processor seconds more for each megabyte of the files. Real ones take a tenth of one."""

FIRST_BYTES = 192 * 2**20
"""The bytes that the items of all files of a folder may take as arrays, whatever their size."""

BYTES_A_BYTE = 128
"""The bytes more for each byte of the files. Real ones take at most 100."""

_LIMITS = (
    f"{parquet_program.MAX_MEMORY >> 20} MB of memory and {parquet_program.MAX_SECONDS} seconds of "
    "a processor, or less"
)


class Problem(NamedTuple):
    """Why a file cannot be read as items."""

    found: str
    expected: str
    message: str


class ParquetReader:
    """Reads files in a process of its own, one after the other, and counts the time."""

    def __init__(self) -> None:
        self.helper = HelperProcess(parquet_program.__file__)
        self._seconds = 0.0
        self._n_bytes = 0
        self._n_bytes_of_arrays = 0

    def start(self) -> None:
        """Begin to count the time of another folder's files."""
        self._seconds = 0.0
        self._n_bytes = 0
        self._n_bytes_of_arrays = 0

    @property
    def n_bytes(self) -> int:
        """The bytes of the files of this folder that were read so far."""
        return self._n_bytes

    def problem(self, path: Path, columns: Mapping[str, str], max_rows: int) -> Problem | None:
        """Say why a file cannot be read as items; None if it can.

        Args:
            path: The file.
            columns: Column -> its type, as Arrow writes it.
            max_rows: The most values in a list of it.
        """
        self._n_bytes += path.stat().st_size
        most_seconds = FIRST_SECONDS + SECONDS_A_MEGABYTE * self._n_bytes / 1e6
        if self._seconds > most_seconds:
            found = f"{self._seconds:.0f} seconds for the files before"
            expected = f"{most_seconds:.0f} seconds of a processor or less"
            return Problem(found, expected, "It was not read: the files before took too long.")
        # The process keeps the folder in which it was started.
        place = os.fsencode(path.absolute())
        answer = self.helper.ask([place.hex(), dict(columns), max_rows])
        if answer is None:
            self._seconds += parquet_program.MAX_SECONDS
            message = "It is too large to be read: the process that read it died."
            return Problem("", _LIMITS, message)
        seconds, n_bytes, problem = answer
        self._seconds += seconds
        if problem is not None:
            return Problem(*problem)
        n_bytes += self._n_bytes_of_arrays
        most_bytes = FIRST_BYTES + BYTES_A_BYTE * self._n_bytes
        if n_bytes > most_bytes:
            found = f"{n_bytes} bytes of this file and those before"
            expected = f"{most_bytes} bytes as arrays or less"
            return Problem(found, expected, "It is too large, with the files before.")
        self._n_bytes_of_arrays = n_bytes
        return None


READER = ParquetReader()
