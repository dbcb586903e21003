"""Computes the results of a folder again from their items, by today's definitions: what needs no
vectors.

These are scores, intervals, counts of units, gains and what lies over matched noise. Items that
lack a column of today, or are of an earlier reading of the same files, are joined to the rows of
the data, which must be at hand. What a run alone knows stays, such as the error of the additive
baseline. Matched noise of version 1.0 is removed: its definition has changed, and no vectors are
here to make it anew.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from harness_ext.common.files import whole_file
from harness_ext.data.sources import SourceError
from harness_ext.leaderboard.checks.trust import TOLERANCE
from harness_ext.leaderboard.joined_items import joined
from harness_ext.measures.core.baseline_keys import (
    ADDITIVE,
    NOISE,
    has_first_noise,
    keys_of_the_run,
    p_value_key,
)
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import interval_keys
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import is_output
from harness_ext.results.load import all_result_files, read_result
from harness_ext.store.item_files import (
    DIGEST,
    ItemsError,
    keep,
    read_columns,
    remove_unnamed,
    write_kept,
)
from harness_ext.store.signature import Signature
from harness_ext.tasks import TASKS
from harness_ext.tasks.data import data_revision, load_rows

Record = dict[str, Any]
"""The scores of a subset in a result file, with signature and digests."""


def _versions_of_1_0() -> dict[str, int]:
    file = files("harness_ext.leaderboard") / "versions_of_1_0.csv"
    lines = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return {line["measure"]: int(line["version"]) for line in lines}


VERSIONS_OF_1_0 = _versions_of_1_0()
"""Measure -> its version in 1.0. Items of an earlier one may be of other comparisons, so its
results are not computed again.
"""


@dataclass(frozen=True)
class Recomputed:
    """What became of the scores of one split and subset in a result file.

    Attributes:
        file: The result file.
        place: Split and subset.
        said: What changed, or why nothing could be computed.
    """

    file: Path
    place: tuple[str, str]
    said: str

    def __str__(self) -> str:
        """A line."""
        return f"{self.file} ({' '.join(self.place)}): {self.said}"


def compute_again(folder: str | Path) -> list[Recomputed]:
    """Rewrite the result files of mteb below a folder by today's definitions, such as a board's.

    A result that follows from its items already stays as it is, so a second run changes nothing.
    The signature of a rewritten result names the definition that it had before (`recomputed`).

    Args:
        folder: A board, or the `--output-folder` of `mteb run`.

    Returns:
        What changed, and which results could not be computed, with the reason.

    Raises:
        FileNotFoundError: There is no such folder.
        DamagedFileError: A result file is damaged; names file and key. Files before it are
            rewritten.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder. Name a board, or a folder of results.")
    changes: list[Recomputed] = []
    for file in all_result_files(folder):
        if not is_output(file.name):  # of lm-eval: computed from its samples whenever it is read
            changes += _compute_file(file)
    return changes


def _compute_file(file: Path) -> Iterator[Recomputed]:
    """Rewrite one result file, if anything in it changes."""
    yield from _join_items(file)
    content = json.loads(file.read_text(encoding="utf-8"))
    entries = {(entry.split, entry.subset): entry for entry in read_result(file)}
    is_changed = False
    for split, records in content["scores"].items():
        for number, record in enumerate(records):
            place = (split, record["hf_subset"])
            try:
                again = _again(entries[place], record)
            except _NotComputedError as error:
                yield Recomputed(file, place, str(error))
                continue
            if again != record:
                records[number] = again
                is_changed = True
                yield Recomputed(file, place, _difference(record, again))
    if is_changed:
        with whole_file(file) as partial:
            partial.write_text(json.dumps(content, indent=2), encoding="utf-8")
        for entry in entries.values():
            remove_unnamed(file, entry.measure.items)


class _NotComputedError(Exception):
    """Scores cannot be computed; says why."""


