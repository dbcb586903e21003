"""Checks of a submission's files before anything in them is believed: place, size and format.

No link is followed, nothing is unpickled or executed. Result files are JSON. Items are Parquet with
plain columns; `parquet_reader` reads them first. Code that reads a stranger's file lets it pass
here first.
"""

import filecmp
import functools
import os
import subprocess
from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from harness_ext.common.files import POINTER, is_pointer
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.parquet_reader import READER
from harness_ext.leaderboard.checks.records import RERUNS
from harness_ext.measures.core.items import Items
from harness_ext.results.lm_eval_output import is_output
from harness_ext.results.load import is_own
from harness_ext.store.item_files import MAX_ITEMS, items_file, schema
from harness_ext.store.mteb_files import task_of_file
from harness_ext.tasks import ENCODER_TASKS

MAX_FILES = 1_000
"""The most files of one submission. A model in all tasks has about 30."""

MAX_JSON_BYTES = 2 * 2**20
MAX_META_BYTES = 2**18
"""The most bytes of a model's metadata. Real ones have 3 000; lists of training data are longer."""

MAX_PARQUET_BYTES = 64 * 2**20
MAX_SAMPLES_BYTES = 512 * 2**20
"""The most bytes of a file of lm-eval's samples, which hold whole documents."""

_MOST_LETTERS = 240
"""The longest place of a file in a board: a path on Windows has 259 letters."""

_DEPTH = 7
"""results/<model>/<revision>/experiments/<name>/own/<file>."""

PULL_REQUEST = "PULL_REQUEST.md"
"""The file that `harness-ext submit` writes beside the results."""

_MOST_BYTES_OF_TEXT = 65_536
"""The longest text of a pull request that GitHub takes."""

MODEL_FILES = ("model_meta.json", "run_settings.jsonl")
"""Files that mteb writes beside the results of a model."""

NOT_VERIFIED = (
    "Results of lm-eval can be neither verified nor submitted: nothing binds the samples to the "
    "scores. `harness-ext leaderboard build` shows them as self-reported."
)

OF_OWN_DATA = "It is on somebody's own data, which a board does not have."
"""Why a result on own data is refused."""


def submitted_files(
    folder: Path,
    against: Path | None = None,
) -> tuple[list[Path], list[Finding]]:
    """List the files of a submission. Files are opened only to compare them with the board.

    Args:
        folder: The submission. Without a board, only its `results` are checked.
        against: The board. Files that are the same there are not part of the submission.

    Returns:
        The files that may be opened, in the order of their names, and findings about all others.
    """
    files: list[Path] = []
    findings: list[Finding] = []
    files_below = _walk(folder, repository=True) if against else _walk(folder / "results")
    for path in files_below:
        place = path.relative_to(folder)
        if not path.is_symlink() and path.is_file():
            if against and _is_same(path, against / place):
                continue
            if _is_ignored(path, folder):
                continue
            if len(files) + len(findings) == MAX_FILES:
                too_many = _refused(
                    folder,
                    f"more than {MAX_FILES} files",
                    f"at most {MAX_FILES}",
                    "None of them was read. Submit one model at a time.",
                )
                return [], [too_many]
        problem = _file_problem(path, place)
        if problem is not None:
            findings.append(problem)
        else:
            files.append(path)
    findings += _spelled_otherwise(files, folder, against)
    if against:
        findings += _about_nothing(files)
        findings += _empty_folders(folder, against)
        findings += _removed(folder, against)
    return files, findings


def _about_nothing(files: Sequence[Path]) -> Iterator[Finding]:
    """Find the metadata and settings of models that have no result."""
    for file in files:
        if file.name not in MODEL_FILES:
            continue
        names = {below.name for below in file.parent.rglob("*.json")}
        if names.isdisjoint(_result_names()):
            message = "A model without results has no row on a board."
            yield _refused(file, "no result", "a result beside it", message)


