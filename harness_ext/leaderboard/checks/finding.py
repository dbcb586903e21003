"""Findings: faults of a submission, or things that could not be checked. People and programs read
them.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 200


@dataclass
class Finding:
    """A fault of a submission, or a note on it.

    Attributes:
        file: The file.
        key: The key, row or column at fault; empty for the file as a whole. Control characters are
            escaped.
        found: The value found; long values are shortened, control characters escaped.
        expected: The value expected, written in the same way.
        message: A sentence that names the fault and the remedy.
        refused: Whether a submission is refused for it. If not, it is a note.
    """

    file: Path
    key: str
    found: Any
    expected: Any
    message: str
    refused: bool = True

    def __post_init__(self) -> None:
        for name in ("found", "expected"):
            value = getattr(self, name)
            if not _is_short_text(value):
                setattr(self, name, _SHORT.repr(value))
        if not self.key.isprintable():
            self.key = repr(self.key)

    @classmethod
    def of_row(
        cls,
        file: Path,
        place: tuple[str, str, int],
        found: Any,
        expected: Any,
        message: str,
    ) -> Finding:
        """Refuse a value in the items; `place` is its table, column and row."""
        table, column, row = place
        return cls(file, f"{table}.{column}, row {row}", found, expected, message)

    def moved(self, folder: Path, to: Path) -> Finding:
        """Replace the folder of the file by another one, in the message too."""
        file = to / self.file.relative_to(folder)
        message = self.message.replace(str(folder), str(to))
        return replace(self, file=file, message=message)

    def __str__(self) -> str:
        key = f" [{self.key}]" if self.key else ""
        values = ""
        if self.found or self.expected:
            values = f" Found: {self.found}. Expected: {self.expected}."
        return f"{self.file}{key}: {self.message}{values}"


def _is_short_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    return value.isprintable() and len(value) <= _SHORT.maxstring
