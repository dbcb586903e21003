"""Remembers the content of result files, so that a board is built again in seconds: a SQLite file in the user's cache.

A file is read again when its size or time of change differs, or the size or time of its items. Resamples are kept by
the digest of the items, so that a copy of the files is checked again, but not resampled.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

import harness_ext
from harness_ext.data.sources import cache_folder
from harness_ext.leaderboard.cell import Cell, Read, Resamples
from harness_ext.store.signature import Signature

_COMMIT_EVERY = 200
_COLUMNS = ",".join(field.name for kind in (Cell, Resamples) for field in fields(kind))
"""Fields of the classes that are kept. Files that were read into other fields are read again."""


def default_cache() -> Path:
    """Name `leaderboard.sqlite` in `HARNESS_EXT_CACHE`."""
    return cache_folder() / "leaderboard.sqlite"


class BoardCache:
    """The cache. A killed program loses at most its last 200 files.

    Args:
        file: The SQLite file; made if missing.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(file, timeout=60)
        self._database.executescript(
            "PRAGMA journal_mode = WAL;"
            "CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, state TEXT, content TEXT) WITHOUT ROWID;"
            "CREATE TABLE IF NOT EXISTS resamples_of_units (measure TEXT, digest TEXT, n INTEGER, drawn BLOB,"
            " PRIMARY KEY (measure, digest));"
            "CREATE TABLE IF NOT EXISTS pages (path TEXT PRIMARY KEY, state TEXT) WITHOUT ROWID;"
        )
        self._pending = 0

    def reads(self, states: Mapping[Path, str]) -> dict[Path, Read]:
        """Find the files that were read in this state."""
        found = {}
        for file, state in states.items():
            row = self._one("SELECT state, content FROM files WHERE path = ?", str(file.absolute()))
            if row is not None and row[0] == _state(state):
                cells, problems = json.loads(row[1])
                found[file] = Read(tuple(Cell(**_from_json(one), file=file) for one in cells), tuple(problems))
        return found

    def keep(self, file: Path, state: str, read: Read) -> None:
        """Remember the content of a file."""
        cells = [{name: value for name, value in vars(one).items() if name != "file"} for one in read.cells]
        content = json.dumps([cells, read.problems], default=str)
        self._database.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (str(file.absolute()), _state(state), content)
        )
        self._database.executemany(
            "INSERT OR REPLACE INTO resamples_of_units VALUES (?, ?, ?, ?)",
            [(one.measure, one.digest, one.n, one.drawn.tobytes()) for one in read.resamples],
        )
        self._pending += 1
        if self._pending >= _COMMIT_EVERY:
            self.commit()

    def resamples(self, measure: str, digests: Iterable[str]) -> dict[str, Resamples]:
        """Find resamples by the digests of their items. Items that were never resampled are left out."""
        found = {}
        for digest in digests:
            row = self._one("SELECT n, drawn FROM resamples_of_units WHERE measure = ? AND digest = ?", measure, digest)
            if row is not None:
                found[digest] = Resamples(measure, digest, row[0], np.frombuffer(row[1], dtype=np.float32))
        return found

    def is_written(self, page: Path, state: str) -> bool:
        """Whether the page exists and was made from this state."""
        row = self._one("SELECT state FROM pages WHERE path = ?", str(page.absolute()))
        return row is not None and row[0] == _state(state) and page.is_file()

    def written(self, page: Path, state: str) -> None:
        """Remember the state that a page was made from."""
        values = str(page.absolute()), _state(state)
        self._database.execute("INSERT OR REPLACE INTO pages VALUES (?, ?)", values)

    def commit(self) -> None:
        """Write everything that was kept to disk."""
        self._database.commit()
        self._pending = 0

    def _one(self, query: str, *values: str) -> Any:
        return self._database.execute(query, values).fetchone()


def _state(state: str) -> str:
    return f"{harness_ext.__version__} {_COLUMNS} {state}"


def _from_json(cell: dict[str, Any]) -> dict[str, Any]:
    """Turn the JSON of a cell into its attributes."""
    return {
        **cell,
        "signature": Signature.parse(cell["signature"]) if cell["signature"] else None,
        "findings": tuple(cell["findings"]),
    }
