"""Reading result files for a board.

A file is read when it is new or has changed (`board_cache.py` remembers the others): checked, recomputed from its
items, resampled. A damaged or refused entry becomes a message and is not on the board.

What lm-eval wrote is read too. Its samples are items, so that its scores are recomputed and resampled; but nothing
binds them to the scores, and they are not compared with the pinned rows, so that it stays self-reported.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from harness_ext.catalogue.every_row import ENCODER_TASKS, LANGUAGE_MODEL_MEASURES
from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.json_files import DamagedFileError
from harness_ext.leaderboard.cell import Cell, Read, Resamples, gain_digest
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.recompute import recomputed, score_findings, unverified
from harness_ext.leaderboard.checks.submitted_files import (
    MAX_JSON_BYTES,
    MAX_PARQUET_BYTES,
    MAX_SAMPLES_BYTES,
    items_problem,
    json_object,
)
from harness_ext.results.entry import Entry, Results, kept
from harness_ext.results.lm_eval_output import LanguageModelEntry, read_output, result_files, sample_files
from harness_ext.results.load import mteb_files, read_result
from harness_ext.store.item_files import all_item_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from harness_ext.leaderboard.board_cache import BoardCache

_FEW = 50
"""Fewer files than these are read by this process alone: another one takes seconds to start."""

_TOGETHER = 40
"""Files that a process reads between two messages."""


def read_cells(folders: Sequence[Path], cache: BoardCache, *, allow_unverified: bool = False) -> Iterator[Read]:
    """Read the results below folders, those that were not changed from the cache.

    Args:
        folders: Each the `--output-folder` of `mteb run`, the `--output_path` of `lm-eval run`, or one with both in it.
        cache: Is brought up to date.
        allow_unverified: Whether results on other data than the pinned are read too.

    Yields:
        What each file holds, in the order of the folders and names; of lm-eval's, the newest first.

    Raises:
        FileNotFoundError: There is no such folder; names it.
    """
    files: dict[Path, str] = {}
    for folder in folders:
        if not folder.is_dir():
            raise FileNotFoundError(
                f"{folder}: no such folder. Name the --output-folder of `mteb run`, or the --output_path of "
                "`lm-eval run`."
            )
        found = sorted(file for file in mteb_files(folder) if file.stem in ENCODER_TASKS) + result_files(folder)[::-1]
        files |= {file: f"{allow_unverified} {state}" for file, state in zip(found, _states(found), strict=True)}
    known = cache.reads(files)
    new = [file for file in files if file not in known]
    for file, read in zip(new, _read_all(new, partial(read_file, allow_unverified=allow_unverified)), strict=True):
        cache.keep(file, files[file], read)
        known[file] = read
    cache.commit()
    for file in files:
        yield known[file]


def _read_all(files: list[Path], read: Callable[[Path], Read]) -> Iterator[Read]:
    steps = tqdm(total=len(files), desc="Results", unit="file", disable=None if len(files) > 1 else True)
    with steps:
        for found in _in_processes(files, read):
            steps.update()
            yield found


def _in_processes(files: list[Path], read: Callable[[Path], Read]) -> Iterator[Read]:
    processes = min(os.cpu_count() or 1, len(files) // _FEW)
    if processes < 2:
        yield from map(read, files)
        return
    parts = [files[start : start + _TOGETHER] for start in range(0, len(files), _TOGETHER)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for reads in pool.map(partial(_read_files, read), parts):
            yield from reads


def _read_files(read: Callable[[Path], Read], files: list[Path]) -> list[Read]:
    return [read(file) for file in files]


def _states(files: Iterable[Path]) -> Iterator[str]:
    """What changes whenever a result file, its items or its model's metadata do: names, sizes, times of change."""
    folder, there = Path(), {}
    for file in files:
        if file.parent != folder:
            folder = file.parent
            with os.scandir(folder) as found:
                there = {one.name: one.stat(follow_symlinks=False) for one in found}
        if file.stem in ENCODER_TASKS:
            measures = [ENCODER_TASKS[file.stem].measure]
            beside = [folder / "model_meta.json", *(path for _, path in all_item_files(file, measures[0].items))]
        else:
            measures, beside = list(LANGUAGE_MODEL_MEASURES.values()), sample_files(file)
        states = [(path.name, there[path.name].st_size, there[path.name].st_mtime_ns)
                  for path in (file, *beside) if path.name in there]  # fmt: skip
        yield repr(([f"{measure.name}-{measure.version}" for measure in measures], states))


