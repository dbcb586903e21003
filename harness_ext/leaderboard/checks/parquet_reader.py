"""Reads strangers' files of Parquet in a process that may die of them: a few bytes can unpack to
more than the memory.

The file's footer says how large it is, but a forger writes the footer. So a process of its own
reads it in batches and counts what comes; it can take little memory beyond what it has after its
imports, where the system has such a limit (Linux). It runs this file, which imports nothing of the
package, and answers a line of JSON with another.
"""

import atexit
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pyarrow
import pyarrow.compute
import pyarrow.parquet

MAX_UNPACKED_BYTES = 128 * 2**20
"""The most unpacked bytes of a file, by count. The largest of a real result has 2 MiB."""

MAX_LISTS = 1_000
"""The most rows of a file, each with the items of one encoder, split and subset."""

MAX_LETTERS = 1_000
"""The longest text in the items."""

MAX_MEMORY = 512 * 2**20
"""The most memory to read a file in, beyond what the process has after its imports."""

_MEMORY = f"{MAX_MEMORY >> 20} MB of memory or less"
_LIMITS = {"thrift_string_size_limit": 2**20, "thrift_container_size_limit": 2**16}


class Problem(NamedTuple):
    """Why a file cannot be read as items."""

    found: str
    expected: str
    message: str


class _Reader:
    """The process, which is started when a file is to be read, and again when it died of one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0

    def problem(
        self,
        path: Path,
        columns: dict[str, str],
        max_rows: int,
    ) -> Problem | None:
        """Say why a file cannot be read as items; None if it can.

        Args:
            path: The file.
            columns: Column -> its type, as Arrow writes it.
            max_rows: The most values in a list of it.
        """
        process = self._started()
        assert process.stdin and process.stdout
        question = json.dumps([os.fsencode(path).hex(), columns, max_rows])
        answer = ""
        with suppress(BrokenPipeError):
            process.stdin.write(f"{question}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        if not answer:
            self.close()
            message = "It is too large to be read: the process that read it died."
            return Problem("", _MEMORY, message)
        problem: list[str] | None = json.loads(answer)
        return None if problem is None else Problem(*problem)

    def _started(self) -> subprocess.Popen[str]:
        """The process, started if there is none; a copy of this process starts one of its own."""
        if self._process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1"},
            )
        return self._process

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.communicate()
        self._process = None


READER = _Reader()
atexit.register(READER.close)


def _problem(
    path: Path,
    columns: dict[str, str],
    max_rows: int,
) -> Problem | None:
    """Read a file; takes and returns what `_Reader.problem` does."""
    try:
        with path.open("rb") as opened, pyarrow.parquet.ParquetFile(opened, **_LIMITS) as file:
            problem = _wrong_columns(file.schema_arrow, columns)
            return problem or _too_large(file, columns, max_rows)
    except MemoryError:
        return Problem("more", _MEMORY, "It is too large to be read.")
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        return Problem(str(error)[:200], "a file of items", "It cannot be read.")


def _wrong_columns(
    schema: pyarrow.Schema,
    columns: dict[str, str],
) -> Problem | None:
    kinds = [str(kind) for kind in schema.types]
    if schema.names == [*columns] and kinds == [*columns.values()]:
        return None
    names = ", ".join(schema.names)[:200]
    return Problem(names, ", ".join(columns), "Its columns are wrong.")


def _too_large(
    file: pyarrow.parquet.ParquetFile,
    columns: dict[str, str],
    max_rows: int,
) -> Problem | None:
    """Read a file row by row, each with the lists of some items, until it is too large."""
    n_bytes = 0
    for number, batch in enumerate(file.iter_batches(1, use_threads=False)):
        if number == MAX_LISTS:
            found = f"more than {MAX_LISTS} rows"
            return Problem(found, f"at most {MAX_LISTS}", "It is too large to be read.")
        n_bytes += batch.nbytes
        for name, kind in columns.items():
            values = batch.column(name)
            if kind.startswith("list"):
                values = values.flatten()
            longest = _longest(values)
            if longest > MAX_LETTERS:
                found = f"a text of {longest} letters"
                return Problem(found, f"at most {MAX_LETTERS}", "A text in it is too long.")
            # NumPy gives each row the room of the longest text
            n_bytes_here = max(n_bytes, 4 * longest * len(values))
            if len(values) > max_rows or n_bytes_here > MAX_UNPACKED_BYTES:
                return Problem(
                    f"more than {len(values)} rows, {n_bytes} bytes unpacked",
                    f"at most {max_rows} rows and {MAX_UNPACKED_BYTES} bytes",
                    "It is too large to be read.",
                )
    return None


def _longest(values: pyarrow.Array) -> int:
    """Count the letters of the longest text; 0 of numbers."""
    if not pyarrow.types.is_string(values.type):
        return 0
    lengths = pyarrow.compute.utf8_length(values)
    return pyarrow.compute.max(lengths).as_py() or 0


def _limit_memory() -> None:
    """Limit the address space of this process, where the system can do so and says how much
    it has.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        n_pages, *_ = Path("/proc/self/statm").read_text().split()
        n_bytes = int(n_pages) * resource.getpagesize() + MAX_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


if __name__ == "__main__":
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())  # others take address space in advance
    _limit_memory()
    for line in sys.stdin:
        name, *limits = json.loads(line)
        path = Path(os.fsdecode(bytes.fromhex(name)))
        answer = json.dumps(_problem(path, *limits))
        print(answer, flush=True)
