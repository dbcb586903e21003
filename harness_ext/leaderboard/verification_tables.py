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


def cells_table(cells: Iterable[CheckedEntry], *, quoted: bool = False) -> Listing:
    """List the entries of a submission with their trust; `quoted` writes strangers' texts as code,
    see `code`.
    """
    rows = []
    for cell in cells:
        entry = cell.shown
        named = code(entry.model, quoted), entry.task, code(entry.data, quoted)
        rows.append((*named, formatted(entry.main_score), between(entry.interval()), cell.mark))
    return _listing(("model", "task", "data", "score", "95 % interval", "trust"), rows, quoted)


def findings_table(findings: Iterable[Finding], folder: Path, *, quoted: bool = False) -> Listing:
    """List findings with paths relative to the folder; `quoted` as in `cells_table`.

    In the comment of a pull request (`quoted`) reasons to refuse come first, and each finding has a
    row. In a terminal they come last, where the reader is; notes that say the same of many files
    share a row.
    """
    ordered = sorted(findings, key=lambda finding: finding.refused is not quoted)
    groups: dict[object, list[Finding]] = {}
    for one in ordered:
        alike = id(one) if one.refused or quoted else one.message  # a row each, or a row together
        groups.setdefault(alike, []).append(one)
    rows = []
    for first, *others in groups.values():
        file = first.file.relative_to(folder) if first.file.is_relative_to(folder) else first.file
        texts = (str(file), first.key, first.found, first.expected, first.message)
        if others:
            n_files = len({first.file, *(one.file for one in others)})
            texts = (f"{n_files} files" if n_files > 1 else str(file), "", "", "", first.message)
        kind = "refused" if first.refused else f"{1 + len(others)} notes" if others else "note"
        rows.append((kind, *(code(text, quoted) for text in texts)))
    return _listing(
        ("finding", "file", "key", "found", "expected", "message"), rows, quoted, prose=1
    )


def _listing(
    header: tuple[str, ...], rows: Sequence[tuple[str, ...]], quoted: bool, prose: int = 0
) -> Listing:
    """List rows; in a comment, so many of the first as fit."""
    # each | is escaped
    sizes = accumulate(sum(len(text) + text.count("|") + 3 for text in row) for row in rows)
    fit = tuple(row for row, size in zip(rows, sizes, strict=True) if size <= _MOST or not quoted)
    left = f"And {len(rows) - len(fit)} more, too many for a comment: harness-ext verify lists all."
    return Listing(header, fit, note=left if len(fit) < len(rows) else "", labels=3, prose=prose)


def code(text: str, quoted: bool = True) -> str:
    """Write a stranger's text as code, which Markdown neither formats nor links, cut if long; or as
    it is.
    """
    flat = " ".join(text.replace("`", "'").split())
    flat = flat if len(flat) <= _MOST_OF_TEXT else f"{flat[:_MOST_OF_TEXT]}…"
    return f"`{flat}`" if quoted and flat else flat if quoted else text
