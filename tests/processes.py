"""Processes of their own, for tests of what one process cannot show."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def ended(
    line: Sequence[str | Path],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """A process that has ended, with all that it has printed.

    Args:
        line: The program and its arguments.
        folder: Where it runs; here if nothing is said.
        environment: All of its variables; those of this process if nothing is said.
    """
    return subprocess.run(
        line,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
