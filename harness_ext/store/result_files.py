"""Writes result files of this project's tasks: completely or not at all, with items, merged with other runs."""

from __future__ import annotations

import itertools
import json
import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock
from mteb.results import TaskResult

from harness_ext.files import whole_file
from harness_ext.framework.measure import Measure
from harness_ext.json_files import DamagedFileError
from harness_ext.store.item_files import DIGEST, ENDINGS, is_kept, write_items
from harness_ext.store.mteb_files import checked_scores, read_result_file

if TYPE_CHECKING:
    from mteb.timing import PhaseTiming

logger = logging.getLogger(__name__)


def write_result(result: TaskResult, path: Path, measure: Measure[Any]) -> None:
    """Write a result and its items. There are three differences from mteb's own `TaskResult.to_disk`.

    - Scores keep all their digits, so that they can be recomputed from the items.
    - The file and its items are written completely or not at all.
    - Splits and subsets that another run has written in the meantime stay.

    Results on different data (another dataset revision, such as `+unverified`) never mix. The earlier result is moved
    to the folder `other_data`, with a warning, and comes back with the next result on its data. A damaged file is moved
    to `damaged`.

    Args:
        result: The new result.
        path: `<Task>.json`.
        measure: The task's measure.
    """
    with _lock(path):
        _set_aside_if_damaged(path, measure)
        if path.is_file() and (other := TaskResult.from_disk(path).dataset_revision) != result.dataset_revision:
            _set_aside(path, other)
        superseded: dict[str, dict[tuple[str, str], str]] = {}
        if path.is_file() or _brought_back(path, result.dataset_revision):
            earlier = TaskResult.from_disk(path)
            superseded = {key: _digests(earlier, key) for key in ENDINGS}
            result = _newest(earlier, result)
        content = result.model_dump()
        content["date"] = result.date.timestamp() if result.date else None
        digests = {key: _digests(result, key) for key in ENDINGS}
        for key in ENDINGS:
            write_items(path, measure.items, digests[key], key, superseded.get(key))
        with whole_file(path) as partial:
            partial.write_text(json.dumps(content, indent=2), encoding="utf-8")
        for key, of_earlier in superseded.items():
            if of_earlier.items() - digests[key].items():
                write_items(path, measure.items, digests[key], key)


def _newest(earlier: TaskResult, result: TaskResult) -> TaskResult:
    """Merge both results. If both have a place, take the entry of `result`, unless mteb only read it at its start.

    Another run may have measured such an entry again in the meantime. Its items are not in memory.
    """
    there = _digests(earlier)
    stale = {
        place
        for place, digest in _digests(result).items()
        if not is_kept(digest) and there.get(place, digest) != digest
    }
    fresh = {
        split: [entry for entry in records if (split, entry["hf_subset"]) not in stale]
        for split, records in result.scores.items()
    }
    return _without_times_of(earlier, result).merge(result.model_copy(update={"scores": fresh}))


def _without_times_of(earlier: TaskResult, result: TaskResult) -> TaskResult:
    """Remove seconds and phases from the earlier result that the later result counts too.

    mteb saves a run after every subset and once more at its end, and each save counts from the beginning of the run.
    """
    if _entries(earlier).keys() <= _entries(result).keys():
        return earlier.model_copy(update=dict.fromkeys(("evaluation_time", "evaluation_phases", "kg_co2_emissions")))
    before, now = earlier.evaluation_phases or [], result.evaluation_phases or []
    for n in range(min(len(before), len(now)), 0, -1):
        if [*map(_length, before[-n:])] == [*map(_length, now[:n])]:
            seconds = before[-n]["start"] - now[0]["start"]
            return earlier.model_copy(update={"evaluation_time": seconds, "evaluation_phases": before[:-n]})
    return earlier


def _length(phase: PhaseTiming) -> tuple[str, str, str, float]:
    """Describe a phase without its place in the run; its length in microseconds, because merging rounds it."""
    return phase["name"], phase["split"], phase["subset"], round(phase["end"] - phase["start"], 6)


def _digests(result: TaskResult, key: str = DIGEST) -> dict[tuple[str, str], str]:
    return {place: entry[key] for place, entry in _entries(result).items() if key in entry}


def bring_back(path: Path, dataset_revision: str) -> bool:
    """Restore the result for data of this revision, if there is one; set the current one aside.

    Returns:
        Whether there is a result to restore.
    """
    if not _aside(path, dataset_revision).is_file():
        return False
    with _lock(path):
        if path.is_file():
            _set_aside(path, TaskResult.from_disk(path).dataset_revision)
        return _brought_back(path, dataset_revision)


def set_aside_if_damaged(path: Path, measure: Measure[Any]) -> None:
    """Move a damaged result, with its items, to the folder `damaged` beside it, with a warning."""
    if path.exists() and _damage(path, measure):
        with _lock(path):
            _set_aside_if_damaged(path, measure)


def _set_aside_if_damaged(path: Path, measure: Measure[Any]) -> None:
    if path.exists() and (damage := _damage(path, measure)):
        numbered = (path.parent / "damaged" / str(number) for number in itertools.count(1))
        aside = next(folder for folder in numbered if not folder.exists())
        _move(path, aside / path.name)
        logger.warning("%s It is in %s now, and its scores are not used.", damage, aside)


def _damage(path: Path, measure: Measure[Any]) -> str:
    """Describe the damage of a result file in a sentence; empty if it is sound."""
    try:
        for record in itertools.chain.from_iterable(read_result_file(path).scores.values()):
            checked_scores(record.values, measure, path)
        TaskResult.from_disk(path)
    except DamagedFileError as error:
        return str(error)
    except Exception as error:  # damage raises errors of many types
        return f"{path} is not a result as mteb writes them: {error!r}."
    return ""


def _lock(path: Path) -> FileLock:
    return FileLock(path.with_name(f".{path.name}.lock"))


def _aside(path: Path, dataset_revision: str) -> Path:
    """Path of the result on this data while `path` has a result on other data."""
    return path.parent / "other_data" / dataset_revision / path.name


def _set_aside(path: Path, dataset_revision: str) -> None:
    aside = _aside(path, dataset_revision)
    _move(path, aside)
    logger.warning("%s was computed on other data (%s); it is in %s now.", path.name, dataset_revision, aside.parent)


def _brought_back(path: Path, dataset_revision: str) -> bool:
    aside = _aside(path, dataset_revision)
    if there := aside.is_file():
        _move(aside, path)
        logger.warning("%s on the current data (%s) is back from %s.", path.name, dataset_revision, aside.parent)
    return there


def _move(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    items = [*path.parent.glob(f"{path.stem}.*items.parquet")]
    for file in items:
        shutil.copy(file, to.parent)
    path.replace(to)  # after its items are copied, before they are deleted
    for file in items:
        file.unlink()


def _entries(result: TaskResult) -> dict[tuple[str, str], dict[str, Any]]:
    """(split, subset) -> the entry with its scores."""
    return {
        (split, entry["hf_subset"]): entry  # type: ignore[misc]
        for split, records in result.scores.items()
        for entry in records
    }
