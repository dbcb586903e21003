"""The commands that write files, each with what is there before it and what is there after it.

A command works in a folder of its own: it reads `results`, writes to `out`, and its cache is `cache`.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
import shutil
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import datasets

from benchmarks.trials.results import FIRST, SECOND, measure, sound
from benchmarks.trials.signals import Child
from benchmarks.trials.trial import environment, harness_ext
from harness_ext.data.sources import Source, git_blob_hash
from harness_ext.datasets_scripts.polarity_pairs.polarity_pairs import PolarityPairs
from harness_ext.files import whole_file
from harness_ext.names import PINNED
from harness_ext.results.load import load_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

State = dict[str, bytes]
"""File, or whatever is read as one -> what a reader finds in it."""


@dataclass(frozen=True)
class Command:
    """A command that writes.

    Attributes:
        name: Of the command.
        prepare: Puts into a folder what is there before, by an earlier run or by nobody.
        work: Does it, in this process; raises an error if it does not end well. The command line where there is one
            for it is `line`.
        state: What a reader then finds.
        line: The arguments of `harness-ext`; none where it is mteb or `datasets` that works.
    """

    name: str
    prepare: Callable[[Path, bool], object]
    state: Callable[[Path], State]
    work: Callable[[Path], object]
    line: Callable[[Path], tuple[object, ...]] | None = None


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """All caches in the folder, and no network but for the sources of `download`."""
    variables = {"HARNESS_EXT_CACHE": str(folder / "cache"), "HF_HUB_OFFLINE": None, "HARNESS_EXT_MIRROR": None}
    sources = {**PolarityPairs.SOURCES, "reference": _sources()}
    with (
        environment(HF_DATASETS_OFFLINE=None, HARNESS_EXT_ALLOW_UNVERIFIED=None, **variables),
        mock.patch.object(PolarityPairs, "SOURCES", sources),
        mock.patch.object(datasets.config, "HF_DATASETS_CACHE", folder / "datasets"),
    ):
        yield


def told(line: tuple[object, ...]) -> None:
    """Do what a command line says.

    Raises:
        RuntimeError: It did not end well.
    """
    done = harness_ext(*line)
    if done.exit_code:
        raise RuntimeError(f"{line} ended with {done.exit_code}: {done.output}") from done.exception


def files_of(folder: Path) -> State:
    """Every file below, but for what a killed program leaves under `.incomplete-…`; no moment, and no folder's name."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".incomplete-") for part in path.parts):
            content = path.read_bytes()
            if path.parent.name == "every_eval_ever":
                content = re.sub(rb"\b\d{10}\b", b"", content)  # when it was written
            found[str(path.relative_to(folder))] = content
    return found


def _results(folder: Path, models: tuple[str, ...]) -> Path:
    """Results of these models, under a name of their number."""
    target = folder / f"of-{len(models)}"
    if not target.is_dir():
        target.mkdir()
        out = sound(target)
        for model in {FIRST, SECOND} - {*models}:
            shutil.rmtree(out / "results" / model.replace("/", "__"))
    return target / "out"


# a run: one model measured anew, and another


def _before_run(folder: Path, is_earlier: bool) -> None:
    if is_earlier:
        shutil.copytree(_results(folder, (FIRST,)), folder / "out", dirs_exist_ok=True)


def _run(folder: Path) -> None:
    measure(folder / "out", FIRST, overwrite_strategy="always")
    measure(folder / "out", SECOND)


def _run_state(folder: Path) -> State:
    """Each result, with the items that it was computed from."""
    if not [*(folder / "out").glob("results/*/*/*Mini.json")]:
        return {}
    found = load_results(folder / "out")
    return {
        **dict(zip(itertools.count(), found.problems)),  # type: ignore[dict-item]
        **{each.model: repr((sorted(each.scores.items()), each.items().digest())).encode() for each in found.entries},
    }


# a download, and the preparation of the rows


def _sentences(name: str, n: int) -> bytes:
    return "".join(f"the {name} number {number} was rather good .\n" for number in range(n)).encode()


