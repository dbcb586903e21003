"""Results and metadata on a board that a submission would replace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.json_files import DamagedFileError
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.results.load import read_result


def replaced(files: Iterable[Path], folder: Path, board: Path, *, allowed: bool) -> Iterator[Finding]:
    """List the files of the board that a submission would replace, results with their main scores.

    Args:
        files: The submitted files that differ from the board's, or are new.
        folder: The submission.
        board: The board.
        allowed: Whether replacing is allowed; then the findings are notes.
    """
    for file in files:
        on_board = board / file.relative_to(folder)
        if on_board.exists():
            yield Finding(file, "", _main_scores(file) or "other content", _main_scores(on_board) or "as on the board",
                          "It replaces a file of the board. If you want that, verify with --allow-changes.",
                          refused=not allowed)  # fmt: skip


def _main_scores(file: Path) -> str:
    """Write the main scores in a result file; nothing for any other file, and for a damaged file."""
    if file.stem not in ENCODER_TASKS:
        return ""
    with suppress(DamagedFileError):
        return ", ".join(f"{entry.main_score:.6g} ({entry.data})" for entry in read_result(file))
    return ""
