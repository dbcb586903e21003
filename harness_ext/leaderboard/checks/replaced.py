"""Results and metadata on a board that a submission would replace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.json_files import DamagedFileError, read_json
from harness_ext.leaderboard.checks.finding import Finding, shown
from harness_ext.results.entry import Entry
from harness_ext.results.load import read_result

_ADVICE = "If you want that, verify with --allow-changes."


def replaced(files: Iterable[Path], folder: Path, board: Path, *, allowed: bool) -> Iterator[Finding]:
    """List the changes that a submission makes to files of the board.

    Args:
        files: The submitted files that differ from the board's, or are new.
        folder: The submission.
        board: The board.
        allowed: Whether changes are allowed; then they are notes.
    """
    for file in files:
        there = board / file.relative_to(folder)
        if there.exists():
            for key, found, expected, message in _changes(file, there):
                yield Finding(file, key, found, expected, f"{message} {_ADVICE}", refused=not allowed)


def _changes(file: Path, there: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield key, value in the submission, value on the board, and a sentence."""
    try:
        if file.stem in ENCODER_TASKS and file.suffix == ".json":
            yield from _result_changes(file, there)
        elif file.name == "model_meta.json":
            ours, theirs = read_json(file), read_json(there)
            for key in sorted(ours.keys() | theirs.keys()):
                if ours.get(key) != theirs.get(key):
                    yield (key, shown(ours.get(key)), shown(theirs.get(key)),
                           f"It replaces metadata of {theirs.get('name')} on the board.")  # fmt: skip
        else:
            yield "", "other content", "as it is on the board", "It replaces a file of the board."
    except (DamagedFileError, AttributeError) as error:
        yield "", shown(str(error)), "as it is on the board", "It replaces a file of the board, or cannot be read."


def _result_changes(file: Path, there: Path) -> Iterator[tuple[str, str, str, str]]:
    ours, theirs = _by_place(file), _by_place(there)
    for place, old in theirs.items():
        new = ours.get(place)
        message = f"It replaces a result of {old.model} ({old.revision}) on the board"
        main = f"{old.measure.main} of {' '.join(place)}"
        if new is None:
            yield main, "nothing", f"{old.main_score:.6g}", f"{message}: it removes it."
        elif new.main_score != old.main_score:
            difference = f"{new.main_score - old.main_score:+.6g}"
            yield main, f"{new.main_score:.6g}", f"{old.main_score:.6g}", f"{message}: {difference}."
        else:
            yield " ".join(place), "other content", "as it is on the board", f"{message}; the main score is the same."


def _by_place(file: Path) -> dict[tuple[str, str], Entry]:
    return {(entry.split, entry.subset): entry for entry in read_result(file)}
