"""Tables of a verification for a terminal, a program or the comment of a pull request."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.trust import CheckedEntry
from harness_ext.show.listing import Listing
from harness_ext.show.numbers import between, formatted

_MOST = 30_000
"""The most characters of each table in the comment of a pull request: GitHub takes 65,536
in all.
"""

_MOST_OF_TEXT = 500
"""The most characters of a stranger's text."""


def cells_table(
    cells: Iterable[CheckedEntry],
    *,
    quoted: bool = False,
) -> Listing:
    """List the entries of a submission with their trust; `quoted` writes strangers' texts as code,
    see `code`.
    """
    rows = []
    for cell in cells:
        entry = cell.shown
        row = (
            code(entry.model, quoted),
            entry.task,
            code(entry.data, quoted),
            formatted(entry.main_score),
            between(entry.interval()),
            cell.mark,
        )
        rows.append(row)
    header = ("model", "task", "data", "score", "95 % interval", "trust")
    return _listing(header, rows, quoted)


def findings_table(
    findings: Iterable[Finding],
    folder: Path,
    *,
    quoted: bool = False,
) -> Listing:
    """List findings with paths relative to the folder; `quoted` as in `cells_table`.

    In the comment of a pull request (`quoted`) reasons to refuse come first, and each finding has a
    row. In a terminal they come last, where the reader is; notes that say the same of many files
    share a row.
    """
    ordered = sorted(findings, key=lambda finding: finding.refused is not quoted)
    groups: dict[object, list[Finding]] = {}
    for finding in ordered:
        has_own_row = finding.refused or quoted
        group = id(finding) if has_own_row else finding.message
        groups.setdefault(group, []).append(finding)
    rows = []
    for alike in groups.values():
        kind, *texts = _row_of(alike, folder)
        rows.append((kind, *(code(text, quoted) for text in texts)))
    header = ("finding", "file", "key", "found", "expected", "message")
    return _listing(header, rows, quoted, prose=1)


def _row_of(
    alike: Sequence[Finding],
    folder: Path,
) -> tuple[str, ...]:
    """Write findings that say the same, at least one, as a row: `finding` and the other columns."""
    first = alike[0]
    file = first.file
    if file.is_relative_to(folder):
        file = file.relative_to(folder)
    if len(alike) == 1:
        kind = "refused" if first.refused else "note"
        return (kind, str(file), first.key, first.found, first.expected, first.message)
    n_files = len({finding.file for finding in alike})
    place = f"{n_files} files" if n_files > 1 else str(file)
    return (f"{len(alike)} notes", place, "", "", "", first.message)


def _listing(
    header: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    quoted: bool,
    prose: int = 0,
) -> Listing:
    """List rows; in a comment, so many of the first as fit."""
    fit = list(rows)
    if quoted:
        sizes = accumulate(map(_size, rows))
        fit = [row for row, size in zip(rows, sizes, strict=True) if size <= _MOST]
    note = ""
    n_left_out = len(rows) - len(fit)
    if n_left_out:
        note = f"And {n_left_out} more, too many for a comment: harness-ext verify lists all."
    return Listing(header, tuple(fit), note=note, labels=3, prose=prose)


def _size(row: Sequence[str]) -> int:
    """Count the letters of a row of Markdown, in which each | is escaped."""
    return sum(len(text) + text.count("|") + 3 for text in row)


def code(text: str, quoted: bool = True) -> str:
    """Write a stranger's text as code, which Markdown neither formats nor links, cut if long; or as
    it is.
    """
    if not quoted:
        return text
    flat = " ".join(text.replace("`", "'").split())
    if len(flat) > _MOST_OF_TEXT:
        flat = f"{flat[:_MOST_OF_TEXT]}…"
    return f"`{flat}`" if flat else ""
