"""Reads result files for a board: each is checked, recomputed from its items and resampled.

A damaged or refused entry becomes a message and is not on the board. Nothing binds lm-eval's
samples to its scores or compares them with the pinned rows, so its results stay self-reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness_ext.common.json_files import DamagedFileError
from harness_ext.common.processes import of_files
from harness_ext.leaderboard.board import BoardCell
from harness_ext.leaderboard.checks.declared import file_findings
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.parquet_reader import READER
from harness_ext.leaderboard.checks.records import Reruns
from harness_ext.leaderboard.checks.submitted_files import (
    MAX_JSON_BYTES,
    MAX_SAMPLES_BYTES,
    bytes_of_items,
    unread,
)
from harness_ext.leaderboard.checks.trust import CheckedEntry, import_statistics, trust_of
from harness_ext.leaderboard.checks.work import WORK
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import is_output, sample_files
from harness_ext.results.load import all_result_files, read_results, read_whole_result


@dataclass(frozen=True)
class ReadCells:
    """What was read of a board.

    Attributes:
        cells: The sound entries.
        problems: A sentence about each other entry, which names the file.
    """

    cells: list[BoardCell] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, other: ReadCells) -> None:
        """Put what was read elsewhere behind it."""
        self.cells.extend(other.cells)
        self.problems.extend(other.problems)


def read_cells(folders: Sequence[Path], reruns: Reruns) -> ReadCells:
    """Read the results in folders, in the order of folders and names; lm-eval's results, newest
    first.

    Args:
        folders: Each the `--output-folder` of `mteb run`, the `--output_path` of `lm-eval run`, or
            a folder with both.
        reruns: By the board's maintainers.

    Raises:
        FileNotFoundError: A folder is missing; names it.
    """
    folder_of: dict[Path, Path] = {}  # file -> its folder
    for folder in folders:
        if not folder.is_dir():
            raise FileNotFoundError(
                f"{folder}: no such folder. Name the --output-folder of `mteb run`, or the "
                "--output_path of `lm-eval run`."
            )
        files = all_result_files(folder)
        of_mteb = [file for file in files if not is_output(file.name)]
        of_lm_eval = [file for file in files if is_output(file.name)]
        newest_first = of_lm_eval[::-1]
        folder_of |= dict.fromkeys([*of_mteb, *newest_first], folder)
    by_task = sorted(folder_of, key=lambda file: file.name)  # so that a task's data are read once
    READER.start()
    WORK.start()

    def read_one(file: Path) -> ReadCells:
        return read_file(file, folder_of[file], reruns)

    sizes = [bytes_of_items(file) for file in by_task]
    cells = of_files(read_one, by_task, sizes, "Results", import_statistics)
    read = dict(zip(by_task, cells, strict=True))
    everything = ReadCells()
    for file in folder_of:
        everything.add(read[file])
    return everything


def read_file(
    file: Path,
    folder: Path,
    reruns: Reruns,
) -> ReadCells:
    """Read one result file in a folder, with its items. `reruns` as in `read_cells`."""
    problem = _file_problem(file, folder)
    if problem is not None:
        return ReadCells(problems=[str(problem)])
    entries: Sequence[Entry]
    read = ReadCells()
    if is_output(file.name):
        output = read_results(file)
        read.problems.extend(output.problems)
        entries = output.entries
    else:
        try:
            result = read_whole_result(file)
        except DamagedFileError as error:
            return ReadCells(problems=[str(error)])
        problems = list(file_findings(result))
        if problems:
            return ReadCells(problems=[str(problems[0])])
        entries = result.entries
    for entry in entries:
        try:
            checked = trust_of(entry, reruns)
            refusal = _refusal(checked)
            if refusal:
                read.problems.append(refusal)
            else:
                read.cells.append(BoardCell.of(checked))
        except Exception as error:  # a stranger's items can fail a measure in any way
            place = f"{file}: {entry.split} {entry.subset}"
            read.problems.append(f"{place}: no score can be computed from its items: {error!r}")
    return read


def _refusal(checked: CheckedEntry) -> str:
    """Say why an entry is refused; empty if it is not."""
    refused = [finding for finding in checked.findings if finding.refused]
    if not refused:
        return ""
    entry = checked.entry
    n_more = len(refused) - 1
    more = f" And {n_more} more of this kind." if n_more else ""
    return f"{refused[0]} (in {entry.split} {entry.subset}){more}"


def _file_problem(file: Path, folder: Path) -> Finding | None:
    """Check a result file in a folder, and lm-eval's samples, before they are read."""
    for parent in file.relative_to(folder).parents[:-1]:
        if (folder / parent).is_symlink():
            return Finding(
                file,
                "",
                str(parent),
                "no link",
                "Its folder is a link, and links are not followed.",
            )
    meta = file.with_name("model_meta.json")
    most_bytes = {file: MAX_JSON_BYTES}
    if meta.exists():
        most_bytes[meta] = MAX_JSON_BYTES
    if is_output(file.name):
        most_bytes |= dict.fromkeys(sample_files(file), MAX_SAMPLES_BYTES)
    for path, most in most_bytes.items():
        problem = unread(path, most)
        if problem is not None:
            return problem
    return None
