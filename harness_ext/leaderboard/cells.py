"""Reads result files for a board.

Each result is checked, recomputed from its items and resampled. A damaged or refused entry becomes a message and is not
on the board.

Results of lm-eval are read too. Their samples are items, so scores are recomputed and resampled. But nothing binds the
samples to the scores or compares them with the pinned rows, so these results stay self-reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from harness_ext.json_files import DamagedFileError
from harness_ext.leaderboard.cell import BoardCell
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.records import Records
from harness_ext.leaderboard.checks.submitted_files import (
    MAX_JSON_BYTES,
    MAX_SAMPLES_BYTES,
    items_problems,
    json_object,
    unread,
)
from harness_ext.leaderboard.checks.trust import trust_of
from harness_ext.results.entry import Entry, kept
from harness_ext.results.lm_eval_output import is_output, result_files, sample_files
from harness_ext.results.load import is_own, mteb_files, own_files, read_results, task_of_result
from harness_ext.tasks import ENCODER_TASKS


class Read(NamedTuple):
    """The content of result files.

    Attributes:
        cells: The sound entries.
        problems: A sentence about each other entry, which names the file.
    """

    cells: list[BoardCell]
    problems: list[str]


def read_cells(folders: Sequence[Path], records: Records) -> Read:
    """Read the results in folders, in the order of folders and names; lm-eval's results, newest first.

    Args:
        folders: Each the `--output-folder` of `mteb run`, the `--output_path` of `lm-eval run`, or a folder with both.
        records: The maintainers' records.

    Raises:
        FileNotFoundError: A folder is missing; names it.
    """
    files: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise FileNotFoundError(
                f"{folder}: no such folder. Name the --output-folder of `mteb run`, or the --output_path of "
                "`lm-eval run`."
            )
        files += sorted(file for file in mteb_files(folder) if file.stem in ENCODER_TASKS)
        files += [*own_files(folder), *result_files(folder)[::-1]]
    files = list(dict.fromkeys(files))
    by_task = sorted(files, key=lambda file: file.name)  # so that a task's data are read once
    content = {file: read_file(file, records) for file in tqdm(by_task, "Results", unit="file", disable=None)}
    return Read(
        [cell for file in files for cell in content[file].cells],
        [problem for file in files for problem in content[file].problems],
    )


def read_file(file: Path, records: Records) -> Read:
    """Read one result file, with its items; arguments as of `read_cells`."""
    try:
        if (problem := next(_file_problems(file), None)) is not None:
            return Read([], [str(problem)])
    except DamagedFileError as error:
        return Read([], [str(error)])
    results = read_results(file)
    read = Read([], [*results.problems])
    for entry in map(kept, results.entries):
        try:
            cell = _cell(entry, records)
        except Exception as error:  # a stranger's items can fail a measure in any way
            cell = f"{file}: {entry.split} {entry.subset}: no score can be computed from its items: {error!r}"
        if isinstance(cell, str):
            read.problems.append(cell)
        else:
            read.cells.append(cell)
    return read


def _cell(entry: Entry, records: Records) -> BoardCell | str:
    """Make the cell of an entry, or say why it is refused."""
    checked = trust_of(entry, records)
    refused = [finding for finding in checked.findings if finding.refused]
    if not refused:
        return BoardCell.of(checked)
    more = f" And {len(refused) - 1} more of this kind." if len(refused) > 1 else ""
    return f"{refused[0]} (in {entry.split} {entry.subset}){more}"


def _file_problems(file: Path) -> Iterator[Finding]:
    """Check a result file, and its items or samples, before they are read."""
    for folder in file.parents[: 2 + is_own(file)]:
        if folder.is_symlink():
            yield Finding(file, "", str(folder), "no link", "Its folder is a link, and links are not followed.")
    yield from filter(None, [unread(file, MAX_JSON_BYTES)])
    content = json_object(file)
    if isinstance(content, Finding):
        yield content
    if is_output(file.name):
        yield from filter(None, (unread(path, MAX_SAMPLES_BYTES) for path in sample_files(file)))
    else:
        yield from items_problems(file, task_of_result(file).measure.items)