def _join_items(file: Path) -> Iterator[Recomputed]:
    """Join the items of a result to the rows of the data, if they lack a column of today or are of
    an earlier reading of the same files. All items of a file are written together.
    """
    earlier = [
        entry
        for entry in read_result(file)
        if _lacks_columns(entry) or _is_of_an_earlier_reading(entry)
    ]
    if not earlier:
        return
    content = json.loads(file.read_text(encoding="utf-8"))
    joined_items: list[Items] = []
    changes: list[Recomputed] = []
    for entry in earlier:
        place = (entry.split, entry.subset)
        try:
            items_of_entry = _joined_to_rows(entry)
            signature = _signed_by_data_of_today(entry)
        except (SourceError, ItemsError, ValueError, KeyError) as error:
            yield Recomputed(file, place, f"its items are not of today's rows: {error}")
            return
        record = _record(content, place)
        for key, items in items_of_entry.items():
            record[key] = keep(items)
            joined_items.append(items)
        if has_first_noise(entry.scores, entry.measure.main):
            for key in _noise_keys(entry.measure.main):
                record.pop(key, None)
        record["signature"] = str(signature)
        changes.append(Recomputed(file, place, "joined to the rows of the data"))
    content["dataset_revision"] = data_revision(TASKS[earlier[0].task])
    digests = [items.digest() for items in joined_items]
    write_kept(file, earlier[0].measure.items, digests)
    with whole_file(file) as partial:
        partial.write_text(json.dumps(content, indent=2), encoding="utf-8")
    yield from changes


def _lacks_columns(entry: Entry) -> bool:
    """Whether the stored items of an entry lack a column of today."""
    if DIGEST not in entry.digests:
        return False
    try:
        stored = read_columns(entry.file, entry.digests[DIGEST])
    except ItemsError:
        return False  # said where its scores are computed
    for name, table_type in entry.measure.items.table_types().items():
        if not table_type.columns().keys() <= stored.get(name, {}).keys():
            return True
    return False


def _is_of_an_earlier_reading(entry: Entry) -> bool:
    """Whether an entry is of the same files as today's data, read into other columns: a revision is
    that of the files, and a number (`COMMIT-2`) where they are read in another way.
    """
    if entry.signature is None or entry.task not in TASKS:
        return False
    dataset, _, revision = entry.signature.dataset.partition("@")
    data = TASKS[entry.task].dataset
    files_of_today, _, number = data["revision"].partition("-")
    files_of_entry, _, number_of_entry = revision.partition("-")
    return (
        dataset == data["path"]
        and files_of_entry == files_of_today
        and number_of_entry != number
        and number.isdecimal()
        and (number_of_entry or "0").isdecimal()
    )


def _joined_to_rows(entry: Entry) -> dict[str, Items]:
    """The items of an entry, of its additive baseline and of its matched noise, by their keys in a
    record.
    """
    rows = load_rows(TASKS[entry.task], entry.split, entry.subset).to_list()
    measure: Any = entry.measure
    plan = measure.planned(rows, entry.split)
    digest = entry.digests[DIGEST]
    items_of_entry = {DIGEST: joined(plan, read_columns(entry.file, digest))}
    compared = [ADDITIVE.items]
    if not has_first_noise(entry.scores, entry.measure.main):
        compared.append(NOISE.items)
    plan_of_baselines = plan.of_baselines()
    for key in compared:
        if key in entry.digests:
            stored = read_columns(entry.file, entry.digests[key])
            items_of_entry[key] = joined(plan_of_baselines, stored)
    return items_of_entry


def _signed_by_data_of_today(entry: Entry) -> Signature:
    """The signature of an entry whose items are joined to today's data."""
    if entry.signature is None:
        raise ValueError("It has no signature, so nothing says by which definition it is.")
    task = TASKS[entry.task]
    revision = data_revision(task, entry.split, entry.subset)
    return replace(entry.signature, dataset=f"{task.dataset['path']}@{revision}")


