"""Writes result files of this project's tasks: completely or not at all, with items, merged with
other runs.
"""

import itertools
import json
import logging
from pathlib import Path
from typing import Any

from filelock import FileLock
from mteb.results import TaskResult

from harness_ext.common.files import whole_file
from harness_ext.common.json_files import DamagedFileError
from harness_ext.measures.core.measure import Measure
from harness_ext.store.item_files import DIGEST, DIGESTS, is_kept, remove_unnamed, write_kept
from harness_ext.store.mteb_files import checked_scores, read_result_file

logger = logging.getLogger(__name__)

_Entries = dict[tuple[str, str], dict[str, Any]]
"""(split, subset) -> the entry with its scores."""


def write_result(result: TaskResult, path: Path, measure: Measure[Any]) -> None:
    """Write a result and its items. There are three differences from mteb's own
    `TaskResult.to_disk`.

    - Scores keep all their digits, so that they can be recomputed from the items.
    - The file and its items are written completely or not at all; items that it no longer names are
      removed.
    - Splits and subsets that another run has written in the meantime stay.

    A damaged result, one of another version of the measure, and one on different data (another
    dataset revision, such as `+unverified`), is renamed to `<Task>.json.set-aside-1`, with a
    warning, and keeps its items.
    """
    with FileLock(path.with_name(f".{path.name}.lock")):
        reason = unusable(path, measure, result.dataset_revision)
        if reason:
            aside = _set_aside(path)
            logger.warning("%s It is %s now, and its scores are not used.", reason, aside)
        entries: _Entries = {}
        if path.exists():
            entries = _entries(TaskResult.from_disk(path))
        for place, entry in _entries(result).items():
            # mteb writes again what it read at its start, and another run may have measured that
            # again since
            if place not in entries or DIGEST not in entry or is_kept(entry[DIGEST]):
                entries[place] = entry
        scores: dict[str, list[dict[str, Any]]] = {}
        for (split, _), entry in entries.items():
            scores.setdefault(split, []).append(entry)
        digests: list[str] = []
        for entry in entries.values():
            digests += [entry[key] for key in DIGESTS if key in entry]
        write_kept(path, measure.items, digests)
        content = {
            **result.model_dump(),
            "scores": scores,
            "date": result.date.timestamp() if result.date else None,
        }
        with whole_file(path) as partial:
            partial.write_text(json.dumps(content, indent=2), encoding="utf-8")
        remove_unnamed(path, measure.items)


def _set_aside(path: Path) -> Path:
    """Rename a file to the first free `<name>.set-aside-<number>`."""
    for number in itertools.count(1):
        aside = path.with_name(f"{path.name}.set-aside-{number}")
        if not aside.exists():
            break
    return path.replace(aside)


def unusable(
    path: Path,
    measure: Measure[Any],
    dataset_revision: str | None,
) -> str:
    """Say why a result is not used: it is damaged, of another definition, or on other data; nothing
    if it is sound.
    """
    if not path.exists():
        return ""
    try:
        result = read_result_file(path)
        records = [*itertools.chain.from_iterable(result.scores.values())]
        for record in records:
            checked_scores(record.values, measure, path)
        TaskResult.from_disk(path)
    except DamagedFileError as error:
        return str(error)
    except Exception as error:  # damage raises errors of many types
        return f"{path} is not a result as mteb writes them: {error!r}."
    revision = result.dataset_revision
    if revision != dataset_revision:
        return (
            f"{path} was computed on other data ({revision}) than the current data "
            f"({dataset_revision})."
        )
    definitions = {record.signature.measure for record in records if record.signature}
    earlier = ", ".join(sorted(definitions - {measure.definition}))
    if not earlier:
        return ""
    return f"{path} is of {earlier}; today's definition is {measure.definition}."


def _entries(result: TaskResult) -> _Entries:
    entries: _Entries = {}
    for split, records in result.scores.items():
        for entry in records:
            entries[split, entry["hf_subset"]] = entry  # type: ignore[assignment]
    return entries