def _file_problem(path: Path, place: Path) -> Finding | None:
    """Check kind, place and size of a file."""
    if path.is_symlink() or not path.is_file():
        return _refused(
            path,
            "a link" if path.is_symlink() else "no plain file",
            "a plain file",
            "Only plain files are read, and no deeper folders.",
        )
    problem = _place_problem(path, place)
    if problem is not None:
        return problem
    if path.suffix == ".parquet":
        return unread(path, MAX_PARQUET_BYTES)
    is_meta = path.name == "model_meta.json"
    return unread(path, MAX_META_BYTES if is_meta else MAX_JSON_BYTES)


def _spelled_otherwise(
    files: Sequence[Path],
    folder: Path,
    board: Path | None,
) -> Iterator[Finding]:
    """Find the places that differ from one of the board, or of the submission, in the case of
    letters alone: Windows and macOS check out one of the two.
    """
    spellings: dict[str, str] = {}
    if board is not None:
        for path in _walk(board, repository=True):
            for part in _parts(path.relative_to(board)):
                spellings.setdefault(part.casefold(), part)
    found: set[str] = set()
    for file in files:
        for part in _parts(file.relative_to(folder)):
            first = spellings.setdefault(part.casefold(), part)
            if first == part:
                continue
            if part not in found:
                found.add(part)
                message = "Windows and macOS take both for one place, and check out one of them."
                yield _refused(folder / part, part, first, message)
            break


def _parts(place: Path) -> list[str]:
    """The folders that a file is in, the outermost first, and the file."""
    return [str(part) for part in (*reversed(place.parents), place)]


def _empty_folders(folder: Path, board: Path) -> Iterator[Finding]:
    """Find the folders of a checkout that have no file, which git knows only as submodules."""
    for parent, folders, files in os.walk(folder):
        if parent == str(folder) and ".git" in folders:
            folders.remove(".git")
        place = Path(parent).relative_to(folder)
        if not folders and not files and not (board / place).is_dir():
            message = "An empty folder is the place of a submodule. A submission has only files."
            yield _refused(Path(parent), "an empty folder", "files", message)


def _removed(folder: Path, board: Path) -> Iterator[Finding]:
    """Find the files of a board that a submission lacks."""
    for path in _of_board(board):
        if not os.path.lexists(folder / path.relative_to(board)):
            yield _refused(path, "gone", "as it is on the board", "A submission removes nothing.")


def _walk(folder: Path, depth: int = _DEPTH, *, repository: bool = False) -> Iterator[Path]:
    """Walk a folder in the order of names: yields files, links, and folders that are too deep or
    that programs would open for a JSON file.

    Args:
        folder: The folder.
        depth: How many levels of folders are walked.
        repository: Whether git's own `.git` may stand in it. Below, it would hide files.
    """
    if folder.is_symlink() or not folder.is_dir():
        if os.path.lexists(folder):
            yield folder
        return
    with os.scandir(folder) as scanned:
        entries = sorted(scanned, key=attrgetter("name"))
    for entry in entries:
        if repository and entry.name == ".git":  # a file in a worktree
            continue
        is_folder = entry.is_dir(follow_symlinks=False) and not entry.name.endswith(".json")
        if is_folder and depth > 1:
            yield from _walk(Path(entry.path), depth - 1)
        else:
            yield Path(entry.path)


def _of_board(board: Path) -> Iterator[Path]:
    """List what a submission to a board must keep: what git tracks; without git, all but records of
    reruns.
    """
    if (board / ".git").exists():
        command = ["git", "-C", str(board), "ls-files", "-z"]
        listing = subprocess.run(command, capture_output=True, text=True)
        if listing.returncode == 0:
            names = [name for name in listing.stdout.split("\0") if name]
            yield from map(board.joinpath, names)
            return
    for path in _walk(board, repository=True):
        if path.relative_to(board).parts[0] != RERUNS:
            yield path


