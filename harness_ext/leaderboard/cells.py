"""Reads result files for a board: each is checked, recomputed from its items and resampled.

A damaged or refused entry becomes a message and is not on the board. Nothing binds lm-eval's
samples to its scores or compares them with the pinned rows, so its results stay self-reported.
"""

from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from harness_ext.common.json_files import DamagedFileError
from harness_ext.leaderboard.board import BoardCell
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.records import Reruns
from harness_ext.leaderboard.checks.submitted_files import (
    MAX_JSON_BYTES,
    MAX_SAMPLES_BYTES,
    items_problem,
    unread,
)
from harness_ext.leaderboard.checks.trust import trust_of
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import is_output, sample_files
from harness_ext.results.load import all_result_files, read_results, read_whole_result


def read_cells(folders: Sequence[Path], reruns: Reruns) -> tuple[list[BoardCell], list[str]]:
    """Read the results in folders, in the order of folders and names; lm-eval's results, newest
    first.

    Args:
        folders: Each the `--output-folder` of `mteb run`, the `--output_path` of `lm-eval run`, or
            a folder with both.
        reruns: By the board's maintainers.

    Returns:
        The sound entries, and a sentence about each other entry, which names the file.

    Raises:
        FileNotFoundError: A folder is missing; names it.
    """
    files: dict[Path, Path] = {}  # file -> its folder
    for folder in folders:
        if not folder.is_dir():
            raise FileNotFoundError(
                f"{folder}: no such folder. Name the --output-folder of `mteb run`, or the "
                "--output_path of `lm-eval run`."
            )
        of_folder = all_result_files(folder)
        newest_first = [file for file in of_folder[::-1] if is_output(file.name)]
        files |= dict.fromkeys(
            [*(file for file in of_folder if not is_output(file.name)), *newest_first], folder
        )
    by_task = sorted(files, key=lambda file: file.name)  # so that a task's data are read once
    content = {
        file: read_file(file, files[file], reruns)
        for file in tqdm(by_task, "Results", unit="file", disable=None)
    }
    read = [cell for file in files for cell in content[file]]
    return [cell for cell in read if not isinstance(cell, str)], [
        cell for cell in read if isinstance(cell, str)
    ]


def read_file(file: Path, folder: Path, reruns: Reruns) -> list[BoardCell | str]:
    """Read one result file in a folder, with its items. Takes and returns what `read_cells`
    does.
    """
    problem = _file_problem(file, folder)
    if problem is not None:
        return [str(problem)]
    entries: Sequence[Entry]
    read: list[BoardCell | str] = []
    if is_output(file.name):
        output = read_results(file)
        read += output.problems
        entries = output.entries
    else:
        try:
            result = read_whole_result(file)
        except DamagedFileError as error:
            return [str(error)]
        problem = items_problem(file, result.task.measure.items)
        if problem is not None:
            return [str(problem)]
        entries = result.entries
    for entry in entries:
        try:
            read.append(_cell(entry, reruns))
        except Exception as error:  # a stranger's items can fail a measure in any way
            place = f"{file}: {entry.split} {entry.subset}"
            read.append(f"{place}: no score can be computed from its items: {error!r}")
    return read


def _cell(entry: Entry, reruns: Reruns) -> BoardCell | str:
    """Make the cell of an entry, or say why it is refused."""
    checked = trust_of(entry, reruns)
    refused = [finding for finding in checked.findings if finding.refused]
    if not refused:
        return BoardCell.of(checked)
    more = f" And {len(refused) - 1} more of this kind." if len(refused) > 1 else ""
    return f"{refused[0]} (in {entry.split} {entry.subset}){more}"


def _file_problem(file: Path, folder: Path) -> Finding | None:
    """Check a result file in a folder, and lm-eval's samples, before they are read."""
    for within in file.relative_to(folder).parents[:-1]:
        if (folder / within).is_symlink():
            return Finding(
                file,
                "",
                str(within),
                "no link",
                "Its folder is a link, and links are not followed.",
            )
    meta = file.with_name("model_meta.json")
    for path in (file, meta) if meta.exists() else (file,):
        problem = unread(path, MAX_JSON_BYTES)
        if problem:
            return problem
    if is_output(file.name):
        problems = (unread(path, MAX_SAMPLES_BYTES) for path in sample_files(file))
        return next(filter(None, problems), None)
    return None
