"""What is wrong with a submission, or cannot be told of it: a line each, for people and for programs."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes:
        file: Where.
        key: The key, row or column at fault; empty for the file as a whole.
        found: What is there, shortened.
        expected: What ought to be.
        message: A sentence that says what is wrong and what to do.
        refused: Whether a submission is refused for it; else it is said, and no more.
    """

    file: Path
    key: str
    found: str
    expected: str
    message: str
    refused: bool = True

    def moved(self, folder: Path, to: Path) -> Finding:
        """The same of the file that stands in another folder."""
        return replace(self, file=to / self.file.relative_to(folder))

    def __str__(self) -> str:
        key = f" [{self.key}]" if self.key else ""
        values = f" Found: {self.found}. Expected: {self.expected}." if self.found or self.expected else ""
        return f"{self.file}{key}: {self.message}{values}"


def shown(value: Any) -> str:
    """A value as it stands in a finding: whole if it is short; control characters are escaped."""
    return value if isinstance(value, str) and value.isprintable() and len(value) <= 60 else reprlib.repr(value)