def _is_ignored(path: Path, folder: Path) -> bool:
    """Whether the file is the text of a pull request, or the empty lock of a result of a model."""
    size = path.stat().st_size
    if path == folder / PULL_REQUEST:
        return size <= _MOST_BYTES_OF_TEXT
    locked = path.name.removeprefix(".").removesuffix(".lock")
    is_lock = path.name == f".{locked}.lock" and locked in _file_names()
    if not (is_lock and _is_in_model(path.relative_to(folder))):
        return False
    has_metadata = path.with_name("model_meta.json").is_file()  # whose names are checked
    return size == 0 and has_metadata


def _is_same(path: Path, other: Path) -> bool:
    """Whether two files have the same bytes."""
    return other.is_file() and not other.is_symlink() and filecmp.cmp(path, other, shallow=False)


def _place_problem(path: Path, place: Path) -> Finding | None:
    """Check that the file is where mteb puts files of its name."""
    parts = place.parts
    if len(str(place)) > _MOST_LETTERS:
        expected = f"at most {_MOST_LETTERS} letters"
        return _refused(path, str(place), expected, "Windows cannot check out so long a place.")
    if parts[0] == RERUNS:
        return _refused(path, str(place), "results", "The records are the maintainers' to write.")
    in_model = _is_in_model(place)
    if is_output(path.name):
        return _refused(path, str(place), "results of mteb", f"lm-eval wrote it. {NOT_VERIFIED}")
    if is_own(place) and in_model:
        return _refused(path, task_of_file(path), "a task of this project", OF_OWN_DATA)
    if parts[0] != "results" or not in_model or path.name not in _file_names():
        return _refused(
            path,
            str(place),
            "results/<model>/<revision>/<Task>.json, its items, model_meta.json",
            "A submission has only results of this project's tasks.",
        )
    result = path.with_name(f"{path.name.partition('.')[0]}.json")
    if path.suffix == ".parquet" and not result.is_file():
        return _refused(
            path,
            f"no {result.name}",
            "a result beside it",
            "Nothing says which scores its items are of.",
        )
    return None


def _is_in_model(place: Path) -> bool:
    """Whether a file is in the folder of a model's revision, of an experiment, or of own data."""
    parts = place.parts
    n_parts = len(parts) - is_own(place)
    is_in_revision = n_parts == 4
    is_in_experiment = n_parts == 6 and parts[3] == "experiments"
    return is_in_revision or is_in_experiment


@functools.cache
def _file_names() -> frozenset[str]:
    """List the file names that a submission may have."""
    names = {*MODEL_FILES, *_result_names()}
    for name in _result_names():
        names.add(items_file(Path(name)).name)
    return frozenset(names)


@functools.cache
def _result_names() -> frozenset[str]:
    """List the file names of results."""
    return frozenset(f"{task}.json" for task in ENCODER_TASKS)


def unread(path: Path, most: int) -> Finding | None:
    """Say why a file is not read: it is a link, or has more bytes than `most`."""
    if path.is_symlink():
        return _refused(path, "a link", "a plain file", "It is a link, and links are not followed.")
    size = path.stat().st_size
    if size > most:
        return _refused(path, f"{size} bytes", f"at most {most}", "It is too large to be read.")
    if path.is_file() and is_pointer(path):
        return _refused(path, "a pointer", "its content", POINTER)
    return None


def bytes_of_items(file: Path) -> int:
    """The bytes of the items beside a result file; 0 where there are none."""
    path = items_file(file)
    return path.stat().st_size if path.is_file() else 0


def items_problem(
    file: Path,
    items_type: type[Items],
) -> Finding | None:
    """Check the items beside a result file before they are read: columns, rows, unpacked size,
    longest text.
    """
    path = items_file(file)
    if not (path.is_symlink() or path.is_file()):
        return None
    problem = unread(path, MAX_PARQUET_BYTES)
    if problem is not None:
        return problem
    columns = {column.name: str(column.type) for column in schema(items_type)}
    found = READER.problem(path, columns, MAX_ITEMS)
    return None if found is None else _refused(path, *found)


def _refused(
    path: Path,
    found: str,
    expected: str,
    message: str,
) -> Finding:
    return Finding(path, "", found, expected, message)
