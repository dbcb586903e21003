"""Tables of a verification for a terminal, a program or the comment of a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.trust import CheckedEntry
from harness_ext.results.entry import Entry
from harness_ext.show.listing import Listing
from harness_ext.store.signature import differences

_MOST = 100
"""The most findings in the comment of a pull request."""


def cells_table(
    cells: Iterable[CheckedEntry], board: Sequence[Entry] | None = None, *, quoted: bool = False
) -> Listing:
    """List the entries of a submission with their trust and their places on a board.

    Args:
        cells: The entries.
        board: The entries on the board; None for no such column.
        quoted: Whether to write strangers' texts as code, which Markdown does not format, link or call.
    """
    header = ("model", "task", "data", "score", "95 % interval", "trust")
    rows = []
    for cell in cells:
        entry = cell.entry
        interval = entry.interval()
        row = (
            code(entry.model, quoted),
            entry.task,
            code(entry.data, quoted),
            f"{entry.main_score:.3f}",
            f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "",
            str(cell.trust),
        )
        rows.append(row if board is None else (*row, _place(entry, board)))
    return Listing(header if board is None else (*header, "on the board"), tuple(rows), labels=3)


def findings_table(findings: Iterable[Finding], folder: Path, *, quoted: bool = False) -> Listing:
    """List findings, the reasons to refuse first, with paths relative to the folder; `quoted` as in `cells_table`."""
    rows = [
        (
            "refused" if finding.refused else "note",
            *(
                code(text, quoted)
                for text in (
                    str(finding.file.relative_to(folder) if finding.file.is_relative_to(folder) else finding.file),
                    finding.key,
                    finding.found,
                    finding.expected,
                    finding.message,
                )
            ),
        )
        for finding in sorted(findings, key=lambda finding: not finding.refused)
    ]
    listed = rows[:_MOST] if quoted else rows
    note = f"And {len(rows) - len(listed)} more." if len(rows) > len(listed) else ""
    return Listing(
        ("", "file", "key", "found", "expected", "what is wrong"), tuple(listed), note=note, labels=3, prose=1
    )


def code(text: str, quoted: bool = True) -> str:
    """Write a stranger's text as code, which Markdown does not format, link or call; unchanged if not `quoted`."""
    flat = " ".join(text.replace("`", "'").split())
    return f"`{flat}`" if quoted and flat else flat if quoted else text


def _place(entry: Entry, board: Sequence[Entry]) -> str:
    """Count the other models with a greater main score, and all others."""
    others = [
        other
        for other in board
        if (other.task, other.split, other.subset) == (entry.task, entry.split, entry.subset)
        and other.model != entry.model
        and entry.signature is not None
        and other.signature is not None
        and not differences(entry.signature, other.signature)
    ]
    if not others:
        return "the first here"
    above = sum(other.main_score > entry.main_score for other in others)
    return f"{above} above, {len(others) - above} not"