def _record(content: Mapping[str, Any], place: tuple[str, str]) -> Record:
    """The record of a split and subset in the content of a result file."""
    split, subset = place
    (record,) = [record for record in content["scores"][split] if record["hf_subset"] == subset]
    return record


def _again(entry: Entry, record: Record) -> Record:
    """A record by today's definitions; the same record if it follows from its items."""
    measure = entry.measure
    if entry.signature is None:
        raise _NotComputedError("it has no signature, so nothing says by which definition it is.")
    _, _, version = entry.signature.measure.rpartition("-")
    first = VERSIONS_OF_1_0.get(measure.name, measure.version)
    if not version.isdecimal() or not first <= int(version) <= measure.version:
        raise _NotComputedError(
            f"it is by {entry.signature.measure}, and scores by {measure.definition} follow from "
            f"items of {measure.name}-{first} and later. {entry.how_to_repeat}"
        )
    has_noise = has_first_noise(entry.scores, measure.main)
    if has_noise:
        entry = _without_noise(entry)
    try:
        computed = entry.recomputed()
    except ItemsError as error:
        raise _NotComputedError(str(error)) from None
    if measure.main not in computed:
        raise _NotComputedError(f"{measure.main} is not defined for its items.")
    is_of_today = not entry.is_of_another_version and not has_noise
    if is_of_today and _are_equal(entry, computed):
        return record
    return _rewritten(entry, record, computed)


def _without_noise(entry: Entry) -> Entry:
    """An entry without matched noise."""
    keys = _noise_keys(entry.measure.main)
    scores = {key: score for key, score in entry.scores.items() if key not in keys}
    digests = {key: digest for key, digest in entry.digests.items() if key not in keys}
    return replace(entry, scores=scores, digests=digests)


def _noise_keys(main: str) -> set[str]:
    """The keys of matched noise in a record."""
    difference = NOISE.difference_key(main)
    return {
        NOISE.items,
        NOISE.score_key(main),
        difference,
        *interval_keys(difference),
        p_value_key(difference),
    }


def _are_equal(entry: Entry, computed: Mapping[str, float]) -> bool:
    """Whether the stored scores are the computed ones."""
    stored = _computable(entry.measure, entry.scores)
    if stored.keys() != computed.keys():
        return False
    return all(abs(stored[key] - score) <= TOLERANCE for key, score in computed.items())


def _computable(measure: Measure[Any], scores: Mapping[str, Any]) -> dict[str, Any]:
    """The scores that follow from items."""
    of_the_run = keys_of_the_run(measure.compared_keys)
    return {
        key: score
        for key, score in scores.items()
        if key in measure.declarations and key not in of_the_run
    }


def _rewritten(
    entry: Entry,
    record: Record,
    computed: Mapping[str, float],
) -> Record:
    """A record with computed scores in place of its own."""
    measure = entry.measure
    gone = _computable(measure, record).keys() - computed.keys()
    if NOISE.items not in entry.digests:
        gone |= _noise_keys(measure.main)
    again = {key: value for key, value in record.items() if key not in gone}
    again |= computed
    again["main_score"] = computed[measure.main]
    assert entry.signature is not None  # `_again` refuses it
    signature = replace(
        entry.signature,
        measure=measure.definition,
        recomputed=entry.signature.recomputed or entry.signature.measure,
    )
    again["signature"] = str(signature)
    return again


def _difference(before: Record, after: Record) -> str:
    """Say what changed in a record."""
    parts = []
    was = before["main_score"]
    now = after["main_score"]
    if abs(was - now) > TOLERANCE:
        parts.append(f"main score {was:.6f}, now {now:.6f}")
    gone = sorted(before.keys() - after.keys())
    if gone:
        parts.append(f"removed {', '.join(gone)}")
    n_moved = sum(
        key in before and isinstance(value, float) and abs(before[key] - value) > TOLERANCE
        for key, value in after.items()
    )
    parts.append(f"{n_moved} numbers moved")
    return "; ".join(parts)
