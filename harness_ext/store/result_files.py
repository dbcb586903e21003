"""Result files of this project's tasks: whole or not at all, with their items, merged with what others wrote."""

from __future__ import annotations

import itertools
import json
import logging
import shutil
from typing import TYPE_CHECKING, Any

from filelock import FileLock
from mteb.results import TaskResult

from harness_ext.files import whole_file
from harness_ext.store.item_files import DIGEST, ENDINGS, commit_items, is_kept, prepare_items, settle_items

if TYPE_CHECKING:
    from pathlib import Path

    from harness_ext.evaluators.items import Items

logger = logging.getLogger(__name__)


def write_result(result: TaskResult, path: Path, items_type: type[Items]) -> None:
    """Write a result and its items, as mteb's own `TaskResult.to_disk` but for three things.

    Scores keep all their digits, so that they can be recomputed from the items. The file is there whole or not at all,
    and so are its items. Splits and subsets that another run has written in the meantime stay.

    A result on other data than that of the file (another dataset revision, such as `+unverified`) never mixes with it:
    the earlier one is moved to the folder `other_data`, and a warning says so. It comes back with a result on its data.
    A damaged file is moved to `damaged`.

    Args:
        result: What was measured.
        path: `<Task>.json`.
        items_type: What the items of its task are.
    """
    with _lock(path):
        _set_aside_if_damaged(path)
        if path.is_file():
            earlier = TaskResult.from_disk(path)
            _settle(path, items_type, earlier)
            if earlier.dataset_revision != result.dataset_revision:
                _set_aside(path, earlier.dataset_revision)
        if path.is_file() or _brought_back(path, result.dataset_revision):
            earlier = TaskResult.from_disk(path)
            _settle(path, items_type, earlier)
            result = _newest(earlier, result)
        content = result.model_dump()
        content["date"] = result.date.timestamp() if result.date else None
        new_items = [new for key in ENDINGS for new in prepare_items(path, items_type, _digests(result, key), key)]
        with whole_file(path) as partial:
            partial.write_text(json.dumps(content, indent=2), encoding="utf-8")
        commit_items(new_items)


def _newest(earlier: TaskResult, result: TaskResult) -> TaskResult:
    """Both in one; where both have a place, the result's entry, unless mteb only read it when it began.

    Such an entry may have been measured anew in the meantime. It is told by its items, which are not in memory.
    """
    there = _digests(earlier)
    stale = {
        place
        for place, digest in _digests(result).items()
        if not is_kept(digest) and there.get(place, digest) != digest
    }
    fresh = {
        split: [entry for entry in found if (split, entry["hf_subset"]) not in stale]
        for split, found in result.scores.items()
    }
    return earlier.merge(result.model_copy(update={"scores": fresh}))


def _settle(path: Path, items_type: type[Items], earlier: TaskResult) -> None:
    for key in ENDINGS:
        settle_items(path, items_type, _digests(earlier, key), key)


def _digests(result: TaskResult, key: str = DIGEST) -> dict[tuple[str, str], str]:
    return {place: entry[key] for place, entry in entries(result).items() if key in entry}


def bring_back(path: Path, dataset_revision: str) -> bool:
    """Take the place of a result on other data for the one on this data that had to make room for it.

    Args:
        path: `<Task>.json`.
        dataset_revision: The revision of the data.

    Returns:
        Whether there is one.
    """
    if not _aside(path, dataset_revision).is_file():
        return False
    with _lock(path):
        if path.is_file():
            _set_aside(path, TaskResult.from_disk(path).dataset_revision)
        return _brought_back(path, dataset_revision)


def set_aside_if_damaged(path: Path) -> None:
    """Move a damaged result, with its items, to the folder `damaged` beside it, and say so; it is not to be used.

    Args:
        path: `<Task>.json`, which may be sound or not there.
    """
    if path.exists() and _damage(path):
        with _lock(path):
            _set_aside_if_damaged(path)


def _set_aside_if_damaged(path: Path) -> None:
    if path.exists() and (damage := _damage(path)):
        numbered = (path.parent / "damaged" / str(number) for number in itertools.count(1))
        aside = next(folder for folder in numbered if not folder.exists())
        _move(path, aside / path.name)
        logger.warning("%s It is in %s now, and its scores are not used.", damage, aside)


def _damage(path: Path) -> str:
    """What is wrong with a result file, in a sentence; nothing if it is sound."""
    from harness_ext.results.entry import TASK_BY_NAME, ResultError  # not above: it imports the tasks
    from harness_ext.results.load import read_result

    try:
        if path.stem in TASK_BY_NAME:
            read_result(path)
        TaskResult.from_disk(path)
    except ResultError as error:
        return str(error)
    except Exception as error:  # of many kinds, by what is wrong
        return f"{path} is not a result as mteb writes them: {error!r}."
    return ""


def _lock(path: Path) -> FileLock:
    return FileLock(path.with_name(f".{path.name}.lock"))


def _aside(path: Path, dataset_revision: str) -> Path:
    """Where the result on this data is while the place is taken by that on other data."""
    return path.parent / "other_data" / dataset_revision / path.name


def _set_aside(path: Path, dataset_revision: str) -> None:
    aside = _aside(path, dataset_revision)
    _move(path, aside)
    logger.warning("%s was computed on other data (%s); it is in %s now.", path.name, dataset_revision, aside.parent)


def _brought_back(path: Path, dataset_revision: str) -> bool:
    aside = _aside(path, dataset_revision)
    if there := aside.is_file():
        _move(aside, path)
        logger.warning("%s on the data there is now (%s) is back from %s.", path.name, dataset_revision, aside.parent)
    return there


def _move(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    items = [*path.parent.glob(f"{path.stem}.*items.parquet")]
    for file in items:
        shutil.copy(file, to.parent)
    path.replace(to)  # not before its items are there, nor they gone before it is
    for file in items:
        file.unlink()


def entries(result: TaskResult) -> dict[tuple[str, str], dict[str, Any]]:
    """(split, subset) -> the scores there."""
    return {
        (split, entry["hf_subset"]): entry  # type: ignore[misc]
        for split, found in result.scores.items()
        for entry in found
    }
