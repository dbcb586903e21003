"""The commands that write files: what each leaves of the results of one model, and then of two.

A command works in a folder of its own: it reads results of as many models in `of-1` or `of-2`, and writes to `out`.
"""

import functools
import shutil
import tempfile
import time
from pathlib import Path
from unittest import mock

from harness_ext.results.load import load_results
from tests.hostile.child_process import Child
from tests.hostile.judge import harness_ext
from tests.hostile.planted_results import FIRST, SECOND, file_of, measure, sound

MODELS = (FIRST, SECOND)
LINES = {
    "export": lambda given, out: ("datasets", "export", out, "--dataset", "compound_mini"),
    "report": lambda given, out: ("report", given, "-o", out),
    "board": lambda given, out: ("leaderboard", "build", given, "-o", out),
}
"""The arguments of `harness-ext`: what it is given, and where it writes."""

COMMANDS = ("run", *LINES)


def do(name, folder, n_models=2):
    """Do what a command does; the command line that has ended, if there is one."""
    with mock.patch.dict("os.environ", {"HARNESS_EXT_CACHE": str(folder / "cache")}):
        if name != "run":
            return harness_ext(*LINES[name](folder / f"of-{n_models}" / "out", folder / "out"))
        for model in MODELS[:n_models]:
            measure(folder / "out", model, overwrite_strategy="always")
        return None


def _do_well(name, folder, n_models=2):
    done = do(name, folder, n_models)
    if done and done.exit_code:
        raise RuntimeError(f"{name} ended with {done.exit_code}: {done.output}") from done.exception


def child(name, folder, limit=None, n_models=2):
    """Do what a command does in a process of its own, which says what went wrong."""
    return Child(folder, limit, _do_well, name, folder, n_models)


def prepare(name, folder, is_earlier):
    """Put into a folder what the command reads, and what an earlier one has written of the results of one model."""
    for n in (1, 2):
        sound(folder / f"of-{n}")
    shutil.rmtree(file_of(folder / "of-1" / "out", SECOND).parents[1])
    if is_earlier:
        shutil.copytree(_earlier(name), folder / "out", dirs_exist_ok=True)


@functools.cache
def _earlier(name):
    folder = Path(_temporary().name, name)
    folder.mkdir()
    prepare(name, folder, False)
    if said := child(name, folder, n_models=1).wait():
        raise RuntimeError(said)
    return folder / "out"


@functools.cache
def _temporary():
    return tempfile.TemporaryDirectory()  # removed when this process ends


def state(name, folder):
    """What a reader finds in `out`: of a run each result with its items, else each file.

    What a killed program leaves under `.incomplete-…` is not read.
    """
    out = folder / "out"
    if name == "run":
        if not [*out.glob("results/*/*/*Mini.json")]:
            return {}
        results = load_results(out)
        entries = {each.model: repr((sorted(each.scores.items()), each.items().digest())) for each in results.entries}
        return {**dict(enumerate(results.problems)), **entries}
    files = {}
    for path in sorted(out.rglob("*")):
        if path.is_file() and not any(part.startswith(".incomplete-") for part in path.parts):
            files[str(path.relative_to(out))] = path.read_bytes()
    return files


@functools.cache
def reference(name):
    """What is there after the command has worked undisturbed, and in how many seconds.

    Raises:
        RuntimeError: It did not end well, or leaves another output over an earlier one.
    """
    states, seconds = [], []
    for is_earlier in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            prepare(name, Path(folder), is_earlier)
            started = time.monotonic()
            if said := child(name, Path(folder)).wait():
                raise RuntimeError(said)
            seconds.append(time.monotonic() - started)
            states.append(state(name, Path(folder)))
    if states[0] != states[1]:
        differing = sorted(key for key in states[0] | states[1] if states[0].get(key) != states[1].get(key))
        raise RuntimeError(f"{name} is not the same twice: {differing}")
    return states[0], min(seconds)


def not_whole(left, before, after):
    """What is gone of what was there, or is neither as before nor as afterwards."""
    if gone := sorted(before.keys() - left.keys()):
        return f"lost: {gone[0]} is gone"
    half = sorted(name for name, content in left.items() if content not in (before.get(name), after.get(name)))
    return f"silent: {half[0]} is neither as before nor as afterwards" if half else ""


def again(name, folder):
    """What is wrong when the command is run again, if anything is."""
    after, _ = reference(name)
    if said := child(name, folder).wait():
        return f"raw: run again: {said.strip().splitlines()[-1]}"
    return "" if state(name, folder) == after else "silent: other output when it is run again"