@functools.cache
def _served() -> tuple[int, dict[str, bytes]]:
    """The port of a server that takes some time over each file, and its files."""
    found = {source.name: source.rows for source in PolarityPairs.SOURCES["reference"].values()}
    contents = {name: _sentences(name, n or 500) for name, n in found.items()}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = contents[Path(self.path).name]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            for start in range(0, len(content), 1 + len(content) // 4):
                self.wfile.write(content[start : start + 1 + len(content) // 4])
                self.wfile.flush()
                time.sleep(0.01)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:  # whoever asked was killed
            pass

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1], contents


@functools.cache
def _sources() -> dict[str, Source]:
    """As those of the dataset, but with made-up sentences at an address of this machine."""
    port, contents = _served()
    blobs = {}
    with tempfile.TemporaryDirectory() as name:
        for file, content in contents.items():
            (Path(name) / file).write_bytes(content)
            blobs[file] = git_blob_hash(Path(name) / file)
    return {
        key: Source(f"http://127.0.0.1:{port}/commit/{source.name}", blobs[source.name], source.rows)
        for key, source in PolarityPairs.SOURCES["reference"].items()
    }


def _before_download(folder: Path, is_earlier: bool) -> None:
    """A file that was cut off."""
    source = _sources()["pairs.0"]
    if is_earlier:
        path = folder / "cache" / source.relative_path
        path.parent.mkdir(parents=True)
        path.write_bytes(_served()[1][source.name][:100])


def _download(folder: Path) -> None:
    rows = datasets.load_dataset("polarity_pairs", "reference", revision=PINNED)
    (folder / "out").mkdir(exist_ok=True)
    with whole_file(folder / "out" / "rows.json") as partial:
        partial.write_text(json.dumps({split: part.to_list() for split, part in rows.items()}))


def _download_state(folder: Path) -> State:
    return files_of(folder / "cache") | files_of(folder / "out")


# commands of harness-ext, each over what an earlier one has written


def _before_export(folder: Path, is_earlier: bool) -> None:
    for name in ("default/naturalistic-00000-of-00001.parquet", "README.md") if is_earlier else ():
        path = folder / "out" / "compound_mini" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"earlier")


def _export(folder: Path) -> tuple[object, ...]:
    return "datasets", "export", folder / "out", "--dataset", "compound_mini"


def _report(folder: Path) -> tuple[object, ...]:
    return "report", _results(folder, (FIRST, SECOND)), "-o", folder / "out"


def _board(folder: Path) -> tuple[object, ...]:
    return "leaderboard", "build", _results(folder, (FIRST, SECOND)), "-o", folder / "out"


@functools.cache
def _earlier(command: str) -> Path:
    """What a command makes of the results of one model; in a child, for the threads of some packages stop a fork."""
    folder = Path(tempfile.mkdtemp(prefix="trials-"))
    results, out = _results(folder, (FIRST,)), folder / "out"
    lines = {"report": ("report", results, "-o", out), "board": ("leaderboard", "build", results, "-o", out)}
    with working_in(folder):
        if said := Child(folder, lambda: told(lines[command])).wait():
            raise RuntimeError(said)
    return out


def _before_pages(command: str, folder: Path, is_earlier: bool) -> None:
    """The script that draws charts, which takes seconds to make, is always there."""
    _results(folder, (FIRST, SECOND))
    for path in _earlier(command).rglob("*"):
        if path.is_file() and (is_earlier or path.name.startswith("charts-")):
            target = folder / "out" / path.relative_to(_earlier(command))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


def _written(folder: Path) -> State:
    return files_of(folder / "out")


def _of_line(name: str, prepare: Callable[[Path, bool], object], line: Callable[[Path], Any]) -> Command:
    return Command(name, prepare, _written, lambda folder: told(line(folder)), line)


COMMANDS = (
    Command("run", _before_run, _run_state, _run),
    Command("download", _before_download, _download_state, _download),
    _of_line("export", _before_export, _export),
    _of_line("report", functools.partial(_before_pages, "report"), _report),
    _of_line("board", functools.partial(_before_pages, "board"), _board),
)


@functools.cache
def reference(command: Command) -> tuple[State, float]:
    """What is there after the command has worked undisturbed, and in how many seconds, the less of two.

    Raises:
        RuntimeError: It did not end well.
    """
    states, seconds = [], []
    for is_earlier in (True, False):
        folder = Path(tempfile.mkdtemp(prefix="trials-"))
        with working_in(folder):
            command.prepare(folder, is_earlier)
            started = time.monotonic()
            if said := Child(folder, functools.partial(command.work, folder)).wait():
                raise RuntimeError(said)
            seconds.append(time.monotonic() - started)
            states.append(command.state(folder))
        shutil.rmtree(folder)
    if states[0] != states[1]:
        differing = sorted(name for name in states[0] | states[1] if states[0].get(name) != states[1].get(name))
        raise RuntimeError(f"{command.name} is not the same twice: {differing}")
    return states[0], min(seconds)
