"""The program of `parquet_reader`: reads files of Parquet in batches, and counts what comes.

The footer of a file says how large it is, but a forger writes the footer. The program can take
little memory beyond what it has after its imports, and few seconds of a processor for a file, where
the system has such limits (Linux; macOS those of time). It imports nothing of the package.
"""

import json
import math
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pyarrow
import pyarrow.compute
import pyarrow.parquet

CODEC = "ZSTD"
"""The codec that files of items are written with."""

MAX_UNPACKED_BYTES = 48 * 2**20
"""The most unpacked bytes of a file, by count, and of the arrays of one encoder, split and subset.
Several times what the largest real results have.
"""

MAX_LISTS = 1_000
"""The most rows of a file, each with the items of one encoder, split and subset."""

MAX_LETTERS = 1_000
"""The longest text in the items."""

BYTES_A_TEXT = 64
"""The memory of a text in Python beside its letters."""

BYTES_A_LETTER = 4
"""The memory of a letter in NumPy, which gives each row the room of the longest text."""

MAX_BYTES_BESIDE = 2**15
"""The most bytes that a file may have beyond twice what its items take when they are written again,
such as those of its footer. Real ones have half as many.
"""

MAX_MEMORY = 512 * 2**20
"""The most memory to read a file in, beyond what the process has after its imports, in bytes."""

MAX_SECONDS = 2
"""The most processor seconds to read a file in."""

_BEGINNING = b"PAR1"
"""The first bytes of a file of Parquet, which no reader needs."""

_LIMITS = {"thrift_string_size_limit": 2**20, "thrift_container_size_limit": 2**16}

_TOO_LARGE = "It is too large to be read."

Problem = tuple[str, str, str]
"""Found, expected, and a sentence."""


class Read(NamedTuple):
    """What came of reading a file: why it cannot be read as items, None if it can; and the bytes
    that its items take as arrays.
    """

    problem: Problem | None
    n_bytes: int = 0


def read(path: Path, columns: dict[str, str], max_rows: int) -> Read:
    """Read a file; takes what `ParquetReader.problem` does."""
    try:
        with path.open("rb") as opened, pyarrow.parquet.ParquetFile(opened, **_LIMITS) as file:
            problem = _wrong_columns(file.schema_arrow, columns) or _wrong_codec(file.metadata)
            if problem:
                return Read(problem)
            counted = _counted(file, columns, max_rows)
            return counted if counted.problem else Read(_hidden(path, file), counted.n_bytes)
    except MemoryError:
        return Read(("more", f"{MAX_MEMORY >> 20} MB of memory or less", _TOO_LARGE))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        return Read((str(error)[:200], "a file of items", "It cannot be read."))


def _wrong_columns(schema: pyarrow.Schema, columns: dict[str, str]) -> Problem | None:
    kinds = [str(kind) for kind in schema.types]
    if schema.names == [*columns] and kinds == [*columns.values()]:
        return None
    names = ", ".join(schema.names)[:200]
    return names, ", ".join(columns), "Its columns are wrong."


def _wrong_codec(metadata: pyarrow.parquet.FileMetaData) -> Problem | None:
    if metadata.num_row_groups > MAX_LISTS:
        found = f"{metadata.num_row_groups} groups of rows"
        return found, f"at most {MAX_LISTS}", _TOO_LARGE
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in range(group.num_columns):
            codec = group.column(column).compression
            if codec != CODEC:
                return codec, CODEC, "It is packed in another way than files of items are."
    return None


def _counted(
    file: pyarrow.parquet.ParquetFile,
    columns: dict[str, str],
    max_rows: int,
) -> Read:
    """Read a file row by row, each with the lists of some items, until it is too large."""
    n_bytes = 0
    n_bytes_of_arrays = 0
    for number, batch in enumerate(file.iter_batches(1, use_threads=False)):
        if number == MAX_LISTS:
            return Read((f"more than {MAX_LISTS} rows", f"at most {MAX_LISTS}", _TOO_LARGE))
        n_bytes += batch.nbytes
        n_bytes_of_row = 0
        for name, kind in columns.items():
            values = batch.column(name)
            if kind.startswith("list"):
                values = values.flatten()
            longest = _longest(values)
            if longest > MAX_LETTERS:
                found = f"a text of {longest} letters"
                return Read((found, f"at most {MAX_LETTERS}", "A text in it is too long."))
            n_bytes_of_row += _room(values, longest)
            if len(values) > max_rows or max(n_bytes, n_bytes_of_row) > MAX_UNPACKED_BYTES:
                n_unpacked = max(n_bytes, n_bytes_of_row)
                found = f"more than {len(values)} rows, {n_unpacked} bytes unpacked"
                expected = f"at most {max_rows} rows and {MAX_UNPACKED_BYTES} bytes"
                return Read((found, expected, _TOO_LARGE))
        n_bytes_of_arrays += n_bytes_of_row
    return Read(None, n_bytes_of_arrays)


def _hidden(path: Path, file: pyarrow.parquet.ParquetFile) -> Problem | None:
    """Find bytes that are no part of the items: between or behind columns, in the footer, or in a
    page behind its last value.
    """
    with path.open("rb") as opened:
        beginning = opened.read(len(_BEGINNING))
    if beginning != _BEGINNING:
        return repr(beginning), repr(_BEGINNING), "A file of Parquet begins otherwise."
    table = file.read(use_threads=False).replace_schema_metadata()
    written = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, written, compression=CODEC)
    size = path.stat().st_size
    most = 2 * written.tell() + MAX_BYTES_BESIDE
    if size <= most:
        return None
    return f"{size} bytes", f"at most {most}", "It has more bytes than its items take."


def _longest(values: pyarrow.Array) -> int:
    """Count the letters of the longest text; 0 of numbers."""
    if not pyarrow.types.is_string(values.type):
        return 0
    lengths = pyarrow.compute.utf8_length(values)
    return pyarrow.compute.max(lengths).as_py() or 0


def _room(values: pyarrow.Array, longest: int) -> int:
    """The bytes that values take as an array of NumPy, with the texts from which it is made."""
    if not pyarrow.types.is_string(values.type):
        return 8 * len(values)
    return len(values) * (BYTES_A_TEXT + BYTES_A_LETTER * longest)


def _limit_memory() -> None:
    """Limit the address space of this process, where the system can do so and says how much
    it has.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        n_pages, *_ = Path("/proc/self/statm").read_text().split()
        n_bytes = int(n_pages) * resource.getpagesize() + MAX_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def _limit_time() -> None:
    """Limit the processor time of this process from now on, where the system can do so."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = math.ceil(time.process_time()) + MAX_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _main() -> None:
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())  # others take address space in advance
    _limit_memory()
    for line in sys.stdin:
        name, columns, max_rows = json.loads(line)
        path = Path(os.fsdecode(bytes.fromhex(name)))
        _limit_time()
        start = time.process_time()
        problem, n_bytes = read(path, columns, max_rows)
        seconds = time.process_time() - start
        print(json.dumps([seconds, n_bytes, problem]), flush=True)


if __name__ == "__main__":
    _main()
