"""Reads result files for a board.

A new or changed file is checked, recomputed from its items and resampled; `board_cache.py` remembers all others. A
damaged or refused entry becomes a message and is not on the board.

Results of lm-eval are read too. Their samples are items, so scores are recomputed and resampled. But nothing binds the
samples to the scores or compares them with the pinned rows, so these results stay self-reported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from tqdm import tqdm

from harness_ext.catalogue.every_row import ENCODER_TASKS, LANGUAGE_MODEL_MEASURES
from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.json_files import DamagedFileError
from harness_ext.leaderboard.board_cache import BoardCache
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
from harness_ext.names import model_and_experiment
from harness_ext.results.entry import Entry, Results, kept
from harness_ext.results.lm_eval_output import LanguageModelEntry, read_output, result_files, sample_files
from harness_ext.results.load import mteb_files, read_result
from harness_ext.store.item_files import all_item_files

_FEW = 50
"""Each process has at least this many files to read, because its start takes seconds."""

_TOGETHER = 40
"""The number of files that a process reads between two messages."""


def read_cells(folders: Sequence[Path], cache: BoardCache, *, allow_unverified: bool = False) -> Iterator[Read]:
    """Read the results in folders. Unchanged files come from the cache.

    Args:
        folders: Each the `--output-folder` of `mteb run`, the `--output_path` of `lm-eval run`, or a folder with both.
        cache: The cache; it is brought up to date.
        allow_unverified: Whether to read results on data other than the pinned data too.

    Yields:
        The content of each file, in the order of folders and names; lm-eval's files, newest first.

    Raises:
        FileNotFoundError: A folder is missing; names it.
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
    new = sorted((file for file in files if file not in known), key=lambda file: file.name)  # a task's data once
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
    """Describe the state of a result file, its items and its model's metadata: names, sizes, times of change."""
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
        allow_unverified: Whether to read results on data other than the pinned data too.
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
    """Read the results of this project's tasks in a file of mteb or lm-eval.

    Raises:
        DamagedFileError: The file is damaged; names it.
    """
    return Results(tuple(read_result(file)), ()) if file.stem in ENCODER_TASKS else read_output(file)


def _problem(file: Path) -> str:
    """Check the file itself before it is read."""
    if link := next((path for path in (file, *file.parents[:2]) if path.is_symlink()), None):
        return f"{file}: {link} is a link, and links are not followed."
    if file.stat().st_size > MAX_JSON_BYTES:
        return f"{file}: {file.stat().st_size} bytes are too many for a result; at most {MAX_JSON_BYTES}."
    content = json_object(file)
    return str(content) if isinstance(content, Finding) else ""


def _items_problem(file: Path) -> str:
    """Check the items beside a result file before they are read."""
    items_type = ENCODER_TASKS[file.stem].measure.items
    for name, path in all_item_files(file, items_type):
        if (path.is_symlink() or path.is_file()) and (problem := _size_problem(path, MAX_PARQUET_BYTES, "items")):
            return problem
        if path.is_file() and (finding := items_problem(path, items_type.table_types()[name])):
            return str(finding)
    return ""


def _samples_problem(file: Path) -> str:
    """Check the samples beside lm-eval's result file before they are read."""
    problems = (_size_problem(path, MAX_SAMPLES_BYTES, "samples") for path in sample_files(file))
    return next(filter(None, problems), "")


def _size_problem(path: Path, most: int, kind: str) -> str:
    if path.is_symlink():
        return f"{path} is a link, and links are not followed."
    size = path.stat().st_size
    return f"{path}: {size} bytes are too many for {kind}; at most {most}." if size > most else ""


def _findings(entry: Entry, *, allow_unverified: bool) -> Iterator[Finding]:
    """Find the faults of an entry, and the reasons not to trust it further."""
    if not isinstance(entry, LanguageModelEntry):
        yield from _contradictions(entry)
        yield from recomputed(entry, allow_unverified=allow_unverified)
        return
    if entry.signature is None:
        yield Finding(entry.file, entry.task, "no samples", "samples", "Nothing says which data was measured. "
                      f"{entry.made_anew}")  # fmt: skip
        return
    other_rows = unverified(entry, allowed=allow_unverified)
    yield from other_rows
    if not any(one.refused for one in other_rows):
        yield from score_findings(entry)
    yield Finding(entry.file, entry.task, "", "", "The scores follow from lm-eval's samples. But nothing binds the "
                  "samples to the scores or compares them with the pinned rows.", refused=False)  # fmt: skip


def _contradictions(entry: Entry) -> Iterator[Finding]:
    """Find the parts of the signature that contradict the file."""
    if entry.signature is None:
        return
    signed = entry.signature
    says = {
        "task": (signed.task, entry.task),
        "split": (signed.split, entry.split),
        "subset": (signed.subset, entry.subset),
        "model": (signed.model, model_and_experiment(entry.model)[0]),
        "revision": (signed.revision, entry.revision),
        "dataset": (signed.dataset.rpartition("@")[2], entry.dataset_revision),
        "measure": (signed.measure.rpartition("-")[0], entry.measure.name),
    }
    for key, (found, expected) in says.items():
        if found != expected:
            yield Finding(entry.file, f"signature, {key}", found, expected, "The signature is of another result.")


def _resampled(entry: Entry) -> list[Resamples]:
    """Resample the main score, and the gain if there are own words."""
    measure = entry.measure
    of = {entry.digest or entry.items().digest(): measure.main}
    if entry.words_digest is not None:
        of[gain_digest(entry)] = gain_key(measure.main)
    found = []
    for digest, key in of.items():
        statistic = entry.statistic(key)
        drawn = statistic.resamples().astype(np.float32)
        found.append(Resamples(f"{measure.name}-{measure.version}", digest, statistic.effective_size, drawn))
    return found