def read_file(file: Path, *, allow_unverified: bool = False) -> Read:
    """Read one result file, with its items.

    Args:
        file: The file.
        allow_unverified: Whether results on other data than the pinned are read too.
    """
    is_task = file.stem in ENCODER_TASKS
    if problem := _problem(file) or (_items_problem(file) if is_task else _samples_problem(file)):
        return Read((), (problem,))
    try:
        found = read_entries(file)
    except DamagedFileError as error:
        return Read((), (str(error),))
    cells, problems, resamples = [], [*found.problems], []
    for entry in map(kept, found.entries):
        try:
            findings = list(_findings(entry, allow_unverified=allow_unverified))
            has_items = entry.digest or isinstance(entry, LanguageModelEntry)
            drawn = _resampled(entry) if has_items and not any(one.refused for one in findings) else []
        except Exception as error:  # a stranger's items can fail a measure in any way
            problems.append(f"{file}: {entry.split} {entry.subset}: no score can be computed from its items: {error!r}")
            continue
        if refused := [str(one) for one in findings if one.refused]:
            more = f" And {len(refused) - 1} more of this kind." if len(refused) > 1 else ""
            problems.append(f"{refused[0]} (in {entry.split} {entry.subset}){more}")
            continue
        cells.append(Cell.of(entry, tuple(one.message for one in findings), drawn[0].digest if drawn else None))
        resamples += drawn
    return Read(tuple(cells), tuple(problems), tuple(resamples))


def read_entries(file: Path) -> Results:
    """What a result file of mteb's or lm-eval's holds of this project's tasks.

    Raises:
        DamagedFileError: It is damaged; names it.
    """
    return Results(tuple(read_result(file)), ()) if file.stem in ENCODER_TASKS else read_output(file)


def _problem(file: Path) -> str:
    """Why a file is not to be read at all."""
    if link := next((path for path in (file, *file.parents[:2]) if path.is_symlink()), None):
        return f"{file}: {link} is a link, and links are not followed."
    if file.stat().st_size > MAX_JSON_BYTES:
        return f"{file}: {file.stat().st_size} bytes are too many for a result; at most {MAX_JSON_BYTES}."
    content = json_object(file)
    return str(content) if isinstance(content, Finding) else ""


def _items_problem(file: Path) -> str:
    """Why the items beside a result file are not to be read."""
    items_type = ENCODER_TASKS[file.stem].measure.items
    for name, path in all_item_files(file, items_type):
        if (path.is_symlink() or path.is_file()) and (problem := _size_problem(path, MAX_PARQUET_BYTES, "items")):
            return problem
        if path.is_file() and (finding := items_problem(path, items_type.table_types()[name])):
            return str(finding)
    return ""


def _samples_problem(file: Path) -> str:
    """Why the samples beside lm-eval's result file are not to be read."""
    problems = (_size_problem(path, MAX_SAMPLES_BYTES, "samples") for path in sample_files(file))
    return next(filter(None, problems), "")


def _size_problem(path: Path, most: int, what: str) -> str:
    if path.is_symlink():
        return f"{path} is a link, and links are not followed."
    size = path.stat().st_size
    return f"{path}: {size} bytes are too many for {what}; at most {most}." if size > most else ""


def _findings(entry: Entry, *, allow_unverified: bool) -> Iterator[Finding]:
    """What is wrong with an entry, or keeps it from being trusted further."""
    if not isinstance(entry, LanguageModelEntry):
        yield from _contradictions(entry)
        yield from recomputed(entry, allow_unverified=allow_unverified)
        return
    if entry.signature is None:
        yield Finding(entry.file, entry.task, "no samples", "samples", "Nothing says what data the scores are of. "
                      f"{entry.made_anew}")  # fmt: skip
        return
    other_rows = unverified(entry, allowed=allow_unverified)
    yield from other_rows
    if not any(one.refused for one in other_rows):
        yield from score_findings(entry)
    yield Finding(entry.file, entry.task, "", "", "The scores follow from lm-eval's samples, but nothing binds them to "
                  "those, and the samples are not compared with the pinned rows.", refused=False)  # fmt: skip


def _contradictions(entry: Entry) -> Iterator[Finding]:
    """Where the signature says that the scores are of something else than the file does."""
    if entry.signature is None:
        return
    signed = entry.signature
    says = {
        "task": (signed.task, entry.task),
        "split": (signed.split, entry.split),
        "subset": (signed.subset, entry.subset),
        "model": (signed.model, entry.model.partition(" [")[0]),
        "revision": (signed.revision, entry.revision),
        "dataset": (signed.dataset.rpartition("@")[2], entry.dataset_revision),
        "measure": (signed.measure.rpartition("-")[0], entry.measure.name),
    }
    for key, (found, expected) in says.items():
        if found != expected:
            yield Finding(entry.file, f"signature, {key}", found, expected, "The signature is of another result.")


def _resampled(entry: Entry) -> list[Resamples]:
    """Of the main score, and of the gain where there are own words."""
    measure = entry.measure
    of = {entry.digest or entry.items().digest(): measure.main}
    if entry.words_digest is not None:
        of[gain_digest(entry)] = gain_key(measure.main)
    found = []
    for digest, key in of.items():
        statistic = entry.statistic(key)
        drawn = entry.resamples() if key == measure.main else statistic.resamples()  # those of an entry are remembered
        found.append(
            Resamples(f"{measure.name}-{measure.version}", digest, statistic.effective_size, drawn.astype(np.float32))
        )
    return found
