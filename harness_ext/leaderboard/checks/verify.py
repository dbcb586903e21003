"""Verifies a submission: all checks that a maintainer would make."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tqdm.auto import tqdm

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.model_folder import model_findings
from harness_ext.leaderboard.checks.records import Records
from harness_ext.leaderboard.checks.result_files import file_findings
from harness_ext.leaderboard.checks.signatures import submitted_signature_findings
from harness_ext.leaderboard.checks.submitted_files import submitted_files
from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust, trust_of
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results, read_result
from harness_ext.tasks import ENCODER_TASKS

_ITEMS = re.compile(r"(\.\w+)?(\.words)?\.items\.parquet$")
"""What the name of a file of items has after that of its task."""


@dataclass(frozen=True)
class Verification:
    """The outcome of the checks.

    Attributes:
        cells: The entries that could be read.
        findings: All findings, with the findings of the entries.
    """

    cells: tuple[CheckedEntry, ...]
    findings: tuple[Finding, ...]

    @property
    def is_refused(self) -> bool:
        """Whether a board would refuse it."""
        return any(finding.refused for finding in self.findings)


def verify(folder: Path, against: Path | None = None, *, allow_changes: bool = False) -> Verification:
    """Check a submission.

    Args:
        folder: A folder with `results/` in it, as `harness-ext submit` and `mteb run --output-folder` make it.
        against: The board. Files that are the same there are not checked again. The maintainers' records are read
            there; without a board, in `folder`.
        allow_changes: Whether the submission may replace results and metadata of the board.

    Raises:
        FileNotFoundError: There is no such folder.
        RecordError: A record of the maintainers is damaged.
    """
    for each in (folder, against):
        if each is not None and not each.is_dir():
            raise FileNotFoundError(f"{each}: no such folder.")
    records = Records.load(against or folder)
    on_board = _board_entries(against)
    files, findings = submitted_files(folder, against)
    if not files and not findings:
        nothing = "nothing new" if against else "no results/<model>/<revision>/<Task>.json"
        findings.append(Finding(folder, "", nothing, "results", "There is nothing to check."))
    folders = list(dict.fromkeys(file.parent for file in files))
    findings += _revision_findings(folder, folders)
    for of_model in folders:
        findings += model_findings(of_model)
    unread = {finding.file.parent for finding in findings if finding.refused}
    if against:
        findings += _replaced(files, folder, against, allowed=allow_changes)
    cells, of_files = _checked_entries(files, unread, records)
    findings += [*of_files, *(finding for cell in cells for finding in cell.findings)]
    return Verification(tuple(cells), (*findings, *_newcomers(cells, on_board)))


def _checked_entries(
    files: Sequence[Path], unread: set[Path], records: Records
) -> tuple[list[CheckedEntry], list[Finding]]:
    """Check the entries of all results. Items in the folders `unread`, which have a refused file, are not read.

    Returns:
        The entries of sound files, by file, and the findings about all files.
    """
    cells: list[CheckedEntry] = []
    findings: list[Finding] = []
    for file in tqdm(_result_files(files, unread), desc="Verifying", disable=None):
        of_file = list(file_findings(file, with_items=file.parent not in unread))
        findings += of_file
        if any(finding.refused for finding in of_file):
            continue
        for entry in read_result(file):
            if file.parent in unread:
                cells.append(CheckedEntry(entry, Trust.SELF_REPORTED, ()))
            else:
                checked = trust_of(entry, records)
                signed = submitted_signature_findings(entry)
                cells.append(replace(checked, findings=(*signed, *checked.findings)))
    cells.sort(key=lambda cell: cell.entry.file)
    return cells, sorted(findings, key=lambda finding: finding.file)


def _result_files(files: Sequence[Path], unread: set[Path]) -> list[Path]:
    """List the submitted results, and results whose items were submitted."""
    named = {file.with_name(_ITEMS.sub(".json", file.name)) for file in files}
    results = named & set(files) | {file for file in named if file.parent not in unread and file.is_file()}
    by_task = sorted(results, key=lambda file: (file.name, file))  # so that a task's data are read once
    return [file for file in by_task if file.stem in ENCODER_TASKS]


def _revision_findings(folder: Path, folders: Sequence[Path]) -> Iterator[Finding]:
    """Find models with several revisions, which would be ranked beside each other."""
    revisions: dict[str, set[str]] = defaultdict(set)
    for path in folders:
        model, revision, *_ = path.relative_to(folder / "results").parts
        revisions[model].add(revision)
    for model, of_model in revisions.items():
        if len(of_model) > 1:
            yield Finding(folder / "results" / model, "revision", ", ".join(sorted(of_model)), "one revision",
                          "A model has several revisions. Submit one.")  # fmt: skip


def _board_entries(folder: Path | None) -> tuple[Entry, ...]:
    """Read the entries of a board; none without a board, or from an empty one."""
    with suppress(FileNotFoundError):
        return load_results(folder).entries if folder else ()
    return ()


def _replaced(files: Sequence[Path], folder: Path, board: Path, *, allowed: bool) -> Iterator[Finding]:
    """Find the submitted files that differ from a file of the board; `allowed` makes the findings notes."""
    for file in files:
        if (board / file.relative_to(folder)).exists():
            yield Finding(file, "", "other content", "as it is on the board", "It replaces a file of the board. If you "
                          "want that, verify with --allow-changes.", refused=not allowed)  # fmt: skip


def _newcomers(cells: Sequence[CheckedEntry], on_board: Sequence[Entry]) -> Iterator[Finding]:
    """Find revisions that would stand beside others of the same model on the board."""
    for entry in {(cell.entry.model, cell.entry.revision): cell.entry for cell in cells}.values():
        if others := sorted({other.revision for other in on_board if other.model == entry.model} - {entry.revision}):
            yield Finding(entry.file.parent, "revision", entry.revision, ", ".join(others), f"{entry.model} is on the "
                          "board at another revision, and would stand there twice.", refused=False)  # fmt: skip
