"""Tables of a verification for a terminal, a program or the comment of a pull request."""

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
        entry = cell.shown
        named = code(entry.model, quoted), entry.task, code(entry.data, quoted)
        rows.append((*named, formatted(entry.main_score), between(entry.interval()), cell.mark))
    return Listing(("model", "task", "data", "score", "95 % interval", "trust"), tuple(rows), labels=3)


def findings_table(findings: Iterable[Finding], folder: Path, *, quoted: bool = False) -> Listing:
    """List findings with paths relative to the folder; `quoted` as in `cells_table`.

    In the comment of a pull request (`quoted`) reasons to refuse come first, and each finding has a row. In a terminal
    they come last, where the reader is; notes that say the same of many files share a row.
    """
    ordered = sorted(findings, key=lambda finding: finding.refused is not quoted)
    groups: dict[object, list[Finding]] = {}
    for one in ordered:
        alike = id(one) if one.refused or quoted else one.message  # a row each, or a row together
        groups.setdefault(alike, []).append(one)
    listed = [*groups.values()][: _MOST if quoted else None]
    rows = []
    for first, *others in listed:
        file = first.file.relative_to(folder) if first.file.is_relative_to(folder) else first.file
        texts = (str(file), first.key, first.found, first.expected, first.message)
        if others:
            n_files = len({first.file, *(one.file for one in others)})
            texts = (f"{n_files} files" if n_files > 1 else str(file), "", "", "", first.message)
        kind = "refused" if first.refused else f"{1 + len(others)} notes" if others else "note"
        rows.append((kind, *(code(text, quoted) for text in texts)))
    note = f"And {len(groups) - len(listed)} more." if len(groups) > len(listed) else ""
    header = ("finding", "file", "key", "found", "expected", "message")
    return Listing(header, tuple(rows), note=note, labels=3, prose=1)


def code(text: str, quoted: bool = True) -> str:
    """Write a stranger's text as code, which Markdown does not format, link or call; unchanged if not `quoted`."""
    flat = " ".join(text.replace("`", "'").split())
    return f"`{flat}`" if quoted and flat else flat if quoted else text
