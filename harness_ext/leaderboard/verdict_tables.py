"""Tables of a verification for a terminal, a program or the comment of a pull request."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.trust import CheckedEntry
from harness_ext.show.listing import Listing
from harness_ext.show.numbers import between, formatted

_MOST = 100
"""The most findings in the comment of a pull request."""


def cells_table(cells: Iterable[CheckedEntry], *, quoted: bool = False) -> Listing:
    """List the entries of a submission with their trust; `quoted` writes strangers' texts as code, see `code`."""
    rows = []
    for cell in cells:
        entry = cell.entry
        named = code(entry.model, quoted), entry.task, code(entry.data, quoted)
        rows.append((*named, formatted(entry.main_score), between(entry.interval()), cell.mark))
    return Listing(("model", "task", "data", "score", "95 % interval", "trust"), tuple(rows), labels=3)


def findings_table(findings: Iterable[Finding], folder: Path, *, quoted: bool = False) -> Listing:
    """List findings, the reasons to refuse first, with paths relative to the folder; `quoted` as in `cells_table`."""
    ordered = sorted(findings, key=lambda finding: not finding.refused)
    listed = ordered[:_MOST] if quoted else ordered
    rows = []
    for one in listed:
        file = one.file.relative_to(folder) if one.file.is_relative_to(folder) else one.file
        texts = (str(file), one.key, one.found, one.expected, one.message)
        rows.append(("refused" if one.refused else "note", *(code(text, quoted) for text in texts)))
    note = f"And {len(ordered) - len(listed)} more." if len(ordered) > len(listed) else ""
    header = ("finding", "file", "key", "found", "expected", "what is wrong")
    return Listing(header, tuple(rows), note=note, labels=3, prose=1)


def code(text: str, quoted: bool = True) -> str:
    """Write a stranger's text as code, which Markdown does not format, link or call; unchanged if not `quoted`."""
    flat = " ".join(text.replace("`", "'").split())
    return f"`{flat}`" if quoted and flat else flat if quoted else text
