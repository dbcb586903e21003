"""The worst submissions of 1 MB: `verify` and `build` end within a minute of a processor and little
memory, or refuse them.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from harness_ext.results.load import read_result
from harness_ext.store.item_files import DIGEST
from tests.items_check import write_items
from tests.planted import COMMIT

MEGABYTE = 10**6
MOST_SECONDS = 60
"""Of a processor, for all processes of a command together."""

MOST_MEMORY = 400
"""Megabytes of the command's own process; the two that read for it have limits of their own."""

MEASURED = """
import re, sys
from pathlib import Path
from harness_ext.__main__ import main

try:
    main()
except SystemExit as ended:
    peak = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]
    print(ended.code, peak, file=sys.stderr)
"""
"""Runs a command, and prints its exit status and the peak of its memory in KB."""


def repeated(items, times):
    """The items, each row so many times, with few different numbers: they pack into nothing."""
    tables = {}
    for name, table in items.tables().items():
        columns = {}
        for column, values in table.values().items():
            few = values.round(1) if values.dtype.kind == "f" else values
            columns[column] = np.repeat(few, times)
        tables[name] = type(table).of(columns)
    return replace(items, **tables)


def many_items(submission, times=50):
    """A result with about as many items as may be, whose digest is right."""
    (entry,) = read_result(submission.file)
    items = repeated(entry.items(), times)
    submission.edit_entry(**{DIGEST: write_items(submission.file, items)})


def many_files_of_many_items(submission):
    """The same of as many models as there is room for."""
    many_items(submission)
    size = sum(file.stat().st_size for file in submission.of_model.iterdir())
    folder = submission.of_model
    for number in range(min(150, MEGABYTE // size) - 1):
        copy = submission.folder / "results" / f"planted__m{number}" / COMMIT
        shutil.copytree(folder, copy)
        file = copy / "model_meta.json"
        meta = json.loads(file.read_text())
        file.write_text(json.dumps(meta | {"name": f"planted/m{number}"}))


def many_keys(submission):
    """Scores that no measure has."""
    submission.edit_entry(**{f"n_excluded_{number}": number for number in range(35_000)})


def long_numbers(submission):
    """Numbers with so many digits as Python reads, a thousand together, and deep lists."""
    submission.edit_entry(numbers=[10**4_299] * 200, deep=json.loads("[" * 400 + "]" * 400))


def many_results(submission):
    """A thousand small files: results without items of as many models."""
    content = json.loads(submission.file.read_text())
    (records,) = content["scores"].values()
    kept = ("hf_subset", "main_score", "languages", "signature")
    records[0] = {key: records[0][key] for key in kept}
    meta = {"name": "", "revision": COMMIT}
    for number in range(480):
        copy = submission.folder / "results" / f"planted__m{number}" / COMMIT
        copy.mkdir(parents=True)
        (copy / submission.file.name).write_text(json.dumps(content))
        (copy / "model_meta.json").write_text(json.dumps(meta | {"name": f"planted/m{number}"}))


WORST = (many_items, many_files_of_many_items, many_keys, long_numbers, many_results)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says the peak")
@pytest.mark.parametrize("worst", WORST, ids=[worst.__name__ for worst in WORST])
@pytest.mark.parametrize("command", ["verify", "leaderboard build"])
def test_a_megabyte_takes_a_minute_at_most(command, worst, submission, tmp_path):
    worst(submission)
    files = [file for file in submission.folder.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 1.1 * MEGABYTE
    line = [sys.executable, "-c", MEASURED, *command.split(), str(submission.folder)]
    if command != "verify":
        line += ["--output", str(tmp_path / "site")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    status, peak = done.stderr.split()[-2:]
    assert status in {"0", "1"}, done.stderr[-2000:]
    assert seconds < MOST_SECONDS
    assert int(peak) // 1024 < MOST_MEMORY, f"{seconds:.0f} s, {int(peak) // 1024} MB"
    print(command, worst.__name__, f"{seconds:.0f} s, {int(peak) // 1024} MB")
