"""The commands that write files, each with what is there before it and what a reader finds after it.

A command works in a folder of its own: it reads the results of `of-1` or `of-2` models, writes to `out`, and its cache
is `cache`.
"""

import functools
import itertools
import json
import re
import resource
import shutil
import signal
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

import datasets

from harness_ext.data.sources import Source, git_blob_hash
from harness_ext.datasets_scripts.polarity_pairs.polarity_pairs import PolarityPairs
from harness_ext.files import whole_file
from harness_ext.names import PINNED
from harness_ext.results.load import load_results
from tests.hostile.child_process import Child
from tests.hostile.judge import harness_ext as run_harness_ext
from tests.hostile.planted_results import FIRST, SECOND, measure, sound

MODELS = (FIRST, SECOND)


@contextmanager
def working_in(folder, sources):
    """All caches in the folder, and no network but for the sources of `download`."""
    variables = {"HARNESS_EXT_CACHE": str(folder / "cache")}
    removed = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HARNESS_EXT_MIRROR", "HARNESS_EXT_ALLOW_UNVERIFIED")
    with (
        mock.patch.dict("os.environ", variables) as environ,
        mock.patch.object(PolarityPairs, "SOURCES", {**PolarityPairs.SOURCES, "reference": sources}),
        mock.patch.object(datasets.config, "HF_DATASETS_CACHE", folder / "datasets"),
    ):
        for name in removed:
            environ.pop(name, None)
        yield


@dataclass(frozen=True)
class Command:
    """A command that writes.

    Attributes:
        name: Of the command.
        prepare: Puts into a folder what is there before, by an earlier run or by nobody.
        state: What a reader then finds: file, or whatever is read as one -> content.
        work: Does it; None where `line` does.
        line: The arguments of `harness-ext`; None where it is mteb or `datasets` that works.
    """

    name: str
    prepare: object
    state: object
    work: object = None
    line: object = None

    def child(self, folder, limit=None):
        """Do it in a process of its own, within a limit of the system, such as (RLIMIT_NOFILE, 4)."""
        return Child(folder, _in_folder, self, folder, sources(), limit)

    def do(self, folder):
        """Do it, in this process.

        Raises:
            RuntimeError: It did not end well.
        """
        self.work(folder) if self.line is None else told(*self.line(folder))


def _in_folder(command, folder, sources, limit):
    if limit:
        number, size = limit
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(number, (size, resource.getrlimit(number)[1]))
    with working_in(folder, sources):
        command.do(folder)


def told(*line):
    """Do what a command line says.

    Raises:
        RuntimeError: It did not end well.
    """
    done = run_harness_ext(*line)
    if done.exit_code:
        raise RuntimeError(f"{line} ended with {done.exit_code}: {done.output}") from done.exception


def files_of(folder):
    """Every file below, but for what a killed program leaves under `.incomplete-…`; no moment, and no folder's name."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".incomplete-") for part in path.parts):
            content = path.read_bytes()
            if path.parent.name == "every_eval_ever":
                content = re.sub(rb"\b\d{10}\b", b"", content)  # when it was written
            found[str(path.relative_to(folder))] = content
    return found


def _written(folder):
    return files_of(folder / "out")


def results_of(folder, models=MODELS):
    """Results of these models, under a name of their number."""
    target = folder / f"of-{len(models)}"
    if not target.is_dir():
        target.mkdir()
        out = sound(target)
        for model in {*MODELS} - {*models}:
            shutil.rmtree(out / "results" / model.replace("/", "__"))
    return target / "out"


# a run: one model measured anew, and another


def _before_run(folder, is_earlier):
    if is_earlier:
        shutil.copytree(results_of(folder, (FIRST,)), folder / "out", dirs_exist_ok=True)


def _run(folder):
    measure(folder / "out", FIRST, overwrite_strategy="always")
    measure(folder / "out", SECOND)


def _run_state(folder):
    """Each result, with the items that it was computed from."""
    if not [*(folder / "out").glob("results/*/*/*Mini.json")]:
        return {}
    found = load_results(folder / "out")
    return {
        **dict(zip(itertools.count(), found.problems)),
        **{each.model: repr((sorted(each.scores.items()), each.items().digest())).encode() for each in found.entries},
    }


# a download, and the preparation of the rows


@functools.cache
def _served():
    """The port of a server that takes some time over each file, and its files."""
    found = {source.name: source.rows for source in PolarityPairs.SOURCES["reference"].values()}
    contents = {
        name: "".join(f"the {name} number {number} was rather good .\n" for number in range(n or 500)).encode()
        for name, n in found.items()
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = contents[Path(self.path).name]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            for start in range(0, len(content), 1 + len(content) // 4):
                self.wfile.write(content[start : start + 1 + len(content) // 4])
                self.wfile.flush()
                time.sleep(0.01)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):  # whoever asked was killed
            pass

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1], contents


@functools.cache
def sources():
    """As those of the dataset, but with made-up sentences at an address of this machine."""
    port, contents = _served()
    found = {}
    with tempfile.NamedTemporaryFile() as file:
        for key, source in PolarityPairs.SOURCES["reference"].items():
            Path(file.name).write_bytes(contents[source.name])
            url = f"http://127.0.0.1:{port}/commit/{source.name}"
            found[key] = Source(url, git_blob_hash(Path(file.name)), source.rows)
    return found


def _before_download(folder, is_earlier):
    """A file that was cut off."""
    source = sources()["pairs.0"]
    if is_earlier:
        path = folder / "cache" / source.relative_path
        path.parent.mkdir(parents=True)
        path.write_bytes(_served()[1][source.name][:100])


def _download(folder):
    rows = datasets.load_dataset("polarity_pairs", "reference", revision=PINNED)
    (folder / "out").mkdir(exist_ok=True)
    with whole_file(folder / "out" / "rows.json") as partial:
        partial.write_text(json.dumps({split: part.to_list() for split, part in rows.items()}))


def _download_state(folder):
    return files_of(folder / "cache") | files_of(folder / "out")


# commands of harness-ext, each over what an earlier one has written


def _before_export(folder, is_earlier):
    for name in ("default/naturalistic-00000-of-00001.parquet", "README.md") if is_earlier else ():
        path = folder / "out" / "compound_mini" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"earlier")


def _export(folder):
    return "datasets", "export", folder / "out", "--dataset", "compound_mini"


def _report(folder, models=MODELS):
    return "report", results_of(folder, models), "-o", folder / "out"


def _board(folder, models=MODELS):
    return "leaderboard", "build", results_of(folder, models), "-o", folder / "out"


def _of_one_model(line, folder):
    return line(folder, (FIRST,))


@functools.cache
def _earlier(line):
    """What a command makes of the results of one model."""
    folder = tempfile.TemporaryDirectory()
    command = Command("", None, _written, line=functools.partial(_of_one_model, line))
    results_of(Path(folder.name), (FIRST,))
    if said := command.child(Path(folder.name)).wait():
        raise RuntimeError(said)
    return folder


def _before_pages(line, folder, is_earlier):
    """The script that draws charts, which takes seconds to make, is always there."""
    results_of(folder)
    out = Path(_earlier(line).name, "out")
    for path in out.rglob("*"):
        if path.is_file() and (is_earlier or path.name.startswith("charts-")):
            target = folder / "out" / path.relative_to(out)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


COMMANDS = {
    command.name: command
    for command in (
        Command("run", _before_run, _run_state, _run),
        Command("download", _before_download, _download_state, _download),
        Command("export", _before_export, _written, line=_export),
        Command("report", functools.partial(_before_pages, _report), _written, line=_report),
        Command("board", functools.partial(_before_pages, _board), _written, line=_board),
    )
}


@functools.cache
def reference(name):
    """What is there after the command has worked undisturbed, and in how many seconds, the less of two.

    Raises:
        RuntimeError: It did not end well.
    """
    command, states, seconds = COMMANDS[name], [], []
    for is_earlier in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            command.prepare(Path(folder), is_earlier)
            started = time.monotonic()
            if said := command.child(Path(folder)).wait():
                raise RuntimeError(said)
            seconds.append(time.monotonic() - started)
            states.append(command.state(Path(folder)))
    if states[0] != states[1]:
        differing = sorted(name for name in states[0] | states[1] if states[0].get(name) != states[1].get(name))
        raise RuntimeError(f"{name} is not the same twice: {differing}")
    return states[0], min(seconds)


def not_whole(left, before, after):
    """What is gone of what was there, or is neither as before nor as afterwards."""
    if gone := sorted(before.keys() - left.keys()):
        return f"lost: {gone[0]} is gone"
    half = sorted(name for name, content in left.items() if content not in (before.get(name), after.get(name)))
    return f"silent: {half[0]} is neither as before nor as afterwards" if half else ""


def again(command, folder):
    """What is wrong when the command is run again, if anything is."""
    after, _ = reference(command.name)
    if said := command.child(folder).wait():
        return f"raw: run again: {said.strip().splitlines()[-1]}"
    return "" if command.state(folder) == after else "silent: other output when it is run again"
